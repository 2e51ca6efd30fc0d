#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# time.sh GEN: of captures with cycle counts and timestamps, the clock (analysis/sl_fusion.h) tells when each call was entered and left: to the rounding of
# a tick where each waypoint has its cycles, else within the resolution that it states. GEN-time compares with truth/calls.bin.
set -eu
gen=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# is_true "TIME_OPTIONS" GEN_OPTIONS...
is_true() {
	how=$1
	shift
	rm -rf "$tmp/capture"
	"$gen" --out "$tmp/capture" --insns 200000 --interrupt-every 1000 --context-id --calls "$@" >/dev/null
	capture=$tmp/capture
	[ ! -e "$capture/perf.data" ] || capture=$capture/perf.data
	# shellcheck disable=SC2086 # options are words
	"$gen-time" $how "$capture" "$tmp/capture/truth" >"$tmp/out" || { cat "$tmp/out"; echo "FAIL: $how: $*"; exit 1; }
	echo "$how: $*: $(tail -n 1 "$tmp/out")"
}

# Each waypoint has its cycles: exact.
is_true --exact-cycles --cycles 0 --timestamps 1000
is_true --exact-cycles --cycles 0 --timestamps 200
is_true --exact-cycles --cycles 0 --timestamps 100000
is_true --exact-cycles --cycles 0 --timestamps 1000 --protocol ete --cpus 2 --processes 2 --pinned --return-stack 8 --hz 2500000000
is_true "" --cycles 0 --timestamps 1000 --speculation 4 # the resolution is less, since commits may come late
is_true --exact-cycles --cycles 0 --timestamps 1000 --noise 300 --miss 20:90 --slow :50:2000:1 --hz 3333333333
# A threshold leaves counts out: what lies between them is within as much.
is_true "--within 1000" --cycles 4 --timestamps 1000
is_true "--within 1000" --cycles 64 --timestamps 5000 --noise 300 --miss 20:90
is_true "--within 1000" --cycles 1000 --timestamps 20000
is_true "--within 1000" --cycles 4 --timestamps 1000 --clock-hz 1000000000
# An idle core waits for longer than a count can say.
is_true "--within 1000" --cycles 4 --timestamps 1000 --cpus 2 --pinned --timer-ns 4000000
# Timestamps only.
is_true "--within 999" --timestamps 1000
is_true "--within 999" --timestamps 20000 --protocol ete --return-stack 8
is_true "--within 999" --timestamps 1000 --cpus 2 --pinned --timer-ns 4000000
# Gaps: filtered levels, overflows, pieces of perf.
is_true "--damaged --within 999" --cycles 4 --timestamps 10000 --hidden-levels 2
is_true "--damaged --within 999" --timestamps 10000 --hidden-levels 2
is_true "--damaged --within 999" --cycles 4 --timestamps 1000 --overflow-every 500
is_true "--damaged --within 999" --cycles 64 --timestamps 3000 --overflow-every 500 --overflow-discards
is_true "--damaged --within 999" --timestamps 1000 --overflow-every 500
perf="--container perf --cpus 2 --processes 2 --pinned"
# shellcheck disable=SC2086
is_true "--damaged --within 999" --cycles 4 --timestamps 1000 $perf --piece 4K
# shellcheck disable=SC2086
is_true "--damaged --within 999" --cycles 4 --timestamps 1000 $perf --piece 4K --lose-pieces 8
# Tasks that move between CPUs.
is_true "--damaged --exact-cycles" --cycles 0 --timestamps 500 --cpus 3 --processes 2 --threads 3
is_true "--damaged --within 999" --timestamps 500 --cpus 3 --processes 2 --threads 3

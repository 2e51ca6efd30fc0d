#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Captures of the model in each container: what the library decodes is what was executed, call by call, without a note.
. "$(dirname "$0")/lib.sh"

generator=$SL_BINARY_DIR/fixtures/generator
count=0

# made OPTION...: makes $tmp/capture and leaves its path for sightline in $capture.
made() {
	rm -rf "$tmp/capture"
	count=$((count + 1))
	"$generator/sightline-gen" --out "$tmp/capture" --insns 100000 --seed $count --interrupt-every 1000 --context-id \
		--flow --calls "$@" >/dev/null || fail "sightline-gen $*"
	capture=$tmp/capture
	args=
	[ ! -e "$capture/perf.data" ] || capture=$tmp/capture/perf.data
	[ ! -e "$capture/sightline.args" ] || args=$capture/sightline.args
	[ -z "$args" ] || capture=$capture/trace.bin
}

# true_as CHECK_OPTIONS GEN_OPTION...
true_as() {
	how=$1
	shift
	made "$@"
	"$generator/sightline-gen-check" $how "$capture" "$tmp/capture/truth" $args >"$tmp/check.txt" || {
		cat "$tmp/check.txt" >&2
		fail "$*: the capture is not what was executed"
	}
	grep -q ' 0 notes: true$' "$tmp/check.txt" || fail "$*: $(grep note "$tmp/check.txt")"
}

true_as "" --container snapshot
true_as "" --container snapshot --protocol ete --return-stack 8 --cycles 4
true_as "" --container snapshot --cpus 3 --processes 2 --pinned --threads 3 --timestamps 500 --speculation 4
true_as "" --container snapshot --user-only --cpus 2 --broadcast
true_as "" --container raw
true_as "" --container raw --unframed
perf="--container perf --cpus 2 --pinned --processes 2 --timestamps 1000"
for version in 0 1 2; do
	true_as "" $perf --perf-version $version
	true_as "" $perf --perf-version $version --hw-id 0 --build-ids
	true_as "" $perf --perf-version $version --hw-id 1 --unframed
done
true_as "" $perf --shared-sink --hw-id 1
# Each piece starts the decoder anew: calls end without exit, and one that is cut at its first instruction counts again.
true_as "--counts=none" $perf --piece 2K
true_as "--counts=none" $perf --piece 2K --shared-sink
true_as "--counts=none" $perf --per-thread
true_as "--counts=none" $perf --per-thread --hw-id 1 --unframed --piece 2K

# A check that sees no difference would see none here either.
made --container snapshot
printf '\377' | dd of="$tmp/capture/trace.bin" bs=1 seek=3000 conv=notrunc 2>/dev/null
! "$generator/sightline-gen-check" "$capture" "$tmp/capture/truth" >"$tmp/check.txt" || fail "a damaged trace was found true"

# What is lost by an overflow or with a piece is missing; nothing is made up in its place.
# (Counts: where trace begins anew at the first instruction of a loop, the library takes it for a call.)
true_as "--damaged --counts=none" --container snapshot --overflow-every 2000
true_as "--damaged --counts=none" $perf --piece 2K --overflow-every 1000 --overflow-runs 20
grep -q '^overflow' "$tmp/capture/faults.tsv" || fail "no overflow was made"

# The same seed makes the same capture.
made --container perf --cpus 2 --seed 7
cp -r "$tmp/capture" "$tmp/first_one"
made --container perf --cpus 2 --seed 7
diff -r "$tmp/capture" "$tmp/first_one" || fail "the same seed makes another capture"

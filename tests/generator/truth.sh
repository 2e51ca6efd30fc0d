#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# truth.sh BUILD GEN: captures of programs that ran in QEMU, in each container: the library decodes exactly what was executed. With a
# kernel (scripts/guest-kernel BUILD/guest-kernel) those of a whole machine of two CPUs, too, call by call.
set -eu
export SL_BUILD="$1"
gen=$2
guests=$SL_BUILD/guests/aarch64
command -v qemu-aarch64 >/dev/null || { echo "skipped: qemu-aarch64 is missing"; exit 77; }
[ -e "$guests/calls" ] || { echo "skipped: no guest programs"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# is_true CHECK_OPTION GEN_OPTION...
is_true() {
	how=$1
	shift
	rm -rf "$tmp/capture"
	"$gen" --out "$tmp/capture" --context-id --timestamps 1000 --flow --calls "$@" >/dev/null
	capture=$tmp/capture
	[ ! -e "$capture/perf.data" ] || capture=$capture/perf.data
	"$gen-check" $how "$capture" "$tmp/capture/truth" >"$tmp/check" || { cat "$tmp/check"; echo "FAIL: $*"; exit 1; }
	grep -q ' 0 notes: true$' "$tmp/check" || { cat "$tmp/check"; echo "FAIL: $*: notes"; exit 1; }
}

# What the kernel does is missing there; a call that goes on behind it has no entry.
for program in calls exceptions; do
	"$SL_SOURCE_DIR/scripts/log-guest" aarch64 $program "$tmp/$program" >/dev/null
	is_true --counts=none --log "$tmp/$program.log" --elf "$guests/$program"
	is_true --counts=none --log "$tmp/$program.log" --elf "$guests/$program" --protocol ete --return-stack 8 --cycles 4
	is_true --counts=none --log "$tmp/$program.log" --elf "$guests/$program" --container perf --build-ids
done

[ -e "$SL_BUILD/guest-kernel/vmlinuz-arm64" ] || exit 0
# A jump into the middle of a function, as of memcpy, is a call for the library and none for the truth: not counted.
for program in signals threads; do
	"$SL_SOURCE_DIR/scripts/log-guest" system $program "$tmp/$program"
	set -- --log "$tmp/$program.log" --int "$tmp/$program.int" --elf "$guests/$program"
	is_true --counts=none "$@"
	is_true --counts=none "$@" --container perf --hw-id 1 --unframed --build-ids
done

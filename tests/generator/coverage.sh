#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coverage.sh BUILD GEN GEN_LOG: export -f lcov of programs that ran in QEMU says of every line, branch and function what the block log says, and
# -f autofdo of every instruction and jump; of each protocol.
set -eu
export SL_BUILD="$1"
gen=$2 gen_log=$3
for program in qemu-aarch64 qemu-arm llvm-dwarfdump llvm-nm llvm-readelf; do
	command -v $program >/dev/null || { echo "skipped: $program is missing"; exit 77; }
done
[ -d "$SL_BUILD/guests/arm" ] || { echo "skipped: no guest programs"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# logged ARCH PROGRAM: the log and what it says, into $tmp.
logged() {
	elf=$SL_BUILD/guests/$1/$2
	"$SL_SOURCE_DIR/scripts/log-guest" "$1" "$2" "$tmp/log" >/dev/null
	"$gen_log" "$tmp/log.log" >"$tmp/events" 2>/dev/null
	"$gen_log" --pcs "$tmp/log.log" >"$tmp/pcs"
}

# covered PROTOCOL GEN_OPTIONS...: of what was logged. The program with its lines stands in for the image of what ran, which has none.
covered() {
	rm -rf "$tmp/capture"
	"$gen" --out "$tmp/capture" --container raw --unframed --log "$tmp/log.log" --elf "$elf" --protocol "$@" >/dev/null
	for format in lcov autofdo; do
		# shellcheck disable=SC2046 # an option a line
		"$SIGHTLINE" export "$tmp/capture/trace.bin" --quiet $(grep -v '^--image=' "$tmp/capture/sightline.args") --image "$elf" \
			-f $format -o "$tmp/$format" || { echo "FAIL: $elf: export -f $format of $*"; exit 1; }
	done
	python3 -B "$SL_SOURCE_DIR/tests/generator/coverage_truth.py" "$tmp/events" "$tmp/pcs" "$elf" "$tmp/capture/truth/functions.tsv" \
		"$tmp/lcov" "$tmp/autofdo" || { echo "FAIL: $elf, $*"; exit 1; }
}

for program in calls exceptions polling; do
	logged aarch64 $program
	covered etmv4
	covered ete --return-stack 8 --cycles 4
	for arch in arm thumb; do
		logged $arch $program
		covered ptm
		covered etmv3
	done
done
command -v qemu-x86_64 >/dev/null || exit 0
! "$SIGHTLINE" info "$SL_SOURCE_DIR/fixtures/generated/x86_64-ipt/trace.bin" --protocol ipt 2>&1 | grep -q 'built without libipt' || exit 0
for program in calls exceptions polling; do
	logged x86_64 $program
	covered ipt
done

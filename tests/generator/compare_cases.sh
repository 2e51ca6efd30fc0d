# SPDX-License-Identifier: Apache-2.0
# compare_cases.sh BUILD GEN: the cases from practice, each a pair of captures and one command of compare: a timer of 500 us and of 1 ms, a loop that
# polled, a driver's work item of 10 ms, and a function that another build inlines. The case of the uprobe is tests/cli/compare_uprobe.sh. Needs what
# lenses.sh needs.
set -eu
export SL_BUILD="$1"
gen=$2
kernel=$SL_BUILD/guest-kernel
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# inlined NAME [FLAG]: a build of compare_inlined.c, and its run as cap-NAME.
inlined() {
	mkdir -p "$tmp/aarch64"
	aarch64-linux-gnu-gcc -O2 -fno-unroll-loops -static -I "$SL_SOURCE_DIR/fixtures/guest" ${2:-} -o "$tmp/aarch64/$1" \
		"$SL_SOURCE_DIR/tests/generator/compare_inlined.c"
	SL_GUESTS=$tmp "$SL_SOURCE_DIR/scripts/log-guest" aarch64 "$1" "$tmp/$1" >/dev/null
	"$gen" --out "$tmp/cap-$1" --log "$tmp/$1.log" --elf "$tmp/aarch64/$1" --cycles 4 --no-truth >/dev/null
}

# capture NAME PROGRAM [KERNEL'S ARGUMENTS]
capture() {
	name=$1 program=$2
	SL_APPEND="${3:-}" "$SL_SOURCE_DIR/scripts/log-guest" system "$program" "$tmp/$name" >/dev/null
	"$gen" --out "$tmp/cap-$name" --log "$tmp/$name.log" --int "$tmp/$name.int" --elf "$SL_BUILD/guests/aarch64/$program" \
		--elf "$kernel/kallsyms-arm64" --context-id --timestamps 1000 --cycles 4 --clock-hz 1000000000 --sleep-scale 1 >/dev/null
	rm -f "$tmp/$name.log" "$tmp/$name.int" "$tmp/$name.initrd"
}

parts=
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
	inlined called
	inlined inlined -DINLINED
	parts="inlined"
fi
if command -v qemu-system-aarch64 >/dev/null && [ -e "$SL_BUILD/guests/initrd-aarch64.gz" ] && [ -e "$kernel/vmlinuz-arm64" ] &&
	[ -e "$kernel/module.cpio.gz" ] && [ -e "$kernel/kallsyms-arm64" ]; then
	capture fast timer period_us=500
	capture slow timer period_us=1000
	capture driver driver
	capture without driver driver=off
	capture polling polling rest_us=2000
	capture rested polling rest_us=20000
	parts="$parts timer driver polling"
fi
[ -n "$parts" ] || { echo "skipped: no cross compiler and no kernel: scripts/setup --generator, guest-kernel, guest-module, guest-symbols"; exit 77; }
# shellcheck disable=SC2086 # words
python3 -B "$SL_SOURCE_DIR/tests/generator/compare_cases.py" "$SIGHTLINE" "$tmp" $parts

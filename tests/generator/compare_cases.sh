# SPDX-License-Identifier: Apache-2.0
# compare_cases.sh BUILD GEN [DIR]: pairs of captures of a change that engineers make, each explained by one command of compare, by the truth: a function
# that is inlined in one of two builds; with a kernel (as lenses.sh): a timer of 500 us against 1 ms, a polling loop mended, a driver's work item removed.
# The captures stay in DIR where one is given; docs/compare-cases.md shows what compare says of them.
set -eu
export SL_BUILD="$1"
gen=$2
kernel=$SL_BUILD/guest-kernel
guests=${SL_GUESTS:-$SL_BUILD/guests}
if [ $# -gt 2 ]; then
	tmp=$3
	mkdir -p "$tmp"
else
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
fi
command -v qemu-aarch64 >/dev/null || { echo "skipped: qemu-aarch64 is missing"; exit 77; }
[ -e "$guests/aarch64/inlined" ] || { echo "skipped: no guest programs"; exit 77; }

# make NAME PROGRAM ARGUMENTS OF GEN...: of the log NAME
make() {
	name=$1 program=$2
	shift 2
	"$gen" --out "$tmp/$name" --log "$tmp/$name.log" --elf "$guests/aarch64/$program" --context-id --timestamps 1000 --cycles 4 \
		--clock-hz 1000000000 "$@" >/dev/null
	rm -f "$tmp/$name.log" "$tmp/$name.int" "$tmp/$name.initrd" "$tmp/$name.console"
}

# machine NAME PROGRAM KERNEL'S ARGUMENTS
machine() {
	SL_APPEND="$3" "$SL_SOURCE_DIR/scripts/log-guest" system "$2" "$tmp/$1" >/dev/null
	make "$1" "$2" --int "$tmp/$1.int" --elf "$kernel/kallsyms-arm64" --sleep-scale 1
}

for build in apart inlined; do
	"$SL_SOURCE_DIR/scripts/log-guest" aarch64 $build "$tmp/$build" >/dev/null
	make $build $build
done
cases=inlined
if command -v qemu-system-aarch64 >/dev/null && [ -e "$kernel/vmlinuz-arm64" ] && [ -e "$kernel/module.cpio.gz" ] && [ -e "$kernel/kallsyms-arm64" ]; then
	machine slow timer "period_us=1000 background=off"
	machine fast timer "period_us=500 background=off"
	machine polling polling "rest_us=20000"
	machine mended polling "rest_us=20000 polls=7"
	machine driver driver ""
	machine without driver "driver=off"
	cases="inlined timer polling driver"
fi
# shellcheck disable=SC2086 # one word each
python3 -B "$SL_SOURCE_DIR/tests/generator/compare_cases.py" "$SIGHTLINE" "$tmp" $cases

# SPDX-License-Identifier: Apache-2.0
# lenses.sh BUILD GEN: what engineers ask of a machine is answered by one command of events, and is what truth/ says: which interrupt fires twice as
# often, which module queues the work, which task switches how often, who reads the clock in bursts, who sends and receives messages. Needs a kernel,
# its module and names: scripts/guest-kernel, guest-module and guest-symbols BUILD/guest-kernel.
set -eu
export SL_BUILD="$1"
gen=$2
kernel=$SL_BUILD/guest-kernel
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

command -v qemu-system-aarch64 >/dev/null || { echo "skipped: qemu-system-aarch64 is missing"; exit 77; }
[ -e "$SL_BUILD/guests/initrd-aarch64.gz" ] || { echo "skipped: no guest programs"; exit 77; }
for file in vmlinuz-arm64 module.cpio.gz kallsyms-arm64; do
	[ -e "$kernel/$file" ] || { echo "skipped: no $kernel/$file: scripts/guest-kernel, guest-module, guest-symbols"; exit 77; }
done

# capture NAME PROGRAM [KERNEL'S ARGUMENTS]
capture() {
	name=$1 program=$2
	SL_APPEND="${3:-}" "$SL_SOURCE_DIR/scripts/log-guest" system "$program" "$tmp/$name" >/dev/null
	"$gen" --out "$tmp/cap-$name" --log "$tmp/$name.log" --int "$tmp/$name.int" --elf "$SL_BUILD/guests/aarch64/$program" \
		--elf "$kernel/kallsyms-arm64" --context-id --timestamps 1000 --cycles 4 --clock-hz 1000000000 --sleep-scale 1 >/dev/null
	rm -f "$tmp/$name.log" "$tmp/$name.int" "$tmp/$name.initrd"
}
capture fast timer period_us=500
capture slow timer period_us=1000
capture queue queue
capture driver driver
capture without driver driver=off
capture polling polling rest_us=20000
python3 -B "$SL_SOURCE_DIR/tests/generator/lenses.py" "$SIGHTLINE" "$tmp"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# system.sh PLUGIN_DIRECTORY GEN_LOG: two tasks on a machine of two CPUs, with its kernel. The log has to hold together, to be the same twice, to know
# the tasks, and to have the instructions of the program as QEMU's single steps do. Needs a kernel: scripts/guest-kernel
# BUILD/guest-kernel; with that for amd64 also an x86-64 machine's log has to hold together.
set -eu
gen_log=$2
export SL_BUILD="$1"
kernel=$SL_BUILD/guest-kernel/vmlinuz-arm64
command -v qemu-system-aarch64 >/dev/null || { echo "skipped: qemu-system-aarch64 is missing"; exit 77; }
[ -e "$SL_BUILD/guests/initrd-aarch64.gz" ] || { echo "skipped: no guest programs"; exit 77; }
[ -e "$kernel" ] || { echo "skipped: no kernel; run scripts/guest-kernel $SL_BUILD/guest-kernel"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "FAIL: $1"
	exit 1
}

for run in one two; do
	"$SL_SOURCE_DIR/scripts/log-guest" system queue "$tmp/$run"
done
cmp "$tmp/one.log" "$tmp/two.log" || fail "two runs differ"
"$gen_log" --int "$tmp/one.int" "$tmp/one.log" >"$tmp/events"
for task in producer consumer; do
	grep -q "context el0 id [0-9]* pid [0-9]* tid [0-9]* $task$" "$tmp/events" || fail "no task $task"
done

text=0x$(readelf -lW "$SL_BUILD/guests/aarch64/queue" | awk '$1 == "LOAD" && /R E/ { print substr($3, 3) }')
"$SL_SOURCE_DIR/scripts/log-guest" --steps "$text" system queue "$tmp/steps"
python3 -B "$SL_SOURCE_DIR/tests/generator/single_steps.py" "$tmp/events" "$tmp/steps.exec" "$text"

if command -v qemu-system-x86_64 >/dev/null && [ -e "$SL_BUILD/guest-kernel/vmlinuz-amd64" ]; then
	"$SL_SOURCE_DIR/scripts/log-guest" system-x86_64 queue "$tmp/x86"
	"$gen_log" --quiet --int "$tmp/x86.int" "$tmp/x86.log"
fi

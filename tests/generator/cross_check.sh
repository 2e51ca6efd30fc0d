#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cross_check.sh ARCH PLUGIN GEN_LOG: each guest program's instructions, as the block log and flow/ have them, against what QEMU itself
# logs when it is told to make a block of each instruction.
set -eu
arch=$1 plugin=$2 gen_log=$3
guests=$SL_BINARY_DIR/guests/$arch
case $arch in
aarch64) qemu=qemu-aarch64 libraries=/usr/aarch64-linux-gnu ;;
arm | thumb) qemu=qemu-arm libraries=/usr/arm-linux-gnueabihf ;;
x86_64) qemu=qemu-x86_64 libraries=/ ;;
esac
command -v $qemu >/dev/null || { echo "skipped: $qemu is missing"; exit 77; }
[ -d "$guests" ] || { echo "skipped: no guest programs"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Both runs have the same arguments and environment, since these lie on the stack and their lengths count.
run() { # options of QEMU...
	env -i $qemu -L $libraries "$@" "$guests/$program"
}

# REP begins anew for each turn: uniq makes it one, as it is in the flow. No guest has a branch to itself.
single_steps() {
	sed -n 's/^Trace [0-9]*: 0x[0-9a-f]* \[[0-9a-f]*\/0*\([0-9a-f]*\)\/.*/\1/p' "$1" | uniq
}

for program in calls plt syscalls; do
	run -plugin "$plugin,out=$tmp/log"
	run -singlestep -d exec,nochain -D "$tmp/exec"
	"$gen_log" --pcs "$tmp/log" >"$tmp/flow"
	single_steps "$tmp/exec" >"$tmp/steps"
	cmp "$tmp/flow" "$tmp/steps" || { echo "FAIL: $arch $program"; exit 1; }
	[ -s "$tmp/steps" ] || { echo "FAIL: $arch $program: nothing was compared"; exit 1; }
	echo "$arch $program: $(wc -l <"$tmp/steps") instructions are the same"
done

# Too long for single steps; but it has to hold together. One of them forks: only the parent is logged.
for program in exceptions polling faults; do
	run -plugin "$plugin,out=$tmp/log"
	"$gen_log" --quiet "$tmp/log"
done

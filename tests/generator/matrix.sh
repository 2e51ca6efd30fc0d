#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# matrix.sh [--all] ARCH BUILD GEN: each guest program of an architecture in each protocol that it has, plainly and with all that the protocol can tell:
# OpenCSD (Intel PT: libipt) decodes exactly the flow that was logged. ARCH as in scripts/log-guest; machines need a kernel, see there,
# and run only what a program's log cannot show, unless all is asked for.
set -eu
all=
if [ "$1" = --all ]; then
	all="calls exceptions syscalls polling faults"
	shift
fi
arch=$1 gen=$3
export SL_BUILD="$2"
case $arch in
aarch64) qemu=qemu-aarch64 protocols="etmv4 ete" ;;
arm | thumb) qemu=qemu-arm protocols="etmv4 ptm etmv3" ;;
x86_64) qemu=qemu-x86_64 protocols=ipt ;;
system) qemu=qemu-system-aarch64 protocols="etmv4 ete" kernel=arm64 elves=aarch64 ;;
system-x86_64) qemu=qemu-system-x86_64 protocols=ipt kernel=amd64 elves=x86_64 ;;
esac
elves=$SL_BUILD/guests/${elves:-$arch}
programs="calls plt exceptions syscalls polling faults"
case $arch in system*) programs="$all signals threads timer queue" ;; esac
[ "$arch$all" != system-x86_64 ] || programs=queue # one boot is 20 s
command -v $qemu >/dev/null || { echo "skipped: $qemu is missing"; exit 77; }
[ -d "$elves" ] || { echo "skipped: no guest programs"; exit 77; }
[ -z "${kernel:-}" ] || [ -e "$SL_BUILD/guest-kernel/vmlinuz-$kernel" ] ||
	{ echo "skipped: no kernel; run scripts/guest-kernel $SL_BUILD/guest-kernel $kernel"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# What a protocol does not have, it leaves out; speculation is ETMv4's alone.
everything() {
	echo "--context-id --timestamps 500 --cycles 4 --return-stack 8 --sync 512"
	case $1 in etmv4 | ete) echo "--speculation 8" ;; esac
}

# is_exact PROTOCOL OPTIONS...
is_exact() {
	protocol=$1 how=--counts=none
	shift
	[ "$protocol" != ipt ] || { how="--ipt --counts=none"; set -- "$@" --unframed; }
	[ ! -e "$tmp/$program.int" ] || set -- "$@" --int "$tmp/$program.int"
	rm -rf "$tmp/capture"
	"$gen" --out "$tmp/capture" --flow --protocol "$protocol" --log "$tmp/$program.log" --elf "$elves/$program" "$@" >/dev/null
	result=0
	"$gen-check" $how "$tmp/capture" "$tmp/capture/truth" >"$tmp/check" || result=$?
	[ $result != 77 ] || { echo "skipped: built without libipt"; exit 77; }
	if [ $result != 0 ] || ! grep -q ' instructions.*: true$' "$tmp/check" || grep -q '^note:' "$tmp/check"; then
		cat "$tmp/check"
		echo "FAIL: $arch $program $protocol $*"
		exit 1
	fi
	echo "$arch $program $protocol: $(sed -n 's/ instructions.*//p' "$tmp/check") instructions"
}

# With its changes of code, which no container tells; verified PROTOCOL
verified() {
	set -- --protocol "$1"
	[ ! -e "$tmp/$program.int" ] || set -- "$@" --int "$tmp/$program.int"
	"$gen-verify" --out "$tmp/code" --log "$tmp/$program.log" "$@" >"$tmp/check" || { cat "$tmp/check"; echo "FAIL: $arch $program $*"; exit 1; }
	rm -r "$tmp/code"
}

for program in $programs; do
	"$SL_SOURCE_DIR/scripts/log-guest" "$arch" $program "$tmp/$program" >/dev/null
	for protocol in $protocols; do
		is_exact "$protocol"
		[ "$protocol" = ipt ] || verified "$protocol"
		# shellcheck disable=SC2046 # options are words
		is_exact "$protocol" $(everything "$protocol")
	done
	rm -f "$tmp/$program".*
done

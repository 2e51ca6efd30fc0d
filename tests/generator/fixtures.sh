#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fixtures.sh BUILD: the captures in fixtures/ come out the same when they are made anew; with Debian 12's compilers and QEMU, since others make other
# code.
set -eu
for compiler in aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc gcc; do
	command -v $compiler >/dev/null || { echo "skipped: $compiler is missing"; exit 77; }
	[ "$($compiler -dumpfullversion)" = 12.2.0 ] || { echo "skipped: $compiler is not 12.2.0"; exit 77; }
done
for emulator in qemu-system-aarch64 qemu-aarch64 qemu-arm qemu-x86_64; do
	command -v $emulator >/dev/null || { echo "skipped: $emulator is missing"; exit 77; }
	$emulator --version | grep -q 'version 7\.2\.' || { echo "skipped: $emulator is not 7.2"; exit 77; }
done
SL_BUILD=$1 exec "$SL_SOURCE_DIR/scripts/make-fixtures" --check

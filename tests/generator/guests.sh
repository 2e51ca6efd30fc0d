#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the guest programs for the tests that run them.
set -eu
for compiler in aarch64-linux-gnu-g++ arm-linux-gnueabihf-g++ g++ cpio; do
	command -v "$compiler" >/dev/null || { echo "skipped: $compiler is missing"; exit 77; }
done
exec "$SL_SOURCE_DIR/scripts/make-guests" "$SL_BINARY_DIR/guests"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# golden.sh NAME LINES ARGUMENTS...: the first LINES lines that sightline prints of the demo capture are those of
# NAME.txt. With SL_BLESS=1 that file is written anew instead (scripts/bless).
set -eu
golden=$SL_SOURCE_DIR/tests/golden/$1.txt
lines=$2
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$SL_SOURCE_DIR"
"$SIGHTLINE" "$@" >"$tmp/all" 2>"$tmp/errors" </dev/null || {
	echo "FAILED: sightline $*: exit code $?"
	cat "$tmp/errors"
	exit 1
}
head -n "$lines" "$tmp/all" >"$tmp/out"
if [ -n "${SL_BLESS:-}" ]; then
	cp "$tmp/out" "$golden"
	exit 0
fi
diff -u "$golden" "$tmp/out" && exit 0
echo "FAILED: sightline $* prints something else. If it should: scripts/bless, and read the diff."
exit 1

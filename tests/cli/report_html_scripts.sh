# SPDX-License-Identifier: Apache-2.0
# Scripts of the HTML report that need no browser.
. "$(dirname "$0")/lib.sh"
command -v node > /dev/null || skip "no node"
node "$SL_SOURCE_DIR/tests/cli/html/detail_level_test.mjs" "$SL_SOURCE_DIR/report/html" > "$tmp/told" || fail "$(cat "$tmp/told")"

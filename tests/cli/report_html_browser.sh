# SPDX-License-Identifier: Apache-2.0
# Pages of report --html in a browser: scripts/setup-browser installs what that needs.
. "$(dirname "$0")/lib.sh"
here=$SL_SOURCE_DIR/tests/cli/html
modules=$SL_SOURCE_DIR/build/browser
demo=$SL_SOURCE_DIR/fixtures/demo
command -v node > /dev/null || skip "no node"
[ -x "${SL_CHROMIUM:-/usr/bin/chromium}" ] || skip "no chromium"
[ -d "$modules/node_modules/playwright-core" ] || skip "no playwright-core: scripts/setup-browser"

run report "$demo" --html "$tmp/demo.html"
expect_rc 0
run report "$demo" --html "$tmp/cut.html" --html-calls 10000
expect_rc 0
"$SIGHTLINE" report "$demo" --quiet --format json -o "$tmp/demo.json"
"$SL_BINARY_DIR/tests/html_page" 20000 "$tmp/hostile.html" hostile || fail "no page of names that mean harm"
node "$here/view_test.mjs" "$modules" "$tmp/demo.html" "$tmp/demo.json" "$tmp/hostile.html" "$tmp/cut.html" > "$tmp/told" 2>&1 ||
	fail "$(cat "$tmp/told")"

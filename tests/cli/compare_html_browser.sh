# SPDX-License-Identifier: Apache-2.0
# Pages of compare --html in a browser: scripts/setup-browser installs what that needs.
. "$(dirname "$0")/lib.sh"
here=$SL_SOURCE_DIR/tests/cli/html
modules=$SL_SOURCE_DIR/build/browser
command -v node > /dev/null || skip "no node"
[ -x "${SL_CHROMIUM:-/usr/bin/chromium}" ] || skip "no chromium"
[ -d "$modules/node_modules/playwright-core" ] || skip "no playwright-core: scripts/setup-browser"

run report "$SL_SOURCE_DIR/fixtures/demo" --save "$tmp/a.slp"
run report "$small" --save "$tmp/b.slp"
python3 "$here/hostile_profile.py" "$tmp/a.slp" "$tmp/hostile.slp"
echo 'CONFIG_PREEMPT_TRACER=y' > "$tmp/with.config"
echo '# CONFIG_PREEMPT_TRACER is not set' > "$tmp/without.config"
set -- "$tmp/a.slp" "$tmp/b.slp" --clock insns --config "$tmp/without.config" --config "$tmp/with.config"
"$SIGHTLINE" compare "$@" --quiet --format json -o "$tmp/compare.json"
run compare "$@" --html "$tmp/page.html"
expect_rc 0
run compare "$tmp/hostile.slp" "$tmp/b.slp" --html "$tmp/hostile.html"
expect_rc 0
node "$here/compare_test.mjs" "$modules" "$tmp/page.html" "$tmp/compare.json" "$tmp/hostile.html" > "$tmp/told" 2>&1 || fail "$(cat "$tmp/told")"

# SPDX-License-Identifier: Apache-2.0
# compare --html: the page has the tables of --format json, and histograms of the same calls; names that mean harm stay data.
. "$(dirname "$0")/lib.sh"
demo=$SL_SOURCE_DIR/fixtures/demo
here=$SL_SOURCE_DIR/tests/cli/html
need_small
run report "$small" --save "$tmp/small.slp"
run report "$demo" --save "$tmp/demo.slp"

# checked A B OPTIONS...
checked()
{
	run compare "$@" --html "$tmp/page.html"
	expect_rc 0
	expect_out
	"$SIGHTLINE" compare "$@" --quiet --format json -o "$tmp/compare.json"
	python3 -B "$here/compare_reader.py" "$tmp/page.html" "$tmp/compare.json" > "$tmp/difference" 2>&1 || fail "$*: $(tail -3 "$tmp/difference")"
}
for clock in time cycles insns; do
	checked "$tmp/demo.slp" "$tmp/small.slp" --clock $clock
done
checked "$demo" "$small" --per handle_irq
checked "$tmp/demo.slp" "$tmp/demo.slp"

# The configuration is there where it was given.
echo 'CONFIG_PREEMPT_TRACER=y' > "$tmp/with.config"
echo '# CONFIG_PREEMPT_TRACER is not set' > "$tmp/without.config"
checked "$tmp/demo.slp" "$tmp/small.slp" --config "$tmp/without.config" --config "$tmp/with.config"
grep -q CONFIG_PREEMPT_TRACER "$tmp/compare.json" || fail "no option differs"

# Names that mean harm.
python3 "$here/hostile_profile.py" "$tmp/demo.slp" "$tmp/hostile.slp"
checked "$tmp/hostile.slp" "$tmp/small.slp"
! grep -q '<img\|<svg onload\|globalThis.harm=1</script>' "$tmp/page.html" || fail "a name is markup"

# A limit counts with a page too.
run compare "$tmp/demo.slp" "$tmp/small.slp" --fail-if total:-5% --html "$tmp/page.html"
expect_rc 1
[ -s "$tmp/page.html" ] || fail "no page where a limit is exceeded"

# What goes not together, or cannot be.
for option in "--format json" "--table sum" "-o $tmp/x" "--fields all" "--limit 5" "--depth 2" "--min-percent 0"; do
	# shellcheck disable=SC2086 # option and value
	run compare "$tmp/demo.slp" "$tmp/small.slp" --html "$tmp/none.html" $option
	expect_rc 2
	expect_err_has "--html"
	[ ! -e "$tmp/none.html" ] || fail "$option: a page was written"
done
run compare "$tmp/demo.slp" "$tmp/small.slp" --html "$tmp/no/such.html"
expect_rc 2
expect_err_has "cannot write $tmp/no/such.html"
run compare "$tmp/demo.slp" "$tmp/small.slp" --html /dev/full
expect_rc 2
expect_err_has "cannot write /dev/full: No space left on device"
run compare "$tmp/demo.slp" "$tmp/small.slp" --html "$tmp/demo.slp"
expect_rc 2
expect_err_has "is the capture itself"
exit 0

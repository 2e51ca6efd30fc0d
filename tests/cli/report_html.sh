# SPDX-License-Identifier: Apache-2.0
# report --html: a reader that knows only the format's description adds the page's calls up to report's numbers.
. "$(dirname "$0")/lib.sh"
demo=$SL_SOURCE_DIR/fixtures/demo
reader=$SL_SOURCE_DIR/tests/cli/html/page_reader.py
need_small

checked()
{
	run report "$1" --clock "$2" --html "$tmp/page.html"
	expect_rc 0
	expect_out
	"$SIGHTLINE" report "$1" --quiet --clock "$2" --format json -o "$tmp/report.json"
	python3 "$reader" "$tmp/page.html" "$tmp/report.json" > "$tmp/difference" 2>&1 || fail "$1: $(tail -3 "$tmp/difference")"
}
for axis in time cycles insns; do
	checked "$demo" $axis
done
checked "$small" cycles

# The same bytes however it is decoded.
run report "$demo" --html "$tmp/one.html" -j 1 --block-bytes 1000
run report "$demo" --html "$tmp/two.html"
cmp -s "$tmp/one.html" "$tmp/two.html" || fail "the bytes depend on how it is decoded"

# More calls than a page may have: it has the outermost levels, and says so.
run report "$demo" --html "$tmp/page.html" --html-calls 10000
expect_rc 0
python3 "$reader" "$tmp/page.html" "" --cut > "$tmp/difference" 2>&1 || fail "cut: $(tail -3 "$tmp/difference")"
[ "$(wc -c < "$tmp/page.html")" -lt "$(wc -c < "$tmp/two.html")" ] || fail "a page with less is not shorter"

# What goes not together, or cannot be.
for option in "--format json" "--sort self" "--function main" "--by task" "--durations wall" "-o $tmp/x" "--save $tmp/x"; do
	# shellcheck disable=SC2086 # option and value
	run report "$demo" --html "$tmp/none.html" $option
	expect_rc 2
	expect_err_has "--html"
	[ ! -e "$tmp/none.html" ] || fail "$option: a page was written"
done
run report "$demo" --html-calls 5
expect_rc 2
expect_err_has "--html-calls is for --html"
run report "$demo" --html "$tmp/no/such.html"
expect_rc 2
expect_err_has "cannot write $tmp/no/such.html"
run report "$demo" --html /dev/full
expect_rc 2
expect_err_has "cannot write /dev/full: No space left on device"
cp -r "$small" "$tmp/capture"
run report "$tmp/capture" --html "$tmp/capture"
expect_rc 2
expect_err_has "is the capture itself"

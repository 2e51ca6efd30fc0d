# SPDX-License-Identifier: Apache-2.0
# What the tests of export share; behind lib.sh.
here=$SL_SOURCE_DIR/tests/cli
demo=$SL_SOURCE_DIR/fixtures/demo
need_small

# reported CAPTURE:AXIS...: what report says, and the rows of all calls.
reported()
{
	for case; do
		capture=$SL_SOURCE_DIR/fixtures/${case%:*}
		"$SIGHTLINE" report "$capture" --quiet --format csv --fields all --clock ${case#*:} -o "$tmp/$case.csv" || fail "report"
		"$SIGHTLINE" export "$capture" --quiet -f csv --clock ${case#*:} -o "$tmp/$case.calls.csv" || fail "export"
	done
}

# written FORMAT CAPTURE:AXIS: into $tmp/file. Without notes: the demo's clocks have some.
written()
{
	rm -rf "$tmp/file"
	run export "$SL_SOURCE_DIR/fixtures/${2%:*}" -f "$1" --clock "${2#*:}" --quiet -o "$tmp/file"
	expect_rc 0
	expect_out
	expect_err
}

read_back()
{
	python3 "$here/export_reader.py" "$@" > "$tmp/difference" || fail "$1: $(cat "$tmp/difference")"
}

# has PROGRAM: where it is missing, what it reads is not tested, which is said.
has()
{
	command -v "$1" > /dev/null && return
	echo "not tested: no $1"
	return 1
}

# checked FORMAT CAPTURE:AXIS...
checked()
{
	format=$1
	shift
	for case; do
		written "$format" "$case"
		read_back "$format" "$tmp/file" "$tmp/$case.csv" "$tmp/$case.calls.csv"
	done
}

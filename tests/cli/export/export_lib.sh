# SPDX-License-Identifier: Apache-2.0
# What the tests of export share; behind lib.sh.
here=$SL_SOURCE_DIR/tests/cli
demo=$SL_SOURCE_DIR/fixtures/demo
need_small

# path_of CAPTURE: one that the test made, that is bundled, or that is shared.
path_of()
{
	for path in "$tmp/$1" "$SL_SOURCE_DIR/fixtures/$1"; do
		[ ! -d "$path" ] || break
		path=$captures/$1
	done
	echo "$path"
}

# sums_of CAPTURE:AXIS: where its sums are kept
sums_of()
{
	echo "$tmp/$(echo "$1" | tr / _)"
}

# reported CAPTURE:AXIS...: what report says, and the rows of all calls.
reported()
{
	for case; do
		capture=$(path_of "${case%:*}") sums=$(sums_of "$case")
		"$SIGHTLINE" report "$capture" --quiet --format csv --fields all --clock ${case#*:} -o "$sums.csv" || fail "report"
		"$SIGHTLINE" export "$capture" --quiet -f csv --clock ${case#*:} -o "$sums.calls.csv" || fail "export"
	done
}

# written FORMAT CAPTURE:AXIS: into $tmp/file. What the trace lacks may be told, and nothing else.
written()
{
	rm -rf "$tmp/file"
	run export "$(path_of "${2%:*}")" -f "$1" --clock "${2#*:}" -o "$tmp/file"
	expect_rc 0
	expect_out
	! grep -qv -e '^sightline: note: ' -e '^sightline: warning: ' "$tmp/err" || fail "only notes and warnings are expected"
	[ "${2%:*}" != small ] || expect_err
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
		read_back "$format" "$tmp/file" "$(sums_of "$case").csv" "$(sums_of "$case").calls.csv"
	done
}

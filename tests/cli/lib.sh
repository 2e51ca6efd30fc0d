# SPDX-License-Identifier: Apache-2.0
# For tests of the command line, POSIX sh. SIGHTLINE is the program, SL_SOURCE_DIR the tree. A test runs the program and
# then says what it expects; the first difference ends it with exit code 1. 77: skipped.
set -u
: "${SIGHTLINE:?the path of the program}" "${SL_SOURCE_DIR:?the source tree}"
small=$SL_SOURCE_DIR/fixtures/small
captures=${SIGHTLINE_SHARED:-$SL_SOURCE_DIR/../shared}/captures
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR SIGHTLINE_PAGER PAGER LESS
command=

skip()
{
	echo "skipped: $*"
	exit 77
}

fail()
{
	echo "FAIL: $*"
	echo "command: $command"
	if [ -n "$command" ]; then
		echo "exit code: $rc; standard output:"
		head -40 "$tmp/out"
		echo "standard error:"
		head -40 "$tmp/err"
	fi
	exit 1
}

# Runs sightline; leaves $rc and the files out and err.
run()
{
	command="sightline $*"
	"$SIGHTLINE" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	rc=$?
}

expect_rc()
{
	[ "$rc" -eq "$1" ] || fail "exit code $1 expected"
}

# Whole standard output or error; without an argument: nothing.
expect_out()
{
	printf '%s' "${1+$1
}" > "$tmp/want"
	cmp -s "$tmp/want" "$tmp/out" || fail "standard output should be: ${1-nothing}"
}

expect_err()
{
	printf '%s' "${1+$1
}" > "$tmp/want"
	cmp -s "$tmp/want" "$tmp/err" || fail "standard error should be: ${1-nothing}"
}

# A fixed string somewhere.
expect_out_has()
{
	grep -qF -e "$1" "$tmp/out" || fail "standard output should hold: $1"
}

expect_err_has()
{
	grep -qF -e "$1" "$tmp/err" || fail "standard error should hold: $1"
}

expect_out_lacks()
{
	! grep -qF -e "$1" "$tmp/out" || fail "standard output should not hold: $1"
}

# expect_equal WHAT GOT WANT
expect_equal()
{
	[ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

need_small()
{
	[ -f "$small/snapshot.ini" ] || fail "a bundled capture is missing: $small"
}

# A shared capture, or the test is skipped.
need_capture()
{
	[ -e "$captures/$1" ] || skip "no $captures/$1"
}

escape=$(printf '\033')

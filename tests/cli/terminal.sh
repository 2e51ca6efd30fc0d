# SPDX-License-Identifier: Apache-2.0
# Colour, pager and progress: only on a terminal, or where they are forced.
. "$(dirname "$0")/lib.sh"
need_small

run report "$small"
expect_out_lacks "$escape"
run report "$small" --color auto
expect_out_lacks "$escape"
run report "$small" --color always
expect_out_has "$escape[4mfunction"
sed "s/$escape\[[0-9;]*m//g" "$tmp/out" > "$tmp/stripped"
run report "$small" --color never
cmp -s "$tmp/stripped" "$tmp/out" || fail "colour changes more than colour"
for format in json csv; do
	run report "$small" --color always --format $format
	expect_out_lacks "$escape"
done
run report "$small" --color always -o "$tmp/file"
grep -qF "$escape" "$tmp/file" || fail "--color always and -o"
NO_COLOR=1 run report "$small" --color always
expect_out_has "$escape"

# Progress, as if standard error were a console: shown, and gone at the end.
run report "$small" --clock insns --fake-stderr-is-console
expect_rc 0
expect_err_has "sightline: 100 % of 0.0 MB"
tail -c 4 "$tmp/err" | grep -qF "$escape[K" || fail "progress is not cleared"
run report "$small" --fake-stderr-is-console --quiet
expect_err

command -v script > /dev/null || skip "the rest needs script(1)"
script -qec true /dev/null > /dev/null 2>&1 < /dev/null || skip "the rest needs a pseudo-terminal"
# on_terminal COMMAND: with standard output on a terminal; leaves out.
on_terminal()
{
	command=$1
	TERM=xterm script -qec "$1" /dev/null > "$tmp/out" 2> "$tmp/err" < /dev/null
	rc=$?
}
quoted="'$SIGHTLINE' report '$small' --clock insns"
on_terminal "SIGHTLINE_PAGER='sed s/^/PAGED:/' $quoted"
expect_rc 0
expect_out_has "PAGED:$escape[4mfunction"
on_terminal "PAGER='sed s/^/PAGED:/' $quoted"
expect_out_has "PAGED:"
on_terminal "SIGHTLINE_PAGER=cat PAGER='sed s/^/PAGED:/' $quoted"
expect_out_lacks "PAGED:"
expect_out_has "$escape[4mfunction"
on_terminal "PAGER='sed s/^/PAGED:/' $quoted --no-pager"
expect_out_lacks "PAGED:"
on_terminal "PAGER='sed s/^/PAGED:/' $quoted --format csv"
expect_out_lacks "PAGED:"
on_terminal "PAGER='sed s/^/PAGED:/' $quoted > /dev/null"
expect_out_lacks "PAGED:"
on_terminal "PAGER= NO_COLOR=1 $quoted"
expect_out_lacks "$escape"
expect_out_has "fib"
on_terminal "PAGER= TERM=dumb $quoted"
expect_out_lacks "$escape"
# A pager that leaves early, with more to say than a pipe holds.
on_terminal "PAGER='head -2' '$SIGHTLINE' flow '$small'; echo code \$?"
expect_out_has "code 0"
# Shorter than a second: no progress on a real terminal.
on_terminal "PAGER= $quoted > /dev/null"
expect_out

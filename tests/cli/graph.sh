# SPDX-License-Identifier: Apache-2.0
# graph: its views, what it refuses, and that its sums close.
. "$(dirname "$0")/lib.sh"
need_small

# Children and self are the node, for every row, and the root is the whole that report says.
run graph "$small" --format csv --clock insns --fields id,parent,total,self
expect_rc 0
sed 1d "$tmp/out" | tr -d '\r' | awk -F , '{ total[$1] = $3; sum[$1] += $4; if ($2 != "") sum[$2] += $3 }
	END { for (i in total) { n++; if (sum[i] != total[i]) bad++ } print (n > 20), bad + 0 }' > "$tmp/sums"
expect_equal "rows whose sum does not close" "$(cat "$tmp/sums")" "1 0"
root=$(sed -n 2p "$tmp/out" | tr -d '\r' | cut -d , -f 3)
run report "$small" --format csv --clock insns --table account
expect_equal "whole" "$root" "$(sed -n 2p "$tmp/out" | cut -d , -f 4)"

# Levels apart: totals are those of report.
run report "$small" --format csv --clock cycles --function memcpy --fields calls,total,self,max
report=$(sed -n 2p "$tmp/out")
run graph "$small" --format csv --clock cycles --levels apart --callers memcpy --depth 1 --fields calls,total,self,max
expect_equal "memcpy" "$(sed -n 2p "$tmp/out")" "$report"
run graph "$small" --format csv --clock cycles --levels apart --flat memcpy --fields kind,calls,total,self,max
expect_equal "memcpy" "$(grep ^function "$tmp/out" | cut -d , -f 2-)" "$report"

# Text is drawn in the environment's character set.
run graph "$small" --depth 2
expect_out_has "├─"
LC_ALL=C run graph "$small" --depth 2
expect_out_has "|-"
expect_out_lacks "├─"
run graph "$small" --sort time --depth 2 --fields function --min-percent 0
first=$(sed -n 4p "$tmp/out")
run graph "$small" --sort function --depth 2 --fields function --min-percent 0
[ "$first" != "$(sed -n 4p "$tmp/out")" ] || fail "--sort changes nothing"
run graph "$small" --by task --depth 2 --fields function
expect_rc 0
grep -qE '\[(task|stack) ' "$tmp/out" || fail "no tasks"

# The slowest call: parts of the difference add up, whatever the number of jobs.
run graph "$small" --slowest sys_write --format csv --fields id,parent,difference,self_difference
expect_rc 0
sed 1d "$tmp/out" | tr -d '\r' | awk -F , '{ total[$1] = $3; sum[$1] += $4; if ($2 != "") sum[$2] += $3 }
	END { for (i in total) { n++; if (sum[i] != total[i]) bad++ } print (n > 1), bad + 0 }' > "$tmp/sums"
expect_equal "paths whose difference does not close" "$(cat "$tmp/sums")" "1 0"
run report "$small" --format csv --function sys_write --fields calls,max
worst=$(sed -n 2p "$tmp/out")
run graph "$small" --slowest sys_write --levels apart --table instances --format csv --fields slowest
expect_equal "the slowest" "$(sed -n 2p "$tmp/out" | tr -d '\r' | cut -d , -f 1,4,5)" "slowest,$(echo "$worst" | tr -d '\r')"
run graph "$small" --slowest power_off
expect_rc 1
expect_out
expect_err_has "power_off: no call was seen from entry to exit"
run graph "$small" --slowest 'power_*'
expect_rc 1
expect_err_has "power_*: no call was seen from entry to exit"

run graph "$small" --callers memcyp
expect_rc 1
expect_out
expect_err_has "no function 'memcyp' was called (did you mean 'memcpy'?)"
run graph "$small" --fields help
expect_rc 0
expect_out_has "per_call"

wrong()
{
	text=$1
	shift
	run graph "$@"
	expect_rc 2
	expect_out
	expect_err "sightline: $text
try 'sightline graph -h'"
}
wrong "--callers, --callees, --flat, --slowest and --inverted exclude each other" --callers a --inverted x
wrong "--slowest takes neither --by nor --sort" --slowest a --sort self x
wrong "--table is for --slowest: the others have one table" --table instances x
wrong "option '--min-percent': 'x' is no number such as 0.5" --min-percent x x
wrong "option '--min-percent': '1.' is no number such as 0.5" --min-percent 1. x
wrong "option '--min-percent': 101 is too large: the most is 100" --min-percent 101 x
wrong "option '--levels': 'up' is none of asked, below, apart" --levels up x
wrong "option '--sort': 'x' is none of total, self, calls, avg, max, function, time" --sort x x
exit 0

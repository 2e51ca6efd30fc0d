# SPDX-License-Identifier: Apache-2.0
# report --sort, --limit and --fields.
. "$(dirname "$0")/lib.sh"
need_small

# Values of one column, in order.
column()
{
	sed '1d' "$tmp/out" | tr -d '\r' | cut -d , -f "$1"
}

run report "$small" --format csv --fields function,calls,self --sort=-calls,function --limit 5
expect_rc 0
expect_equal "rows" "$(wc -l < "$tmp/out")" 6
head -1 "$tmp/out" | tr -d '\r' | grep -qE '^function,calls,self_(ns|cycles|insns)$' || fail "header"
expect_equal "calls descend" "$(column 2)" "$(column 2 | sort -rn)"

run report "$small" --format csv --fields function --sort function
expect_equal "names ascend" "$(column 1)" "$(column 1 | LC_ALL=C sort)"
run report "$small" --format csv --fields function --sort=-function
expect_equal "names descend" "$(column 1)" "$(column 1 | LC_ALL=C sort -r)"
run report "$small" --format csv --fields self
expect_equal "self descends by default" "$(column 1)" "$(column 1 | sort -rn)"

run report "$small" --limit 3
head -1 "$tmp/out" | grep -qE '^Functions, in cycles \(3 of [0-9]+ rows\)$' || fail "the cut is not said"
run report "$small" --format json --limit 3
head -1 "$tmp/out" | grep -q '"rows_shown":"3"' || fail "the cut is not said in JSON"

run report "$small" --format csv --fields=-min,-max,-avg
head -1 "$tmp/out" | tr -d '\r' | grep -qE '^function,module,calls,missing_entry,missing_exit,missing,total_[a-z]+,self_[a-z]+,self_percent,p99' ||
	fail "left out columns"

run report "$small" --function 'is_*' --format csv --fields function --sort function
expect_equal "functions that match" "$(column 1 | paste -s -d ' ')" "is_even is_odd"
run report "$small" --module 'nothing*' --format csv --fields function
expect_equal "modules that match" "$(column 1)" ""

run report "$small" --sort functoin
expect_rc 2
expect_out
expect_err_has "--sort: no column 'functoin' (did you mean 'function'?); --fields help lists all"
run report "$small" --fields ''
expect_rc 2
expect_err_has "--fields: names no column"

# The unit follows the clock.
for clock in time:ns cycles:cycles insns:insns; do
	run report "$small" --clock "${clock%:*}" --format csv --fields self --limit 1
	expect_rc 0
	expect_equal "unit" "$(head -1 "$tmp/out" | tr -d '\r')" "self_${clock#*:}"
done
# A frequency that is twice as high halves the time.
run report "$small" --clock time --freq 25MHz --format csv --fields total --limit 1
slow=$(column 1)
run report "$small" --clock time --freq 50000k --format csv --fields total --limit 1
expect_equal "time at twice the frequency" "$(column 1)" "$((slow / 2))"

# Numbers and repairs.
run report "$small" --repairs --format json
expect_out_has '"table":"repairs"'
run report "$small" --format json
expect_out_lacks '"table":"repairs"'
run report "$small" --id 0x10
expect_rc 0
run report "$small" --id 0x11
expect_rc 2
expect_err_has "0x11"
expect_err_has "0x10"

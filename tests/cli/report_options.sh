# SPDX-License-Identifier: Apache-2.0
# What report counts and how: --by, --root and the other filters, --durations, --recursion, --tail-calls, --repairs.
. "$(dirname "$0")/lib.sh"
demo=$SL_SOURCE_DIR/fixtures/demo

# column NAME...: of the last run's CSV, one line a row, values with blanks between.
column()
{
	python3 - "$tmp/out" "$@" <<'END'
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")):
    print(*(row[name] for name in sys.argv[2:]))
END
}

# of FUNCTION NAME...: the same of one function.
of()
{
	name=$1
	shift
	column function "$@" | sed -n "s/^$name //p"
}

csv()
{
	run report "$demo" --format csv "$@"
	expect_rc 0
	expect_err
}

wrong()
{
	text=$1
	shift
	run report "$demo" "$@"
	expect_rc 2
	expect_out
	expect_err_has "$text"
}

# Kinds of rows: each table has its name; what ran is the same.
csv --clock insns
whole=$(column self_insns | awk '{ sum += $1 } END { print sum }')
for kind in function:functions module:modules task:tasks cpu:cpus level:levels line:lines file:files; do
	run report "$demo" --by "${kind%:*}" --format json --clock insns
	expect_rc 0
	head -1 "$tmp/out" | grep -q "\"table\":\"${kind#*:}\"" || fail "name of the table"
	csv --by "${kind%:*}" --clock insns
	case $kind in
	task:*|cpu:*) sum=$(column self_insns interrupted_insns | awk '{ sum += $1 + $2 } END { print sum }') ;;
	*) sum=$(column self_insns | awk '{ sum += $1 } END { print sum }') ;;
	esac
	# functions and modules have no place for what runs in a level outside of any function; the demo has nothing such
	expect_equal "instructions by ${kind%:*}" "$sum" "$whole"
done
csv --by line
column line function | grep '^machine/lib.c:72 memcpy$' > /dev/null || fail "a source line"
csv --by cpu
expect_equal "CPUs" "$(column cpu | sort | paste -s -d ' ')" "0 1"
wrong "they take no other --clock" --by line --clock cycles
wrong "--min-duration chooses calls" --by file --min-duration 1insns
wrong "option '--by': 'nothing' is none of function, module, task, cpu, level, line, file" --by nothing

# --root: what is inside of it, for one call of it.
csv --root control --clock insns
expect_equal "inside" "$(column function | grep -E '^(control|eliminate|fill_matrix|recalibrate|main|fibonacci)$' | sort | paste -s -d ' ')" \
	"control eliminate fill_matrix recalibrate"
expect_equal "once a call" "$(of control per_root_calls)" "1"
expect_equal "480 in 40 calls" "$(of eliminate per_root_calls)" "12"
sum=$(column self_insns | awk '{ sum += $1 } END { print sum }')
csv --root control --clock insns --table root
expect_equal "the sum" "$(column root calls self_insns)" "control 40 $sum"
csv --root nothing --table root
expect_equal "no such root" "$(column root calls per_call_insns)" "nothing 0 "

# Filters, and their sum: each call is on one CPU, in one level.
csv --function memcpy
all=$(column calls)
csv --function memcpy --cpu 0
one=$(column calls)
csv --function memcpy --cpu 1-7
expect_equal "calls of all CPUs" "$((one + $(column calls)))" "$all"
csv --cpu 5
expect_equal "no such CPU" "$(column function)" ""
csv --task 101 --clock insns
self=$(column self_insns | awk '{ sum += $1 } END { print sum }')
csv --by task --task 101 --clock insns
expect_equal "a task's instructions" "$(column self_insns interrupted_insns | awk '{ print $1 + $2 }')" "$self"
csv --task 0x65 --by task
expect_equal "a task by its number in base 16" "$(column task_id)" 101
csv --function memcpy --min-duration 250cycles
[ "$(column min_cycles)" -ge 250 ] || fail "shorter calls"
[ "$(column calls)" -lt "$all" ] || fail "all calls"
csv --min-duration 100000cycles --fields function
expect_equal "the longest" "$(column function | paste -s -d ' ')" "task_sorter task_sensor task_primes"
csv --window 100000cycles..200000cycles --sort=+first_at
[ "$(column first_at_cycles | sed -n 1p)" -ge 100000 ] || fail "before the window"
[ "$(column last_at_cycles | sort -n | tail -1)" -lt 200000 ] || fail "behind the window"
csv --window @1000..@5000
[ "$(column first_offset_bytes | sort -n | sed -n 1p)" -ge 1000 ] || fail "before the window"
[ "$(column last_offset_bytes | sort -n | tail -1)" -lt 5000 ] || fail "behind the window"
wrong "--cpu: '1-' is no list of CPUs" --cpu 1-
wrong "--level: 'irqs' is no list of task, irq, fiq" --level irqs
wrong "--window: '5ms..1ms' is empty" --window 5ms..1ms
wrong "--min-duration: '10' is no duration" --min-duration 10

# Calls in calls of the same function, and jumps to functions.
csv --function fib*
calls=$(column calls)
csv --function fib* --recursion outermost
[ "$(column calls)" -lt "$calls" ] || fail "inner calls are counted"
csv --clock insns --function leave --tail-calls own
own=$(column total_insns)
csv --clock insns --function leave --tail-calls caller
[ "$(column total_insns)" -ge "$own" ] || fail "it lasts no longer"
wrong "option '--tail-calls': 'x' is none of own, caller" --tail-calls x
wrong "option '--recursion': 'x' is none of all, outermost" --recursion x
wrong "option '--durations': 'x' is none of net, gross, wall" --durations x

# net <= gross <= wall
for kind in net gross wall; do
	csv --function control --durations "$kind" --clock insns
	eval "$kind=$(column total_insns)"
done
# shellcheck disable=SC2154 # eval
[ "$net" -le "$gross" ] && [ "$gross" -le "$wall" ] || fail "net $net, gross $gross, wall $wall"

# Each repair, as many as are counted.
run report "$demo" --repairs --format json --table ledger
expect_rc 0
ledger=$(grep -c '"offset_bytes"' "$tmp/out")
csv --repairs --table repairs
expect_equal "repairs" "$(column count | awk '{ sum += $1 } END { print sum }')" "$ledger"

# Text is for people, and what it leaves out can be had.
run report "$demo" --limit 3
sed -n 2p "$tmp/out" | grep -q 'p99' || fail "the usual columns"
! sed -n 2p "$tmp/out" | grep -q 'stdev' || fail "rare columns"
awk 'length > 120 { exit 1 }' "$tmp/out" || fail "lines beyond 120 columns"
run report "$demo" --limit 3 --fields +stdev,-min
sed -n 2p "$tmp/out" | grep -q 'avg.*stdev' || fail "the usual ones and more"
! sed -n 2p "$tmp/out" | grep -qw 'min' || fail "the usual ones but one"
run report "$demo" --limit 3 --fields all
sed -n 2p "$tmp/out" | grep -q 'jitter' || fail "all columns"

# SPDX-License-Identifier: Apache-2.0
# The reference case: per hit of a uprobe four walks of the stack, which the preemption tracer asks for; the numbers of its README.
. "$(dirname "$0")/lib.sh"
capture=$captures/generated/uprobe-arm64-preempt-tracer
need_capture generated/uprobe-arm64-preempt-tracer

# Calls and total of a function in the rows of the last run, whose fields are function,calls,total.
sums()
{
	sed 1d "$tmp/out" | tr -d '\r' |
		awk -F , -v name="$1" '$1 == name { calls += $2; total += $3 } END { print calls + 0, total + 0 }'
}

graph()
{
	run graph "$capture" --clock insns --format csv --fields function,calls,total "$@"
	expect_rc 0
}

# 50 hits of with_frame: 4 walks each, of 174 instructions, with return_address that asks for them.
graph --callers return_address
expect_equal "walks in with_frame" "$(sums with_frame)" "200 $((200 * 174))"
expect_equal "walks in empty_nop" "$(sums empty_nop)" "200 $((200 * 174))"
expect_equal "walks in empty_ret" "$(sums empty_ret)" "100 $((100 * 174))"
graph --callers arch_stack_walk
expect_equal "walks in with_frame" "$(sums with_frame | cut -d ' ' -f 1)" 200
graph --callees with_frame
expect_equal "the walks below with_frame" "$(sums return_address)" "200 $((200 * 174))"
expect_equal "the walks below with_frame" "$(sums arch_stack_walk | cut -d ' ' -f 1)" 200

# The same by report: of all hits, and of those of with_frame.
for root in el0_dbg:500 uprobe_notify_resume:500 with_frame:200; do
	run report "$capture" --clock insns --root "${root%:*}" --format csv --table functions --fields function,calls,total
	expect_rc 0
	expect_equal "walks inside of ${root%:*}" "$(sums return_address)" "${root#*:} $((${root#*:} * 174))"
done

# What 50 hits take, kernel and user: 4,597, 2,999 and 4,603 instructions each, of which main's loop has 5, 5 and 6.
expect_hit()
{
	graph --callees "$1"
	expect_equal "$1" "$(sums "$1")" "50 $((50 * $2))"
	expect_equal "preempt_count_add of $1" "$(sums preempt_count_add | cut -d ' ' -f 1)" "$((50 * $3))"
	expect_equal "preempt_count_sub of $1" "$(sums preempt_count_sub | cut -d ' ' -f 1)" "$((50 * $3))"
}
expect_hit empty_nop $((4597 - 5)) 9
expect_hit empty_ret $((2999 - 5)) 6
expect_hit with_frame $((4603 - 6)) 9
exit 0

# SPDX-License-Identifier: Apache-2.0
# The filters of report in graph, latency and histogram.
. "$(dirname "$0")/lib.sh"
need_small
demo=$SL_SOURCE_DIR/fixtures/demo

# Second line of what was written, as CSV.
row()
{
	sed -n 2p "$tmp/out" | tr -d '\r'
}

run report "$small" --root quicksort --clock insns --function partition --format csv --fields calls,total
report=$(row)
run graph "$small" --root quicksort --levels apart --clock insns --callees partition --depth 1 --format csv --fields calls,total
expect_rc 0
expect_equal "partition inside of quicksort" "$(row)" "$report"
run histogram "$small" partition --root quicksort --clock insns --format csv --table summary
expect_rc 0
expect_equal "calls that are measured" "$(row | cut -d , -f 1)" "${report%%,*}"

run graph "$small" --level irq --min-percent 0 --format csv --fields function
expect_rc 0
expect_out_has handle_irq
expect_out_lacks sys_write
run latency "$small" memcpy --window ..100000insns --clock insns --format csv
first=$(row | cut -d , -f 11)
run latency "$small" memcpy --window 100000insns.. --clock insns --format csv
expect_equal "before and after" "$((first + $(row | cut -d , -f 11)))" 99
run graph "$demo" --task 106 --callees count_primes --depth 1 --format csv --fields calls
expect_equal "of the task" "$(row)" 37
run graph "$demo" --task 105 --callees count_primes
expect_rc 1

for command_line in "graph $small" "latency $small memcpy" "histogram $small memcpy"; do
	# shellcheck disable=SC2086
	run $command_line --level nothing
	expect_rc 2
	expect_out
	expect_err_has "--level: 'nothing' is no list of task, irq"
done
exit 0

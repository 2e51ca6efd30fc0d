# SPDX-License-Identifier: Apache-2.0
# latency and histogram: what they measure is what report and flow say, and what they refuse.
. "$(dirname "$0")/lib.sh"
need_small

# Field NAME of the last run's first row, which is CSV.
field()
{
	tr -d '\r' < "$tmp/out" | awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
		NR == 2 { print $at }'
}

for function in memcpy schedule sys_write; do
	run report "$small" --clock cycles --function $function --format csv --fields calls,min,avg,max
	report=$(sed -n 2p "$tmp/out" | tr -d '\r')
	run histogram "$small" $function --clock cycles --format csv --table summary
	expect_rc 0
	expect_equal "$function" "$(field seen_a),$(field min_cycles),$(field avg_cycles),$(field max_cycles)" "$report"
	run histogram "$small" $function --format csv
	expect_equal "all are in a class" "$(sed 1d "$tmp/out" | awk -F , '{ sum += $3 } END { print sum }')" "$(echo "$report" | cut -d , -f 1)"
done

# A call from its entry to its exit, and interrupts.
run histogram "$small" memcpy --clock insns --format csv --table summary
min=$(field min_insns) sum=$(field sum_insns)
run latency "$small" memcpy leave:memcpy --clock insns --format csv
expect_rc 0
expect_equal "memcpy" "$(field min_insns),$(field sum_insns)" "$min,$sum"
run latency "$small" exception:14 handle_irq --pair cpu --format csv
expect_equal "interrupts" "$(field measured)" 57
run latency "$small" schedule --clock insns --format csv
interval=$(field avg_insns)
run histogram "$small" schedule --of interval --clock insns --format csv --table summary
expect_equal "one lane: tasks and CPU are the same here" "$(field seen_a)" 70
[ -n "$interval" ] || fail "no interval"

# What an address takes is what its function takes.
run latency "$small" memcpy --pair cpu --clock insns --format csv
by_name="$(field seen_a) $(field sum_insns)"
address=0x$(nm "$small/demo.elf" 2> /dev/null | awk '$3 == "memcpy" { sub(/^0+/, "", $1); print $1 }')
if [ "$address" != 0x ]; then
	run latency "$small" addr:$address --pair cpu --clock insns --format csv
	expect_equal "the first instruction" "$(field seen_a) $(field sum_insns)" "$by_name"
fi

run latency "$small" memcpy --limit 2 --format json --table worst
expect_equal "rows" "$(grep -c '"rank"' "$tmp/out")" 2
run latency "$small" memcpy handle_irq --pair any
expect_out_has "From memcpy to handle_irq, anywhere"
expect_out_has "A alone"

# Two CPUs, any number of jobs and any blocks: the same bytes.
demo=$SL_SOURCE_DIR/fixtures/demo
for asked in "latency $demo mq_send leave:mq_receive --pair any --clock time --freq 1GHz" "latency $demo mq_send leave:mq_receive" \
	"latency $demo control" "histogram $demo quicksort" "graph $demo" "graph $demo --by task --format json" \
	"graph $demo --slowest control"; do
	for jobs in 1 2 7; do
		# shellcheck disable=SC2086
		run $asked --jobs $jobs --block-bytes $((jobs * 999))
		expect_rc 0
		cksum < "$tmp/out"
	done | sort -u > "$tmp/sums"
	expect_equal "outputs of $asked with any number of jobs" "$(wc -l < "$tmp/sums")" 1
done

run latency "$small" memcyp
expect_rc 1
expect_out
expect_err_has "'memcyp' did not happen where there is trace (did you mean 'memcpy'?)"
run latency "$small" memcpy leave:nothing
expect_rc 1
expect_err_has "no pair could be measured: A 99 times, B 0 times"
run latency "$SL_SOURCE_DIR/fixtures/demo" task_sensor control
expect_rc 1
expect_err_has "no pair could be measured: A 1 time, B 40 times; see --pair"
run histogram "$small" power_off
expect_rc 1
expect_err_has "nothing could be measured: it happened 1 time"

wrong()
{
	text=$1 where=$2
	shift 2
	run "$@"
	expect_rc 2
	expect_out
	expect_err_has "sightline: $text"
	expect_err_has "try 'sightline $where -h'"
}
wrong "latency: too few arguments: it takes CAPTURE A [B]" latency latency x
wrong "unexpected argument 'c'" latency latency x a b c
wrong "'addr:main': that is no number" latency latency x addr:main
wrong "option '--pair': 'all' is none of task, cpu, any" latency latency x a --pair all
wrong "option '--limit': 101 is too large: the most is 100" latency latency x a --limit 101
wrong "histogram: too few arguments: it takes CAPTURE FUNCTION" histogram histogram x
wrong "option '--of': 'x' is none of duration, self, interval" histogram histogram x f --of x
exit 0

# SPDX-License-Identifier: Apache-2.0
# compare on the same uprobe in a kernel without and with CONFIG_PREEMPT_TRACER: 2,308 instructions more a hit, and where.
. "$(dirname "$0")/lib.sh"
need_capture generated/uprobe-arm64-base
need_capture generated/uprobe-arm64-preempt-tracer

for variant in base preempt-tracer; do
	capture=$captures/generated/uprobe-arm64-$variant
	run report "$capture" --symbols "$capture/ut.nm" --save "$tmp/$variant.slp"
	expect_rc 0
done

run compare "$tmp/base.slp" "$tmp/preempt-tracer.slp" --per with_frame --clock insns --format csv --fields function,calls_a,calls_b,difference
expect_rc 0
# A line of the table: function, calls a hit before and after, instructions more.
has()
{
	tr -d '\r' < "$tmp/out" | awk -F , -v want="$1,$2,$3,$4" '{ got = $1 "," $2 + 0 "," $3 + 0 "," $4 + 0 } got == want { found = 1 } END { exit !found }' ||
		fail "expected: $*"
}
has preempt_count_add 0 9 406
has preempt_count_sub 0 9 451
has trace_preempt_on 0 9 198
has trace_preempt_off 0 9 198
has arch_stack_walk 0 4 524
has up_read 2 2 -2
expect_equal "parts" "$(tr -d '\r' < "$tmp/out" | awk -F , 'NR > 1 { sum += $4 } END { print sum }')" 2308
run compare "$tmp/base.slp" "$tmp/preempt-tracer.slp" --per with_frame --clock insns
expect_out_has "A call of with_frame takes 2,308 instructions more in B than in A (2,289 to 4,597, +100.8 %): 60 % of that is in arch_stack_walk"
expect_out_has "2,308.00          2,308.00      yes"

run compare "$tmp/base.slp" "$tmp/preempt-tracer.slp" --per with_frame --clock insns --table call --format csv --fields usual
expect_out_has "A,50,"
expect_out_has "B,50,"
# Which option that is. Of those that have these functions it has the most.
configs="--config $captures/generated/uprobe-arm64-base/kernel.config --config $captures/generated/uprobe-arm64-preempt-tracer/kernel.config"
run compare "$tmp/base.slp" "$tmp/preempt-tracer.slp" --per with_frame --clock insns $configs --table config --format csv --fields usual
expect_rc 0
expect_equal "option" "$(sed -n 2p "$tmp/out" | cut -d , -f 1-3)" "CONFIG_PREEMPT_TRACER,n,y"
run compare "$tmp/base.slp" "$tmp/preempt-tracer.slp" --per with_frame --clock insns $configs --table verdict
expect_out_has "CONFIG_PREEMPT_TRACER (n in A, y in B) explains most"
exit 0

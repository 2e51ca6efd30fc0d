# SPDX-License-Identifier: Apache-2.0
# What is missing from an answer, or makes it doubtful, is said on standard error by cause.
. "$(dirname "$0")/lib.sh"
need_capture am243x-r5f

for name in report flow; do
	run $name "$captures/am243x-r5f/threadx-wrong-elf"
	expect_rc 0
	expect_err_has "sightline: warning: the image does not match the program that ran: "
	expect_err_has "gaps by no address: "
	expect_err_has "note: ETB_0: 256 bytes of trace id 0x6f belong to no source of the capture"
	run $name "$captures/am243x-r5f/threadx-wrong-elf" --quiet
	expect_rc 0
	expect_err
done

run report "$captures/am243x-r5f/threadx-memalloc"
expect_rc 0
! grep -q "does not match" "$tmp/err" || fail "the right image is called wrong"

# Nothing at all, because the image is not there.
run report "$captures/opencsd/juno-ret-stck" --quiet
expect_rc 1
expect_out
expect_err_has "nothing could be decoded: only gaps by no image: "
run flow --elements "$captures/opencsd/stm_only" --quiet
expect_rc 0
run info "$captures/opencsd/stm_only" --table verdict
expect_out_has 'the capture holds software trace only'
run report "$captures/opencsd/stm_only" --quiet
expect_rc 1
expect_err_has "the capture holds software trace only"

# A byte that is wrong: what it made of the flow up to the next sync point is told by no function, but by a warning and a gap.
cp -r "$small" "$tmp/damaged"
printf '\300' | dd of="$tmp/damaged/trace.bin" bs=1 seek=400 conv=notrunc 2>/dev/null
run report "$tmp/damaged" --clock insns
expect_rc 0
expect_err_has "sightline: warning: 1 gap by untrusted: ETB_0, trace id 0x10: 14218 instructions in 1 part, first at offset 400, where the trace "
expect_err_has "demo.elf: "
expect_out_has "14,218"
run flow "$tmp/damaged"
expect_rc 0
expect_out_has "*** gap: untrusted at 0x"
for words in graph "latency fib" "histogram fib" events "export -f folded" "export -f json"; do
	run ${words%% *} "$tmp/damaged" ${words#"${words%% *}"}
	expect_rc 0
	expect_err_has "sightline: warning: 1 gap by untrusted: ETB_0, trace id 0x10: 14218 instructions in 1 part, first at offset 400, "
done
run info "$tmp/damaged" --table gaps
expect_out_has "untrusted"
run info "$tmp/damaged" --table verdict
expect_out_has "of the instructions are not believed (see advice)"
run info "$tmp/damaged" --table advice
expect_out_has "report leaves out 14218 instructions in 1 part"
run report "$small"
! grep -q "untrusted" "$tmp/err" || fail "good trace is not believed"

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

# SPDX-License-Identifier: Apache-2.0
# A raw dump with its registers on the command line gives what the snapshot gives, and import makes one of it.
. "$(dirname "$0")/lib.sh"
need_demo

registers=$(sed -n 's/^\(TRC[A-Z0-9]*\)(\{0,1\}[^=]*=\(0x[0-9a-fA-F]*\).*/--reg=\1=\2/p' "$demo/etm_0.ini")
[ -n "$registers" ] || fail "no registers in $demo/etm_0.ini"

"$SIGHTLINE" flow "$demo" --ranges > "$tmp/snapshot" || fail "the snapshot does not decode"
# shellcheck disable=SC2086
run flow "$demo/trace.bin" --protocol etmv4 --core Cortex-A53 $registers --image "$demo/demo.elf" --ranges
expect_rc 0
cmp -s "$tmp/out" "$tmp/snapshot" || fail "other ranges than from the snapshot"

# shellcheck disable=SC2086
run import "$demo/trace.bin" --protocol etmv4 --core Cortex-A53 $registers --image "$demo/demo.elf" -o "$tmp/made"
expect_rc 0
expect_out
expect_err_has "sightline: wrote $tmp/made: see 'sightline info $tmp/made'"
run flow "$tmp/made" --ranges
expect_rc 0
cmp -s "$tmp/out" "$tmp/snapshot" || fail "other ranges than from the snapshot after import"
run import "$demo" -o "$tmp/made"
expect_rc 2
expect_out

# An image at an address: the same bytes elsewhere do not fit.
# shellcheck disable=SC2086
run report "$demo/trace.bin" --protocol etmv4 $registers --image "$demo/demo.elf@0x90000000"
expect_rc 1
expect_out
expect_err_has "nothing could be decoded"
expect_err_has "see 'sightline info $demo/trace.bin'"

# What lacks says so.
run report "$demo/trace.bin" --protocol etmv4 --image "$demo/demo.elf"
[ "$rc" -ne 0 ] || fail "decoded without a register"
expect_err_has "--"
run report "$demo/trace.bin" --protocol etm9
expect_rc 2
expect_err_has "etm9"
run report "$demo/trace.bin" --protocol etmv4 --reg TRCNOSUCH=1
expect_rc 2
expect_err_has "TRCNOSUCH"
run report "$demo" --image "$tmp/nothing.elf"
expect_rc 2
expect_err_has "$tmp/nothing.elf"

# SPDX-License-Identifier: Apache-2.0
# A raw dump with its registers on the command line gives what the snapshot gives, and import makes one of it.
. "$(dirname "$0")/lib.sh"
need_small

registers=$(sed -n 's/^\(TRC[A-Z0-9]*\)(\{0,1\}[^=]*=\(0x[0-9a-fA-F]*\).*/--reg=\1=\2/p' "$small/etm_0.ini")
[ -n "$registers" ] || fail "no registers in $small/etm_0.ini"

"$SIGHTLINE" flow "$small" --ranges > "$tmp/snapshot" || fail "the snapshot does not decode"
# shellcheck disable=SC2086
run flow "$small/trace.bin" --protocol etmv4 --core Cortex-A53 $registers --image "$small/demo.elf" --ranges
expect_rc 0
cmp -s "$tmp/out" "$tmp/snapshot" || fail "other ranges than from the snapshot"

# shellcheck disable=SC2086
run import "$small/trace.bin" --protocol etmv4 --core Cortex-A53 $registers --image "$small/demo.elf" -o "$tmp/made"
expect_rc 0
expect_out
expect_err_has "sightline: wrote $tmp/made: see 'sightline info $tmp/made'"
run flow "$tmp/made" --ranges
expect_rc 0
cmp -s "$tmp/out" "$tmp/snapshot" || fail "other ranges than from the snapshot after import"
run import "$small" -o "$tmp/made"
expect_rc 2
expect_out

# An image at an address: the same bytes elsewhere do not fit.
# shellcheck disable=SC2086
run report "$small/trace.bin" --protocol etmv4 $registers --image "$small/demo.elf@0x90000000"
expect_rc 1
expect_out
expect_err_has "nothing could be decoded"
expect_err_has "see 'sightline info $small/trace.bin'"

# What lacks says so.
run report "$small/trace.bin" --protocol etmv4 --image "$small/demo.elf"
[ "$rc" -ne 0 ] || fail "decoded without a register"
expect_err_has "--"
run report "$small/trace.bin" --protocol etm9
expect_rc 2
expect_err_has "etm9"
run report "$small/trace.bin" --protocol etmv4 --reg TRCNOSUCH=1
expect_rc 2
expect_err_has "TRCNOSUCH"
run report "$small" --image "$tmp/nothing.elf"
expect_rc 2
expect_err_has "$tmp/nothing.elf"

# Ids that no source claims: a line, however many they are. The bytes of the demo's two sources under another id.
demo="$SL_SOURCE_DIR/fixtures/demo/trace.bin"
# shellcheck disable=SC2086
run info "$demo" --protocol etmv4 $registers --trace-id 0x10 --table advice
expect_out_has "trace id 0x12 has 336558 bytes but no source in the capture claims it: add its trace unit's registers, or it stays unread"
# shellcheck disable=SC2086
run info "$demo" --protocol etmv4 $registers --trace-id 0x20 --table advice
expect_out_has "2 trace ids (0x10, 0x12) have 479737 bytes but no source in the capture claims them: add their trace units' registers, or "
expect_equal "lines about ids" "$(grep -c 'no source in the capture' "$tmp/out")" 1

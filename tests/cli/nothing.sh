# SPDX-License-Identifier: Apache-2.0
# Captures that decode to nothing: exit code 1, one line that says why and what to do, never an empty screen.
. "$(dirname "$0")/lib.sh"
need_small

copy()
{
	rm -rf "$tmp/copy"
	mkdir "$tmp/copy"
	cp "$small"/* "$tmp/copy/"
}

copy
: > "$tmp/copy/trace.bin"
for name in report graph flow packets "flow --ranges" "export -f csv" "export -f folded" "export -f lcov"; do
	# shellcheck disable=SC2086
	run $name "$tmp/copy" --quiet
	expect_rc 1
	expect_err "sightline: $tmp/copy: nothing could be decoded: the capture holds no trace bytes; see 'sightline info $tmp/copy'"
done
run info "$tmp/copy"
expect_rc 0
expect_out_has 'the capture holds no trace of programs'

# A source of an unknown type: a buffer without a lane.
copy
sed -i 's/^type=ETM4/type=E?M4/' "$tmp/copy/etm_0.ini"
run report "$tmp/copy" --quiet
expect_rc 1
expect_out
expect_err_has "nothing could be decoded: $tmp/copy/trace.ini:"

# Bytes without a sync point.
copy
head -c 4096 /dev/zero | tr '\0' '\101' > "$tmp/copy/trace.bin"
run report "$tmp/copy" --quiet
expect_rc 1
expect_out
expect_err_has "sightline: $tmp/copy: nothing could be decoded: "
expect_err_has "see 'sightline info $tmp/copy'"
expect_equal "lines" "$(wc -l < "$tmp/err")" 1

# Without the image: the addresses that were wanted are info's to tell.
copy
sed -i '/^\[dump/,$d' "$tmp/copy/cpu_0.ini"
run report "$tmp/copy" --quiet
expect_rc 1
expect_out
expect_err_has "nothing could be decoded: only gaps by no image"
run info "$tmp/copy" --table verdict --format csv
expect_out_has 'does not decode: none of the trace bytes lead to instructions; gaps: start'
run info "$tmp/copy" --table wanted --format csv
expect_rc 0
[ "$(wc -l < "$tmp/out")" -gt 1 ] || fail "info does not tell the addresses"

# Bytes of other ids, and names that would drive a terminal.
copy
printf '[dump]\nfile=x\033[2J\naddress=0x1\n' >> "$tmp/copy/cpu_0.ini"
run report "$tmp/copy"
! grep -qF "$escape" "$tmp/err" || fail "an escape sequence from a file reached standard error"
exit 0

# A directory of captures: which of them may have been meant.
mkdir -p "$tmp/several/notes"
run info "$tmp/several"
expect_rc 2
expect_err "sightline: $tmp/several: no snapshot.ini in this directory: expected a snapshot directory"
cp -r "$small" "$tmp/several/second"
cp -r "$small" "$tmp/several/first"
run info "$tmp/several/"
expect_rc 2
expect_err "sightline: $tmp/several/: no snapshot.ini in this directory: expected a snapshot directory; there is $tmp/several/first: give that"
printf PERFILE2 > "$tmp/several/a.data"
run info "$tmp/several"
expect_err_has "there is $tmp/several/a.data: give that"

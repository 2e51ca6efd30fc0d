# SPDX-License-Identifier: Apache-2.0
# check: what it says and its exit code, where all holds, where something does not, and where it could not be done.
. "$(dirname "$0")/lib.sh"
need_small

for against in "" "--against opencsd"; do
	# shellcheck disable=SC2086
	run check "$small" $against
	expect_rc 0
	expect_err
	expect_out_has "42,903  132,478"
	expect_out_has "ranges join                    0"
done
expect_out_has "fast    opencsd"

run check "$small" --against opencsd --table lanes --format csv
expect_rc 0
expect_out_has "buffer,id,source,engine,against,lane_bytes,elements,insns,same,offset_bytes,verdict"
run check "$small" --table rules --format json
expect_rc 0
expect_out_has '"schema":"sightline.check/1"'
expect_out_has '"rule":"time goes on","broken":0,"offset_bytes":null'
! grep -q '"table":"lanes"' "$tmp/out" || fail "--table rules prints lanes"

# Another program's image: nothing but branches to themselves, of which the trace says that some were not taken.
rm -rf "$tmp/copy"
mkdir "$tmp/copy"
cp "$small"/* "$tmp/copy/"
yes "$(printf '\001\001\001')" | head -c 7268 | tr '\001\n' '\000\024' | dd of="$tmp/copy/demo.elf" bs=1 seek=2048 conv=notrunc 2> /dev/null
run check "$tmp/copy" --quiet
expect_rc 1
grep -qE '(ranges join|walks end) +[1-9]' "$tmp/out" || fail "no rule is broken"
cp "$tmp/out" "$tmp/first"
run check "$tmp/copy" --quiet --jobs 7 --block-bytes 13
expect_rc 1
cmp -s "$tmp/out" "$tmp/first" || fail "jobs and blocks change the output"

: > "$tmp/copy/trace.bin"
run check "$tmp/copy"
expect_rc 2
grep -q "nothing could be decoded" "$tmp/err" || fail "why"
run check "$tmp/nosuch"
expect_rc 2
run check "$small" --against other
expect_rc 2
expect_out

# SPDX-License-Identifier: Apache-2.0
# flow as calls, instructions, elements and ranges; its filters.
. "$(dirname "$0")/lib.sh"
need_small

run flow "$small" --ranges
expect_rc 0
! grep -qvE '^10 [0-9a-f]+ [0-9a-f]+ [0-6] [EN]$' "$tmp/out" || fail "a line is no range"
expect_equal "first range" "$(head -1 "$tmp/out")" "10 40080000 4008001c 3 E"

run flow "$small"
expect_rc 0
head -1 "$tmp/out" | grep -q '^ETB_0 id 0x10' || fail "the lane's name"
expect_out_has "kernel_main() {"
expect_out_has "fib();"
expect_out_has "--- exception 14 ---"
run flow "$small" --clock insns
sed -n 2p "$tmp/out" | grep -qE '^ +insns  flow$' || fail "the axis"

# One brace opens for each that closes.
run flow "$small" --function self_test
expect_equal "braces" "$(grep -c '() {' "$tmp/out")" "$(grep -cE '^ +[0-9,]+ +}' "$tmp/out")"
[ "$(grep -c '() {' "$tmp/out")" -gt 20 ] || fail "self_test calls more"

run flow "$small" --function self_test --depth 1
expect_rc 0
expect_equal "calls of self_test" "$(grep -c 'self_test();' "$tmp/out")" 1
expect_out_lacks "quicksort"
run flow "$small" --function self_test --depth 2
expect_out_has "  quicksort"
run flow "$small" --function 'no_such_*'
expect_rc 0
expect_out_lacks "();"

run flow "$small" --function self_test --depth 1 --insn
expect_rc 0
expect_out_has "self_test() {"
grep -qE '0x4008[0-9a-f]{4}  [a-z]' "$tmp/out" || fail "no instruction"
grep -qE '/\* .*\.c:[0-9]+ \*/' "$tmp/out" || fail "no source line"

run flow "$small" --elements --format csv
expect_rc 0
head -1 "$tmp/out" | grep -q '^buffer,id,offset_bytes,element' || fail "header of elements"

# Any number of threads and any block size: the same bytes.
for name in "flow --clock insns" "flow --ranges" "flow --elements" "packets" "report" "check" "check --against opencsd" "info --table ids"; do
	# shellcheck disable=SC2086
	run $name "$small" --jobs 1
	cp "$tmp/out" "$tmp/first"
	for how in "--jobs 4" "--block-bytes 17" "--block-bytes 4096 -j2"; do
		# shellcheck disable=SC2086
		run $name "$small" $how
		expect_rc 0
		cmp -s "$tmp/first" "$tmp/out" || fail "$how changes the output"
	done
done

# Without the library that spells instructions out all else works. Sanitizers want to be loaded first.
if [ -z "${SL_SANITIZE:-}" ]; then
	export LD_PRELOAD="$SL_BINARY_DIR/tests/libno_dlopen.so"
	run flow "$small" --insn
	expect_rc 2
	expect_out
	expect_err "sightline: --insn: the library that spells instructions out, libcapstone, is not there: install it, or leave --insn out"
	run flow "$small"
	expect_rc 0
	unset LD_PRELOAD
fi

# SPDX-License-Identifier: Apache-2.0
# Intel PT in a perf.data: the functions of the raw trace, whoever's buffer it is in and however its pieces are cut.
. "$(dirname "$0")/lib.sh"
fixture=$SL_SOURCE_DIR/fixtures/generated/x86_64-ipt
make="python3 -B $SL_SOURCE_DIR/tests/support/intel_pt_perf_data.py"

run report "$fixture/trace.bin" --protocol ipt --image "$fixture/image.elf" --format csv --fields function,calls,self_insns
if grep -q 'built without libipt' "$tmp/err"; then
	skip "built without libipt"
fi
expect_rc 0
sed '/^$/,$d; /account/,$d' "$tmp/out" > "$tmp/functions"
[ "$(wc -l < "$tmp/functions")" -gt 10 ] || fail "no functions"
mkdir "$tmp/root"
cp "$fixture/image.elf" "$tmp/root/guest.elf"

# same_functions FILE: as of the raw trace
same_functions()
{
	run report "$1" --symfs "$tmp/root" --format csv --fields function,calls,self_insns
	expect_rc 0
	sed '/^$/,$d; /account/,$d' "$tmp/out" | cmp -s - "$tmp/functions" || fail "$1: other functions than in the raw trace"
}

for how in "" "--per-thread" "--piece 100" "--per-thread --piece 77" "--switches" "--wide" "--wide --processes --switches"; do
	$make $how "$fixture/trace.bin" "$fixture/image.elf" "$tmp/perf.data"
	same_functions "$tmp/perf.data"
done

# As a pipe.
$make --pipe "$fixture/trace.bin" "$fixture/image.elf" "$tmp/pipe.data"
same_functions "$tmp/pipe.data"
command="sightline info - < pipe.data"
"$SIGHTLINE" info - --symfs "$tmp/root" < "$tmp/pipe.data" > "$tmp/out" 2> "$tmp/err" || fail "info of a pipe"
grep -q '^4242  *guest ' "$tmp/out" || fail "no process guest"
grep -q 'intel_pt/tsc,branch' "$tmp/out" || fail "the event is not told"

# Two programs at the same addresses, and nothing that tells which ran.
$make --wide --processes "$fixture/trace.bin" "$fixture/image.elf" "$tmp/perf.data"
run info "$tmp/perf.data" --symfs "$tmp/root"
grep -q '^note .*the trace does not tell tasks' "$tmp/out" || fail "no note about tasks"
grep -q 'record with --switch-events, or' "$tmp/out" || fail "no advice for the next recording"

# Without the program's file: it is named.
$make "$fixture/trace.bin" "$fixture/image.elf" "$tmp/perf.data"
mkdir "$tmp/empty"
run info "$tmp/perf.data" --symfs "$tmp/empty"
expect_rc 0
grep -q '/guest.elf .* no ' "$tmp/out" || fail "the missing file is not named"
run packets "$tmp/perf.data"
expect_rc 0
grep -q ' TIP.PGE ' "$tmp/out" || fail "no packets without the program"

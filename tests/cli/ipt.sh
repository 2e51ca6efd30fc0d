# SPDX-License-Identifier: Apache-2.0
# Intel PT as a raw dump: decoded with a list of memory files, and with an ELF file; what lacks says so.
. "$(dirname "$0")/lib.sh"
fixture=$SL_SOURCE_DIR/fixtures/generated/x86_64-ipt

run report "$fixture/trace.bin" --protocol ipt --image "$fixture/image.elf"
if grep -q 'built without libipt' "$tmp/err"; then
	[ "$rc" -ne 0 ] || fail "done without libipt"
	skip "built without libipt"
fi
expect_rc 0
cp "$tmp/out" "$tmp/report"
grep -q '^add_three  *image.elf  *283 ' "$tmp/out" || fail "add_three was called 283 times"

# Other names of the protocol; a framing that it has not is not asked for.
for name in intel-pt intel_pt pt; do
	run report "$fixture/trace.bin" --protocol $name --image "$fixture/image.elf"
	[ "$rc" -ne 0 ] || cmp -s "$tmp/out" "$tmp/report" || fail "$name: another report"
done

# Its packets need no image.
run packets "$fixture/trace.bin" --protocol ipt
expect_rc 0
head -2 "$tmp/out" | grep -q ' PSB\>' || fail "no PSB at the beginning"
grep -q ' TIP.PGE .* 0x' "$tmp/out" || fail "no TIP.PGE with an address"
[ "$(grep -c ' BAD \| NOTSYNC ' "$tmp/out")" -eq 0 ] || fail "bytes that are no packets"

# A list of memory files says where they lie.
mkdir "$tmp/memory"
run flow "$fixture/trace.bin" --protocol ipt --image "$fixture/image.elf" --insn --format csv
expect_rc 0
grep ,insn, "$tmp/out" | cut -d, -f8,9 > "$tmp/insns"
python3 - "$fixture/image.elf" "$tmp/memory" <<'PY'
import struct, sys
elf = open(sys.argv[1], "rb").read()
at, = struct.unpack_from("<Q", elf, 32)
size, count = struct.unpack_from("<HH", elf, 54)
with open(f"{sys.argv[2]}/img.txt", "w") as text:
    text.write("# address file length\n\n")
    for i in range(count):
        kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", elf, at + i * size)
        if kind == 1 and length:
            open(f"{sys.argv[2]}/m_{i}.bin", "wb").write(elf[offset:offset + length])
            text.write(f"{address:x} m_{i}.bin {length}\n")
PY
run flow "$fixture/trace.bin" --protocol ipt --image "$tmp/memory/img.txt" --insn --format csv
expect_rc 0
grep ,insn, "$tmp/out" | cut -d, -f8,9 | cmp -s - "$tmp/insns" || fail "other instructions than with the ELF"

echo "401000 m_0.bin" >> "$tmp/memory/img.txt"
run flow "$fixture/trace.bin" --protocol ipt --image "$tmp/memory/img.txt"
expect_rc 2
expect_err_has "expected ADDRESS FILE LENGTH"
printf '401000 ../image.bin 16\n' > "$tmp/memory/img.txt"
run flow "$fixture/trace.bin" --protocol ipt --image "$tmp/memory/img.txt"
expect_rc 2
expect_err_has "--allow-outside"
printf '401000 m_0.bin 99999999\n' > "$tmp/memory/img.txt"
run flow "$fixture/trace.bin" --protocol ipt --image "$tmp/memory/img.txt"
expect_rc 2
expect_err_has "m_0.bin"

# Damage is a gap with its reason, and decoding goes on behind it.
python3 - "$fixture/trace.bin" "$tmp/bad.bin" <<'PY'
import sys
trace = bytearray(open(sys.argv[1], "rb").read())
trace[600:604] = b"\x02\xff\x02\xff"
open(sys.argv[2], "wb").write(trace)
PY
run flow "$tmp/bad.bin" --protocol ipt --image "$fixture/image.elf"
expect_rc 0
grep -q 'bad packet\|decode error' "$tmp/out" || fail "damage is not told"

# The registers that it has.
run report "$fixture/trace.bin" --protocol ipt --reg RTIT_CTL=0x2400 --image "$fixture/image.elf"
expect_rc 0
run report "$fixture/trace.bin" --protocol ipt --engine opencsd --image "$fixture/image.elf"
[ "$rc" -ne 0 ] || fail "OpenCSD does not know Intel PT"

# SPDX-License-Identifier: Apache-2.0
# export of what was executed: held against the list of ranges, and another reader of line tables; and the list against the log of
# executed blocks that the trace was made of.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/export/export_lib.sh"
cases="generated/aarch64-etmv4:insns generated/aarch64-ete:insns small:insns demo:insns"
# shellcheck disable=SC2086 # one word a case
reported $cases

for case in $cases; do
	elf=$(echo "$SL_SOURCE_DIR/fixtures/${case%:*}"/*.elf)
	"$SIGHTLINE" flow "${elf%/*}" --quiet --ranges -o "$tmp/ranges" || fail "flow"
	for format in lcov autofdo; do
		written $format $case
		cp "$tmp/file" "$tmp/$format"
		has llvm-addr2line && read_back $format "$tmp/file" "$(sums_of "$case").csv" "$(sums_of "$case").calls.csv" "$tmp/ranges" "$elf"
	done
	if [ -d "${elf%/*}/truth" ]; then
		python3 "$here/export/ranges_truth.py" "$tmp/ranges" "${elf%/*}/truth" > "$tmp/difference" 2>&1 || fail "${case%:*}: $(cat "$tmp/difference")"
	fi
done
if has genhtml; then
	genhtml --quiet --branch-coverage --ignore-errors source -o "$tmp/html" "$tmp/lcov" > "$tmp/genhtml" 2>&1 || fail "$(cat "$tmp/genhtml")"
	grep -q "controller.c" "$tmp/html/machine/index.html" || fail "genhtml shows no file"
fi
# create_llvm_prof 0.19 reads DWARF 4, which the demo has not: it is compiled anew, to the same code.
if has create_llvm_prof && has aarch64-linux-gnu-gcc; then
	guest=$SL_SOURCE_DIR/fixtures/guest/machine
	free="-ffreestanding -nostdlib -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fno-ident"
	for source in start.S kernel.c queue.c controller.c workers.c lib.c; do
		# shellcheck disable=SC2086 # flags are words
		aarch64-linux-gnu-gcc $free -gdwarf-4 -O1 -foptimize-sibling-calls -march=armv8-a -mgeneral-regs-only -mstrict-align \
			-c "$guest/$source" -o "$tmp/${source%.*}.o" || fail "$source cannot be compiled"
	done
	(cd "$tmp" && aarch64-linux-gnu-gcc -nostdlib -static -no-pie -Wl,-n -Wl,--build-id=sha1 -Wl,-T,"$guest/link.ld" \
		start.o kernel.o queue.o controller.o workers.o lib.o -o again.elf) || fail "the demo cannot be linked"
	aarch64-linux-gnu-objcopy -O binary -j .text "$tmp/again.elf" "$tmp/again.text"
	aarch64-linux-gnu-objcopy -O binary -j .text "$demo/demo.elf" "$tmp/demo.text"
	if cmp -s "$tmp/again.text" "$tmp/demo.text"; then
		create_llvm_prof -profiler text -profile "$tmp/autofdo" -binary "$tmp/again.elf" -format text -out "$tmp/file" \
			> "$tmp/log" 2>&1 || fail "create_llvm_prof: $(cat "$tmp/log")"
		read_back llvm_prof "$tmp/file" "$(sums_of demo:insns).csv"
	else
		echo "not tested: another compiler makes other code"
	fi
fi
exit 0

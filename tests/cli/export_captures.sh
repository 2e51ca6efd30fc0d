# SPDX-License-Identifier: Apache-2.0
# export: every format of captures that are not smooth: with damage, of two CPUs, with a kernel's tasks, of hardware without context ids. Sums are report's.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/export/export_lib.sh"

# damage FILE: what a bad cable does, in each tenth of it.
damage()
{
	python3 - "$1" <<'END'
import sys

with open(sys.argv[1], "r+b") as file:
    size = file.seek(0, 2)
    for tenth in range(1, 10):
        file.seek(size * tenth // 10)
        file.write(bytes((0xA5, 0x5A)) * 40)
END
}

cp -r "$demo" "$tmp/damaged"
chmod -R u+w "$tmp/damaged"
damage "$tmp/damaged/trace.bin"
run report "$tmp/damaged"
expect_err_has "gap"
large= # a million calls: not for what Python reads call by call
cases=damaged:cycles
for case in generated/uprobe-arm64-preempt-tracer:cycles am243x-r5f/freertos-msg-isr:insns; do
	if [ -e "$captures/${case%:*}" ]; then
		cases="$cases $case"
	else
		echo "not tested: no ${case%:*}"
	fi
done
if [ -e "$captures/generated/smp2-arm64.tar.xz" ] && has xz; then
	tar -C "$tmp" -xf "$captures/generated/smp2-arm64.tar.xz" || fail "tar"
	large=smp2-arm64:insns
fi
# shellcheck disable=SC2086 # cases are words
reported $cases $large

formats="csv json chrome speedscope folded flamegraph pprof"
! has protoc || formats="$formats perfetto"
! has babeltrace2 || formats="$formats ctf"
! has callgrind_annotate || formats="$formats callgrind"
run export "$small" -f sqlite -o "$tmp/base.db"
if grep -q "has no sqlite" "$tmp/err"; then
	echo "not tested: this build has no sqlite"
else
	formats="$formats sqlite"
fi
for format in $formats; do
	# shellcheck disable=SC2086
	checked $format $cases
done
[ -z "$large" ] || checked pprof $large
exit 0

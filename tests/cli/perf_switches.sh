#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# perf record -a without context ids: three processes at the same addresses on two CPUs, told apart by records of task
# switches and by timestamps. Nothing is decoded as another process's; without comparable timestamps, nothing is guessed.
. "$(dirname "$0")/lib.sh"

generator=$SL_BINARY_DIR/fixtures/generator

# made OPTION...: a recording in $tmp/capture, and the table of its processes in $tmp/processes.csv.
made() {
	rm -rf "$tmp/capture"
	"$generator/sightline-gen" --out "$tmp/capture" --container perf --processes 3 --threads 2 --cpus 2 --insns 400000 \
		--hw-id 1 --flow "$@" >/dev/null || fail "sightline-gen $*"
	"$SIGHTLINE" info "$tmp/capture/perf.data" --symfs "$tmp/capture/root" --table processes --format csv \
		>"$tmp/processes.csv" || fail "info $*"
}

# insns WORD: how many instructions the processes whose line has it are said to have executed.
insns() {
	awk -F, -v word="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "instructions") column = i }
		NR > 1 && index($0, word) { sum += $column } END { print sum + 0 }' "$tmp/processes.csv"
}

made --timestamps 200 --perf-version 2
for process in work0 work1 work2; do
	[ "$(insns $process)" -gt 20000 ] || fail "$process: $(insns $process) instructions"
done
"$generator/sightline-gen-check" --damaged --counts=none "$tmp/capture/perf.data" "$tmp/capture/truth" \
	>"$tmp/check.txt" 2>&1 || { cat "$tmp/check.txt" >&2; fail "something was decoded that was not executed"; }
grep -q ' 0 notes: true$' "$tmp/check.txt" || fail "$(grep note "$tmp/check.txt")"
[ "$(insns work)" -gt 300000 ] || fail "of 400,000 instructions $(insns work) are some process's"

# Metadata that does not name the timestamps' counter: no process is guessed.
made --timestamps 200 --perf-version 1
[ "$(insns work)" = 0 ] || fail "$(insns work) instructions were guessed to be some process's"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two threads that nothing tells apart share a call stack: all that shows calls says so, once, and what to do.
. "$(dirname "$0")/lib.sh"

generator=$SL_BINARY_DIR/fixtures/generator
said="nothing tells which task ran, so all that ran there has one call stack"

# made OPTION...: a recording in $tmp/capture; $capture is its path for sightline.
made() {
	rm -rf "$tmp/capture"
	"$generator/sightline-gen" --out "$tmp/capture" --insns 100000 --no-truth "$@" >/dev/null || fail "sightline-gen $*"
	capture=$tmp/capture
	[ ! -e "$capture/perf.data" ] || capture=$tmp/capture/perf.data
}

# expect_said COUNT
expect_said() {
	expect_rc 0
	expect_equal "notes about tasks" "$(grep -cF -e "$said" "$tmp/err")" "$1"
}

made --threads 2 --cpus 2
function=$("$SIGHTLINE" report "$capture" --sort=-calls --limit 1 --fields function --format csv 2>/dev/null | tr -d '\r' | sed -n 2p)
for words in report graph "graph --slowest $function" "export -f folded" "export -f json" "latency $function" "histogram $function" \
	events; do
	run ${words%% *} "$capture" ${words#"${words%% *}"}
	expect_said 1
	expect_err_has "ETB_0, trace id 0x10 (and 1 more): $said"
	expect_err_has ", as if tasks had switched: switch context ids on for the next capture (TRCCONFIGR bit 6,"
done
run report "$capture" --quiet
expect_said 0
run report "$capture" --by line
expect_said 0

made --threads 2 --cpus 2 --context-id
run report "$capture"
expect_said 0
# One task, and one stack that explains all: there is nothing to say.
made --threads 1 --user-only
run report "$capture"
expect_said 0
made --threads 2 --container perf
run report "$capture" --symfs "$tmp/capture/root"
expect_said 1
expect_err_has ": record with cs_etm/contextid/ on a kernel with CONFIG_PID_IN_CONTEXTIDR, or with --per-thread"
made --threads 2 --container perf --per-thread
run report "$capture" --symfs "$tmp/capture/root"
expect_said 0

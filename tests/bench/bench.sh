#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/bench once over a small capture: all programs are in the table and in the JSON, and the engines agree on how much there
# is. No time is held against a limit. SL_BUILD: the build folder.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "bench.sh: $*" >&2
	exit 1
}

"$SL_SOURCE_DIR/scripts/bench" --no-build --runs 1 --json "$dir/out.json" "$SL_SOURCE_DIR/fixtures/small" >"$dir/out" || fail "exit code $?"
python3 -B - "$dir/out.json" <<'END' || fail "$(cat "$dir/out")"
import json
import sys

capture, = json.load(open(sys.argv[1], encoding="utf-8"))["captures"]
found = {(row["program"], row["engine"], row["jobs"]) for row in capture["rows"]}
wanted = {(program, engine, jobs) for program in ("decode only", "sightline report", "sightline info")
          for engine in ("fast", "opencsd") for jobs in (1, 2)} | {("minimal OpenCSD client", "opencsd", 1)}
assert wanted <= found, wanted - found
for row in capture["rows"]:
    assert row["runs"] == 1 and row["cpu_min_ms"] <= row["cpu_ms"] <= row["cpu_max_ms"], row
    assert row["wall_ms"] > 0 and row["peak_mib"] > 1 and row["cpu_ratio"] > 0 and row["wall_ratio"] > 0, row
END
grep -q '^minimal OpenCSD client *opencsd .* 1\.00 *1\.00 ' "$dir/out" || fail "the client is not the base: $(cat "$dir/out")"

for capture in small generated/thumb-etmv3 generated/arm-ptm generated/aarch64-ete; do
	client=$("$SL_BUILD/tests/bench/ocsd_count" "$SL_SOURCE_DIR/fixtures/$capture" | sed 's/.*ranges, \(.* instructions\).*/\1/')
	for engine in fast opencsd; do
		ours=$("$SL_BUILD/tests/bench/decode_run" -j 2 -e $engine "$SL_SOURCE_DIR/fixtures/$capture" | sed 's/.*ranges, //')
		[ "$ours" = "$client" ] || fail "$capture: $ours ($engine) and $client (client)"
	done
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz-engines for two moments: sums up, goes on where it was, also behind a slice that was cut, and refuses what is of another tree.
# $1: scripts/fuzz-engines; SL_BUILD: the build folder.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "fuzz_engines.sh: $*" >&2
	exit 1
}
run() {
	"$1" --no-build --jobs 1 --seed 700 --dir "$dir/run" --slice 1 "$2" >"$dir/out" || fail "exit code $?: $(cat "$dir/out")"
}
next_seed() {
	sed 's/.*"next": \([0-9]*\).*/\1/' "$dir/run/job-0.jsonl" | tail -n 1
}

run "$1" 0.0001
grep -q '^1 jobs of .* seeds from 700 on' "$dir/out" || fail "no seed is named: $(cat "$dir/out")"
grep -q '^| ETMv3 programs, damaged | [1-9]' "$dir/out" || fail "not all kinds: $(cat "$dir/out")"
grep -Eq '^[0-9,]+ streams, [1-9][0-9,]* ranges, .* 0 streams with one that is not' "$dir/out" || fail "$(cat "$dir/out")"
next=$(next_seed)

printf '{"seed": 70' >>"$dir/run/job-0.jsonl"
run "$1" 0.0005
grep -q "^{\"seed\": $next," "$dir/run/job-0.jsonl" || fail "does not go on from seed $next"
[ "$(next_seed)" -gt "$next" ] || fail "made nothing more"

if "$1" --no-build --jobs 1 --seed 701 --dir "$dir/run" --slice 1 0.001 >/dev/null 2>"$dir/err"; then
	fail "another seed is taken for the same"
fi
grep -q 'another --dir' "$dir/err" || fail "$(cat "$dir/err")"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# case_study.sh BUILD: what scripts/case-study-uprobe refuses; how its calls are counted; and, where it has been run for BUILD, that what sightline says of
# its captures is what was executed, and that what is not would be found.
set -eu
export SL_BUILD="$1"
scripts=$SL_SOURCE_DIR/scripts
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "FAIL: $1"
	exit 1
}

# refuses PATTERN COMMAND...: exit code 2, and one line.
refuses() {
	pattern=$1 code=0
	shift
	"$@" >/dev/null 2>"$tmp/error" || code=$?
	[ $code = 2 ] || fail "$*: exit code $code"
	[ "$(wc -l <"$tmp/error")" = 1 ] || fail "$*: not one line: $(cat "$tmp/error")"
	grep -q -- "$pattern" "$tmp/error" || fail "$*: $(cat "$tmp/error")"
}
refuses '^usage: ' "$scripts/case-study-uprobe" --arch mips "$tmp"
refuses '^usage: ' "$scripts/case-study-uprobe" "$tmp" more
refuses 'there is no sightline-gen; build it' env SL_BUILD="$tmp/none" "$scripts/case-study-uprobe" "$tmp"
refuses 'there are no captures; make them' "$scripts/case-study-finding" "$tmp"

# Two hits of one function: an entry is a branch to it, and not a run of it. It counts from the branch that led to the phase.
cat >"$tmp/symbols" <<'END'
0000000000001000 T call_nop_first
0000000000001100 T call_ordinary
0000000000001200 T call_ret_first
0000000000001300 T call_getppid
0000000000001400 T call_nothing
0000000000002000 T nop_first
ffff000000003000 T preempt_count_add
END
cat >"$tmp/events" <<'END'
0 cpu0 run 500-520 8 a64 call to 1000 a64
8 cpu0 run 1000-1008 2 a64 call to 2000 a64
10 cpu0 exception debug back to 2000 vector ffff000000009000
10 cpu0 run ffff000000009000-ffff000000009010 4 a64 call to ffff000000003000 a64
14 cpu0 run ffff000000003000-ffff000000003008 2 a64 return to ffff000000009010 a64
16 cpu0 run ffff000000009010-ffff000000009014 1 a64 eret to 2000 a64
17 cpu0 run 2000-2004 1 a64 return to 1008 a64
18 cpu0 run 1008-100c 1 a64 taken conditional to 1004 a64
19 cpu0 run 1004-1008 1 a64 call to 2000 a64
20 cpu0 run 2000-2004 1 a64 return to 1008 a64
21 cpu0 run 1008-1010 2 a64 call to 1100 a64
23 cpu0 run 1100-1104 1 a64 call to 1200 a64
24 cpu0 run 1200-1204 1 a64 call to 1300 a64
25 cpu0 run 1300-1304 1 a64 call to 1400 a64
END
python3 -B "$SL_SOURCE_DIR/fixtures/case-study/per_hit.py" "$tmp/events" "$tmp/symbols" >"$tmp/counts"
printf 'nop_first\t2\t15\t1\t0\t0\nordinary\t0\t1\t0\t0\t0\nret_first\t0\t1\t0\t0\t0\ngetppid\t0\t1\t0\t0\t0\n' >"$tmp/expected"
tail -n +2 "$tmp/counts" | diff "$tmp/expected" - || fail "per_hit.py counts something else"

made=$SL_BUILD/case-study
[ -e "$made" ] || { echo "skipped: no captures; run scripts/case-study-uprobe"; exit 77; }
"$scripts/case-study-finding" "$made" || fail "sightline says what was not executed"
for result in "$made"/arm64-*; do
	mkdir "$tmp/${result##*/}"
	ln -s "$result"/[!t]* "$tmp/${result##*/}/"
	sed 's/^ordinary\t50\t/&1/' "$result/truth.tsv" >"$tmp/${result##*/}/truth.tsv"
	code=0
	"$scripts/case-study-finding" "$tmp" >/dev/null || code=$?
	[ $code = 1 ] || fail "what is not true is not found: exit code $code"
done

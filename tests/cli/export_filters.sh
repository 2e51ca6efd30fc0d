# SPDX-License-Identifier: Apache-2.0
# export takes report's filters: sums over what it writes are what report says with the same ones.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/export/export_lib.sh"

# filtered FORMAT OPTIONS...
filtered()
{
	format=$1
	shift
	"$SIGHTLINE" report "$demo" --quiet --format csv --fields all --clock cycles "$@" -o "$tmp/report.csv" || fail "report $*"
	[ $format != perfetto ] || "$SIGHTLINE" export "$demo" --quiet -f csv --clock cycles "$@" -o "$tmp/calls.csv" || fail "export $*"
	run export "$demo" --quiet -f "$format" --clock cycles "$@" -o "$tmp/file"
	expect_rc 0
	read_back "$format" "$tmp/file" "$tmp/report.csv" "$tmp/calls.csv"
}

for format in csv json chrome folded pprof; do
	filtered $format --task 0x66
done
! has protoc || filtered perfetto --task 0x66 --level irq,task
filtered csv --level irq
filtered chrome --root handle_irq
filtered csv --root task_control --depth 3
filtered csv --depth 3
filtered csv --cpu 1
filtered folded --cpu 1
filtered csv --window 1000000cycles..2000000cycles
filtered folded --window 1000000cycles..2000000cycles --min-duration 1000cycles

# A call that begins in the window is there whole, wherever it ends.
run export "$small" --quiet -f csv --clock cycles --window 100000cycles..150000cycles
expect_rc 0
awk -F, 'NR > 1 && ($1 < 100000 || $1 >= 150000) { bad = 1 } NR > 1 && $1 + $2 >= 150000 { whole = 1 } END { exit bad || !whole }' "$tmp/out" ||
	fail "what begins in the window"

# Calls of functions in lcov are report's.
run export "$demo" --quiet -f lcov --task 0x66
expect_rc 0
sed -n 's/^FNDA:\([1-9][0-9]*\),\(.*\)/\2 \1/p' "$tmp/out" | sort > "$tmp/lcov"
"$SIGHTLINE" report "$demo" --quiet --format json --fields function,calls,missing_entry --task 0x66 |
	python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if "calls" in row and row["table"] == "functions":
        print(row["function"], row["calls"] + row["missing_entry"])' | sort > "$tmp/report"
[ -s "$tmp/report" ] || fail "no function ran"
cmp -s "$tmp/lcov" "$tmp/report" || fail "lcov: $(diff "$tmp/lcov" "$tmp/report")"

run export "$demo" -f csv --min-duration 5us
expect_rc 2
expect_err_has "--min-duration is for calls by path"
run export "$demo" -f lcov --min-duration 5us
expect_rc 2
run export "$small" -f csv --task nosuch
expect_rc 1
expect_err_has "nothing was exported: no call passes the filters"
run export "$small" -f csv --window soon
expect_rc 2
expect_err_has "--window: 'soon' is no window"
exit 0

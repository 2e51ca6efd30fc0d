# SPDX-License-Identifier: Apache-2.0
# What tells the time, and how exactly: --cpu-freq, --clock-offset, notes about clocks; and resolution and accounts of real captures.
. "$(dirname "$0")/lib.sh"
demo=$SL_SOURCE_DIR/fixtures/demo

# json FIELD...: of the account's rows in the last run's JSON, values with blanks between.
account()
{
	python3 - "$tmp/out" "$@" <<'END'
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    if row.get("table") == "account" and "source" in row:
        print(*(row[name] for name in sys.argv[2:]))
END
}

# Cycles at 1 GHz are nanoseconds; at 500 MHz they take twice as long.
run report "$demo" --clock cycles --format csv --fields function,calls,total,self,min,p50,max,resolution
sed 's/cycles/ns/g' "$tmp/out" > "$tmp/cycles"
run report "$demo" --cpu-freq 1GHz --format csv --fields function,calls,total,self,min,p50,max,resolution
expect_rc 0
cmp -s "$tmp/cycles" "$tmp/out" || fail "1 GHz: a cycle should be a nanosecond"
expect_err_has "time is that of cycles at 1000000000 Hz (--cpu-freq)"
run report "$demo" --cpu-freq 500M --function control --format csv --fields total --quiet
expect_equal "500 MHz" "$(tail -n 1 "$tmp/out" | tr -d '\r')" $((2 * $(sed -n 's/^control,[0-9]*,\([0-9]*\),.*/\1/p' "$tmp/cycles")))
run report "$demo" --cpu-freq 1GHz --clock insns --limit 1
expect_out_has "Functions, in instructions"

# The second CPU's timestamps, moved by 50 us.
at()
{
	run latency "$demo" measure control --pair any --clock time --format json "$@"
	expect_rc 0
	python3 -c 'import json, sys
print([row["min_ns"] for row in map(json.loads, sys.stdin) if "min_ns" in row][0])' < "$tmp/out"
}
expect_equal "moved" "$(at --clock-offset 0x12=50000)" "$(($(at) + 50000))"
expect_equal "moved back" "$(at --clock-offset 0x12=-10000 --clock-offset 0x13=5)" "$(($(at) - 10000))"
for wrong in 0x12 0x12= 300=1 0x12=x =5 0x12=-; do
	run report "$demo" --clock time --clock-offset "$wrong"
	expect_rc 2
	expect_err_has "option '--clock-offset': '$wrong' is no trace id and nanoseconds such as 0x11=-2500"
done
run report "$demo" --cpu-freq 1GHz --clock-offset 0x12=5
expect_rc 2
expect_err_has "leave one of them out"

# The demo's cores sleep in WFI: what that took is cpu_idle's, and a call says what it took to the tick.
run report "$demo" --clock time --fields function,total,min,resolution --format csv --function enter_first_task
expect_rc 0
expect_err
expect_out_has "enter_first_task,2510,2510,"
[ "$(sed -n 's/^enter_first_task,2510,2510,\([0-9]*\).*/\1/p' "$tmp/out")" -le 200 ] || fail "the resolution is wide"
run report "$demo" --clock time --fields function,self --format csv --function cpu_idle
idle=$(sed -n 's/^cpu_idle,\([0-9]*\).*/\1/p' "$tmp/out")
[ "$idle" -gt 69000000 ] && [ "$idle" -lt 72000000 ] || fail "truth/functions.tsv has cpu_idle sleep for 70 ms"

run report "$demo" --clock time --format json --table account
expect_equal "closed" "$(account closed | sort -u)" True
# truth: of all that cpu_idle and lock_kernel took, what no cycle explains
python3 - "$SL_SOURCE_DIR/fixtures/demo/truth/functions.tsv" "$tmp/out" <<'END' || fail "idle is not what the truth says"
import csv, json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    slept = sum(int(row["self_ns"]) - 10 * int(row["self_cycles"]) for row in csv.DictReader(file, delimiter="\t"))
rows = [row for row in map(json.loads, open(sys.argv[2], encoding="utf-8")) if "idle_ns" in row]
idle, unsure = (sum(row[name] for row in rows) for name in ("idle_ns", "idle_resolution_ns"))
print(slept, idle, unsure)
sys.exit(len(rows) != 2 or abs(idle - slept) > unsure or unsure > slept // 100)
END
run report "$demo" --clock cycles --format json --table account
expect_out_lacks idle

run report "$demo" --clock time --format json --table clocks
python3 - "$tmp/out" <<'END' || fail "the demo's cores have 100 MHz"
import json, sys
rows = [row for row in map(json.loads, open(sys.argv[1], encoding="utf-8")) if "core_hz" in row]
for row in rows:
    print(row)
sys.exit(len(rows) != 2 or any(abs(row["core_hz"] - 100000000) > row["core_resolution_hz"] or row["core_resolution_hz"] > 2000000 or
                               row["changes"] or row["lowest_hz"] != row["core_hz"] or row["unused"] or not row["counts"] for row in rows))
END
run report "$demo" --clock cycles --table clocks
expect_out_lacks "core Hz"

# Without the WFIs in the image nobody knows where it slept: nothing is told more exactly than that, and cycles that came slower are told.
cp -r "$demo" "$tmp/awake"
python3 - "$tmp/awake/demo.elf" <<'END'
import sys
code = open(sys.argv[1], "rb").read()
with open(sys.argv[1], "wb") as file:
    for wait in (b"\x7f\x20\x03\xd5", b"\x5f\x20\x03\xd5"):
        code = code.replace(wait, b"\x1f\x20\x03\xd5")
    file.write(code)
END
run report "$tmp/awake" --clock time --fields function,min,bounds,resolution --format json --function enter_first_task
expect_rc 0
expect_err_has "trace id 0x10: its cycles came slower or faster"
expect_out_has '"bounds":1'
run report "$tmp/awake" --clock time --format json --table clocks
python3 - "$tmp/out" <<'END' || fail "changes of the frequency are not told"
import json, sys
rows = [row for row in map(json.loads, open(sys.argv[1], encoding="utf-8")) if "core_hz" in row]
sys.exit(not any(row["changes"] and row["lowest_hz"] < row["highest_hz"] for row in rows))
END

# Where most durations are shorter than counts from 16 cycles on can tell, report says so.
run report "$small" --limit 1
expect_rc 0
expect_err "sightline: note: 4857 of 7155 complete calls are shorter than the trace can tell in cycles: they are in total and avg, but in no min and percentile (--fields +bounds,+resolution has them row by row)"
run report "$small" --limit 1 --fields +bounds,+resolution
expect_out_has "bounds"
for how in "--clock insns" --quiet "--function fib"; do
	# shellcheck disable=SC2086
	run report "$small" --limit 1 $how
	expect_rc 0
	expect_err
done
run report "$demo" --clock time --limit 1
expect_err

# A lane with another clock is told, with what to do.
run report "$demo" --clock time --limit 1 --clock-offset 0x12=1000000000
expect_err_has "trace id 0x12: its timestamps lie 23888042 ticks behind all others"
expect_err_has "--clock-offset 0x12=-"
run report "$demo" --limit 1
expect_err

# A clock that no lane has is told at once, and not what it would need.
"$SL_BINARY_DIR/fixtures/generator/sightline-gen" --out "$tmp/bare" --insns 20000 >"$tmp/log" 2>&1 || fail "no capture: $(cat "$tmp/log")"
for clock in time cycles; do
	case $clock in
	time) lacks="has timestamps" lane="timestamps" other=cycles ;;
	cycles) lacks="counts cycles" lane="cycle counts" other=time ;;
	esac
	run flow "$tmp/bare" --clock $clock
	expect_rc 2
	expect_err "sightline: --clock $clock: no source of the capture $lacks; use --clock $other or insns"
	for name in report graph "export -f chrome"; do
		# shellcheck disable=SC2086
		run $name "$tmp/bare" --clock $clock
		expect_rc 2
		expect_err "sightline: --clock $clock: a lane that ran has no $lane; use --clock $other or insns, or --id to leave it out"
	done
done
# Real captures: PTM and ETMv3 with cycles and timestamps, ETMv4 with timestamps only.
for name in opencsd/Snowball opencsd/TC2 ricsec/fib-trace1 ricsec/branches-trace1; do
	capture=$captures/$name
	[ -d "$capture" ] || skip "$capture is missing"
	for clock in cycles time; do
		case $name$clock in ricsec*cycles) continue ;; esac
		run report "$capture" --allow-outside --freq 24MHz --clock $clock --fields all --format json
		expect_rc 0
		account closed | grep -qx True || fail "$name: no account"
		account closed | grep -qvx True && fail "$name, $clock: an account does not close"
		python3 - "$tmp/out" "$clock" <<'END' || fail "$name, $clock: a duration without a resolution"
import json, sys
unit = {"cycles": "cycles", "time": "ns"}[sys.argv[2]]
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
rows = [row for row in rows if row["table"] == "functions" and "function" in row]
stated = [row for row in rows if row[f"min_{unit}"] is not None]
sys.exit(not rows or any(row[f"resolution_{unit}"] is None for row in stated))
END
	done
done
exit 0

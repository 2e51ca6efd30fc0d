#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_cases.py SIGHTLINE DIR CASE...: the pairs that compare_cases.sh made, by one command of compare each, against their truth."""
import csv
import io
import json
import subprocess
import sys

SIGHTLINE, DIR = sys.argv[1:3]
failed = False


def check(what, holds, detail):
    global failed
    print(f"{'ok' if holds else 'FAIL'}: {what}: {detail}")
    failed |= not holds


def compare(a, b, table, key, *options):
    """A table of a comparison, by what stands in a column."""
    out = subprocess.run([SIGHTLINE, "compare", f"{DIR}/{a}", f"{DIR}/{b}", "--format", "csv", "--table", table, "--quiet", *options],
                         capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"FAIL: compare {a} {b}: {out.stderr}")
    return {row[key]: row for row in csv.DictReader(io.StringIO(out.stdout))}


def table_of(name, table):
    with open(f"{DIR}/{name}/truth/{table}.tsv") as f:
        return list(csv.DictReader(f, delimiter="\t"))


def truth(name):
    return {row["function"]: row for row in table_of(name, "functions")}


def nanoseconds(name):
    cpus = table_of(name, "cpus")
    return max(int(cpu["last_ns"]) for cpu in cpus) - min(int(cpu["first_ns"]) for cpu in cpus)


def of_all_cpus(name):
    """What the trace tells of: a CPU that halts for good tells nothing of that, one that goes on is told to the end."""
    out = subprocess.run([SIGHTLINE, "report", f"{DIR}/{name}", "--clock", "time", "--format", "json", "--quiet"], capture_output=True,
                         text=True, check=True)
    told = [row["whole_ns"] for row in map(json.loads, out.stdout.splitlines()) if row["table"] == "account" and "whole_ns" in row]
    there = [int(cpu["last_ns"]) - int(cpu["first_ns"]) for cpu in table_of(name, "cpus")]
    check(f"{name}: no CPU ran for longer than it did", all(a <= b * 1.001 for a, b in zip(told, there)), f"{told}, {there}")
    check(f"{name}: one is told to its end", near(max(told), max(there), 0.001), f"{max(told)}, {max(there)}")
    return sum(told)


def calls(name, function):
    return sum(int(row["calls"]) for row in table_of(name, "functions") if row["function"] == function)


def near(value, wanted, share=0.02):
    return abs(float(value) - wanted) <= share * abs(wanted)


def functions_are(a, b, *names):
    """Calls on both sides, and in instructions what each function runs by itself."""
    rows = compare(a, b, "functions", "function", "--clock", "insns", "--limit", "100000")
    for name in names:
        for side, capture in (("a", a), ("b", b)):
            want = truth(capture).get(name, {"calls": 0, "self_insns": 0})
            got = [int(float(rows[name][column] or 0)) for column in (f"calls_{side}", f"self_{side}_insns")]
            check(f"{capture}: {name}", got == [int(want["calls"]), int(want["self_insns"])], f"{got[0]} calls, {got[1]} instructions")
    return rows


def lens_is(a, b, lenses, lens, function):
    """Counts and rates of a lens are those of the function that stands for it."""
    for side, capture in (("a", a), ("b", b)):
        count, row = calls(capture, function), lenses[lens]
        rate = count * 1e9 / nanoseconds(capture)
        check(f"{capture}: {lens} as often as {function}", int(row[f"count_{side}"]) == count, f"{row[f'count_{side}']} of {count}")
        check(f"{capture}: {lens} a second", near(row[f"rate_{side}"], rate) if count else float(row[f"rate_{side}"]) == 0,
              f"{row[f'rate_{side}']}, {rate:.2f}")


def inlined():
    rows = functions_are("apart", "inlined", "checksum", "parse_packet", "send_packet")
    check("checksum is inlined", rows["checksum"]["verdict"] == "inlined on one side" and rows["checksum"]["significant"] == "true",
          rows["checksum"]["verdict"])
    check("it comes first", next(iter(rows)) == "checksum", next(iter(rows)))
    same = compare("apart", "apart", "functions", "function", "--clock", "insns", "--limit", "100000")
    found = [row["function"] for row in same.values() if row["significant"] == "true"]
    check("against itself", not found, found or "nothing")


def timer():
    lenses = compare("slow", "fast", "lenses", "lens", "--clock", "time")
    lens_is("slow", "fast", lenses, "syscall", "el0_svc")
    lens_is("slow", "fast", lenses, "hrtimer", "hrtimer_interrupt")
    row = lenses["syscall"]
    check("twice as many system calls a second", near(row["rate_percent"], 100, 0.1), row["rate_percent"])
    for side, capture in (("a", "slow"), ("b", "fast")):
        busy = sum(int(row["total_ns"]) for name, row in truth(capture).items() if name.startswith("__arm64_sys_"))
        want = 100 * busy / of_all_cpus(capture)
        check(f"{capture}: the share of system calls", near(row[f"share_{side}"], want), f"{row[f'share_{side}']}, {want:.4f} %")


def polling():
    lenses = compare("polling", "mended", "lenses", "lens", "--clock", "time")
    lens_is("polling", "mended", lenses, "clock", "__clock_gettime")
    check("a tenth of the reads", near(lenses["clock"]["rate_percent"], -90, 0.01), lenses["clock"]["rate_percent"])
    rows = compare("polling", "mended", "functions", "function", "--clock", "insns", "--per", "poll_cycle", "--limit", "100000")
    ask = rows["ask_time"]
    check("of one cycle", (float(ask["calls_a"]), float(ask["calls_b"])) == (70, 7), f"{ask['calls_a']} and {ask['calls_b']} a cycle")
    check("and that is what differs", ask["significant"] == "true" and "fewer calls" in ask["verdict"], ask["verdict"])


def driver():
    lenses = compare("driver", "without", "lenses", "lens", "--clock", "time")
    lens_is("driver", "without", lenses, "work", "sensor_work")
    lens_is("driver", "without", lenses, "hrtimer", "hrtimer_interrupt")
    rows = functions_are("driver", "without", "sensor_work", "read_sensor", "sensor_timer", "__switch_to")
    for name in ("sensor_work", "read_sensor", "sensor_timer"):
        check(f"{name} is gone", rows[name]["verdict"] == "only in A" and rows[name]["module"] == "sensor_poll.ko", rows[name]["verdict"])
    check("switches of tasks", float(rows["__switch_to"]["calls_b"]) < 0.7 * float(rows["__switch_to"]["calls_a"]),
          f"{rows['__switch_to']['calls_a']} and {rows['__switch_to']['calls_b']}")


for case in sys.argv[3:]:
    {"inlined": inlined, "timer": timer, "polling": polling, "driver": driver}[case]()
sys.exit(failed)

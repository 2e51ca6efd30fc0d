#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_cases.py SIGHTLINE DIR PART...: the pairs that compare_cases.sh made, each with one command of compare, against their truth."""
import csv
import subprocess
import sys

SIGHTLINE, DIR = sys.argv[1:3]
failed = False


def check(what, holds, detail):
    global failed
    print(f"{'ok' if holds else 'FAIL'}: {what}: {detail}")
    failed |= not holds


def compare(a, b, table, *options):
    out = subprocess.run([SIGHTLINE, "compare", f"{DIR}/cap-{a}", f"{DIR}/cap-{b}", "--format", "csv", "--quiet", "--table", table, *options],
                         capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"FAIL: compare {a} {b}: {out.stderr}")
    return list(csv.DictReader(out.stdout.splitlines()))


def truth(name):
    with open(f"{DIR}/cap-{name}/truth/functions.tsv") as f:
        return {row["function"]: int(row["calls"]) for row in csv.DictReader(f, delimiter="\t")}


def lenses(a, b):
    rows = {row["lens"]: row for row in compare(a, b, "lenses", "--clock", "time")}
    for lens in ("syscall", "irq", "clock", "work", "task"):
        if lens in rows:
            row = rows[lens]
            print(f"    {a} / {b}: {lens}: {row['count_a']} / {row['count_b']}, a second {float(row['rate_a']):.1f} / {float(row['rate_b']):.1f}, "
                  f"share {float(row['share_a'] or 0):.2f} % / {float(row['share_b'] or 0):.2f} %")
    return rows


def timer():
    rows = lenses("slow", "fast")
    change = float(rows["irq"]["rate_b"]) / float(rows["irq"]["rate_a"])
    check("timer: twice the period, fewer interrupts a second", change > 1.1, f"{change:.2f} times as many at 500 us")
    check("timer: and another share of system calls", float(rows["syscall"]["share_b"]) > 1.2 * float(rows["syscall"]["share_a"]),
          f"{rows['syscall']['share_a']} % and {rows['syscall']['share_b']} %")


def polling():
    rows = lenses("polling", "rested")
    real = [truth(name).get("__arm64_sys_clock_gettime", 0) for name in ("polling", "rested")]
    change = float(rows["clock"]["rate_b"]) / float(rows["clock"]["rate_a"])
    check("polling: the clock is read a tenth as often a second", 0.08 < change < 0.12, f"{change:.3f} (calls of the kernel: {real})")


def driver():
    rows = lenses("driver", "without")
    check("driver: its work item is gone", int(rows["work"]["count_a"]) >= 10 and int(rows["work"]["count_b"]) == 0,
          f"{rows['work']['count_a']} and {rows['work']['count_b']}")
    check("driver: and so are switches of tasks", float(rows["task"]["rate_b"]) < 0.75 * float(rows["task"]["rate_a"]),
          f"{float(rows['task']['rate_a']):.0f} and {float(rows['task']['rate_b']):.0f} a second")


def inlined():
    for a, b in (("called", "inlined"), ("inlined", "called")):
        rows = {row["function"]: row for row in compare(a, b, "functions", "--clock", "insns", "--limit", "10000")}
        check(f"{a} / {b}: mix_in is inlined", rows["mix_in"]["verdict"] == "inlined on one side", rows["mix_in"]["verdict"])
        check(f"{a} / {b}: and digest not slower for it", rows["digest"]["verdict"] in ("same", "took in what was inlined"), rows["digest"]["verdict"])
        check(f"{a} / {b}: fill is the same", rows["fill"]["verdict"] == "same", rows["fill"]["verdict"])


for part in sys.argv[3:]:
    globals()[part]()
sys.exit(1 if failed else 0)

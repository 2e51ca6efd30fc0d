#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lenses.py SIGHTLINE DIR: the captures that lenses.sh made, looked at by events, against their truth."""
import csv
import io
import subprocess
import sys

SIGHTLINE, DIR = sys.argv[1:3]
failed = False


def check(what, holds, detail):
    global failed
    print(f"{'ok' if holds else 'FAIL'}: {what}: {detail}")
    failed |= not holds


def events(name, lens, table="events", *options):
    out = subprocess.run([SIGHTLINE, "events", f"{DIR}/cap-{name}", lens, "--clock", "time", "--format", "csv", "--table", table,
                          "--quiet", *options], capture_output=True, text=True)
    if out.returncode:
        sys.exit(f"FAIL: events {name} {lens}: {out.stderr}")
    return list(csv.DictReader(io.StringIO(out.stdout)))


def truth(name):
    with open(f"{DIR}/cap-{name}/truth/functions.tsv") as f:
        return {row["function"]: row for row in csv.DictReader(f, delimiter="\t")}


def event(name, lens, what):
    rows = [row for row in events(name, lens) if row["event"] == what]
    if len(rows) != 1:
        sys.exit(f"FAIL: {name}, {lens}: {len(rows)} rows for {what}")
    return rows[0]


def near(value, wanted, share):
    return abs(float(value) - wanted) <= share * wanted


def as_often_as_it_was(name, lens):
    """Every event of a lens, by name, as often as the truth says that the function was called."""
    real = truth(name)
    rows = [row for row in events(name, lens) if row["event"] in real]
    wrong = [f"{row['event']} {row['count']} of {real[row['event']]['calls']}" for row in rows
             if int(row["count"]) > int(real[row["event"]]["calls"])]
    check(f"{name}: {lens} counts no event too many", rows and not wrong, wrong or f"{len(rows)} kinds")


# A periodic task of 500 us wakes twice as often as one of 1 ms.
periods = {}
for name, period in (("fast", 500_000), ("slow", 1_000_000)):
    rows = [row for row in events(name, "task", "tasks") if near(row["off_avg_ns"] or 0, period, 0.1)]
    check(f"{name}: a task is off for {period} ns at a time", len(rows) == 1, rows and rows[0]["task"])
    periods[name] = rows and float(rows[0]["rate_per_s"])
    handler = event(name, "irq", "arch_timer_handler_virt")
    check(f"{name}: the timer's interrupts", handler["count"] == truth(name)["arch_timer_handler_virt"]["calls"], handler["count"])
check("twice as often", near(periods["fast"], 2 * periods["slow"], 0.1), f"{periods['fast']:.0f} and {periods['slow']:.0f} a second")

# Messages sent and received, by name and by task.
real = truth("queue")
by_task = events("queue", "mqueue", "events", "--by", "task")
for call in ("mq_timedsend", "mq_timedreceive"):
    rows = [row for row in by_task if row["event"].startswith(f"___{call}")]
    want = sum(int(row["calls"]) for name, row in real.items() if name.startswith(f"___{call}"))
    check(f"queue: {call}", rows and sum(int(row["count"]) for row in rows) == want, f"{[(row['group'], row['count']) for row in rows]} of {want}")

# A driver's work item each 10 ms, and who queues it.
item = event("driver", "work", "sensor_work")
check("driver: the work item", item["count"] == truth("driver")["sensor_work"]["calls"] and near(item["interval_avg_ns"], 1e7, 0.02),
      f"{item['count']} times, each {item['interval_avg_ns']} ns")
asked = [row for row in events("driver", "work", "requesters") if row["module"] == "sensor_poll.ko"]
check("driver: the module that queues it", len(asked) == 1 and asked[0]["caller"] == "sensor_timer" and
      near(asked[0]["interval_avg_ns"], 1e7, 0.02), asked)
check("without: no work item", not [row for row in events("without", "work") if row["event"] == "sensor_work"], "none")
switches = {name: sum(float(row["rate_per_s"]) for row in events(name, "task", "tasks")) for name in ("driver", "without")}
check("switches of tasks with the driver and without", switches["driver"] > switches["without"] + 100,
      f"{switches['driver']:.0f} and {switches['without']:.0f} a second")

# 70 reads of the clock in a burst, each 20 ms and more.
reads = event("polling", "clock", "__clock_gettime")
check("polling: reads of the clock", int(reads["count"]) == 7000 and near(reads["events_per_burst"], 70, 0.001),
      f"{reads['count']} in {reads['bursts']} bursts of {reads['events_per_burst']}")
check("polling: from burst to burst", float(reads["burst_interval_ns"]) > 2e7, f"{reads['burst_interval_ns']} ns")

for name in ("fast", "slow", "queue", "driver", "polling"):
    for lens in ("irq", "softirq", "syscall", "timer", "hrtimer"):
        as_often_as_it_was(name, lens)
sys.exit(failed)

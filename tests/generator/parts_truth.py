#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parts_truth.py UNIT CAPTURE TRUTH: sightline report --task of each task, and --level of each level, against the calls of truth/calls.bin that belong
there: number, least, mean and greatest duration of every function, and percentiles (within 1 %), as far as the resolution goes that report states (0: they
are the same); and self, as far as that of its callees goes. UNIT: insns, cycles or ns."""
import collections
import json
import math
import os
import struct
import subprocess
import sys

RECORD = struct.Struct("<10Q5IHHII")
NO_ENTRY, NO_EXIT, TAIL_IN, HANDLER = 1, 2, 4, 32
TOTAL = {"ns": 2, "cycles": 3, "insns": 4}
# What opens a level in the generated kernel.
LEVELS = {"vec_el1_irq": "irq", "vec_el0_irq": "irq", "vec_el0_sync": "syscall,fault,debug"}


def functions_of(truth):
    with open(os.path.join(truth, "functions.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return {int(row[0]): row[1] for row in rows[1:]}


class Call:
    def __init__(self, record, names, unit):
        self.enter, self.leave = record[0], record[1]
        self.total, self.self = record[TOTAL[unit]], record[TOTAL[unit] + 3]
        self.function, self.caller = names[record[10]], names.get(record[11])
        self.tid, self.context, self.depth, self.flags = record[13], record[14], record[17], record[18]
        self.level = None


def calls_of(truth, unit):
    names = functions_of(truth)
    with open(os.path.join(truth, "calls.bin"), "rb") as file:
        data = file.read()
    return [Call(record, names, unit) for record in RECORD.iter_unpack(data[16:])]


def find_levels(calls):
    """The innermost handler of its task that a call runs in, or that reached it by tail calls."""
    waiting = collections.defaultdict(list)  # of each task: [leave, depth, level]
    for call in sorted(calls, key=lambda call: (call.enter, call.depth)):
        handlers = waiting[call.context, call.tid]
        while handlers and handlers[-1][0] <= call.enter:
            if call.flags & TAIL_IN and handlers[-1][:2] == [call.enter, call.depth]:
                handlers[-1][0] = call.leave
                break
            handlers.pop()
        if call.flags & HANDLER:
            handlers.append([call.leave, call.depth, LEVELS.get(call.function)])
        call.level = handlers[-1][2] if handlers else "task"


def report_of(capture, unit, options):
    command = [os.environ["SIGHTLINE"], "report", capture, "--clock", "time" if unit == "ns" else unit, "--fields", "all", "--format", "json",
               "--quiet", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["function"]: row for row in rows if row["table"] == "functions" and "function" in row}


def wanted_of(calls):
    """Of one function's calls, what report has of them."""
    whole = sorted(call.total for call in calls if not call.flags & (NO_ENTRY | NO_EXIT))
    wanted = {"calls": sum(not call.flags & NO_ENTRY for call in calls), "self": sum(call.self for call in calls)}
    if whole:
        wanted.update(min=whole[0], max=whole[-1], avg=sum(whole) / len(whole))
        for name, part in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
            wanted[name] = whole[math.ceil(part * len(whole)) - 1]
    return wanted


def unsure_self(function, rows, calls, callees, unit):
    """How much a function's self may be off: its calls and those of its callees begin and end as exactly as their rows say. None: nobody knows."""
    unsure = 0
    for name in {function} | callees[function]:
        row = rows.get(name)
        if not row or row["bounds"] or any(call.flags & (NO_ENTRY | NO_EXIT) for call in calls[name]):
            return None
        unsure += (row["resolution_" + unit] + (unit == "ns")) * len(calls[name])
    return unsure


def differences(row, calls, unit, unsure):
    """unsure: of self."""
    resolution = (row["resolution_" + unit] or 0) + (unit == "ns") if unit != "insns" else 0
    for name, want in wanted_of(calls).items():
        have, slack = row["calls" if name == "calls" else f"{name}_{unit}"], resolution
        if name == "self":
            slack = unsure
        elif name == "calls":
            slack = 0
        elif have is None or row["bounds"]:
            continue  # what ranks among bounds is not known
        elif name == "avg":
            slack += 0.0006
        elif name != "min" and name != "max":
            slack += want * 0.01
        if slack is not None and abs((have or 0) - want) > slack:
            yield f"{row['function']}: {name} {have}+-{slack} instead of {want}"


def compare(what, capture, unit, options, some):
    """How many functions and selves were compared; what differs."""
    rows, calls, callees, wrong, selves = report_of(capture, unit, options), collections.defaultdict(list), collections.defaultdict(set), [], 0
    for call in some:
        calls[call.function].append(call)
        callees[call.caller].add(call.function)
    calls.pop("[unknown]", None)
    for function, group in calls.items():
        if function not in rows:
            wrong.append(f"{function}: missing")
            continue
        unsure = unsure_self(function, rows, calls, callees, unit) if unit != "insns" else 0
        selves += unsure is not None
        wrong += differences(rows[function], group, unit, unsure)
    wrong += [f"{function}: never ran there" for function in rows if function not in calls and not function.startswith(("0x", "["))]
    return len(calls), selves, [f"{what}: {text}" for text in wrong]


def main():
    unit, capture, truth = sys.argv[1:]
    calls, wrong, compared, selves = calls_of(truth, unit), [], 0, 0
    find_levels(calls)
    parts = [("--task", str(task), [call for call in calls if call.context == task]) for task in sorted({call.context for call in calls})]
    parts += [("--level", level, [call for call in calls if call.level == level]) for level in ("task", *sorted(set(LEVELS.values())))]
    for option, value, some in parts:
        count, sure, found = compare(f"{option} {value}", capture, unit, [option, value], some)
        compared, selves, wrong = compared + count, selves + sure, wrong + found
    if wrong or not selves:
        sys.exit(f"FAIL: {capture}, {unit}, {compared} compared, {len(wrong)} differ:\n" + "\n".join(wrong[:40]))
    print(f"{capture}: {unit}: {len(parts)} tasks and levels, {compared} functions of them, {selves} with self")


main()

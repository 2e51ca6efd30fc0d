#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""single_steps.py EVENTS EXEC TEXT: the instructions that a machine's CPUs executed in the megabyte at TEXT, by sightline-gen-log and by QEMU's
-singlestep -d exec. The latter begins before the window and ends behind it, and has what was begun and not executed."""
import re
import sys

SIZE, ALIGN = 1 << 20, 60


def executed(path, low):
    flow = {}
    for line in open(path):
        part = line.split()
        if part[2] == "run":
            start, end = (int(x, 16) for x in part[3].split("-"))
            if low <= start < low + SIZE:
                flow.setdefault(int(part[1][3:]), []).extend(range(start, end, 4))
    return flow


def begun(path):
    steps, last = {}, None
    for line in open(path):
        match = re.match(r"Trace (\d+): 0x[0-9a-f]+ \[[0-9a-f]+/([0-9a-f]+)/", line)
        if match:
            last = steps.setdefault(int(match.group(1)), [])
            pc = int(match.group(2), 16)
            if not last or last[-1] != pc:  # begun once more, behind a fault; the program has no branch to itself
                last.append(pc)
            continue
        match = re.match(r"Stopped execution of TB chain before 0x[0-9a-f]+ \[([0-9a-f]+)\]", line)
        if match:
            next(s for s in steps.values() if s and s[-1] == int(match.group(1), 16)).pop()
    return steps


def first_difference(flow, steps):
    """The longest agreement; where the window begins is found by its first instructions."""
    best = 0
    for at in range(len(steps) - ALIGN):
        if steps[at] == flow[0] and steps[at:at + ALIGN] == flow[:ALIGN]:
            n = ALIGN
            while n < len(flow) and at + n < len(steps) and flow[n] == steps[at + n]:
                n += 1
            best = max(best, n)
    return best


def main():
    low = int(sys.argv[3], 16)
    flow, steps = executed(sys.argv[1], low), begun(sys.argv[2])
    if not flow:
        sys.exit("FAIL: nothing to compare")
    for cpu, pcs in sorted(flow.items()):
        same = first_difference(pcs, steps.get(cpu, []))
        if same < len(pcs):
            sys.exit(f"FAIL: cpu {cpu}: instruction {same} of {len(pcs)} differs")
        print(f"cpu {cpu}: {same} instructions are the same")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated traces, whose flow is known from the instruction log that they were made of: flow --ranges merges to
expect.0, and report counts per function what truth.tsv says."""
import os
import struct

import oracle_lib as lib

FLOWS = ("uprobe-arm64-base", "uprobe-arm64-preempt-tracer", "ptm-thumb-sort", "etm3-thumb-sort")
TRUTHS = ("uprobe-arm64-base", "uprobe-arm64-preempt-tracer")


def merged(ranges):
    runs = []
    for line in ranges.decode().splitlines():
        _, start, end, _, _ = line.split()
        start, end = int(start, 16), int(end, 16)
        if runs and runs[-1][1] == start:
            runs[-1][1] = end
        else:
            runs.append([start, end])
    return runs


def check_flow(verdict, name, directory):
    with open(os.path.join(directory, "expect.0"), "rb") as file:
        wanted = [list(pair) for pair in struct.iter_unpack("<QQ", file.read())]
    code, ranges, errors = lib.run("flow", directory, "--ranges", "--allow-outside")
    verdict.check(code == 0, f"{name}: flow: exit code {code}: {errors.decode()}")
    found = merged(ranges)
    at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
    verdict.check(found == wanted, f"{name}: run {at} of {len(wanted)} (ours: {len(found)}) differs: "
                  f"{[[hex(x) for x in r] for r in found[at:at + 2]]} instead of "
                  f"{[[hex(x) for x in r] for r in wanted[at:at + 2]]}")


def check_report(verdict, name, directory):
    with open(os.path.join(directory, "truth.tsv"), encoding="utf-8") as file:
        lines = file.read().splitlines()[1:]
    wanted = {f: int(insns) for f, _, insns in (line.split("\t") for line in lines) if int(insns)}
    code, out, errors = lib.run("report", directory, "--format", "json", "--allow-outside")
    verdict.check(code == 0, f"{name}: report: exit code {code}: {errors.decode()}")
    found = {}
    for row in lib.rows(out, "functions"):
        if row["self_insns"]:
            found[row["function"]] = found.get(row["function"], 0) + row["self_insns"]
    for function in sorted(set(wanted) | set(found)):
        verdict.check(found.get(function) == wanted.get(function),
                      f"{name}: {function}: self_insns {found.get(function)} instead of {wanted.get(function)}")


def main():
    verdict = lib.Verdict()
    lib.manifest()
    for name in FLOWS:
        check_flow(verdict, name, os.path.join(lib.CAPTURES, "generated", name))
    for name in TRUTHS:
        check_report(verdict, name, os.path.join(lib.CAPTURES, "generated", name))
    verdict.end(least=100)


main()

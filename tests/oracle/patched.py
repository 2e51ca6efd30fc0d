#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code that was patched while it ran: of a kernel's memory, one branch that the trace took is turned into a NOP, as a static
key is on disk. info says where that shows; report warns where ranges do not go on as the image says."""
import collections
import csv
import os
import shutil
import tempfile

import oracle_lib as lib

NAME = "generated/uprobe-arm64-base"
KERNEL = 1 << 63
NOP = bytes.fromhex("1f2003d5")
TRIED = 12


def branches(directory):
    """Addresses of direct unconditional branches that the kernel took, the rarest first."""
    _, out, _ = lib.run("flow", directory, "--elements", "--format", "csv", "--quiet")
    taken = collections.Counter()
    for row in csv.DictReader(out.decode().splitlines()):
        if row["element"] == "range" and row["detail"] == "branch" and int(row["address"], 16) >= KERNEL:
            taken[int(row["end"], 16) - 4] += 1
    return sorted(taken, key=lambda address: (taken[address], address))


def patch(directory, address):
    """Whether a memory dump holds the address; its instruction is a NOP now."""
    for name in os.listdir(directory):
        if not name.startswith("mem_"):
            continue
        start = int(name[4:].split(".")[0], 16)
        path = os.path.join(directory, name)
        if not start <= address < start + os.path.getsize(path):
            continue
        with open(path, "r+b") as file:
            file.seek(address - start)
            file.write(NOP)
        return name
    return None


def check_patch(verdict, directory, address, work):
    copy = os.path.join(work, f"{address:x}")
    shutil.copytree(directory, copy)
    module = patch(copy, address)
    if not module:
        return False
    _, out, _ = lib.run("info", copy, "--format", "json")
    found = lib.rows(out, "contradictions")
    topics = {row["topic"] for row in lib.rows(out, "advice")} & {"patched code", "wrong image", "code differs"}
    code, _, errors = lib.run("report", copy)
    warned = b"kernel's code differs" in errors or b"image does not match" in errors
    verdict.check(code == 0, f"0x{address:x}: report: exit code {code}")
    verdict.check(bool(found) == bool(topics), f"0x{address:x}: {found}, {topics}")
    verdict.check(any(row["breaks"] for row in found) == warned, f"0x{address:x}: report: {errors.decode()}")
    for row in found:
        verdict.check(int(row["first"], 16) >= KERNEL and "+0x" in row["function"], f"0x{address:x}: {row}")
    shutil.rmtree(copy)
    return bool(found)


def main():
    verdict = lib.Verdict()
    lib.manifest()
    directory = os.path.join(lib.CAPTURES, NAME)
    _, out, _ = lib.run("info", directory, "--format", "json")
    verdict.check(not lib.rows(out, "contradictions"), f"{NAME}: its own image contradicts it")
    with tempfile.TemporaryDirectory() as work:
        seen = [check_patch(verdict, directory, address, work) for address in branches(directory)[:TRIED]]
    print(f"{sum(seen)} of {len(seen)} patches show")
    verdict.check(len(seen) == TRIED and sum(seen) >= TRIED / 2, f"{sum(seen)} of {len(seen)} patches show")
    verdict.end(least=10)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Intel PT: the executed addresses of generated/pt-x64-sort, one by one; the eight instructions of dynamorio-hello-asm; of
quipper-file, a perf.data without its binaries, the packets as libipt counts them, its processes, and what is missing."""
import csv
import hashlib
import os
import struct
import sys

import oracle_lib as lib

SORT = "generated/pt-x64-sort"
HELLO = "intel-pt/dynamorio-hello-asm"
QUIPPER = "intel-pt/quipper-file"


def addresses(verdict, name, trace, image):
    code, out, errors = lib.run("flow", trace, "--protocol", "ipt", "--image", image, "--insn", "--format", "csv")
    if b"built without libipt" in errors:
        print("skipped: built without libipt")
        sys.exit(lib.SKIP)
    verdict.check(code == 0, f"{name}: exit code {code}: {errors.decode()}")
    return [int(row["address"], 16) for row in csv.DictReader(out.decode().splitlines()) if row["kind"] == "insn"]


def check_sort(verdict):
    directory = os.path.join(lib.CAPTURES, SORT)
    with open(os.path.join(directory, "expect.bin"), "rb") as file:
        expected = [value for value, in struct.iter_unpack("<Q", file.read())]
    found = addresses(verdict, SORT, os.path.join(directory, "pt.bin"), os.path.join(directory, "img.txt"))
    verdict.check(len(expected) == 52035, f"{SORT}: {len(expected)} addresses expected")
    verdict.check(found == expected, f"{SORT}: {len(found)} addresses, others than the {len(expected)} executed ones")


def check_hello(verdict, captures):
    directory = os.path.join(lib.CAPTURES, HELLO)
    oracle = next(c for c in captures if c["id"] == HELLO)["pt_oracle"]["result"]
    found = addresses(verdict, HELLO, os.path.join(directory, "pt.bin"), os.path.join(directory, "hello"))
    text = "".join(f"{address:x}\n" for address in found)
    verdict.check(len(found) == oracle["insns"], f"{HELLO}: {len(found)} instructions of {oracle['insns']}")
    verdict.check(hashlib.sha256(text.encode()).hexdigest() == oracle["insn_ips_sha256"], f"{HELLO}: other addresses")


def check_quipper(verdict, captures):
    capture = next(c for c in captures if c["id"] == QUIPPER)
    path = os.path.join(lib.CAPTURES, QUIPPER, "perf.data.intel_pt-4.14")
    code, out, errors = lib.run("info", path, "--format", "json")
    verdict.check(code == 0, f"{QUIPPER}: exit code {code}: {errors.decode()}")
    found = {}
    for row in lib.rows(out, "packets"):
        found.setdefault(row["buffer"], {})[row["packet"].lower()] = row["count"]
    for part in capture["perf_data"]["auxtrace"]:
        name = f"cpu{part['cpu']}"
        verdict.check(found.get(name) == part["pt"]["packets"], f"{QUIPPER}: {name}: {found.get(name)}")
    processes = [(row["pid"], row["process"], row["maps"]) for row in lib.rows(out, "processes")]
    verdict.check(("3174", "echo", 16) in processes, f"{QUIPPER}: processes {processes}")
    missing = [row["file"] for row in lib.rows(out, "images") if not row["found"]]
    for file in "[kernel.kallsyms]_text", "/lib64/libc-2.23.so", "/usr/bin/coreutils":
        verdict.check(file in missing, f"{QUIPPER}: {file} is missing and not named: {missing}")
    gaps = {row["gap"] for row in lib.rows(out, "gaps")}
    verdict.check(gaps == {"start", "filter", "no image"}, f"{QUIPPER}: gaps {gaps}")


def main():
    verdict = lib.Verdict()
    captures = lib.manifest()
    check_sort(verdict)
    check_hello(verdict, captures)
    check_quipper(verdict, captures)
    verdict.end(14)


main()

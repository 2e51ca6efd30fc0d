#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Intel PT: the executed addresses of generated/pt-x64-sort, one by one, and the eight instructions of dynamorio-hello-asm."""
import csv
import hashlib
import os
import struct
import sys

import oracle_lib as lib

SORT = "generated/pt-x64-sort"
HELLO = "intel-pt/dynamorio-hello-asm"


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


def main():
    verdict = lib.Verdict()
    captures = lib.manifest()
    check_sort(verdict)
    check_hello(verdict, captures)
    verdict.end(6)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cortex-R5F captures with symbols: nearly all instructions are in functions with names, calls nest, and where trace and
ELF are of different builds, info and report say so."""
import os

import oracle_lib as lib

FAMILY = "am243x-r5f"
WRONG = f"{FAMILY}/threadx-wrong-elf"
NAMED_SHARE, DEPTH = 0.95, 3


def check_names(verdict, name, directory):
    code, out, errors = lib.run("report", directory, "--format", "json")
    verdict.check(code == 0, f"{name}: report: exit code {code}: {errors.decode()}")
    rows = lib.rows(out, "functions")
    whole = sum(row["self_insns"] for row in rows)
    named = sum(row["self_insns"] for row in rows if not row["function"].startswith("["))
    verdict.check(whole > 0 and named > NAMED_SHARE * whole, f"{name}: {named} of {whole} instructions have a name")
    verdict.check(all(row["closed"] for row in lib.rows(out, "account")), f"{name}: the account does not close")


def check_depth(verdict, name, directory):
    code, out, errors = lib.run("flow", directory, "--format", "json")
    verdict.check(code == 0, f"{name}: flow: exit code {code}: {errors.decode()}")
    deepest = max((row.get("depth", 0) for row in lib.rows(out, "flow")), default=0)
    verdict.check(deepest >= DEPTH, f"{name}: calls nest {deepest} deep")


def check_wrong(verdict, name, directory):
    _, out, _ = lib.run("info", directory, "--format", "json")
    topics = [row["topic"] for row in lib.rows(out, "advice")]
    verdict.check("wrong image" in topics, f"{name}: info does not say that the image is wrong: {topics}")
    _, _, errors = lib.run("report", directory)
    verdict.check(b"image does not match" in errors, f"{name}: report does not say that the image is wrong")


def check_right(verdict, name, directory):
    _, out, _ = lib.run("info", directory, "--format", "json")
    topics = [row["topic"] for row in lib.rows(out, "advice")]
    verdict.check("wrong image" not in topics, f"{name}: info takes the image for a wrong one")


def main():
    verdict = lib.Verdict()
    lib.manifest()
    for name, directory in lib.snapshots():
        if name == WRONG:
            check_wrong(verdict, name, directory)
        elif name.startswith(FAMILY + "/"):
            check_names(verdict, name, directory)
            check_depth(verdict, name, directory)
            check_right(verdict, name, directory)
    verdict.end(least=30)


main()

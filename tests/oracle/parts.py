#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every lane of ETMv4 and ETE, and damaged pieces of it, in parts at once on two and on seven jobs: the same elements as of one
decoder. And the commands that users run say the same with one, two and seven jobs, where a lane has more than one part."""
import hashlib
import os
import re
import subprocess

import oracle_lib as lib

PARTS_DIFF = os.path.join(os.environ.get("SL_BINARY_DIR", "build"), "tests", "parts_diff")
MUTANTS = "300" if lib.FULL else "5" if lib.SANITIZED else "20"
JOBS = ("1", "2", "7")
COMMANDS = (("report",), ("report", "--format", "json"), ("flow", "--ranges"), ("info",))
TWO_PARTS = 5_000


def check_elements(verdict, directories):
    done = subprocess.run([PARTS_DIFF, "-m", MUTANTS, *directories], stdin=subprocess.DEVNULL, capture_output=True, timeout=900,
                          check=False)
    out = done.stdout.decode()
    verdict.check(done.returncode == 0 and not done.stderr, out + done.stderr.decode())
    parts, again = map(int, re.search(r"(\d+) parts at once, (\d+) of them again", out).groups())
    verdict.check(parts > 1000 and again * 20 < parts, f"{parts} parts, {again} of them again")


def check_commands(verdict, name, directory):
    for command in COMMANDS:
        digests = set()
        for jobs in JOBS:
            code, out, errors = lib.run(command[0], directory, *command[1:], "--allow-outside", "--jobs", jobs)
            digests.add((code, hashlib.sha256(out).hexdigest(), errors))
        verdict.check(len(digests) == 1, f"{name}: {' '.join(command)}: {digests}")


def main():
    verdict = lib.Verdict()
    lib.manifest()
    snapshots = lib.snapshots()
    check_elements(verdict, [directory for _, directory in snapshots])
    for name, directory in snapshots:
        if lib.trace_bytes(directory) > TWO_PARTS and (not lib.SANITIZED or lib.FULL):
            check_commands(verdict, name, directory)
    verdict.end(least=2 if lib.SANITIZED else 40)


main()

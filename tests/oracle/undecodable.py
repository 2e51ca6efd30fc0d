#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Captures that this version cannot decode (Intel PT, texts, raw dumps without a description) end with
one line that says why, exit code 1 or 2, and nothing on stdout. So does each file inside a snapshot but its ini."""
import os

import oracle_lib as lib


def is_perf_data(path):
    """simpleperf.py looks at these."""
    with open(path, "rb") as file:
        return file.read(8) == b"PERFILE2"


def paths_of(capture):
    base = os.path.join(lib.CAPTURES, capture["id"])
    if not os.path.isdir(base):
        return [base]
    names = [os.path.join(folder, n) for folder, _, names in os.walk(base) for n in names]
    names = [n for n in names if not is_perf_data(n)]
    return ([] if any(n.endswith("snapshot.ini") for n in names) else [base]) + \
        [n for n in sorted(names) if not n.endswith("snapshot.ini")]


def check_refused(verdict, command, path):
    code, out, errors = lib.run(command, path)
    name = f"{command} {os.path.relpath(path, lib.CAPTURES)}"
    lines = errors.decode(errors="replace").splitlines()
    verdict.check(code in (1, 2), f"{name}: exit code {code}: {lines[:3]}")
    verdict.check(len(lines) == 1 and len(lines[0]) > 20, f"{name}: {len(lines)} lines on stderr: {lines[:3]}")
    verdict.check(out == b"", f"{name}: {len(out)} bytes on stdout")


def main():
    verdict = lib.Verdict()
    captures = lib.manifest()
    for capture in captures:
        paths = paths_of(capture)
        if not capture.get("oracles"):
            for path in paths:
                for command in ("info", "report", "flow", "packets"):
                    check_refused(verdict, command, path)
        else:
            check_refused(verdict, "report", paths[0])
    verdict.end(least=150)


main()

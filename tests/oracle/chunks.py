#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every snapshot, read in blocks of 1, 7, 4096 bytes and whole, with one job and with four, gives the same bytes on
stdout and stderr, from every command.

Large captures run the two commands that users run, and large listings half of the combinations; SIGHTLINE_FULL=1 runs
all. A sanitizer build takes the small captures."""
import hashlib
import itertools
from multiprocessing.pool import ThreadPool

import oracle_lib as lib

COMMANDS = (("flow", "--ranges"), ("report",), ("info",), ("flow", "--elements"), ("packets",), ("flow",))
BLOCKS = (("--block-bytes", "1"), ("--block-bytes", "7"), ("--block-bytes", "4096"), ())
JOBS = ("1", "4")
LARGE, SMALL = 100_000, 5_000
LISTING = ("flow", "--elements")  # of a hundred megabytes where the trace has some ten thousand bytes


def digest(command, directory, block, jobs):
    code, out, errors = lib.run(command[0], directory, *command[1:], "--allow-outside", *block, "--jobs", jobs)
    return code, len(out), hashlib.sha256(out).hexdigest(), errors


def jobs_of():
    for name, directory in lib.snapshots():
        size = lib.trace_bytes(directory)
        if lib.SANITIZED and size > SMALL and not lib.FULL:
            continue
        for command in COMMANDS[:2] if size > LARGE and not lib.FULL else COMMANDS:
            yield name, command, directory


def combinations(command, directory):
    every = list(itertools.product(BLOCKS, JOBS))
    long = command == LISTING and lib.trace_bytes(directory) > LARGE // 5 and not lib.FULL
    return [every[0], every[3], every[5], every[6]] if long else every


def check(job):
    name, command, directory = job
    results = {}
    for block, jobs in combinations(command, directory):
        results.setdefault(digest(command, directory, block, jobs), []).append(" ".join((*block, "--jobs", jobs)))
    return name, command, results


def main():
    verdict = lib.Verdict()
    lib.manifest()
    with ThreadPool(2) as pool:
        for name, command, results in pool.imap(check, list(jobs_of())):
            text = f"{name}: {' '.join(command)}: "
            verdict.check(len(results) == 1, text + "; ".join(
                f"{', '.join(how)}: exit {key[0]}, {key[1]} bytes {key[2][:8]}" for key, how in results.items()))
            verdict.check(all(key[0] in (0, 1, 2) for key in results), text + f"exit codes {[k[0] for k in results]}")
    verdict.end(least=100)


main()

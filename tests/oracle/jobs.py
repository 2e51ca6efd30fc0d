#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every capture gives the same bytes on stdout and stderr with one job, with two and with seven, from every command: snapshots,
recordings of perf and simpleperf, the generated capture of two cores, and a recording that is cut into many AUX records.

Of captures that are not small, report, info and one of the listings are run, by turns; SIGHTLINE_FULL=1 runs all. A sanitizer
build takes the small ones. At most a minute on two CPUs. chunks.py does it over blocks of several sizes."""
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from multiprocessing.pool import ThreadPool

import oracle_lib as lib

ALWAYS = (("report",), ("info",))
LISTINGS = (("flow",), ("flow", "--ranges"), ("packets",), ("flow", "--elements"))
BY_OPENCSD = (("report", "--engine", "opencsd"), ("flow", "--elements", "--engine", "opencsd"))
JOBS = ("1", "2", "7")
SMALL, HUGE = 20_000, 4_000_000


def digest(command, path, jobs):
    """Of what may be too long to be kept."""
    out, errors = hashlib.sha256(), hashlib.sha256()
    with tempfile.TemporaryFile() as stderr:
        with subprocess.Popen([lib.SIGHTLINE, command[0], path, *command[1:], "--allow-outside", "--jobs", jobs],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr) as process:
            size = 0
            while block := process.stdout.read(1 << 20):
                out.update(block)
                size += len(block)
        stderr.seek(0)
        errors.update(stderr.read())
    return process.returncode, size, out.hexdigest(), errors.hexdigest()


def recordings():
    """(name, path) of every perf.data."""
    found = []
    for folder, _, names in os.walk(lib.CAPTURES):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".data") and open(path, "rb").read(8) == b"PERFILE2":
                found.append((os.path.relpath(path, lib.CAPTURES), path))
    return sorted(found)


def two_cores(scratch):
    archive = os.path.join(lib.CAPTURES, "generated", "smp2-arm64.tar.xz")
    if not os.path.exists(archive):
        return []
    with tarfile.open(archive) as file:
        file.extractall(scratch, filter="data")
    return [("generated/smp2-arm64", os.path.join(scratch, "smp2-arm64"))]


def cut_recording(scratch):
    tool = os.path.join(lib.SHARED, "tools", "snapshot2perf.py")
    snapshot = os.path.join(lib.CAPTURES, "opencsd", "juno_r1_1")
    if not os.path.exists(tool) or not os.path.exists(snapshot):
        return []
    out = os.path.join(scratch, "cut")
    subprocess.run([sys.executable, "-B", tool, snapshot, out, "--split", "4096"], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, check=True)
    return [("opencsd/juno_r1_1 as perf.data", os.path.join(out, "perf.data"))]


def trace_bytes(path):
    return lib.trace_bytes(path) if os.path.isdir(path) else os.path.getsize(path)


def commands_of(number, size):
    if size <= SMALL or lib.FULL:
        return ALWAYS + LISTINGS + BY_OPENCSD
    if size > HUGE:
        return ALWAYS
    return (*ALWAYS, LISTINGS[number % len(LISTINGS)])


def checks(scratch):
    captures = lib.snapshots() + recordings() + cut_recording(scratch)
    if not lib.SANITIZED or lib.FULL:
        captures += two_cores(scratch)
    for number, (name, path) in enumerate(captures):
        size = trace_bytes(path)
        if lib.SANITIZED and size > SMALL and not lib.FULL:
            continue
        for command in commands_of(number, size):
            yield name, command, path


def check(job):
    name, command, path = job
    results = {}
    for jobs in JOBS:
        results.setdefault(digest(command, path, jobs), []).append(jobs)
    return name, command, results


def main():
    verdict = lib.Verdict()
    lib.manifest()
    with tempfile.TemporaryDirectory() as scratch, ThreadPool(2) as pool:
        for name, command, results in pool.imap(check, list(checks(scratch))):
            text = f"{name}: {' '.join(command)}: "
            verdict.check(len(results) == 1, text + "; ".join(
                f"--jobs {', '.join(how)}: exit {key[0]}, {key[1]} bytes {key[2][:8]}, errors {key[3][:8]}"
                for key, how in results.items()))
            verdict.check(all(key[0] in (0, 1, 2) for key in results), text + f"exit codes {[k[0] for k in results]}")
    verdict.end(least=100)


main()

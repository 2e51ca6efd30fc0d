#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of a perf.data: as many as 'perf script --itrace=i1' has, on captures that perf decodes. Skipped without a
perf that has OpenCSD."""
import os
import shutil
import subprocess
import sys
import tempfile

import oracle_lib as lib
from perf_matrix import make

SNAPSHOTS = ("001-ack_test", "texit-poe2", "ts_bit64_set", "src_addr", "ete_spec_1")


def has_opencsd(perf):
    """The build options of some versions do not tell."""
    done = subprocess.run(["ldd", os.path.realpath(perf)], capture_output=True, text=True, check=False)
    return "libopencsd" in done.stdout


def main():
    perf = shutil.which("perf")
    lib.manifest()
    if not perf or not has_opencsd(perf):
        print("skipped: no perf with OpenCSD")
        sys.exit(lib.SKIP)
    verdict = lib.Verdict()
    with tempfile.TemporaryDirectory() as work:
        for name in SNAPSHOTS:
            path, images = make(os.path.join(lib.CAPTURES, "opencsd-ete", name), "--only-active", os.path.join(work, name))
            kernel = ["--vmlinux", images[1]] if images else []
            script = subprocess.run([perf, "script", "-i", path, "--itrace=i1", "-F", "ip", *kernel], capture_output=True,
                                    check=False)
            wanted = script.stdout.count(b"\n")
            # perf decodes with the packaged OpenCSD
            _, out, errors = lib.run("report", path, "--format", "json", "--engine", "opencsd", *images)
            found = sum(row["self_insns"] for row in lib.rows(out, "functions"))
            verdict.check(found == wanted and wanted, f"{name}: {found} instructions, perf has {wanted}: {errors.decode()}")
    verdict.end(least=len(SNAPSHOTS))


if __name__ == "__main__":
    main()

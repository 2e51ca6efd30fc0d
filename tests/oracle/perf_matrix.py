#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perf.data files of every kind, made of snapshots by ../shared/tools/snapshot2perf.py: each gives the snapshot's own
ranges, and one recording gives the same report in all the forms that perf writes."""
import os
import shutil
import subprocess
import sys
import tempfile

import oracle_lib as lib
import perf_forms as forms

TOOL = os.path.join(lib.SHARED, "tools", "snapshot2perf.py")
# ETMv4, ETMv4 of several cores, ETE, PTM, ETMv3
SNAPSHOTS = ("generated/uprobe-arm64-base", "opencsd/juno_r1_1", "opencsd-ete/src_addr", "opencsd-ete/ts_bit64_set",
             "generated/ptm-thumb-sort", "opencsd/trace_cov_a15", "generated/etm3-thumb-sort")
VARIANTS = ("--version 0", "--version 1", "--version 2", "--hwid 0", "--hwid 1", "--mode per-cpu", "--timestamps",
            "--mode per-cpu --version 0", "--mode per-cpu --hwid 0", "--mode per-cpu --hwid 1 --timestamps",
            "--unformatted --mode per-cpu", "--unformatted --mode per-cpu --hwid 0", "--unformatted --mode per-cpu --hwid 1",
            "--unformatted --sample-cpu --timestamps", "--only-active --mode per-cpu", "--hwid 1 --ts-source 1")
SPLITS = (("generated/uprobe-arm64-base", 26368), ("generated/ptm-thumb-sort", 1904), ("opencsd-ete/src_addr", 608),
          ("generated/etm3-thumb-sort", 3200))
PTM = ("opencsd/TC2", "opencsd/Snowball", "opencsd/trace_cov_a15")


def make(snapshot, variant, folder):
    """perf.data in folder, and the options that name its kernel."""
    subprocess.run([sys.executable, "-B", TOOL, snapshot, folder, *variant.split()], check=True, capture_output=True)
    kernel = os.path.join(folder, "vmlinux")
    return os.path.join(folder, "perf.data"), ["--image", kernel] if os.path.exists(kernel) else []


def check_variants(verdict, name, work):
    snapshot = os.path.join(lib.CAPTURES, name)
    _, wanted, _ = lib.run("flow", snapshot, "--ranges", "--allow-outside")
    # What the tool leaves out of a perf.data: other buffers, and sources that are no core's.
    for variant in VARIANTS:
        path, images = make(snapshot, variant, os.path.join(work, variant.replace(" ", "_") + os.path.basename(name)))
        _, found, errors = lib.run("flow", path, "--ranges", *images)
        verdict.check(found == wanted and wanted, f"{name} {variant}: {found.count(10)} ranges instead of "
                      f"{wanted.count(10)}: {errors.decode()[-300:]}")


def ranges_of_pieces(snapshot, size, work):
    """What pieces of the buffer give, each as a snapshot of its own."""
    with open(os.path.join(snapshot, "trace.ini"), encoding="latin-1") as file:
        name = next(line.split("=")[1].split(";")[0].strip() for line in file if line.startswith("file"))
    with open(os.path.join(snapshot, name), "rb") as file:
        data = file.read()
    copy, found = os.path.join(work, "piece"), b""
    for at in range(0, len(data), size):
        shutil.rmtree(copy, ignore_errors=True)
        os.mkdir(copy)
        for other in os.listdir(snapshot):
            if other != name:
                os.symlink(os.path.abspath(os.path.join(snapshot, other)), os.path.join(copy, other))
        with open(os.path.join(copy, name), "wb") as file:
            file.write(data[at:at + size])
        found += lib.run("flow", copy, "--ranges", "--allow-outside")[1]
    return found


def check_split(verdict, name, size, work):
    """Each AUX record starts the decoder anew."""
    snapshot = os.path.join(lib.CAPTURES, name)
    wanted = ranges_of_pieces(snapshot, size, work)
    path, images = make(snapshot, f"--split {size}", os.path.join(work, "split" + os.path.basename(name)))
    _, found, _ = lib.run("flow", path, "--ranges", *images)
    verdict.check(found == wanted and wanted, f"{name} in pieces of {size}: {found.count(10)} ranges instead of "
                  f"{wanted.count(10)}")


def check_ptm(verdict, captures, work):
    """PTM whose ETMCCER perf does not hand to its decoder: TC2 has 16,641 instructions there."""
    for name in PTM:
        oracle = next(c for c in captures if c["id"] == name)["oracles"][0]["opencsd_1_3_3"]
        path, images = make(os.path.join(lib.CAPTURES, name), "--hwid 1", os.path.join(work, "ptm" + os.path.basename(name)))
        _, out, errors = lib.run("info", path, "--format", "json", *images)
        found = sum(row.get("instructions") or 0 for row in lib.rows(out, "ids"))
        verdict.check(found == oracle["instructions"], f"{name}: {found} instructions, the manifest has "
                      f"{oracle['instructions']}: {errors.decode()[-300:]}")


def check_forms(verdict, work):
    path, images = make(os.path.join(lib.CAPTURES, "generated/uprobe-arm64-base"), "--hwid 1", os.path.join(work, "forms"))
    recording = forms.Recording(path)
    _, wanted, _ = lib.run("report", path, "--quiet", *images)
    verdict.check(b"Account" in wanted, "no report of the file form")
    for form, write in (("pipe", forms.write_pipe), ("directory", forms.write_directory),
                        ("compressed", forms.write_compressed)):
        other = os.path.join(work, form + ".data")
        write(recording, other)
        code, found, errors = lib.run("report", other, "--quiet", *images)
        verdict.check(found == wanted, f"{form} form: another report than the file's, exit code {code}: {errors.decode()}")
    for form in ("forms/perf.data", "pipe.data"):
        with open(os.path.join(work, form), "rb") as file:
            done = subprocess.run([lib.SIGHTLINE, "report", "--quiet", "-", *images], stdin=file, capture_output=True,
                                  check=False)
        verdict.check(done.stdout == wanted, f"{form} through standard input: {done.stderr.decode()}")


def main():
    verdict = lib.Verdict()
    captures = lib.manifest()
    with tempfile.TemporaryDirectory() as work:
        for name in SNAPSHOTS:
            check_variants(verdict, name, work)
        for name, size in SPLITS:
            check_split(verdict, name, size, work)
        check_ptm(verdict, captures, work)
        check_forms(verdict, work)
    verdict.end(least=100)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What info says that missing images and other gaps cost: no byte of trace is counted twice, on all captures that there
are, with and without their images."""
import os
import shutil
import tempfile

import oracle_lib as lib


def check_sums(verdict, name, out):
    """The sums that hold for any capture."""
    ids, gaps = lib.rows(out, "ids"), lib.rows(out, "gaps")
    wanted, images = lib.rows(out, "wanted"), lib.rows(out, "images")
    for row in ids:
        mine = [g for g in gaps if (g["buffer"], g["id"]) == (row["buffer"], row["id"])]
        cost = sum(g["cost_bytes"] or 0 for g in mine) # of what is not believed, nobody knows the bytes
        verdict.check(cost <= row["lane_bytes"], f"{name}: {row['id']}: gaps cost {cost} of {row['lane_bytes']} bytes")
        pages = sum(w["cost_bytes"] for w in wanted if (w["buffer"], w["id"]) == (row["buffer"], row["id"]))
        missing = sum(g["cost_bytes"] for g in mine if g["gap"] == "no image")
        verdict.check(pages == missing, f"{name}: {row['id']}: pages cost {pages}, gaps by no image {missing}")
    named = sum(w["cost_bytes"] for w in wanted if w["file"])
    files = sum(i["cost_bytes"] for i in images if not i["found"])
    verdict.check(files <= named, f"{name}: files cost {files}, their pages {named}")
    keys = [(i["file"], i["core"], i["start"], i["end"]) for i in images]
    verdict.check(len(keys) == len(set(keys)), f"{name}: images are listed twice")
    row = lib.rows(out, "verdict")[0]
    verdict.check(row["flow_bytes"] <= row["trace_bytes"], f"{name}: {row}")
    return row, files, named


def info(directory, *options):
    code, out, errors = lib.run("info", directory, "--format", "json", "--allow-outside", *options)
    return code, out, errors.decode()[-300:]


def without_images(directory, copy):
    """The capture without the dumps of its cores."""
    shutil.copytree(directory, copy, symlinks=False)
    for name in os.listdir(copy):
        if not name.endswith(".ini"):
            continue
        path = os.path.join(copy, name)
        with open(path, encoding="latin-1") as file:
            text = file.read()
        with open(path, "w", encoding="latin-1") as file:
            file.write(text.split("[dump")[0])


def check_snapshots(verdict, work):
    for name, directory in lib.snapshots():
        code, out, errors = info(directory)
        if code == 0:
            check_sums(verdict, name, out)
        else:
            verdict.check(code == 2, f"{name}: exit code {code}: {errors}")
    for name in ("generated/uprobe-arm64-base", "opencsd/juno_r1_1", "generated/ptm-thumb-sort"):
        copy = os.path.join(work, os.path.basename(name))
        without_images(os.path.join(lib.CAPTURES, name), copy)
        row, _, _ = check_sums(verdict, name + " without images", info(copy)[1])
        verdict.check(row["flow_bytes"] == 0 and row["trace_bytes"] > 1000, f"{name} without images: {row}")
        verdict.check("does not decode" in row["verdict"], f"{name} without images: {row}")


def check_who(verdict, name, out):
    """All bytes are of a process, or said to be of none that is known."""
    lanes = sum(row["lane_bytes"] for row in lib.rows(out, "ids"))
    spaces = sum(row["lane_bytes"] for row in lib.rows(out, "processes"))
    verdict.check(lanes == spaces, f"{name}: {lanes} bytes of trace, {spaces} of processes")
    insns = sum(row["instructions"] for row in lib.rows(out, "ids"))
    spaces = sum(row["instructions"] for row in lib.rows(out, "processes"))
    verdict.check(insns == spaces, f"{name}: {insns} instructions, {spaces} of processes")
    bytes_of_cpus = sum(row["aux_bytes"] for row in lib.rows(out, "cpus"))
    buffers = sum(row["size_bytes"] for row in lib.rows(out, "buffers"))
    verdict.check(bytes_of_cpus == buffers, f"{name}: {buffers} bytes of buffers, {bytes_of_cpus} of CPUs")


WISHES = {  # what the next recording is told
    "perf_etm": {"timestamps", "cycle counts"},
    "perf_kernel": {"timestamps", "cycle counts", "larger trace buffers", "kernel code"},
    "perf_with_missing_aux_data": {"less trace"},
}


def check_recordings(verdict):
    for name in ("perf_etm", "perf_kernel", "perf_with_unformatted_trace", "perf_with_missing_aux_data"):
        path = os.path.join(lib.CAPTURES, "simpleperf", name, name + ".data")
        _, out, _ = info(path)
        row, files, named = check_sums(verdict, name, out)
        verdict.check(files == named, f"{name}: files cost {files}, their pages {named}")
        check_who(verdict, name, out)
        wishes = {row["topic"] for row in lib.rows(out, "next_recording")}
        verdict.check(wishes == WISHES.get(name, wishes), f"{name}: next recording: {wishes}")
        verdict.check((files > 0) == (name != "perf_with_missing_aux_data"), f"{name}: {row}, files cost {files}")


def main():
    verdict = lib.Verdict()
    lib.manifest()
    with tempfile.TemporaryDirectory() as work:
        check_snapshots(verdict, work)
    check_recordings(verdict)
    verdict.end(least=100)


if __name__ == "__main__":
    main()

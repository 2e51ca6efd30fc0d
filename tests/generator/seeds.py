#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""seeds.py [--seeds N] [--faults NAME,...] [--protocols NAME,...] GEN SIGHTLINE [CAPTURE...]: each protocol's trace of the made-up machine (or
captures that sightline-gen has made), damaged by sightline-gen-mangle with N seeds a fault, and what sightline report makes of it. A line a fault and protocol: calls told, those of
them that did not happen, instructions told that were not executed (by function, against truth/functions.tsv), and recall. Exit code 1 where a
call or an instruction was told that never was."""
import argparse
import collections
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

FAULTS = {"lose-frames": 200, "flip-bits": 50000, "truncate": 1000, "wrap": 8192, "remove-image": 1, "stale-image": 4}
PERF = ["--container", "perf", "--cpus", "2", "--processes", "2", "--timestamps", "1000", "--pinned"]
PROTOCOLS = {"etmv4": [], "etmv4-returns": ["--return-stack", "8", "--timestamps", "500"], "etmv4-perf": PERF,
             "ete": ["--protocol", "ete", "--return-stack", "8", "--cycles", "4"],
             "etmv4-speculation": ["--speculation", "4"]}
MODEL = ["--insns", "300000", "--interrupt-every", "1000", "--context-id"]


def truth_of(directory):
    wanted = collections.defaultdict(lambda: [0, 0])
    with open(os.path.join(directory, "truth", "functions.tsv"), encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            wanted[row["function"]][0] += int(row["calls"])
            wanted[row["function"]][1] += int(row["self_insns"])
    return wanted


def report_of(sightline, directory):
    perf = os.path.join(directory, "perf.data")
    command = [sightline, "report", perf if os.path.exists(perf) else directory, "--clock", "insns", "--format", "json"]
    if os.path.isdir(os.path.join(directory, "root")):
        command += ["--symfs", os.path.join(directory, "root")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    found = collections.defaultdict(lambda: [0, 0])
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row["table"] == "functions" and "function" in row and not row["function"].startswith(("0x", "[")):
            found[row["function"]][0] += row["calls"] or 0
            found[row["function"]][1] += row["self_insns"] or 0
    return found


def one(args, made, fault, seed):
    """Calls and instructions: told, told too many, and in truth."""
    with tempfile.TemporaryDirectory() as tmp:
        damaged = os.path.join(tmp, "damaged")
        shutil.copytree(made, damaged)
        subprocess.run([args.gen + "-mangle", damaged, fault, str(FAULTS[fault]), str(seed)], check=True, capture_output=True)
        wanted, found = truth_of(damaged), report_of(args.sightline, damaged)
    sums = [[0, 0], [0, 0], [0, 0]]
    for name in set(wanted) | set(found):
        for i in range(2):
            sums[0][i] += found[name][i]
            sums[1][i] += max(0, found[name][i] - wanted[name][i])
            sums[2][i] += wanted[name][i]
    if args.verbose and (sums[1][0] or sums[1][1]):
        worst = sorted(((found[n][0] - wanted[n][0], found[n][1] - wanted[n][1], n) for n in found), reverse=True)
        print(f"  {fault} seed {seed}: {sums[1]} {[w for w in worst if w[0] > 0 or w[1] > 0][:6]}")
    return sums


def added(sums):
    return [[sum(s[k][i] for s in sums) for i in range(2)] for k in range(3)]


def put(name, fault, seeds, total):
    print(f"{name:24} {fault:13} {seeds:5} {total[0][0]:8} {total[1][0]:6} {total[0][0] / max(1, total[2][0]):7.1%} "
          f"{total[0][1]:9} {total[1][1]:7} {total[0][1] / max(1, total[2][1]):7.1%}", flush=True)


def row(args, name, made, fault):
    total = added([one(args, made, fault, seed) for seed in range(1, args.seeds + 1)])
    put(name, fault, args.seeds, total)
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--protocols", default=",".join(PROTOCOLS))
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("gen")
    parser.add_argument("sightline")
    parser.add_argument("captures", nargs="*")
    args = parser.parse_args()
    rows = []
    print(f"{'capture':24} {'fault':13} {'seeds':>5} {'calls':>8} {'not so':>6} {'recall':>7} {'insns':>9} {'not so':>7} {'recall':>7}")
    with tempfile.TemporaryDirectory() as tmp:
        for made in args.captures or args.protocols.split(","):
            name = os.path.basename(made)
            if not args.captures:
                made = os.path.join(tmp, name)
                subprocess.run([args.gen, "--out", made, *MODEL, *PROTOCOLS[name]], check=True, capture_output=True)
            for fault in args.faults.split(","):
                if fault != "wrap" or not os.path.exists(os.path.join(made, "perf.data")):
                    rows.append(row(args, name, made, fault))
    total = added(rows)
    put("all", "", args.seeds, total)
    sys.exit(total[1][0] + total[1][1] > 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_pairs.py [--pairs N] [--planted N] SIGHTLINE-GEN SIGHTLINE: how often sightline compare finds what is not there, and what is.

Two runs of one made-up machine (200 functions, another walk and other noise) have no difference: at most 5 % of the pairs may have a
function that differs by more than chance. Then one function runs 10 % more cycles by itself, a call: it has to come first in 95 %. Exit
code 1 where either does not hold."""
import argparse
import csv
import pathlib
import random
import subprocess
import sys
import tempfile

CALLS, CYCLES = 200, 10  # of what is planted: enough calls to see, and a tenth of at least a cycle


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--planted", type=int, default=100)
    parser.add_argument("--insns", type=int, default=1000000)
    parser.add_argument("gen")
    parser.add_argument("sightline")
    return parser.parse_args()


def profile(o, folder, seed, slow=None, insns=None):
    """A kept profile of a run."""
    capture, kept = folder / "capture", folder / f"{seed}{'-slow' if slow else ''}.slp"
    made = [o.gen, "--out", capture, "--seed", 7, "--walk-seed", seed, "--timing-seed", seed, "--functions", 200, "--insns", insns or o.insns,
            "--cycles", 4, "--noise", 100, "--context-id", "--no-truth"] + (["--slow", slow] if slow else [])
    subprocess.run([str(word) for word in made], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([o.sightline, "report", capture, "--save", kept, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["rm", "-r", capture], check=True)
    return kept


def compare(o, a, b):
    answer = subprocess.run([o.sightline, "compare", a, b, "--clock", "cycles", "--quiet", "--format", "csv", "--limit", "10000"],
                            check=True, capture_output=True, text=True)
    return list(csv.DictReader(answer.stdout.splitlines()))


def without_difference(o, folder):
    wrong, functions, differ = 0, 0, 0
    for pair in range(o.pairs):
        rows = compare(o, profile(o, folder, 2 * pair + 1), profile(o, folder, 2 * pair + 2))
        found = [row for row in rows if row["significant"] == "true"]
        for row in found:
            print(f"pair {pair}: {row['function']}: {row['verdict']} (p self {row['own_p']}, p time {row['duration_p']}, p calls {row['calls_p']})")
        wrong += bool(found)
        functions += sum(bool(row["module"]) for row in rows)
        differ += len(found)
    if o.pairs:
        print(f"without a difference: {differ} of {functions} functions of all pairs differ")
    return wrong


def can_be_slow(o, folder, name):
    """Whether the generator's slow calls come to it: those by a jump, from a stub or another function's end, do not."""
    plain, slow = profile(o, folder, 1, None, 200000), profile(o, folder, 1, f"{name}:1:1000", 200000)
    row = next((row for row in compare(o, plain, slow) if row["function"] == name), None)
    return row and float(row["calls_b"]) and float(row["self_b_cycles"]) / float(row["calls_b"]) > 950


def choose(o, folder, rows, chance):
    """A function that is called often enough, and a tenth of what a call of it runs by itself."""
    often = [row for row in rows if row["module"] and float(row["calls_a"]) >= CALLS
             and float(row["self_a_cycles"]) >= CYCLES * float(row["calls_a"]) and "@" not in row["function"]]
    often.sort(key=lambda row: row["function"])
    while True:
        row = chance.choice(often)
        if can_be_slow(o, folder, row["function"]):
            return row["function"], max(1, round(0.1 * float(row["self_a_cycles"]) / float(row["calls_a"])))


def with_one(o, folder):
    found, chance, moved = 0, random.Random(1), []
    for pair in range(o.planted):
        a = profile(o, folder, 100000 + 2 * pair)
        name, more = choose(o, folder, compare(o, a, a), chance)
        rows = compare(o, a, profile(o, folder, 100001 + 2 * pair, f"{name}:1:{more}"))
        first = rows[0]
        hit = first["function"] == name and first["significant"] == "true" and "slower" in first["verdict"]
        found += hit
        row = next(row for row in rows if row["function"] == name)
        moved.append(more * float(row["calls_b"]) / sum(float(row["self_b_cycles"]) for row in rows))
        if not hit:
            print(f"planted {pair}: {name} +{more} cycles: {row['verdict']} (p self {row['own_p']}), first: {first['function']} {first['verdict']}")
    if moved:
        print(f"what was planted is {100 * min(moved):.3f} to {100 * max(moved):.3f} % of the whole, half of the times below {100 * sorted(moved)[len(moved) // 2]:.3f} %")
    return found


def main():
    o = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong, found = without_difference(o, folder), with_one(o, folder)
    print(f"without a difference: found in {wrong} of {o.pairs} pairs; one function 10 % slower: found first in {found} of {o.planted}")
    sys.exit(0 if 20 * wrong <= o.pairs and 100 * found >= 95 * o.planted else 1)


main()

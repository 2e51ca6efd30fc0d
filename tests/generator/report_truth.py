#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report_truth.py [--damaged] [--known NAME] CAPTURE TRUTH: sightline report against truth/functions.tsv: calls, self and total of every function
have to be the same, in instructions, and so have the durations of their calls (latencies.tsv; percentiles within 1 %). What is known to differ lies in known_differences.tsv under NAME (function *: some, nobody says which): it has to
differ, so that the list becomes empty one day. --unit cycles or ns: durations have to be right within the resolution that report states: where that is 0, they have to be the same. Damaged: no function may have more calls,
or more instructions of its own, than it had; and the loss has to be told."""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIELDS = ("calls", "self_insns", "total_insns")
LATENCIES = {"min": "min", "avg": "avg", "max": "max", "p50": "p50", "p90": "p90", "p99": "p99", "p999": "p99.9"}


def truth_of(directory):
    wanted = collections.defaultdict(lambda: dict.fromkeys(FIELDS, 0))
    with open(os.path.join(directory, "functions.tsv"), encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["function"] != "[unknown]":
                for field in FIELDS:
                    wanted[row["function"]][field] += int(row[field])
    return wanted


def report_of(capture, options):
    """Functions, what was said of loss (notes and gaps), and the rows."""
    command = [os.environ["SIGHTLINE"], "report", capture, "--clock", "insns", "--format", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found, lost, rows = collections.defaultdict(lambda: dict.fromkeys(FIELDS, 0)), bool(done.stderr.strip()), []
    if done.returncode > 1:
        sys.exit(f"FAIL: {' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row["table"] == "functions" and "function" in row and not row["function"].startswith(("0x", "[")):
            rows.append(row)
            for field in FIELDS:
                found[row["function"]][field] += row[field] or 0
    return found, lost, rows


def latencies_of(directory):
    """Of each function with complete calls: least, mean, greatest and percentiles, in instructions."""
    with open(os.path.join(directory, "latencies.tsv"), encoding="utf-8") as file:
        return {row["function"]: row for row in csv.DictReader(file, delimiter="\t") if row["unit"] == "insns"}


def wrong_latencies(rows, truth, known):
    """Functions whose durations differ: all but percentiles are exact (the mean has three decimals), these within 1 %. Of functions whose
    calls or totals are known to differ nothing is said."""
    names = collections.Counter(row["function"] for row in rows)
    for row in rows:
        function = row["function"]
        wanted = truth.get(function)
        if not wanted or names[function] > 1 or any((name, field) in known for name in (function, "*") for field in FIELDS):
            continue
        for ours, theirs in LATENCIES.items():
            have, want = row[ours + "_insns"], float(wanted[theirs])
            slack = want * 0.01 if ours.startswith("p") else 0.0006
            if have is None or abs(have - want) > slack:
                yield (function, "latencies"), (f"{ours} {have}", f"{want:g}")
                break


def timed_report(capture, unit, options):
    """Rows with all columns, on that axis; what does not close."""
    command = [os.environ["SIGHTLINE"], "report", capture, "--clock", "time" if unit == "ns" else unit, "--fields", "all", "--format",
               "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode:
        sys.exit(f"FAIL: {' '.join(command)}: exit code {done.returncode}: {done.stderr}")
    open_accounts = [row["source"] for row in rows if row["table"] == "account" and row.get("closed") is False]
    return [row for row in rows if row["table"] == "functions" and "function" in row], open_accounts


def wrong_durations(row, unit, wanted, totals):
    """What of a function is further from the truth than its resolution says, as texts. Of bounds is known how many there are: what
    ranks among them is not compared. A printed nanosecond is rounded."""
    resolution, rounded = row["resolution_" + unit] or 0, 1 if unit == "ns" else 0
    for ours, theirs in LATENCIES.items():
        have, want = row[f"{ours}_{unit}"], float(wanted[theirs])
        if have is None or row["bounds"]:
            continue
        slack = resolution + rounded + (want * 0.01 if ours.startswith("p") else 0.0006)
        if abs(have - want) > slack:
            yield f"{row['function']}: {ours} {have}+-{resolution} instead of {want:g}"
    slack = (resolution + rounded) * (row["calls"] + row["missing_entry"])
    have, want = row["total_" + unit], int(totals["total_" + unit])
    if not row["bounds"] and not row["missing_entry"] + row["missing_exit"] and abs(have - want) > slack:
        yield f"{row['function']}: total {have} instead of {want}"


def check_times(capture, truth, unit, options):
    rows, wrong = timed_report(capture, unit, options)
    names = collections.Counter(row["function"] for row in rows)
    rows = [row for row in rows if names[row["function"]] == 1]  # the truth's latencies go by name
    with open(os.path.join(truth, "functions.tsv"), encoding="utf-8") as file:
        totals = {row["function"]: row for row in csv.DictReader(file, delimiter="\t")}
    with open(os.path.join(truth, "latencies.tsv"), encoding="utf-8") as file:
        wanted = {row["function"]: row for row in csv.DictReader(file, delimiter="\t") if row["unit"] == unit}
    exact = compared = 0
    for row in rows:
        if row["function"] in wanted:
            compared += not row["bounds"]
            exact += not row["bounds"] and not row["resolution_" + unit]
            wrong += wrong_durations(row, unit, wanted[row["function"]], totals[row["function"]])
    if wrong or not compared:
        sys.exit(f"FAIL: {capture}, {unit}, {compared} functions compared:\n" + "\n".join(wrong[:40]))
    print(f"{capture}: {len(rows)} functions, in {unit} {compared} compared, {exact} of them exact")


def gaps_of(capture, options):
    """Gaps other than those at the beginning of each lane."""
    command = [os.environ["SIGHTLINE"], "info", capture, "--format", "json", "--table", "gaps", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return sum(row["count"] for row in rows if row["table"] == "gaps" and row.get("gap", "start") not in ("start", "filter"))


def known_of(name):
    with open(os.path.join(HERE, "known_differences.tsv"), encoding="utf-8") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        return {(row["function"], row["field"]): row["cause"] for row in rows if row["capture"] == name}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--damaged", action="store_true")
    parser.add_argument("--known")
    parser.add_argument("--list", action="store_true", help="print what differs as lines of known_differences.tsv")
    parser.add_argument("--unit", choices=("cycles", "ns"))
    parser.add_argument("capture")
    parser.add_argument("truth")
    parser.add_argument("options", nargs="*")
    args = parser.parse_args()
    if args.unit:
        check_times(args.capture, args.truth, args.unit, args.options)
        return
    wanted = truth_of(args.truth)
    found, lost, rows = report_of(args.capture, args.options)
    known = known_of(args.known) if args.known else {}
    wrong = {}
    for function in set(wanted) | set(found):
        for field in FIELDS:
            have, want = found[function][field], wanted[function][field]
            if (have > want and field != "total_insns") if args.damaged else have != want:
                wrong[function, field] = (have, want)
    if not args.damaged:
        wrong.update(wrong_latencies(rows, latencies_of(args.truth), known))
    if args.list:
        for (function, field), (have, want) in sorted(wrong.items()):
            print(f"{args.known}\t{function}\t{field}\t{have} instead of {want}")
        return
    failed = [f"{f}: {field} {have} instead of {want}" for (f, field), (have, want) in sorted(wrong.items())
              if (f, field) not in known and ("*", field) not in known]
    failed += [f"{f}: {field} is right now: take it out of known_differences.tsv" for f, field in sorted(known)
               if (f, field) not in wrong and not (f == "*" and any(other == field for _, other in wrong))]
    if args.damaged and not lost and not gaps_of(args.capture, args.options):
        failed.append("the loss is not told")
    if failed:
        sys.exit(f"FAIL: {args.capture}:\n" + "\n".join(failed[:40]))
    print(f"{args.capture}: {len(wanted)} functions, {len(wrong)} known differences")


main()

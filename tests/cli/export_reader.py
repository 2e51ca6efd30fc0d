# SPDX-License-Identifier: Apache-2.0
"""Reads exported files back, and holds them against report: export_reader.py FORMAT FILE REPORT.csv [FUNCTIONS.csv]

REPORT.csv is sightline report --format csv --fields all on the same axis. Exit code 1, with the differences, where sums differ."""
import collections
import csv
import json
import sys


def fail(text):
    print(text)
    sys.exit(1)


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def unit_of(row):
    return next(k[5:] for k in row if k in ("self_ns", "self_cycles", "self_insns"))


def report_sums(path):
    """(function, module): [calls, total, self]"""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    rows = read_csv(path)
    unit = unit_of(rows[0])
    for row in rows:
        entry = sums[row["function"], row["module"]]
        entry[0] += int(row["calls"]) + int(row["missing_entry"])
        entry[1] += int(row["total_" + unit])
        entry[2] += int(row["self_" + unit])
    return dict(sums), unit


def compare(got, want, what):
    if not want:
        fail("the report is empty")
    wrong = [(key, got.get(key), want.get(key)) for key in sorted(set(got) | set(want), key=str) if got.get(key) != want.get(key)]
    if wrong:
        fail(f"{what}: {len(wrong)} of {len(want)} differ (file, report): {wrong[:5]}")


def add_call(sums, key, total, own, recursive):
    entry = sums.setdefault(key, [0, 0, 0])
    entry[0] += 1
    entry[1] += 0 if recursive else total
    entry[2] += own


def check_nesting(tracks):
    """Calls of a track, as (start, end), lie inside of each other or apart."""
    for track, calls in tracks.items():
        stack = []
        for start, end in sorted(calls, key=lambda c: (c[0], -c[1])):
            while stack and stack[-1] <= start:
                stack.pop()
            if stack and end > stack[-1]:
                fail(f"track {track}: a call from {start} to {end} ends behind the one that it is in ({stack[-1]})")
            stack.append(end)


def check_rows(rows, want, unit):
    sums, tracks = {}, collections.defaultdict(list)
    for row in rows:
        start, duration = int(row[f"start_{unit}"]), int(row[f"duration_{unit}"])
        tracks[row["track"]].append((start, start + duration))
        if row["level"] in ("0", False) and row[f"total_{unit}"] not in ("", None):
            add_call(sums, (row["function"], row["module"] or ""), int(row[f"total_{unit}"]), int(row[f"self_{unit}"]),
                     row["recursive"] not in ("0", False))
    compare(sums, want, "functions")
    check_nesting(tracks)


def check_csv(path, want, unit):
    rows = read_csv(path)
    check_rows([{k: {"false": "0", "true": "1"}.get(v, v) for k, v in row.items()} for row in rows], want, unit)


def check_json(path, want, unit):
    with open(path, encoding="utf-8") as file:
        head, *rows = [json.loads(line) for line in file]
    if head["schema"] != "sightline.calls/1" or head["unit"] != unit or not head["about"]:
        fail(f"head: {head}")
    check_rows(rows, want, unit)


def check_chrome(path, want, unit):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    if trace["otherData"]["unit"] != unit:
        fail(f"unit: {trace['otherData']}")
    sums, tracks, names = {}, collections.defaultdict(list), {}
    for event in trace["traceEvents"]:
        if event["ph"] == "M":
            names[event["pid"], event["tid"]] = event["args"]["name"]
        if event["ph"] != "X":
            continue
        start, duration = round(event["ts"] * 1000), round(event["dur"] * 1000)
        tracks[event["pid"], event["tid"]].append((start, start + duration))
        args = event.get("args", {})
        if event["cat"] not in ("exception", "task") and f"self_{unit}" in args:
            module = "" if event["cat"] == "code" else event["cat"]
            add_call(sums, (event["name"], module), args[f"total_{unit}"], args[f"self_{unit}"], "recursive" in args)
    compare(sums, want, "functions")
    check_nesting(tracks)
    if not all(track in names for track in tracks):
        fail("a track has no name")


def main():
    form, path, report = sys.argv[1:4]
    want, unit = report_sums(report)
    globals()["check_" + form](path, want, unit)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a page of report --html as docs/formats/html-data.md says, and compares what its calls add up to with report's own rows.
page_reader.py PAGE REPORT.json [--cut]: with --cut the page has not all calls, and is only read."""
import base64
import collections
import gzip
import hashlib
import json
import re
import sys

NO_ENTRY, NO_EXIT, RECURSIVE, NO_COSTS = 1, 2, 1 << 9, 1 << 11


def block(page, name):
    text = re.search(rf'<script type="application/octet-stream" id="{name}">([A-Za-z0-9+/=]*)</script>', page).group(1)
    return gzip.decompress(base64.b64decode(text, validate=True))


def check_policy(page):
    """The policy names the hash of the one script and the one style, and allows nothing else."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    digest = lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    script = digest(re.search(r"<script>(.*?)</script>", page, re.S).group(1))
    style = digest(re.search(r"<style>(.*?)</style>", page, re.S).group(1))
    assert policy == f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'", policy
    assert not re.search(r"(src|href)\s*=\s*[\"']?\w", page.split("<script>")[0]), "something is loaded"


class Facts:
    def __init__(self, text):
        self.tables, self.lists, self.rows, self.timeline, into = {}, collections.defaultdict(list), [], {}, None
        for line in text.splitlines():
            value = json.loads(line)
            if isinstance(value, dict):
                into = value
                into["rows"] = []
                if "table" in into:
                    self.tables[into["table"]] = into
                elif "timeline" in into:
                    self.timeline = into["timeline"]
            elif "timeline" in into and value[0] in ("name", "track", "lane", "reason"):
                self.lists[value[0]].append(value[1:])
            elif "timeline" in into:
                self.rows.append(value)
            else:
                into["rows"].append(value)


class Column:
    """Numbers of seven bits a byte, lowest first."""
    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.next()
        return -(value + 1) // 2 if value & 1 else value // 2


def cut_columns(facts, data):
    """A list of six columns for each row; they stand in the data column by column."""
    columns, at = [[] for _ in facts.rows], 0
    for number in range(6):
        for row, into in zip(facts.rows, columns):
            into.append(Column(data[at:at + row[4 + number]]))
            at += row[4 + number]
    assert at == len(data), (at, len(data))
    return columns


def beginnings(row, above):
    """For each call of a row where it is told from: its caller's beginning, or None: the end of the one before."""
    if above is None:
        return [None] * row[3]
    return [caller["start"] if not i else None for caller in above for i in range(caller["kids"])]


def read_row(row, columns, above):
    gap, duration, name, kids, pause, rest = columns
    at, calls = 0, []
    for begin in beginnings(row, above):
        start = (at if begin is None else begin) + gap.next()
        at = start + duration.next()
        value = name.next()
        flags = name.next() if value & 1 else 0
        calls.append({"start": start, "end": at, "name": value >> 1, "flags": flags, "kids": kids.next(), "pause": pause.signed(),
                      "rest": rest.signed()})
    assert len(calls) == row[3] and all(column.at == len(column.data) for column in columns), "bytes are left"
    return calls


def add_costs(calls, below, levels):
    """total and self: below the calls of the row below, which have theirs."""
    child = 0
    for call in calls:
        mine = below[child:child + call["kids"]]
        child += call["kids"]
        known = not call["flags"] & NO_COSTS
        call["total"] = call["end"] - call["start"] - call["pause"] if known else 0
        callees = sum(one["total"] for one in mine if not levels[one["name"]])
        call["self"] = call["total"] - callees + call["rest"] if known else 0
        for one in mine:
            assert call["start"] <= one["start"] and one["end"] <= call["end"], (call, one)


def sums_of(facts, rows, levels):
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for calls in rows.values():
        for call in calls:
            if call["flags"] & NO_COSTS or levels[call["name"]]:
                continue
            entry = sums[tuple(facts.lists["name"][call["name"]][:2])]
            entry[0] += not call["flags"] & NO_ENTRY
            entry[1] += 0 if call["flags"] & RECURSIVE else call["total"]
            entry[2] += call["self"]
    return {name: entry for name, entry in sums.items() if any(entry)}


def reported(path, unit):
    """The same of report's rows, and the rows as they are."""
    sums, rows = collections.defaultdict(lambda: [0, 0, 0]), []
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if row.get("table") != "functions" or "function" not in row:
            continue
        rows.append(row)
        entry = sums[row["function"], row["module"]]
        for i, column in enumerate(("calls", f"total_{unit}", f"self_{unit}")):
            entry[i] += row[column]
    return {name: entry for name, entry in sums.items() if any(entry)}, rows


def main():
    page = open(sys.argv[1], encoding="utf-8").read()
    check_policy(page)
    facts, data = Facts(block(page, "facts").decode()), block(page, "columns")
    levels = [level for _, _, level in facts.lists["name"]]
    rows = {}
    for row, columns in sorted(zip(facts.rows, cut_columns(facts, data)), key=lambda pair: pair[0][2]):
        if row[0] == "calls":
            rows[row[1], row[2]] = read_row(row, columns, rows.get((row[1], row[2] - 1)))
    assert sum(map(len, rows.values())) == facts.timeline["calls"]
    for owner, depth in sorted(rows, reverse=True):
        add_costs(rows[owner, depth], rows.get((owner, depth + 1), []), levels)
    if "--cut" in sys.argv:
        return
    want, table = reported(sys.argv[2], facts.timeline["unit"])
    functions = facts.tables["functions"]
    names = [column["name"] for column in functions["columns"]]
    key = lambda row: json.dumps(row, sort_keys=True)
    told = sorted((dict(zip(names, row), table="functions") for row in functions["rows"]), key=key)
    assert told == sorted(table, key=key), "the table of functions is not report's"
    got = sums_of(facts, rows, levels)
    different = [(name, got.get(name), want.get(name)) for name in got.keys() | want.keys() if got.get(name) != want.get(name)]
    assert not different, different[:5]


if __name__ == "__main__":
    main()

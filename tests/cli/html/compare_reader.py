#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a page of compare --html as docs/formats/html-data.md says: its tables are those of compare --format json, and its histograms are of the calls that
these tell of. compare_reader.py PAGE COMPARE.json"""
import json
import sys

from page_reader import Facts, block, check_policy


def told_by_page(facts):
    """Rows as --format json has them: of a tree without their depth."""
    for name, table in facts.tables.items():
        columns = table["columns"]
        for row in table["rows"]:
            yield {"table": name, **{column["name"]: value[1] if column["type"] == "tree" else value for column, value in zip(columns, row)}}


def check_tree(rows):
    """Each row is at most one deeper than the one before, and what nodes differ by themselves adds up to what the root differs by."""
    depths = [row[-1][0] for row in rows]
    assert depths[0] == 0 and all(0 < depth <= before + 1 for before, depth in zip(depths, depths[1:])), "no tree"
    assert abs(sum(row[1] for row in rows) - rows[0][0]) < 0.01 * max(1, len(rows)) ** 0.5, "the parts are not the whole"


def check_histograms(functions, classes, unit):
    """From the shortest to the longest call of each function, in order; the median is in them."""
    place_of = {column["name"]: i for i, column in enumerate(functions["columns"])}
    spread = {}
    for place, side, least, greatest, calls in classes:
        assert least <= greatest and calls > 0
        last = spread.setdefault((place, side), [])
        assert not last or last[-1][1] < least, "classes overlap"
        last.append((least, greatest, calls))
    for place, row in enumerate(functions["rows"]):
        for side in "AB":
            value = lambda name: row[place_of[f"{name}_{side.lower()}_{unit}"]]
            ranges = spread.get((place, side), [])
            # A call that is shorter than the clock can tell is in no class; its bound may be the greatest value.
            assert not ranges or ranges[-1][1] == value("max") or unit != "insns" and ranges[-1][1] < value("max"), (row, ranges[-1])
            p50 = value("p50")
            assert p50 is None or any(least <= p50 <= greatest for least, greatest, _ in ranges), (row, ranges)
    return len(spread)


def main():
    page = open(sys.argv[1], encoding="utf-8").read()
    check_policy(page)
    facts = Facts(block(page, "facts").decode())
    classes = facts.tables.pop("histograms")["rows"]
    want = [row for row in map(json.loads, open(sys.argv[2], encoding="utf-8")) if "schema" not in row]
    assert list(told_by_page(facts)) == want, "the tables are not those of --format json"
    check_tree(facts.tables["tree"]["rows"])
    functions = facts.tables["functions"]
    assert check_histograms(functions, classes, functions["meta"]["unit"]) > 0, "no histogram"


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges and counts of every capture of the manifest against what OpenCSD 1.3.3 (trc_pkt_lister) made of it.

Where they differ on purpose, exceptions.json names capture, buffer, id, the facts that differ and the cause; an
exception that no longer differs is a failure. With "prefix" the lister's ranges must be the first of ours."""
import hashlib
import json
import os

import oracle_lib as lib

# Reasons of the lister -> names of gaps.
NO_SYNC = {"init-decoder": "start", "reset-decoder": "reset", "overflow": "lost sync", "discard": "lost sync",
           "bad-packet": "bad packet"}
TRACE_ON = {"begin or filter": "filter", "overflow": "overflow", "debug restart": "debug"}
ELEMENTS = {"ADDR_NACC": "no image", "ADDR_UNKNOWN": "no address"}
GAPS = sorted(set(NO_SYNC.values()) | set(TRACE_ON.values()) | set(ELEMENTS.values()))
EMPTY = hashlib.sha256(b"").hexdigest()


def expected_facts(entry):
    facts = {name: entry.get(name, 0) for name in ("instructions", "exceptions", "timestamps")}
    facts["ranges"] = entry.get("instr_ranges", 0)
    facts["sha256"] = entry.get("ranges_sha256", EMPTY)
    gaps = dict.fromkeys(GAPS, 0)
    for table, source in ((NO_SYNC, entry.get("no_sync", {})), (TRACE_ON, entry.get("trace_on", {})),
                          (ELEMENTS, entry.get("elements", {}))):
        for reason, name in table.items():
            gaps[name] += source.get(reason, 0)
    facts.update(gaps)
    return facts


def lane_rows(output, table, buffer, trace_id):
    return [r for r in lib.rows(output, table) if r["buffer"] == buffer and int(r["id"], 16) == trace_id]


def found_facts(info, ranges, buffer, trace_id):
    facts = {"sha256": hashlib.sha256(ranges).hexdigest(), "ranges": ranges.count(b"\n")}
    lane = lane_rows(info, "ids", buffer, trace_id)
    for name in ("instructions", "exceptions", "timestamps"):
        facts[name] = lane[0][name] or 0 if lane else 0
    if lane and (lane[0]["ranges"] or 0) != facts["ranges"]:
        facts["ranges"] = f"{facts['ranges']} lines, info says {lane[0]['ranges']}"
    gaps = dict.fromkeys(GAPS, 0)
    for row in lane_rows(info, "gaps", buffer, trace_id):
        if row["gap"] in gaps:
            gaps[row["gap"]] += row["count"]
    facts.update(gaps)
    return facts


def is_prefix(ranges, wanted):
    lines = ranges.split(b"\n")[:wanted["ranges"]]
    return hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest() == wanted["sha256"]


def check_lane(verdict, name, wanted, found, ranges, exception):
    differing = sorted(k for k in wanted if wanted[k] != found[k])
    if exception is None:
        text = ", ".join(f"{k}: {found[k]} instead of {wanted[k]}" for k in differing)
        verdict.check(not differing, f"{name}: {text}")
        return
    exception["seen"] = True
    verdict.check(differing == sorted(exception["differs"]),
                  f"{name}: exceptions.json says that {sorted(exception['differs'])} differ, and {differing} do")
    if exception.get("prefix"):
        verdict.check(is_prefix(ranges, wanted), f"{name}: the lister's ranges are not the first of ours")


def check_files(verdict, capture):
    """The files are those that the oracle was computed from; else every other difference means nothing."""
    for entry in capture["files"]:
        with open(os.path.join(lib.CAPTURES, entry["path"]), "rb") as file:
            same = hashlib.sha256(file.read()).hexdigest() == entry["sha256"]
        verdict.check(same, f"{entry['path']} is not the file of the manifest: this copy of the captures is damaged")


def check_oracle(verdict, capture, oracle, exceptions):
    directory = os.path.normpath(os.path.join(lib.CAPTURES, capture["id"], oracle["snapshot_dir"]))
    buffer = oracle["src_name"]
    # the packaged OpenCSD is what is compared here, also where the fast engine knows more (engines.py)
    types = [c.get("type", "") for c in oracle.get("configured", {}).values()]
    engine = ["--engine", "opencsd"] if any(t.startswith(("ETM4", "ETE")) for t in types) else []
    code, info, errors = lib.run("info", directory, "--allow-outside", "--format", "json", *engine)
    if not verdict.check(code in (0, 1), f"{capture['id']}: info: exit code {code}: {errors.decode()[:300]}"):
        return
    code, every, errors = lib.run("flow", directory, "--ranges", "--allow-outside", "--buffer", buffer,
                                   *engine)
    verdict.check(code in (0, 1), f"{capture['id']} {buffer}: flow: exit code {code}: {errors.decode()[:300]}")
    for text, entry in oracle["opencsd_1_3_3"].get("ids", {}).items():
        # Packets of a raw buffer are listed under id 0, its elements under the device's own.
        if text == "?" or "elements" not in entry:
            continue
        name = f"{capture['id']} {buffer} id {text}"
        trace_id = int(text, 16)
        ranges = b"".join(line for line in every.splitlines(True) if line.startswith(b"%02x " % trace_id))
        _, alone, _ = lib.run("flow", directory, "--ranges", "--allow-outside", "--buffer", buffer,
                              "--id", f"{trace_id:#x}", *engine)
        verdict.check(alone == ranges, f"{name}: --id gives other ranges than the whole buffer")
        exception = exceptions.get((capture["id"], buffer, text))
        check_lane(verdict, name, expected_facts(entry), found_facts(info, ranges, buffer, trace_id), ranges, exception)


def main():
    verdict = lib.Verdict()
    captures = lib.manifest()
    with open(os.path.join(os.path.dirname(__file__), "exceptions.json"), encoding="utf-8") as file:
        exceptions = {(e["capture"], e["buffer"], e["id"]): e for e in json.load(file)}
    for capture in captures:
        check_files(verdict, capture)
        for oracle in capture.get("oracles", []):
            if "opencsd_1_3_3" in oracle:
                check_oracle(verdict, capture, oracle, exceptions)
    for key, exception in exceptions.items():
        verdict.check("seen" in exception and exception["cause"], f"exceptions.json: {' '.join(key)}: no such lane")
    verdict.end(least=700)


main()

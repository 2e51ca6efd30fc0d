#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Both engines over all captures and over mutants of their lanes: element by element the same. What differs on purpose is
in engine_differences.json with its cause; a lane there that does not differ is a failure. And the fast engine's ranges
have the manifest's hash, of OpenCSD 1.8.0 where the packaged 1.3.3 is wrong."""
import hashlib
import json
import os
import re
import subprocess

import oracle_lib as lib

ENGINE_DIFF = os.path.join(os.environ.get("SL_BINARY_DIR", "build"), "tests", "engine_diff")
MUTANTS = "200" if lib.FULL else "12"
SEEDS = range(1, 9 if lib.FULL else 3)
COVERED = ("ETM4", "ETE")


def diff(*args):
    done = subprocess.run([ENGINE_DIFF, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=900, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_rules(verdict, name, output, rules):
    for rule in re.findall(r"^differs on purpose: (\S+) ", output, re.M):
        verdict.check(rule in rules, f"{name}: engine_differences.json does not explain {rule}")


def check_captures(verdict, listed, rules):
    for name, directory in lib.snapshots():
        _, output, errors = diff(directory)
        verdict.check(not errors, f"{name}: {errors}")
        check_rules(verdict, name, output, rules)
        found = set(re.findall(r"^\S+ (.*): element .* differ$", output, re.M))
        wanted = {e["lane"] for e in listed if e["capture"] == name}
        verdict.check(found == wanted, f"{name}: lanes that differ: {sorted(found)}, in engine_differences.json: "
                      f"{sorted(wanted)}\n{output if found - wanted else ''}")


def check_mutants(verdict, listed, rules):
    skipped = {e["capture"] for e in listed}
    directories = [d for n, d in lib.snapshots() if n not in skipped]
    for seed in SEEDS:
        code, output, errors = diff("-s", str(seed), "-m", MUTANTS, *directories)
        verdict.check(code == 0 and not errors, f"mutants of seed {seed}: {errors}{output}")
        check_rules(verdict, f"seed {seed}", output, rules)


def lanes(oracle):
    """(id, hash of its ranges) of the lanes that the fast engine decodes."""
    types = {c.get("type", "") for c in oracle.get("configured", {}).values()}
    facts = oracle["opencsd_1_8_0" if oracle.get("use") == "1.8.0" else "opencsd_1_3_3"]
    if not isinstance(facts, dict) or not any(t.startswith(COVERED) for t in types):
        return []
    return [(i, v["ranges_sha256"]) for i, v in facts["ids"].items() if v.get("instr_ranges")]


def check_hashes(verdict):
    for capture in lib.manifest():
        for oracle in capture.get("oracles", []):
            directory = os.path.normpath(os.path.join(lib.CAPTURES, capture["id"], oracle.get("snapshot_dir", ".")))
            for trace_id, wanted in lanes(oracle):
                code, out, errors = lib.run("flow", "--ranges", "--engine", "fast", "--quiet", "--allow-outside",
                                            "--buffer", oracle["src_name"], "--id", "0x" + trace_id, directory)
                name = f"{capture['id']} {oracle['src_name']} {trace_id}"
                verdict.check(code == 0, f"{name}: exit code {code}: {errors.decode()}")
                verdict.check(hashlib.sha256(out).hexdigest() == wanted,
                              f"{name}: the ranges are not those of OpenCSD {oracle.get('use')}")


def main():
    verdict = lib.Verdict()
    lib.manifest()
    with open(os.path.join(os.path.dirname(__file__), "engine_differences.json"), encoding="utf-8") as file:
        differences = json.load(file)
    rules = {r["name"] for r in differences["rules"]}
    check_captures(verdict, differences["lanes"], rules)
    check_mutants(verdict, differences["lanes"], rules)
    check_hashes(verdict)
    verdict.end(least=150)


main()

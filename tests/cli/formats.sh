# SPDX-License-Identifier: Apache-2.0
# The same rows as text, JSON and CSV; JSON and CSV are read by foreign parsers.
. "$(dirname "$0")/lib.sh"
need_small

python3 - "$SIGHTLINE" "$small" <<'END' || fail "see above"
import csv, io, json, subprocess, sys

program, demo = sys.argv[1:]


def run(*args):
    done = subprocess.run([program, *args], capture_output=True, check=True)
    return done.stdout.decode("utf-8")


def json_tables(text):
    tables, heads = {}, {}
    for line in text.splitlines():
        item = json.loads(line, parse_constant=lambda c: sys.exit(f"not JSON: {c}"))
        name = item.pop("table")
        if "schema" in item:
            assert name not in heads, f"two heads of {name}"
            heads[name], tables[name] = item, []
        else:
            tables[name].append(item)
    return heads, tables


def as_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if value != int(value) else str(int(value))
    return str(value)


def compare(command, *args):
    heads, tables = json_tables(run(command, demo, "--format", "json", *args))
    for name, rows in tables.items():
        option = ["--table", name] if command in ("info", "report", "check") else []
        raw = run(command, demo, "--format", "csv", *args, *option)
        assert raw.count("\n") == raw.count("\r\n"), "lines end with CR LF"
        lines = list(csv.reader(io.StringIO(raw, newline=""), strict=True))
        if rows:
            assert lines[0] == list(rows[0]), (name, lines[0], list(rows[0]))
        assert len(lines) == len(rows) + 1, (name, len(lines), len(rows))
        for line, row in zip(lines[1:], rows):
            assert line == [as_text(v) for v in row.values()], (name, line, row)
    return heads, tables


heads, tables = compare("report")
assert heads["functions"]["schema"] == "sightline.report/1"
assert list(tables) == ["functions", "account"], list(tables)
functions = tables["functions"]
assert [f["function"] for f in functions].count("fib") == 1
assert list(functions[0])[:5] == ["function", "module", "calls", "missing_entry", "missing_exit"]
heads, tables = compare("info")
assert {"capture", "buffers", "sources", "ids", "packets", "gaps", "images", "advice"} <= set(tables), set(tables)
heads, tables = compare("check", "--against", "opencsd")
assert list(tables) == ["lanes", "rules"], list(tables)
heads, tables = compare("packets")
assert len(tables["packets"]) > 1000
heads, tables = compare("flow", "--elements")
ranges = [e for e in tables["elements"] if e["element"] == "range"]
assert all(e["address"].startswith("0x") and e["id"] == "0x10" for e in ranges)
plain = run("flow", "--ranges", demo).splitlines()
assert [(e["id"][2:], e["address"][2:], e["end"][2:]) for e in ranges] == [tuple(p.split()[:3]) for p in plain]

# Flow in CSV has fields of its own; the steps are the same.
steps = [json.loads(line) for line in run("flow", demo, "--format", "json").splitlines()]
assert steps[0] == {"schema": "sightline.flow/1", "table": "flow"}
lines = list(csv.DictReader(io.StringIO(run("flow", demo, "--format", "csv"), newline="")))
assert len(lines) == len(steps) - 1
for line, step in zip(lines, steps[1:]):
    assert (line["kind"], line["name"], line["at"]) == (step["kind"], step.get("name", ""), str(step["at_" + line["unit"]]))

# Text: the table of report has a title, a heading and as many rows.
text = run("report", demo).split("\n\n")[0].splitlines()
assert len(text) == len(functions) + 2, (len(text), len(functions))
assert text[2].split()[0] == functions[0]["function"]
END

run report "$small" --format csv
expect_rc 0
expect_out_lacks "account"
run report "$small" --format csv --table account
head -1 "$tmp/out" | grep -q '^buffer,id,source,whole_' || fail "the account's header"
run report "$small" --table account
expect_out_lacks "fib"
expect_out_has "closed"

# SPDX-License-Identifier: Apache-2.0
"""Reads exported files back, and holds them against report: export_reader.py FORMAT FILE REPORT.csv [CALLS.csv]

REPORT.csv is sightline report --format csv --fields all on the same axis, CALLS.csv what was exported as csv. Exit code 1, with
the differences, where sums differ."""
import collections
import csv
import gzip
import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import xml.etree.ElementTree
import zlib


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


def rows_of_calls(unit):
    """What csv has: (function, start, end), how often."""
    rows = collections.Counter()
    for row in read_csv(sys.argv[4]):
        start = int(row[f"start_{unit}"])
        rows[row["function"], start, start + int(row[f"duration_{unit}"])] += 1
    return rows


def check_speedscope(path, want, unit):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    names, rows = [frame["name"] for frame in trace["shared"]["frames"]], collections.Counter()
    for profile in trace["profiles"]:
        stack, last = [], profile["startValue"]
        if profile["type"] != "evented" or profile["unit"] != ("nanoseconds" if unit == "ns" else "none"):
            fail(f"profile: {profile['type']} {profile['unit']}")
        for event in profile["events"]:
            if event["at"] < last:
                fail(f"{profile['name']}: {event['at']} comes after {last}")
            last = event["at"]
            if event["type"] == "O":
                stack.append((event["frame"], last))
                continue
            frame, start = stack.pop()
            if frame != event["frame"]:
                fail(f"{profile['name']}: {names[event['frame']]} ends inside of {names[frame]}")
            rows[names[frame], start, last] += 1
        if stack or last != profile["endValue"]:
            fail(f"{profile['name']}: {len(stack)} calls do not end")
    compare(rows, rows_of_calls(unit), "calls")


def fields(data):
    """Of a message of protocol buffers: (number, value)."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            at += size
            yield key >> 3, data[at - size:at]
        else:
            fail(f"wire type {key & 7} at {at}")
    if at != len(data):
        fail("a field is cut")


def text_message(lines):
    """protoc's text: names to lists of values, which are texts or messages."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        name, _, value = line.partition(":")
        if line.endswith("{"):
            message[line[:-2]].append(text_message(lines))
        else:
            message[name].append(value.strip())
        if re.match(r"[0-9]", line):
            fail(f"protoc does not know a field: {line}")
    return message


def decode_perfetto(path):
    packets = b""
    with open(path, "rb") as file:
        for number, packet in fields(file.read()):
            for inner, value in fields(packet):
                if (number, inner) != (1, 50):
                    fail(f"packet {number}.{inner} is not compressed")
                packets += zlib.decompress(value)
    here = os.path.dirname(os.path.abspath(__file__))
    text = subprocess.run(["protoc", "--decode=sightline.test.Trace", "-I", here, "perfetto_subset.proto"], input=packets,
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    return text_message(iter(text.split("\n")))["packet"]


class PerfettoSequence:
    """The rules for the packets of one sequence: interning, defaults, an incremental clock, calls that nest."""

    def __init__(self):
        self.names, self.annotations, self.stack, self.now = {}, {}, [], None

    def learn(self, packet):
        for data in packet["interned_data"]:
            for kind, names in (("event_names", self.names), ("debug_annotation_names", self.annotations)):
                for name in data[kind]:
                    if name["iid"][0] in names:
                        fail(f"iid {name['iid'][0]} is interned twice")
                    names[name["iid"][0]] = json.loads(name["name"][0])
        for snapshot in packet["clock_snapshot"]:
            clocks = {clock["clock_id"][0]: clock for clock in snapshot["clocks"]}
            if clocks["64"]["is_incremental"] != ["true"] or clocks["64"]["timestamp"] != ["0"]:
                fail(f"clock: {clocks}")
            self.now = int(clocks["6"]["timestamp"][0])

    def event(self, packet, event, on_call):
        if self.now is None or packet["sequence_flags"] != ["2"]:
            fail(f"a packet before what it needs: {packet}")
        self.now += int(packet["timestamp"][0])
        if event["type"] == ["1"]:
            self.stack.append([self.names[event["name_iid"][0]], self.now, 0])
            return
        name, start, inside = self.stack.pop()
        notes = {self.annotations[note["name_iid"][0]]: note for note in event["debug_annotations"]}
        duration = self.now - start
        if self.stack:
            self.stack[-1][2] += duration
        total = int(notes["total"]["uint_value"][0]) if "total" in notes else duration
        own = int(notes["self"]["uint_value"][0]) if "self" in notes else duration - inside
        levels = [i for i, frame in enumerate(self.stack) if frame[0].startswith("[exception")]
        recursive = any(frame[0] == name for frame in self.stack[levels[-1] + 1 if levels else 0:])
        on_call(name, start, self.now, None if "moved" in notes else (total, own, recursive))


def check_perfetto(path, want, unit):
    sequences, sums, rows, stays, tracks = collections.defaultdict(PerfettoSequence), {}, collections.Counter(), 0, {}

    def on_call(name, start, end, costs):
        rows[name, start, end] += 1
        if costs and not name.startswith("[exception"):
            add_call(sums, name, *costs)

    for packet in decode_perfetto(path):
        number = packet["trusted_packet_sequence_id"][0]
        if number == "1":
            stays += len(packet["generic_kernel_task_state_event"])
            tracks.update((track["uuid"][0], track) for track in packet["track_descriptor"])
            continue
        sequences[number].learn(packet)
        for event in packet["track_event"]:
            sequences[number].event(packet, event, on_call)
    compare(rows, rows_of_calls(unit), "calls")
    if any(sequence.stack for sequence in sequences.values()):
        fail("calls do not end")
    if not any(unit in track["name"][0] or unit == "ns" and "nanoseconds" in track["name"][0] for track in tracks.values()
               if track["name"]):
        fail("the file does not say what its unit is")
    by_name = {}
    for (name, _), (calls, total, own) in want.items():
        entry = by_name.setdefault(name, [0, 0, 0])
        by_name[name] = [entry[0] + calls, entry[1] + total, entry[2] + own]
    compare(sums, by_name, "functions")
    if not stays and any(row["task"] for row in read_csv(sys.argv[4])):
        fail("no CPU runs a task")


def self_by_name(want):
    sums = collections.Counter()
    for (name, _), (_, _, own) in want.items():
        sums[name] += own
    return {name: own for name, own in sums.items() if own}


def is_code(name):
    return not name.startswith(("[exception", "[trace missing]", "[task", "[stack"))


def check_folded(path, want, unit):
    """As flame graph tools read it: what comes behind the last blank is a number."""
    sums = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, _, number = line.rstrip("\n").rpartition(" ")
            sums[stack.split(";")[-1]] += int(number)
    compare({name: own for name, own in sums.items() if is_code(name)}, self_by_name(want), "functions")


def check_flamegraph(path, want, unit):
    svg = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.parse(path).getroot()
    scale, sums, open_frames, bottom = 1180 / int(root.get("data-whole")), collections.Counter(), [], 0
    if root.get("data-unit") != unit:
        fail(f"unit: {root.get('data-unit')}")
    for frame in root.iter(svg + "g"):
        start, total, depth = (int(frame.get("data-" + key)) for key in ("start", "total", "depth"))
        rect = frame.find(svg + "rect")
        if abs(float(rect.get("x")) - 10 - start * scale) > 0.01 or abs(float(rect.get("width")) - total * scale) > 0.01:
            fail(f"{frame.get('data-name')} is drawn elsewhere than it is")
        del open_frames[depth:]
        if depth > len(open_frames):
            fail(f"{frame.get('data-name')} lies on nothing")
        if depth and not open_frames[-1][0] <= start <= start + total <= open_frames[-1][1]:
            fail(f"{frame.get('data-name')} is wider than what it lies on")
        open_frames.append((start, start + total))
        bottom += total if not depth else 0
        sums[frame.get("data-name")] += int(frame.get("data-self"))
    narrow = int(root.find(svg + "desc").text.split()[0])
    missing = int(root.get("data-whole")) - sum(sums.values())
    if missing < 0 or missing * scale > 0.1 * narrow or bottom > int(root.get("data-whole")):
        fail(f"{missing} {unit} are missing, with {narrow} frames")
    wanted = self_by_name(want)
    if narrow == 0:
        compare({name: own for name, own in sums.items() if is_code(name) and own}, wanted, "functions")
    for name, own in sums.items():
        if is_code(name) and own > wanted.get(name, 0):
            fail(f"{name} has {own}, and {wanted.get(name)} in the report")


def check_callgrind(path, want, unit):
    """What callgrind_annotate says: by itself, and in all."""
    text = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", path], check=True, stdout=subprocess.PIPE).stdout.decode()
    lines = re.findall(r"^ *([\d,]+) \([ \d.]+%\)  (.*)$", text, re.M)
    if lines[0][1] != "PROGRAM TOTALS":
        fail(text)
    sums = {}
    for number, what in lines[1:]:
        match = re.match(r"\?\?\?:(.*?)(?: \[([^\[\]]*)\])?$", what)
        sums[match.group(1), match.group(2) or ""] = int(number.replace(",", ""))
    got = {(name, module): own for (name, module), own in sums.items() if is_code(name) and own}
    compare(got, {key: own for key, (_, _, own) in want.items() if own}, "functions")
    if sum(sums.values()) != int(lines[0][0].replace(",", "")):
        fail("functions are not the total")


def check_pprof(path, want, unit):
    strings, functions, locations, samples, types, mappings = [], {}, {}, [], [], {}

    def varints(data):
        return [value for _, value in fields(b"".join(b"\x08" + part for part in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", data)))]

    with gzip.open(path) as file:
        for number, value in fields(file.read()):
            message = dict(fields(value)) if isinstance(value, bytes) and number != 6 else None
            if number == 1:
                types.append((message[1], message[2]))
            elif number == 2:
                samples.append((varints(message[1]), varints(message[2])))
            elif number == 3:
                mappings[message[1]] = message[5]
            elif number == 4:
                locations[message[1]] = (dict(fields(message[4]))[1], message.get(2, 0))
            elif number == 5:
                functions[message[1]] = message[2]
            elif number == 6:
                strings.append(value.decode())
    kinds = [(strings[a], strings[b]) for a, b in types]
    if strings[0] or kinds[0] != ("calls", "count") or kinds[1][1] != ("nanoseconds" if unit == "ns" else "count"):
        fail(f"types: {kinds}")
    sums = {}
    for stack, (calls, own) in samples:
        function, mapping = locations[stack[0]]
        entry = sums.setdefault((strings[functions[function]], strings[mappings[mapping]] if mapping else ""), [0, 0])
        entry[0] += calls
        entry[1] += own
    compare({key: value for key, value in sums.items() if is_code(key[0])},
            {key: [calls, own] for key, (calls, _, own) in want.items()}, "functions")


def check_ctf(path, want, unit):
    """As babeltrace2 reads it: calls of a thread nest, and their times go on."""
    names = {}
    with open(os.path.join(path, "functions.nm"), encoding="utf-8") as file:
        for line in file:
            address, kind, name = line.rstrip("\n").split(" ", 2)
            names[int(address, 16)] = name
    text = subprocess.run(["babeltrace2", "--clock-seconds", "--no-delta", os.path.join(path, "trace")], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if text.stderr:
        fail(text.stderr.decode()[:500])
    stacks, last, rows = collections.defaultdict(list), {}, collections.Counter()
    for line in text.stdout.decode().splitlines():
        match = re.match(r"\[(\d+)\.(\d{9})\] lttng_ust_cyg_profile:func_(entry|exit): { vtid = (\d+), vpid = \d+, "
                         r"procname = \".*\" }, { addr = 0x([0-9A-F]+), call_site = 0x0 }$", line)
        if not match:
            fail(f"event: {line}")
        at, task, name = int(match.group(1) + match.group(2)), match.group(4), names[int(match.group(5), 16)]
        if at < last.get(task, 0):
            fail(f"thread {task} goes back in time at {at}")
        last[task] = at
        if match.group(3) == "entry":
            stacks[task].append((name, at))
            continue
        entered, start = stacks[task].pop()
        if entered != name:
            fail(f"thread {task}: {name} ends inside of {entered}")
        rows[name, start, at] += 1
    if any(stacks.values()):
        fail("calls do not end")
    compare(rows, rows_of_calls(unit), "calls")


def check_sqlite(path, want, unit):
    database = sqlite3.connect(path)
    if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        fail("the database is broken")
    if dict(database.execute("SELECT key, value FROM meta"))["unit"] != unit:
        fail("unit")
    sums = {}
    for name, module, calls, total, own in database.execute(
            f"SELECT function, coalesce(calls.module, ''), count(*), sum(CASE WHEN recursive THEN 0 ELSE total_{unit} END), sum(self_{unit}) "
            f"FROM calls JOIN function f ON f.id = function_id WHERE NOT is_level AND total_{unit} IS NOT NULL "
            "GROUP BY function, calls.module"):
        sums[name, module] = [calls, total, own]
    compare(sums, want, "functions")
    outside = database.execute(
        f"SELECT count(*) FROM call c JOIN call p ON p.id = c.parent_id WHERE c.start_{unit} < p.start_{unit} OR "
        f"c.start_{unit} + c.duration_{unit} > p.start_{unit} + p.duration_{unit} OR c.track_id != p.track_id").fetchone()[0]
    inner = database.execute("SELECT count(*) FROM call WHERE parent_id IS NOT NULL").fetchone()[0]
    if outside or not inner:
        fail(f"{outside} of {inner} calls lie outside of their parent")
    if not database.execute(f"SELECT sum(duration_{unit}) FROM run").fetchone()[0]:
        fail("no CPU runs a task")


class Ranges:
    """What was executed, as flow --ranges lists it, and the program: export_reader.py ... CALLS.csv RANGES PROGRAM"""

    def __init__(self):
        self.times, self.ends, self.jumps = collections.Counter(), {}, collections.Counter()
        last = {}
        with open(sys.argv[5], encoding="ascii") as file:
            for line in file:
                lane, start, end, kind, taken = line.split()
                start, end = int(start, 16), int(end, 16)
                for address in range(start, end, 4):
                    self.times[address] += 1
                if kind in "12":
                    self.ends.setdefault(end - 4, [0, 0])[taken == "N"] += 1
                if last.get(lane):
                    self.jumps[last[lane], start] += 1
                last[lane] = end - 4 if kind in "12" and taken == "E" else None
        with open(sys.argv[6], "rb") as file:
            self.elf = file.read()
        header = struct.unpack_from("<QQ", self.elf, 32)[0]
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.elf, header + 56 * i)
                         for i in range(struct.unpack_from("<H", self.elf, 56)[0])]

    def opcode(self, address):
        for kind, _, offset, start, _, size, _, _ in self.segments:
            if kind == 1 and start <= address < start + size:
                return struct.unpack_from("<I", self.elf, offset + address - start)[0]
        return 0

    def is_conditional(self, address):
        """A64: B.cond, CBZ, CBNZ, TBZ, TBNZ."""
        opcode = self.opcode(address)
        return opcode >> 24 == 0x54 or opcode >> 25 & 0x3F in (0x1A, 0x1B)

    def lines(self):
        """(file, line) of each address of the code, as LLVM reads them (addr2line names the file of the function where that is another one)."""
        code = next(segment for segment in self.segments if segment[0] == 1 and segment[1] & 1)
        addresses = list(range(code[3], code[3] + code[5], 4))
        text = subprocess.run(["llvm-addr2line", "-f", "-e", sys.argv[6]], input="".join(f"{a:#x}\n" for a in addresses).encode(),
                              stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
        places, self.functions = {}, set()
        for address, function, line in zip(addresses, text[::2], text[1::2]):
            match = re.match(r"(.*):(\d+)(?: \(.*)?$", line)
            if match and match.group(2) != "0":
                places[address] = (os.path.basename(match.group(1)), int(match.group(2)))
                self.functions.add(function)
        return places


def check_lcov(path, want, unit):
    ranges = Ranges()
    places = ranges.lines()
    lines, branches, calls = {}, collections.defaultdict(list), {}
    for address, place in places.items():
        lines[place] = max(lines.get(place, 0), ranges.times[address])
        if address in ranges.ends and ranges.is_conditional(address):
            branches[place].append(tuple(ranges.ends[address]))
    touched = {file for (file, _), times in lines.items() if times}
    got_lines, got_branches, name = {}, collections.defaultdict(list), None
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition(":")
            if key == "SF":
                name = os.path.basename(value)
            elif key == "FNDA":
                times, function = value.split(",", 1)
                calls[function] = int(times)
            elif key == "DA":
                number, times = value.split(",")
                got_lines[name, int(number)] = int(times)
            elif key == "BRDA":
                number, _, branch, times = value.split(",")
                if branch == "0":
                    got_branches[name, int(number)].append((int(times),))
                else:
                    got_branches[name, int(number)][-1] += (int(times),)
    compare(got_lines, {place: times for place, times in lines.items() if place[0] in touched}, "lines")
    compare({place: sorted(of) for place, of in got_branches.items()}, {place: sorted(of) for place, of in branches.items()}, "branches")
    compare({name: times for name, times in calls.items() if times}, {name: entry[0] for (name, _), entry in want.items() if name in ranges.functions}, "functions")


def check_autofdo(path, want, unit):
    ranges = Ranges()
    base = min(segment[3] for segment in ranges.segments if segment[0] == 1)
    with open(path, encoding="ascii") as file:
        parts = iter(file.read().splitlines())
    times, jumps = collections.Counter(), collections.Counter()
    for _ in range(int(next(parts))):
        start, last, count = re.match(r"([0-9a-f]+)-([0-9a-f]+):(\d+)$", next(parts)).groups()
        for address in range(int(start, 16) + base, int(last, 16) + base + 1, 4):
            times[address] += int(count)
    if next(parts) != "0":
        fail("addresses")
    for _ in range(int(next(parts))):
        start, to, count = re.match(r"([0-9a-f]+)->([0-9a-f]+):(\d+)$", next(parts)).groups()
        jumps[int(start, 16) + base, int(to, 16) + base] += int(count)
    compare(times, {address: count for address, count in ranges.times.items() if count}, "instructions")
    # An exception may come before the target, which flow --ranges does not say.
    wrong = [(jump, count) for jump, count in jumps.items() if count > ranges.jumps[jump]]
    if wrong or sum(jumps.values()) < 0.98 * sum(ranges.jumps.values()):
        fail(f"branches: {wrong[:5]}, {sum(jumps.values())} of {sum(ranges.jumps.values())}")


def check_llvm_prof(path, want, unit):
    """What create_llvm_prof makes of autofdo: a function's third number is how often it was entered by a branch. Functions
    that exceptions enter, or that another one falls into, have fewer."""
    with open(path, "rb") as file:
        heads = {name.decode(): int(entries) for name, entries in re.findall(rb"^(\w+):\d+:(\d+)$", file.read(), re.M)}
    calls = {name: entry[0] for (name, _), entry in want.items()}
    right = [name for name, entries in heads.items() if calls.get(name) == entries]
    if len(right) < 0.85 * len(heads) or len(heads) < 0.85 * len(calls):
        fail(f"{len(right)} of {len(heads)} entries are calls; {len(calls)} functions ran")


def main():
    form, path, report = sys.argv[1:4]
    want, unit = report_sums(report)
    globals()["check_" + form](path, want, unit)


main()

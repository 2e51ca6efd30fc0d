# SPDX-License-Identifier: Apache-2.0
"""coverage_truth.py EVENTS PCS PROGRAM FUNCTIONS.tsv FILE.lcov FILE.autofdo: what export says was executed, against what the block log
says.

EVENTS and PCS are what sightline-gen-log prints of the log: runs with how they ended, and the address of each instruction. Lines come
from PROGRAM as llvm-dwarfdump reads them, calls from the truth. Neither has seen the trace. Exit code 1, with the differences."""
import bisect
import collections
import csv
import re
import subprocess
import sys

COMPILED_IN = "fixtures/guest"  # as scripts/make-guests tells the compiler; before DWARF 5 the table has no folder 0

JUMPS = ("taken", "call", "indirect", "indirect-call", "return")


def executed(events, pcs):
    """How often each instruction, each conditional branch: [taken, not taken], and each way from a branch to what it led to."""
    times, branches, jumps, came_from = collections.Counter(), {}, collections.Counter(), None
    with open(events, encoding="ascii") as runs, open(pcs, encoding="ascii") as addresses:
        for line in runs:
            words = line.split()
            if words[2] != "run":
                came_from = came_from if words[2] == "mark" else None
                continue
            if came_from:
                jumps[came_from, int(words[3].split("-")[0], 16)] += 1
            for _ in range(int(words[4])):
                address = int(next(addresses), 16)
                times[address] += 1
            if "conditional" in words:
                branches.setdefault(address, [0, 0])[words[6] == "not-taken"] += 1
            came_from = address if words[6] in JUMPS else None
        if next(addresses, None):
            sys.exit("FAIL: there are more instructions than runs have")
    return times, branches, jumps


def line_table(program):
    """Starts of stretches of code, ascending, and the (file, line) of each; None where none is known."""
    text = subprocess.run(["llvm-dwarfdump", "--debug-line", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    places, sequence, names, folders, number = {}, {}, {}, {}, 0
    for line in text.splitlines():
        if line.startswith("debug_line["):
            names, folders = {}, {0: COMPILED_IN}
        if match := re.match(r'include_directories\[ *(\d+)\] = "(.*)"', line):
            folders[int(match[1])] = match[2]
        if match := re.match(r"file_names\[ *(\d+)\]:", line):
            number = int(match[1])
        if match := re.match(r' +name: "(.*)"', line):
            names[number] = match[1]
        if match := re.match(r" +dir_index: (\d+)", line):
            names[number] = f"{folders[int(match[1])]}/{names[number]}"
        if match := re.match(r"0x([0-9a-f]+) +(\d+) +\d+ +(\d+) .*?(end_sequence)?$", line):
            address, place = int(match[1], 16), (names[int(match[3])], int(match[2]))
            sequence[address] = place if place[1] and not match[4] else None
            if match[4]:  # another sequence may begin where this one ends
                places.update({start: place for start, place in sequence.items() if place or start not in places})
                sequence = {}
    starts = sorted(places)
    return starts, [places[start] for start in starts]


def functions_of(program):
    """name: first address. Clones are named as the library names them, which is not LLVM's way."""
    text = subprocess.run(["llvm-nm", "--demangle", "--defined-only", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    symbols = (line.split(" ", 2) for line in text.splitlines())
    return {re.sub(r" \((\.[a-z0-9.]+)\)$", r" [clone \1]", name): int(address, 16) for address, kind, name in symbols if kind in "tTwW"}


def calls_of(path):
    with open(path, encoding="utf-8") as file:
        return {row["function"]: int(row["calls"]) + int(row["no_entry"]) for row in csv.DictReader(file, delimiter="\t")}


def read_lcov(path):
    """Lines, branches, and calls of functions with their lines, by file; what the file says that there are and were hit."""
    lines, branches, functions, starts, name, sums = {}, collections.defaultdict(list), {}, {}, None, collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition(":")
            if key == "SF":
                name = value
            elif key == "FN":
                number, function = value.split(",", 1)
                starts[function] = (name, int(number))
            elif key == "FNDA":
                times, function = value.split(",", 1)
                functions[function, starts[function]] = int(times)
            elif key == "DA":
                number, times = map(int, value.split(","))
                lines[name, number] = times
            elif key == "BRDA":
                number, _, way, times = map(int, value.split(","))
                branches[name, number].append([times]) if way == 0 else branches[name, number][-1].append(times)
            elif key in ("LF", "LH", "FNF", "FNH", "BRF", "BRH"):
                sums[key] += int(value)
    return lines, branches, functions, sums


def read_autofdo(path, base, pcs):
    """The same as executed(): instructions by their addresses, of which a range has those that pcs has, and ways of branches."""
    times, jumps, known = collections.Counter(), collections.Counter(), sorted(pcs)
    with open(path, encoding="ascii") as file:
        lines = iter(file.read().splitlines())
    for _ in range(int(next(lines))):
        first, last, count = re.match(r"([0-9a-f]+)-([0-9a-f]+):(\d+)$", next(lines)).groups()
        first, last = int(first, 16) + base, int(last, 16) + base
        for address in known[bisect.bisect_left(known, first):bisect.bisect_left(known, last)] + [last]:
            times[address] += int(count)
    next(lines)
    for _ in range(int(next(lines))):
        start, to, count = re.match(r"([0-9a-f]+)->([0-9a-f]+):(\d+)$", next(lines)).groups()
        jumps[int(start, 16) + base, int(to, 16) + base] += int(count)
    return times, jumps


def base_of(program):
    """Where the first loaded segment lies."""
    text = subprocess.run(["llvm-readelf", "-lW", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    return min(int(address, 16) for address in re.findall(r"^ +LOAD +0x[0-9a-f]+ 0x([0-9a-f]+)", text, re.M))


def compare(what, got, want):
    wrong = [(key, got.get(key), want.get(key)) for key in sorted(set(got) | set(want)) if got.get(key) != want.get(key)]
    if not want:
        sys.exit(f"FAIL: there are no {what}")
    if wrong:
        sys.exit(f"FAIL: {what}: {len(wrong)} of {len(want)} differ (file, log): {wrong[:8]}")


def expected_lines(program, times, ends):
    """Lines, branches and where an address is, of the files of which something ran."""
    starts, places = line_table(program)

    def place_of(address):
        index = bisect.bisect_right(starts, address) - 1
        return places[index] if index >= 0 else None

    lines, branches = collections.Counter(), collections.defaultdict(list)
    for address, count in times.items():
        if place := place_of(address):
            lines[place] = max(lines[place], count)
    touched = {file for file, _ in lines}
    for place in filter(None, places):
        if place[0] in touched:
            lines.setdefault(place, 0)
    for address, ways in ends.items():
        if place := place_of(address):
            branches[place].append(ways)
    return lines, branches, lambda address: place_of(address) if (place_of(address) or ("",))[0] in touched else None


def check_lcov(path, program, times, ends, truth):
    lines, branches, place_of = expected_lines(program, times, ends)
    called = calls_of(truth)
    functions = {(name, place_of(address)): called.get(name, 0) for name, address in functions_of(program).items() if place_of(address)}
    got_lines, got_branches, got_functions, sums = read_lcov(path)
    compare("lines", got_lines, lines)
    compare("branches", {place: sorted(ways) for place, ways in got_branches.items()},
            {place: sorted(ways) for place, ways in branches.items()})
    compare("functions", got_functions, functions)
    ways = [count for of in branches.values() for way in of for count in way]
    compare("sums", sums, {"LF": len(lines), "LH": sum(count > 0 for count in lines.values()),
                           "FNF": len(functions), "FNH": sum(count > 0 for count in functions.values()),
                           "BRF": len(ways), "BRH": sum(count > 0 for count in ways)})
    print(f"{program.rsplit('/', 1)[-1]}: {sums['LH']} of {sums['LF']} lines, {sums['BRH']} of {sums['BRF']} branches, "
          f"{sums['FNH']} of {sums['FNF']} functions")


def main():
    events, pcs, program, truth, lcov, autofdo = sys.argv[1:]
    times, ends, jumps = executed(events, pcs)
    check_lcov(lcov, program, times, ends, truth)
    got_times, got_jumps = read_autofdo(autofdo, base_of(program), times)
    compare("instructions", got_times, times)
    compare("jumps", got_jumps, jumps)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""intel_pt_perf_data.py [--per-thread|--wide] [--pipe] [--processes] [--switches] [--timeless] [--piece N] [--name PATH] TRACE ELF OUT: a perf.data as perf record -e intel_pt//u
writes it, of a raw Intel PT trace and the static program that was traced. With --processes another program is mapped at the same
addresses, and with --switches records tell which one runs; --wide is perf record -a, where AUX records are of no thread."""
import argparse
import struct

MMAP2, COMM, AUX, ITRACE_START, SWITCH = 10, 3, 11, 12, 14
HEADER_ATTR, AUXTRACE_INFO, AUXTRACE, TIME_CONV = 64, 70, 71, 79
SAMPLE = 0x2 | 0x4 | 0x80 | 0x10000  # TID, TIME, CPU, IDENTIFIER
PMU, PID, OTHER, CPU = 8, 4242, 4343, 3
ALL_THE_TIME = 1 << 60


def trailer(pid, time):
    return struct.pack("<IIQIIQ", pid, pid, time, CPU, 0, 1)


def record(kind, body, misc=2):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attribute(args):
    """exclude_kernel, sample_id_all, context_switch; config: IA32_RTIT_CTL with TSC, branches."""
    flags = 1 << 5 | 1 << 18 | 1 << 26
    config = 0x2000 if args.timeless else 0x2400
    return struct.pack("<IIQQQQQ", PMU, 112, config, 1, SAMPLE, 4, flags).ljust(112, b"\0")


def text_segments(path):
    """Offset, address and length of each segment with code."""
    with open(path, "rb") as file:
        elf = file.read()
    at, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from("<IIQQQQ", elf, at + i * size)
        if kind == 1 and flags & 1:
            yield offset, address, length


def mapping(pid, name, segment):
    offset, address, length = segment
    page = min(address & 4095, offset)
    body = struct.pack("<IIQQQIIQQII", pid, pid, address - page, length + page, offset - page, 8, 1, 99, 0, 5, 2)
    name = name.encode() + b"\0"
    return record(MMAP2, body + name.ljust((len(name) + 7) // 8 * 8, b"\0") + trailer(pid, 1))


def comm(pid, name):
    return record(COMM, struct.pack("<II", pid, pid) + name.encode().ljust(16, b"\0") + trailer(pid, 1))


def auxtrace(chunk, offset, args):
    head = struct.pack("<QQQIiiI", len(chunk), offset, 0, 0, -1 if args.wide else PID, -1 if args.per_thread else CPU, 0)
    return record(AUXTRACE, head, 0) + chunk


def records(args, trace):
    info = [PMU, 0, 1, 0, 0 if args.timeless else 1, 1 << 10, 1 << 11, 0, 0, 0 if args.per_thread else 1, 1 << 9, 0xf << 14, 0, 0, 2, 12, 0]
    yield record(AUXTRACE_INFO, struct.pack("<II", 1, 0) + struct.pack("<17Q", *info), 0)
    yield record(TIME_CONV, struct.pack("<QQQ", 0, 1, 0), 0)
    segments = list(text_segments(args.elf))
    yield comm(PID, "guest")
    yield from (mapping(PID, args.name, segment) for segment in segments)
    if args.processes:
        yield comm(OTHER, "other")
        yield from (mapping(OTHER, "/other.elf", segment) for segment in segments)
    yield record(ITRACE_START, struct.pack("<II", PID, PID) + trailer(PID, 1))
    if args.switches:
        yield record(SWITCH, trailer(PID, 1), 0)
    size = args.piece or len(trace) // 3
    cuts = list(range(0, len(trace), size)) + [len(trace)]
    for start, end in zip(cuts, cuts[1:]):
        yield record(AUX, struct.pack("<QQQ", start, end - start, 0) + trailer(PID, ALL_THE_TIME + start))
    if args.switches:
        yield record(SWITCH, trailer(PID, 2 * ALL_THE_TIME), 1 << 13)
    half = len(trace) // 2 // 8 * 8
    yield auxtrace(trace[:half], 0, args)
    yield auxtrace(trace[half:] + bytes(-len(trace) % 8), half, args)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-thread", action="store_true")
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--pipe", action="store_true")
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--switches", action="store_true")
    parser.add_argument("--timeless", action="store_true", help="intel_pt/tsc=0/")
    parser.add_argument("--piece", type=int)
    parser.add_argument("--name", default="/guest.elf", help="the program's path in the recording")
    parser.add_argument("trace")
    parser.add_argument("elf")
    parser.add_argument("out")
    args = parser.parse_args()
    with open(args.trace, "rb") as file:
        data = b"".join(records(args, file.read()))
    with open(args.out, "wb") as out:
        if args.pipe:
            out.write(b"PERFILE2" + struct.pack("<Q", 16) + record(HEADER_ATTR, attribute(args) + struct.pack("<Q", 1), 0) + data)
            return
        at = 104
        out.write(b"PERFILE2" + struct.pack("<QQ", 104, 128) + struct.pack("<6Q", at, 128, at + 136, len(data), 0, 0) + bytes(32))
        out.write(attribute(args) + struct.pack("<QQ", at + 128, 8) + struct.pack("<Q", 1) + data)


main()

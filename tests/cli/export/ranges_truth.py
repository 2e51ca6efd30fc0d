#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the list of flow --ranges against what the log of executed blocks says (docs/formats/truth.md): ranges_truth.py RANGES TRUTH. So what is
held against that list is held against the log. The lanes are the CPUs, in their order."""
import collections
import os
import sys

MASK, BLOCK = (1 << 64) - 1, 65536


def mix(z):
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    return z ^ z >> 31


def merged(ranges):
    runs = []
    for start, end in ranges:
        if runs and runs[-1][1] == start:
            runs[-1][1] = end
        else:
            runs.append([start, end])
    return runs


def sums_of(runs):
    """Of each block of runs its number of them, their bytes and their hash."""
    lines = []
    for first in range(0, len(runs), BLOCK):
        block, value = runs[first:first + BLOCK], 0
        for start, end in block:
            value = mix(mix((value + start) & MASK) + end & MASK)
        lines.append(f"{len(block)}\t{sum(end - start for start, end in block)}\t{value:016x}")
    return lines


lanes = collections.defaultdict(list)
for line in open(sys.argv[1], encoding="ascii"):
    lane, start, end, _, _ = line.split()
    lanes[int(lane, 16)].append((int(start, 16), int(end, 16)))
for cpu, lane in enumerate(sorted(lanes)):
    want = open(os.path.join(sys.argv[2], f"flow.{cpu}.sums"), encoding="ascii").read().splitlines()[1:]
    got = sums_of(merged(lanes[lane]))
    if [line.split("\t")[:2] + [line.split("\t")[2].zfill(16)] for line in want] != [line.split("\t") for line in got]:
        sys.exit(f"CPU {cpu}: got {got[:2]}, the log has {want[:2]}")

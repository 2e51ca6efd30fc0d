# SPDX-License-Identifier: Apache-2.0
"""What the oracle tests share: where the captures lie, and how sightline is run."""
import json
import os
import subprocess
import sys

SIGHTLINE = os.environ.get("SIGHTLINE", "sightline")
SOURCE = os.environ.get("SL_SOURCE_DIR") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SHARED = os.environ.get("SIGHTLINE_SHARED") or os.path.join(SOURCE, "..", "shared")
CAPTURES = os.path.join(SHARED, "captures")
SANITIZED = bool(os.environ.get("SL_SANITIZE"))
FULL = bool(os.environ.get("SIGHTLINE_FULL"))
SKIP = 77


def manifest():
    """The captures of the manifest; ends the test as skipped where there are none."""
    path = os.path.join(CAPTURES, "manifest.json")
    if not os.path.exists(path):
        print(f"skipped: no {path} (SIGHTLINE_SHARED says where it is)")
        sys.exit(SKIP)
    with open(path, encoding="utf-8") as file:
        return json.load(file)["captures"]


def snapshots():
    """(name, directory) of every snapshot directory, those of the generator included."""
    found = []
    for folder, _, names in os.walk(CAPTURES):
        if "snapshot.ini" in names:
            found.append((os.path.relpath(folder, CAPTURES), folder))
    return sorted(found)


def trace_bytes(directory):
    """Size of the buffers that a snapshot's trace.ini names."""
    total = 0
    with open(os.path.join(directory, "trace.ini"), encoding="latin-1") as file:
        for line in file:
            key, _, value = line.partition("=")
            path = os.path.join(directory, value.split(";")[0].strip())
            if key.strip() == "file" and os.path.isfile(path):
                total += os.path.getsize(path)
    return total


def run(*args):
    """Exit code, stdout and stderr (bytes) of one sightline; a signal gives a negative code."""
    done = subprocess.run([SIGHTLINE, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def rows(output, table):
    """The rows of one table of a JSON output; its head line, which names a schema, is none of them."""
    found = []
    for line in output.decode().splitlines():
        row = json.loads(line)
        if row.get("table") == table and "schema" not in row:
            found.append(row)
    return found


class Verdict:
    """Counts what was compared and prints what differs."""

    def __init__(self):
        self.checked = 0
        self.failed = 0

    def check(self, good, text):
        self.checked += 1
        if not good:
            self.failed += 1
            print("FAILED", text, flush=True)
        return good

    def end(self, least):
        """Ends the test. Fewer checks than least mean that the test looked at nothing."""
        print(f"{self.checked} checks, {self.failed} failed")
        self.check(self.checked >= least, f"only {self.checked} checks, at least {least} expected")
        sys.exit(1 if self.failed else 0)

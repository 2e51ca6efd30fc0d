# SPDX-License-Identifier: Apache-2.0
"""One recording in the other forms that perf writes: as a pipe, as a directory, with compressed records."""
import ctypes
import ctypes.util
import os
import struct

HEADER_ATTR, AUXTRACE, FEATURE, COMPRESSED = 64, 71, 80, 81
ZSTD_FEATURE = 27
FILE_HEADER = struct.Struct("<8s8Q4Q")
RECORD = struct.Struct("<IHH")


class Recording:
    """A perf.data in its parts."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        head = FILE_HEADER.unpack_from(self.bytes)
        self.attr_size, self.attrs, self.data = head[2], head[3:5], head[5:7]
        bits = [64 * word + bit for word in range(4) for bit in range(64) if head[9 + word] >> bit & 1]
        at = sum(self.data)
        self.features = {bit: struct.unpack_from("<2Q", self.bytes, at + 16 * i) for i, bit in enumerate(bits)}

    def records(self):
        """(record, what follows it in the file) of each."""
        at, end = self.data[0], sum(self.data)
        while at < end:
            kind, _, size = RECORD.unpack_from(self.bytes, at)
            behind = struct.unpack_from("<Q", self.bytes, at + 8)[0] if kind == AUXTRACE else 0
            yield self.bytes[at:at + size], self.bytes[at + size:at + size + behind]
            at += size + behind

    def attr_records(self):
        first, size = self.attrs
        for at in range(first, first + size, self.attr_size):
            ids_at, ids_len = struct.unpack_from("<2Q", self.bytes, at + self.attr_size - 16)
            yield self.bytes[at:at + self.attr_size - 16] + self.bytes[ids_at:ids_at + ids_len]


def record(kind, body):
    return RECORD.pack(kind, 0, 8 + len(body)) + body


def write_pipe(recording, path):
    with open(path, "wb") as file:
        file.write(b"PERFILE2" + struct.pack("<Q", 16))
        for attr in recording.attr_records():
            file.write(record(HEADER_ATTR, attr))
        for bit, (at, size) in recording.features.items():
            file.write(record(FEATURE, struct.pack("<Q", bit) + recording.bytes[at:at + size]))
        for whole, behind in recording.records():
            file.write(whole + behind)


def write_directory(recording, path):
    os.mkdir(path)
    with open(os.path.join(path, "data"), "wb") as file:
        file.write(recording.bytes)


def compress(data):
    """A zstd frame; None where there is no libzstd."""
    name = ctypes.util.find_library("zstd")
    if not name:
        return None
    zstd = ctypes.CDLL(name)
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    room = zstd.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(room)
    size = zstd.ZSTD_compress(out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 3)
    return out.raw[:size]


def compressed_records(recording):
    """All records; those that perf reads from its ring buffers come compressed, a few at a time."""
    waiting = b""
    for whole, behind in recording.records():
        if struct.unpack_from("<I", whole)[0] >= 64:
            if waiting:
                yield record(COMPRESSED, compress(waiting))
                waiting = b""
            yield whole + behind
            continue
        waiting += whole
        if len(waiting) > 20000:
            yield record(COMPRESSED, compress(waiting))
            waiting = b""
    if waiting:
        yield record(COMPRESSED, compress(waiting))


def write_compressed(recording, path):
    """The file form; the index of AUXTRACE records is left out, as its offsets would be others."""
    data = b"".join(compressed_records(recording))
    features = {bit: recording.bytes[at:at + size] for bit, (at, size) in recording.features.items() if bit != 18}
    features[ZSTD_FEATURE] = struct.pack("<5I", 1, 1, 3, 2, 1 << 20)
    data_at = recording.data[0]
    words = [sum(1 << bit - 64 * word for bit in features if bit // 64 == word) for word in range(4)]
    head = FILE_HEADER.pack(b"PERFILE2", FILE_HEADER.size, recording.attr_size, *recording.attrs, data_at, len(data), 0, 0,
                            *words)
    body_at = data_at + len(data) + 16 * len(features)
    table, bodies = b"", b""
    for bit in sorted(features):
        table += struct.pack("<2Q", body_at + len(bodies), len(features[bit]))
        bodies += features[bit]
    with open(path, "wb") as file:
        file.write(head + recording.bytes[FILE_HEADER.size:data_at] + data + table + bodies)

"""Safetensors files as arrays of NumPy."""
import json
import pathlib
import struct

from . import with_numpy  # noqa: F401, before numpy

import numpy

KINDS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "U8": "u1"}


def tensors(path):
    """{name: array} of a file, and its metadata."""
    content = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    metadata = header.pop("__metadata__", {})
    return {name: numpy.frombuffer(content, KINDS[entry["dtype"]], offset=8 + size + entry["data_offsets"][0],
                                   count=int(numpy.prod(entry["shape"]))).reshape(entry["shape"])
            for name, entry in header.items()}, metadata


def packed(array, name):
    """The bytes of a file of one array of I32."""
    data = numpy.ascontiguousarray(array, "<i4")
    entry = {"dtype": "I32", "shape": list(data.shape), "data_offsets": [0, data.nbytes]}
    header = json.dumps({name: entry}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data.tobytes()

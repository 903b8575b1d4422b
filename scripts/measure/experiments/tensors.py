"""Safetensors files as arrays of NumPy."""
import pathlib

from . import with_numpy  # noqa: F401, before numpy

import numpy

import tensor_files

KINDS = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8", "I8": "i1", "U8": "u1"}


def tensors(path):
    """{name: array} of a file, and its metadata."""
    header, data = tensor_files.split(pathlib.Path(path).read_bytes())
    metadata = header.pop("__metadata__", {})
    return {name: numpy.frombuffer(data, KINDS[entry["dtype"]], offset=entry["data_offsets"][0],
                                   count=int(numpy.prod(entry["shape"]))).reshape(entry["shape"])
            for name, entry in header.items()}, metadata


def packed(array, name):
    """The bytes of a file of one array of I32."""
    data = numpy.ascontiguousarray(array, "<i4")
    return tensor_files.packed({name: ("I32", data.shape, data.tobytes())})

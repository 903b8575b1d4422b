"""Reading, writing and comparing safetensors files: 8-byte little-endian header length, JSON header, data."""
import json
import math
import os
import struct

DTYPES = {"U8": "B", "I8": "b", "I16": "h", "F16": "H", "BF16": "H", "I32": "i", "U32": "I", "F32": "I", "I64": "q", "U64": "Q"}  # floats as bit patterns


class Tensor:
    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, list(shape), data  # data: bytes

    @classmethod
    def pack(cls, dtype, shape, values):
        assert len(values) == math.prod(shape)
        return cls(dtype, shape, struct.pack(f"<{len(values)}{DTYPES[dtype]}", *values))

    def values(self):
        code = DTYPES[self.dtype]
        return struct.unpack(f"<{len(self.data) // struct.calcsize('<' + code)}{code}", self.data)

    def rows(self):
        values, width = self.values(), self.shape[-1]
        return [values[i:i + width] for i in range(0, len(values), width)] if width else []


def read(path):
    """-> (tensors, metadata); the tensors in the order of their data."""
    with open(path, "rb") as file:
        raw = file.read()
    if len(raw) < 8 or 8 + (size := struct.unpack("<Q", raw[:8])[0]) > len(raw):
        raise ValueError(f"{path}: not a safetensors file: header truncated")
    header, body = json.loads(raw[8:8 + size]), raw[8 + size:]
    metadata, tensors, end = header.pop("__metadata__", None) or {}, {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        start, stop = entry["data_offsets"]
        if start != end or stop > len(body):
            raise ValueError(f"{path}: tensor {name}: data offsets {start}..{stop} leave a gap, overlap or pass the end")
        tensors[name], end = Tensor(entry["dtype"], entry["shape"], body[start:stop]), stop
        if entry["dtype"] in DTYPES:
            width = struct.calcsize("<" + DTYPES[entry["dtype"]])
            if stop - start != width * math.prod(entry["shape"]):
                raise ValueError(f"{path}: tensor {name}: {stop - start} bytes do not fit shape {entry['shape']}")
    if end != len(body):
        raise ValueError(f"{path}: {len(body) - end} bytes after the last tensor")
    return tensors, metadata


def write(path, tensors, metadata, force=False):
    """Writes the tensors in dictionary order, whole or not at all."""
    if os.path.exists(path) and not force:
        raise ValueError(f"{path}: exists; --force writes over it")
    header, offset = {"__metadata__": dict(sorted(metadata.items()))}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": [offset, offset + len(tensor.data)]}
        offset += len(tensor.data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "xb") as file:
            file.writelines([struct.pack("<Q", len(text)), text, *(tensor.data for tensor in tensors.values())])
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def close(a, b, tolerance):
    """Whether two metadata strings hold the same number of real numbers, equal up to the relative tolerance."""
    x, y = (list(map(float, text.split(";"))) for text in (a, b))
    return len(x) == len(y) and all(abs(p - q) <= tolerance * abs(p) for p, q in zip(x, y))


def differences(path_a, path_b, tolerance=0.0):
    """One line per difference. `tolerance`: relative, for the two metadata strings that are real numbers."""
    (tensors_a, meta_a), (tensors_b, meta_b) = read(path_a), read(path_b)
    lines = []
    if list(tensors_a) != list(tensors_b):
        lines.append(f"tensors: {', '.join(tensors_a)} != {', '.join(tensors_b)}")
    for name in (name for name in tensors_a if name in tensors_b):
        a, b = tensors_a[name], tensors_b[name]
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            lines.append(f"{name}: {a.dtype} {a.shape} != {b.dtype} {b.shape}")
        elif a.data != b.data:
            if a.dtype not in DTYPES:
                lines.append(f"{name}: data differ")
                continue
            x, y = a.values(), b.values()
            where = [i for i in range(len(x)) if x[i] != y[i]]
            index, first = [], where[0]
            for extent in reversed(a.shape):
                index.insert(0, first % extent)
                first //= extent
            lines.append(f"{name}: {len(where)} of {len(x)} differ, first at {index}: {x[where[0]]} != {y[where[0]]}")
    for key in sorted(set(meta_a) | set(meta_b)):
        a, b = meta_a.get(key), meta_b.get(key)
        if a is None or b is None or a != b and not (
                tolerance and key in ("kappa", "score_scale") and close(a, b, tolerance)):
            lines.append(f"metadata {key}: {a!r} != {b!r}")
    return lines

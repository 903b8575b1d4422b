"""The trace of a tiered store: rows of one layer and KV head, and the rotations of its tokens."""
from operator import add

import safetensors
from halves import floats_of

FINITE = {"F16": lambda raw: raw & 0x7C00 != 0x7C00, "F32": lambda raw: raw & 0x7F800000 != 0x7F800000, "I32": lambda raw: True}


class Trace:
    def __init__(self, path):
        self.path = path
        self.given, self.metadata = safetensors.read(path)
        self.d = self.given["keys"].shape[-1] if "keys" in self.given and self.given["keys"].shape else 0
        if self.d not in (32, 64, 128, 256):
            raise ValueError(f"{path}: tensor keys: must be F16 [tokens, 32, 64, 128 or 256]")
        self.keys = self.tensor("keys", "F16", [None, self.d])
        self.values = self.tensor("values", "F16", [len(self.keys), self.d])
        self.queries = self.tensor("queries", "F16", [None, self.d])
        self.query_tokens = self.tensor("query_tokens", "I32", [len(self.queries)])
        if any(not 0 <= token < len(self.keys) for token in self.query_tokens):
            raise ValueError(f"{path}: tensor query_tokens: must be 0 .. {len(self.keys) - 1}")
        if any(a > b for a, b in zip(self.query_tokens, self.query_tokens[1:])):
            raise ValueError(f"{path}: tensor query_tokens: must not descend")
        self.layer, self.head = (int(self.metadata.get(name, 0)) for name in ("layer", "head"))
        if min(self.layer, self.head) < 0:
            raise ValueError(f"{path}: metadata layer and head: must not be negative")
        pairing = self.metadata.get("rotation_pairs", "halves")
        if pairing not in ("halves", "interleaved"):
            raise ValueError(f"{path}: metadata rotation_pairs: {pairing!r}, must be halves or interleaved")
        half = self.d // 2
        self.pairs = [(2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + half) for i in range(half)]
        self.rotations = None
        self.offset, self.offsets = [0.0] * self.d, [0.0] * self.d

    def tensor(self, name, dtype, shape):
        """-> the rows of a tensor, checked; numbers of one of rank 1. None in a shape stands for any extent."""
        tensor = self.given.get(name)
        found = [None if want is None else extent for want, extent in zip(shape, tensor.shape)] if tensor else []
        if not tensor or tensor.dtype != dtype or len(tensor.shape) != len(shape) or found != shape:
            what = f"{tensor.dtype} {tensor.shape}" if tensor else "missing"
            raise ValueError(f"{self.path}: tensor {name}: {what}, must be {dtype} {shape}")
        if not all(map(FINITE[dtype], tensor.values())):
            raise ValueError(f"{self.path}: tensor {name}: not finite")
        return tensor.rows() if len(shape) == 2 else list(tensor.values())

    def load_rotations(self):
        shape = [len(self.keys), self.d // 2]
        cosines, sines = (self.tensor(name, "F32", shape) for name in ("cosines", "sines"))
        self.rotations = [list(zip(floats_of(c), floats_of(s))) for c, s in zip(cosines, sines)]
        if "key_offset" in self.given:
            self.offset = floats_of(self.tensor("key_offset", "F32", [self.d]))
            self.offsets = [abs(x) for x in self.offset]

    def turned(self, key, token):
        """A key before rotation -> in real numbers, as FP64 holds them, after rotation and offset."""
        x = list(key)
        for (i, j), (c, s) in zip(self.pairs, self.rotations[token]):
            x[i], x[j] = key[i] * c - key[j] * s, key[j] * c + key[i] * s
        return list(map(add, x, self.offset))

    def sums(self, numbers):
        """Both channels of a rotary pair get the sum of both."""
        x = list(numbers)
        for i, j in self.pairs:
            x[i] = x[j] = numbers[i] + numbers[j]
        return x

"""Stored records of a bounded memory, and the similarity of two as read (contract: inputs of a token, similarity of two records)."""
from dataclasses import dataclass
from operator import mul

import ecc
import faults
from floats import norm_parts, to_fp32
from macro import Record
from vectors import align, nearest_root, rotate


@dataclass
class Read:
    column: list  # centroid words of the indices
    norm: int  # 16 bits
    root: int  # N

    def is_zero(self):
        return not self.norm & 0x7FFF


class Records:
    """Write and read path of one KV head, with its code. Rows are lists of FP16 bits, all finite."""
    def __init__(self, macro, erasure="keep"):
        self.macro, self.path, self.erasure, self.d = macro, macro.paths[0], erasure, macro.d
        self.bits, self.words = macro.size(), macro.paths[0].book.C
        coded = macro.code != "none"
        self.decoder = faults.Decoder(macro.code) if coded else None
        self.size = ecc.size(macro.code, self.bits) if coded else self.bits // 8  # bytes as stored
        self.fields = [(self.path.bits, faults.INDEX)] * self.d + [(16, faults.NORM)]
        scale = 1 / (self.path.book.kappa * self.d)
        self.scale_bits = to_fp32(int(scale * 2 ** 200), -200)  # FP32 RNE of score_scale

    def stored(self, record):
        packed = self.macro.pack(record)
        return ecc.encode(self.macro.code, packed) if self.decoder else packed

    def key(self, row):
        return self.stored(self.macro.write(row))

    def value(self, row):
        """Values have no center."""
        m, e = align(row, self.macro.form, self.macro.w)
        return self.stored(Record(e, [self.path.write(m, e)]))

    def stored_bits(self):
        """Bits of the codewords, or of the record."""
        return ecc.words(self.macro.code, self.bits) * ecc.CODES[self.macro.code][0] if self.decoder else self.bits

    def read(self, stored):
        data = int.from_bytes(stored, "little")
        if self.decoder:
            decoded = self.decoder.decode(data, self.bits)
            (data,) = faults.repair([decoded], self.decoder.k, self.fields, self.erasure)
        b = self.path.bits
        column = [self.words[data >> b * i & (1 << b) - 1] for i in range(self.d)]
        return Read(column, data >> b * self.d, nearest_root(sum(c * c for c in column) << 16))

    def score(self, query, read):
        """(u, e_u) and a key record -> (accumulator, FP32 bits of the score): read step 4."""
        u, e_u = query
        acc, (sigma, epsilon) = sum(map(mul, u, read.column)), norm_parts(read.norm)
        return acc, to_fp32(acc * sigma, e_u + epsilon)

    def back(self, read):
        """v^ of a record but for its scale: integers and an exponent (contract: v^(y))."""
        sigma, epsilon = norm_parts(read.norm)
        return [s * y * sigma for s, y in zip(self.path.signs, rotate(read.column, [1] * self.d))], epsilon


def accumulator(a, b):
    return 0 if a.is_zero() or b.is_zero() else sum(map(mul, a.column, b.column))


def reaches(acc, a, b, threshold):
    """Whether the cosine reaches tau, given as T."""
    return acc << 32 >= threshold * a.root * b.root


def nearest(read, slots):
    """[(slot, its Read)] by slot -> (slot, accumulator) of the nearest to `read`, or None."""
    best = None
    for slot, other in slots:
        acc = accumulator(read, other)
        if best is None or acc * best[2] > best[1] * other.root:
            best = slot, acc, other.root
    return best and best[:2]

"""The calibration file of a tiered store: the constants of one layer and KV head."""
import math
import re

import nuq
import safetensors
from halves import UNITS, widened
from squat import Feedback


class Calibration:
    def __init__(self, path, d, layer, head, rope):
        self.path, self.d, self.layer, self.head = path, d, layer, head
        self.tensors, metadata = safetensors.read(path)
        for name, value in (("format", "axelram-tiers"), ("version", "1"), ("rope", rope)):
            if metadata.get(name) != value:
                raise ValueError(f"{path}: metadata {name}: {metadata.get(name)!r}, must be {value}")
        self.outliers = float(metadata.get("outliers", "nan"))
        if not 0 <= self.outliers <= 0.25:
            raise ValueError(f"{path}: metadata outliers: must be 0 .. 0.25")
        self.exact, self.channels = nuq.outlier_count(self.outliers, d), metadata.get("squat_channels", "")

    def row(self, name, dtype, width, heads=True):
        """The numbers of the layer, and of the KV head if the tensor has them."""
        tensor, rank = self.tensors.get(name), 3 if heads else 2
        if not tensor or tensor.dtype != dtype or len(tensor.shape) != rank or tensor.shape[-1] != width:
            raise ValueError(f"{self.path}: tensor {name}: must be {dtype} [layers{', KV heads' * heads}, {width}]")
        count = tensor.shape[1] if heads else 1
        if self.layer >= tensor.shape[0] or heads and self.head >= count:
            raise ValueError(f"{self.path}: tensor {name}: has no layer {self.layer}, KV head {self.head}")
        place = self.layer * count + (self.head if heads else 0)
        numbers = list(tensor.values()[place * width:(place + 1) * width])
        if dtype == "F16" and any(UNITS[raw] is None for raw in numbers):
            raise ValueError(f"{self.path}: tensor {name}: not finite")
        return numbers

    def feedback(self):
        if not re.fullmatch(r"\d+", self.channels) or int(self.channels) not in [2 ** i for i in range(3, self.d.bit_length())]:
            raise ValueError(f"{self.path}: metadata squat_channels: must be a power of two, 8 .. {self.d}")
        g = int(self.channels)
        blocks = self.d // g
        exponents = self.row("squat_exponents", "I32", blocks - 1)
        if any(not -20 <= exponent <= 0 for exponent in exponents):
            raise ValueError(f"{self.path}: tensor squat_exponents: must be -20 .. 0")
        return Feedback(self.d, g, self.row("squat_matrices", "I16", g * g * blocks * (blocks - 1) // 2), exponents)

    def ranges(self):
        """-> floats of the middles and of the radii of the channels of a key."""
        middles, radii = (widened(self.row(name, "F16", self.d)) for name in ("key_middles", "key_radii"))
        if min(radii) < 0:
            raise ValueError(f"{self.path}: tensor key_radii: must not be negative")
        return middles, radii

    def book(self, side, bits, qnorm):
        """side: key or value."""
        gamma = self.row(f"{side}_codebook{bits}", "F16", 1 << bits, False)
        levels = self.row(f"{side}_levels{bits}", "F16", 1 << bits, False) if qnorm else None
        book = nuq.Book(bits, gamma, levels)
        if any(a >= b for a, b in zip(book.centroids, book.centroids[1:])):
            raise ValueError(f"{self.path}: tensor {side}_codebook{bits}: must ascend strictly")
        return book


def decimal(outliers):
    """Metadata of a file: a decimal of 17 digits."""
    assert 0 <= outliers <= 0.25 and not math.isnan(outliers)
    return f"{outliers:.17g}"

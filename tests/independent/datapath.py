"""The write path of one vector: indices, and the norm that goes with them."""
from dataclasses import dataclass

import trellis
from codebook import Codebook
from floats import quotient_to_fp16, to_fp16
from vectors import nearest_root, rotate


@dataclass
class Written:
    y: list  # rotated elements
    root: int
    indices: list
    levels: list  # of a trellis; otherwise the indices
    norm: int  # FP16 bits
    correlation: int  # A
    words: list  # thresholds, or reconstructions with a trellis
    cost: int  # of the path


class Datapath:
    """Elements `channels` of the aligned key, with their signs and `bits` bits for each index."""
    def __init__(self, c, channels, signs, bits):
        self.channels, self.signs, self.bits = channels, signs, bits
        self.n, self.wc, self.f = len(channels).bit_length() - 1, c["centroid_bits"], c["boundary_fraction_bits"]
        self.unbiased, self.states = c["scale"] == "unbiased", c["states"] if c["kind"] == "trellis" else 0
        if self.states:
            self.book = trellis.Book(bits, self.f, self.wc)
        else:
            self.book = Codebook(c["codebook"], len(channels), bits, self.f, self.wc)

    def words(self):
        """Words of the ROM that indices are chosen by."""
        return self.book.L if self.states else self.book.B

    def rotate(self, m):
        return rotate([m[channel] for channel in self.channels], self.signs)

    def write(self, m, e):
        y, s = self.rotate(m), sum(m[channel] ** 2 for channel in self.channels)
        root, cost = nearest_root(s), 0
        if self.states:
            words = trellis.reconstructions(self.words(), root, self.f)
            indices, cost = trellis.encode(y, words, root, self.states)
            levels = trellis.levels_of(indices, self.states)
        else:
            words = [word * root >> self.f for word in self.words()]
            indices = levels = [sum(v > t for t in words) for v in y]
        correlation = sum(v * self.book.C[i] for v, i in zip(y, levels))
        if not self.unbiased:
            norm = to_fp16(root, e)
        elif s and correlation > 0:
            norm = quotient_to_fp16(s, correlation, self.n + self.wc - 2 + e)
        else:
            norm = 0
        return Written(y, root, indices, levels, norm, correlation, words, cost)

    def column(self, written):
        """Centroid words of all levels."""
        return [self.book.C[i] for i in written.levels]

"""KIVI: groups of FP16 numbers with one scale and one minimum, 2 to 4 bits for each number."""
from dataclasses import dataclass

from floats import quotient_to_fp16
from halves import UNIT, UNITS, half, half_bytes, packed, singles


def nearest(numerator, denominator):
    """RNE(numerator / denominator), both integers, the denominator positive."""
    quotient, rest = divmod(2 * numerator + denominator, 2 * denominator)
    return quotient - (rest == 0 and quotient & 1)


@dataclass
class Group:
    codes: list
    scale: int  # FP16 bits
    minimum: int  # FP16 bits

    def decoded(self, step=1):
        """-> integers in units of 2^-24, exact."""
        least, scale = UNITS[self.minimum], step * UNITS[self.scale]
        return [least + q * scale for q in self.codes]

    def extent(self, bits):
        """|minimum| + (2^bits - 1) · scale in units of 2^-24."""
        return abs(UNITS[self.minimum]) + ((1 << bits) - 1) * UNITS[self.scale]

    def demoted(self):
        """The group of 4 bits with 2 bits, its minimum and scale unchanged."""
        return Group([(q + 2) // 5 for q in self.codes], self.scale, self.minimum)


def code(x, bits):
    """Integers in units of 2^-24 -> their group."""
    least, top = min(x), (1 << bits) - 1
    scale = quotient_to_fp16(max(x) - least, top, -24)
    step = UNITS[scale]
    codes = [max(0, min(top, nearest(v - least, step))) for v in x] if step else [0] * len(x)
    return Group(codes, scale, half(least))


def groups_of(row, size):
    """FP16 bits of a row -> its groups of `size` channels, in units."""
    return [[UNITS[raw] for raw in row[i:i + size]] for i in range(0, len(row), size)]


def channels_of(rows):
    """FP16 bits of the rows of a key block -> the tokens of each channel, in units."""
    return [[UNITS[raw] for raw in channel] for channel in zip(*rows)]


def stored(groups, bits):
    """Groups -> bytes: the codes of one group after the other, then all scales, then all minima."""
    return (b"".join(packed(group.codes, bits) for group in groups)
            + half_bytes([group.scale for group in groups]) + half_bytes([group.minimum for group in groups]))


def values(group, step=1):
    """FP32 RNE of what the codes of a group decode to."""
    return singles([n * UNIT for n in group.decoded(step)])

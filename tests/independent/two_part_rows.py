"""Rows on the edges of records of two parts."""
import math

from codebook import rne_shift
from macro_rows import MacroMaker
from vectors import rotate


def exceeds(values, bits):
    """Whether the largest, rounded to `bits` bits with the shift that it needs, becomes 2^(bits - 1)."""
    largest = max(map(abs, values))
    shift = max(0, largest.bit_length() - (bits - 1))
    return largest + (1 << shift >> 1) >> shift == 1 << bits - 1


class SplitMaker(MacroMaker):
    def halved(self, make, other):
        """One sub-vector of a row of `make`, the other of a row of `other`."""
        row, rest = make(), other()
        for channel in self.random.choice(self.macro.paths).channels:
            row[channel] = rest[channel]
        return row

    def one_half(self):
        return self.halved(self.gaussian, self.zeros)

    def largest_half(self):  # one norm saturates
        return self.halved(self.largest, lambda: self.gaussian(self.random.randint(-self.bias, self.bias - 3)))

    def lopsided(self):  # norms and correlations far apart
        return self.halved(self.gaussian, lambda: self.gaussian(-self.random.randint(1, self.macro.w + 2)))

    def twins(self):  # y of both sub-vectors equal or opposite: with equal bits, half of the scores of twins are 0
        row, (first, second) = self.gaussian(), self.macro.paths
        minus = self.random.getrandbits(1)
        for a, s, b, t in zip(first.channels, first.signs, second.channels, second.signs):
            row[b] = row[a] ^ 0x8000 * (minus ^ (s != t))
        return row

    def half_at_center(self):
        return self.halved(self.gaussian, lambda: list(self.macro.center))

    def both(self):
        return [self.one_half, self.twins, self.lopsided, self.largest_half]

    def key_kinds(self):
        return self.both() + ([self.half_at_center] if self.macro.center else []) + super().key_kinds()

    def query_kinds(self):
        return self.both() + super().query_kinds()


class ProdMaker(MacroMaker):
    def rest(self, row):
        """-> what the reconstructions leave."""
        return self.macro.left(self.written(row).parts[0])[1]

    def no_residual(self):
        """A key other than 0 whose elements are all reconstructions, where the format has one."""
        def make():
            row = list(self.macro.center or self.zeros())
            for i in self.random.sample(range(self.d), self.random.choice([1, 2, 2, 3, 4])):
                row[i] ^= self.random.randint(1, 5)
            return row

        return self.searched(make, lambda row: not any(self.rest(row)) and self.written(row).parts[0].root)

    def clamp_shows(self, row):
        """Whether signs or norm of the residual would differ without the clamp."""
        record = self.written(row)
        shift = record.residual.shift
        free = [rne_shift(v, shift) for v in self.macro.left(record.parts[0])[1]]
        return self.macro.signs_and_norm(free, record.e + shift) != (record.residual.signs, record.residual.norm)

    def clamped_residual(self):
        return self.searched(self.one_large_residual, self.clamp_shows, 5)

    def one_large_residual(self):
        """One residual just below a power of two: rounded, it exceeds its bits by one. A center may prevent it."""
        minus = self.minus(self.macro.paths[0], self.random.randrange(self.d))
        spread, two = 1 << self.p - 4, self.bias + 1 << self.p
        least = (self.bias << self.p) + spread  # all elements lie between 1 and 2
        less, free = [self.random.randint(0, spread) for _ in range(self.d)], self.random.sample(range(self.d), 4)

        def row(magnitude, others):
            patterns = [magnitude - v for v in less]
            for i, other in zip(free, others):
                patterns[i] = other
            return [raw | bit for raw, bit in zip(patterns, minus)]

        def largest(make, low, high):
            """The largest number from low to high - 1 whose row stays below the power of two."""
            while high - low > 1:
                middle = low + high >> 1
                below = max(map(abs, self.rest(make(middle)))) < limit
                low, high = (middle, high) if below else (low, middle)
            return low

        limit = 1 << max(map(abs, self.rest(row(least, [])))).bit_length()
        magnitude = largest(lambda v: row(v, []), least, two)
        magnitude += (magnitude - two + (2 << self.p)) * 5 // (2 * self.d)  # leaves half an element to the last three
        others = [0] * 4
        for i in range(4):
            others[i] = largest(lambda v: row(magnitude, others[:i] + [v] + others[i + 1:]), 0, magnitude)
        return row(magnitude, others)

    def clamped_second_query(self):
        """A query whose second rotation, rounded, exceeds its bits by one: all but one |u_i| near 2^(WQ - 2)."""
        path, signs, bits = self.macro.paths[0], self.macro.second_signs, self.macro.wq
        sum_of_others = (1 - 2.0 ** -(bits + 1)) * self.d - 1.9

        def make():
            r, largest = (self.random.randrange(self.d) for _ in range(2))
            y = [s * (-1) ** (r & i).bit_count() * (sum_of_others / (self.d - 1) + self.random.uniform(-1, 1) / 2 ** (bits - 2))
                 for i, s in enumerate(signs)]
            y[largest] = math.copysign(1.9, y[largest])
            return [self.encode(s * v / self.d) for s, v in zip(path.signs, rotate(y, [1] * self.d))]

        return self.searched(make, lambda row: exceeds(rotate(self.macro.query(self.query_before(row))[0], signs), bits))

    def key_kinds(self):
        return [self.no_residual, self.clamped_residual] + super().key_kinds()

    def query_kinds(self):
        return [self.clamped_second_query] + super().query_kinds()

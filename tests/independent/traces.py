"""Adversarial traces: vectors of 16-bit patterns that sit on the edges of the contract."""
from random import Random

import contract
from safetensors import Tensor


class Maker:
    def __init__(self, macro, random):
        self.macro, self.d, self.random = macro, macro.d, random
        self.p, self.bias = contract.FRACTION[macro.form], contract.BIAS[macro.form]
        self.top = (2 * self.bias + 1 << self.p) - 1  # pattern of the largest finite value

    def encode(self, x, exponent=0):
        """Nearest pattern of x · 2^exponent, saturated."""
        numerator, denominator = abs(x).as_integer_ratio()  # the denominator is a power of two
        bits = contract.to_float(numerator, exponent - denominator.bit_length() + 1, self.p,
                                    1 - self.bias - self.p, self.top + 1)
        return bits | (0x8000 if x < 0 else 0)

    def sign(self, raw):
        return raw | self.random.getrandbits(1) << 15

    def pattern(self):
        return self.sign(self.random.randint(0, self.top))

    def gaussian(self, exponent=0):
        return [self.encode(self.random.gauss(0, 1), exponent) for _ in range(self.d)]

    def spread(self):  # Gaussian at any scale of the format: far underflow and overflow of norms and scores
        return self.gaussian(self.random.randint(-self.bias - self.p, self.bias + 1))

    def faint(self):  # norms at the foot of FP16 and, in BF16, queries so small that scores underflow
        return self.gaussian(self.random.choice([-28, -27, -18, 4 - self.bias, 1 - self.bias - self.p]))

    def outliers(self):
        heavy = set(self.random.sample(range(self.d), 3))
        return [self.encode(self.random.gauss(0, 60 if i in heavy else 1)) for i in range(self.d)]

    def zeros(self):
        return [self.sign(0) if self.random.random() < 0.5 else 0 for _ in range(self.d)]

    def subnormals(self):
        return [self.sign(self.random.randint(0, (1 << self.p) - 1)) for _ in range(self.d)]

    def small(self):  # few tiny integers: y and thresholds are small and coincide often
        count = self.random.choice([2, 3, 5, 8, 16, self.d])
        where = set(self.random.sample(range(self.d), count))
        return [self.sign(self.random.randint(0, 7)) if i in where else 0 for i in range(self.d)]

    def tie(self):  # some y_i equal to a threshold other than 0
        for _ in range(100):
            row = self.small()
            m, _ = contract.align(row, self.macro.form, self.macro.w, self.macro.center)
            y = set(contract.rotate(m, self.macro.signs))
            if any(t and t in y for t in self.macro.write(row)[3]):
                break
        return row

    def largest(self):
        return [self.sign(self.top) for _ in range(self.d)]

    def extremes(self):
        edge = [0, 1, (1 << self.p) - 1, 1 << self.p, self.top - (1 << self.p), self.top - 1, self.top]
        return [self.sign(self.random.choice(edge)) for _ in range(self.d)]

    def mixed(self):
        return [self.pattern() for _ in range(self.d)]

    def sparse(self, *values):  # the values, or one random one, anywhere; zeros of both signs elsewhere
        row, values = self.zeros(), values or (self.pattern(),)
        for i, raw in zip(self.random.sample(range(self.d), len(values)), values):
            row[i] = self.sign(raw & 0x7FFF)
        return row

    def root(self):  # sum of squares r² + r at W = 16: the root is just below r + 1/2
        return self.sparse(*self.random.choice([(15, 5, 2, 1), (16, 1), (1, 1)]))

    def equal(self):
        return [self.pattern()] * self.d

    def hadamard(self):  # one row of H under the signs: every y but one is 0
        raw, r = self.random.randint(0, self.top), self.random.randrange(self.d)
        return [raw | 0x8000 * (((r & i).bit_count() & 1) ^ (s < 0)) for i, s in enumerate(self.macro.signs)]

    def clamped(self):
        """One y of magnitude d · 2^(w − 2) − 1, all ones: rounded to fewer bits, it exceeds them by one."""
        rest, pieces = (1 << self.macro.w - 1) - 1, []
        while rest:
            shift = max(0, rest.bit_length() - self.p - 1)
            pieces.append(rest >> shift << shift)
            rest -= pieces[-1]
        one = 1 << self.macro.w - 2
        pair = {1: one // 2, 2: one, 3: one // 2 * 3}[len(pieces)]  # the sum is the same for any number of pieces
        m = pieces + [pair, pair] + [one] * (self.d - len(pieces) - 2)
        self.random.shuffle(m)
        r = self.random.randrange(self.d)
        minus = [((r & i).bit_count() & 1) ^ (s < 0) for i, s in enumerate(self.macro.signs)]
        return [self.encode(v, 2 - self.macro.w) | 0x8000 * bit for v, bit in zip(m, minus)]

    def halves(self):  # elements halfway between two integers after ALIGN
        low = max(1, self.bias + self.p - self.macro.w + 1)
        row = [self.sign(low << self.p | self.random.getrandbits(self.p) | 1) for _ in range(self.d)]
        row[self.random.randrange(self.d)] = self.sign(self.bias << self.p | self.random.getrandbits(self.p))
        return row

    def near_center(self):
        spread = self.random.choice([0, 0, 1, 3])
        return [raw & 0x8000 | min(self.top, max(0, (raw & 0x7FFF) + self.random.randint(-spread, spread)))
                for raw in self.macro.center]

    def opposite_center(self):
        return [raw ^ 0x8000 for raw in self.macro.center]


def make(macro, seed, keys, queries):
    """-> (tensors, metadata) of a trace: every kind in turn, a fresh draw each time."""
    maker = Maker(macro, Random(seed))
    kinds = [maker.gaussian, maker.outliers, maker.hadamard, maker.spread, maker.small, maker.tie, maker.zeros,
             maker.largest, maker.mixed, maker.sparse, maker.equal, maker.halves, maker.subnormals, maker.extremes,
             maker.root, maker.faint, maker.clamped]
    near = [maker.near_center, maker.opposite_center] if macro.center else []

    def tensor(count, kinds):
        rows = [kinds[i % len(kinds)]() for i in range(count)]
        return Tensor.pack(contract.DTYPE[macro.form], [count, macro.d], [raw for row in rows for raw in row])

    tensors = {"keys": tensor(keys, near + kinds), "queries": tensor(queries, kinds)}
    return tensors, {"model": "random", "text": f"seed {seed}"}

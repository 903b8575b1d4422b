"""Rows of 16-bit patterns that sit on the edges of a format."""
import floats


class Maker:
    def __init__(self, d, form, random):
        self.d, self.form, self.random = d, form, random
        self.p, self.bias = floats.FRACTION[form], floats.BIAS[form]
        self.top = (2 * self.bias + 1 << self.p) - 1  # pattern of the largest finite value

    def encode(self, x, exponent=0):
        """Nearest pattern of x · 2^exponent, saturated."""
        numerator, denominator = abs(x).as_integer_ratio()  # the denominator is a power of two
        bits = floats.to_float(numerator, exponent - denominator.bit_length() + 1, self.p,
                               1 - self.bias - self.p, self.top + 1)
        return bits | (0x8000 if x < 0 else 0)

    def times_power(self, raw, power):
        """Nearest pattern of the element times 2^power, saturated; zeros keep their sign."""
        v, exponent = floats.significand(raw, self.form)
        return raw & 0x8000 | self.encode(abs(v), exponent - self.p + power)

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

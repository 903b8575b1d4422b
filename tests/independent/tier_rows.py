"""Groups and rows of FP16 numbers that sit on the edges of the coders of a tiered store."""
from halves import UNITS, half, halves
from rows import Maker

LARGEST = 0x7BFF


class GroupMaker:
    """Groups of `n` numbers: the tokens of a channel in a key block, or neighbouring channels of a value."""
    def __init__(self, random, bits):
        self.random, self.bits = random, bits

    def sign(self, raw):
        return raw | self.random.getrandbits(1) << 15

    def finite(self):
        return self.sign(self.random.randint(0, LARGEST))

    def gaussian(self, n):
        scale = 2.0 ** self.random.choice([0, 0, 0, self.random.randint(-24, 14)])
        return halves([self.random.gauss(self.random.choice([0, 3]), 1) * scale for _ in range(n)])

    def constant(self, n):
        return [self.finite()] * n

    def zeros(self, n):
        return [self.sign(0) for _ in range(n)]

    def one_apart(self, n):
        raw = self.sign(self.random.randint(0, LARGEST - 1))
        row = [raw] * n
        row[self.random.randrange(n)] = raw + 1
        return row

    def faint(self, n):  # a few units of 2^-24: scales are 0 or subnormal
        top = self.random.choice([1, 2, 3, 4, 7, 8, 22, 23, 40, 200])
        return [self.sign(self.random.randint(0, top)) for _ in range(n)]

    def extremes(self, n):
        edges = [LARGEST, LARGEST, LARGEST - 1, 0, 1, 0x3FF, 0x400]
        return [self.sign(self.random.choice(edges)) for _ in range(n)]

    def largest(self, n):  # the largest code of 65504 and -65504 decodes to 65536
        row = [self.finite() for _ in range(n)]
        row[self.random.randrange(n)] = LARGEST
        row[self.random.randrange(n)] = LARGEST | 0x8000
        return row

    def steps(self, n, numerators, denominator):
        """minimum + numerator / denominator · scale of each, all exact, with both ends of the range."""
        top, scale = (1 << self.bits) - 1, self.random.choice([2, 64, 1 << self.random.randint(1, 32)])
        least = self.random.choice([0, -top, self.random.randint(-50, 50)]) * scale
        row = [least, least + top * scale]
        row += [least + self.random.choice(numerators) * scale // denominator for _ in range(n - 2)]
        self.random.shuffle(row)
        return [half(x) for x in row]

    def ties(self, n):
        return self.steps(n, range(1, 2 << self.bits, 2)[:(1 << self.bits) - 1], 2)

    def near_ties(self, n):
        row = self.ties(n)
        edges = (min(row, key=UNITS.__getitem__), max(row, key=UNITS.__getitem__))
        return [raw if raw in edges or not 0 < raw & 0x7FFF < LARGEST else raw + self.random.choice([-1, 1]) for raw in row]

    def nested_ties(self, n):  # halfway between the steps of 2 bits that the steps of 4 bits nest in
        keep, self.bits = self.bits, 4
        row = self.steps(n, [5, 15, 25], 2)
        self.bits = keep
        return row

    def scale_tie(self, n):  # the scale itself is halfway between two FP16 numbers
        top, odd = (1 << self.bits) - 1, self.random.randrange(2049, 4096, 2)
        width, shift = top * odd, self.random.randint(0, 20)
        low = width % 32
        row = [half(width - low << shift), half(-low << shift)]
        row += [half(self.random.randint(0, width - low) << shift) for _ in range(n - 2)]
        self.random.shuffle(row)
        return row

    def mixed(self, n):
        return [self.finite() for _ in range(n)]

    def draw(self, n):
        kinds = [self.gaussian, self.constant, self.zeros, self.one_apart, self.faint, self.extremes, self.largest, self.ties,
                 self.near_ties, self.nested_ties, self.scale_tie, self.mixed]
        return self.random.choice(kinds)(n)


class RowMaker(Maker):
    """Whole rows."""
    def __init__(self, d, random, books):
        super().__init__(d, "fp16", random)
        self.books = books  # codebooks of KVQuant

    def twins(self):  # few different numbers: outliers are chosen among equals, -0 beside +0
        kept = [self.pattern() for _ in range(self.random.choice([1, 2, 3]))] + [0, 0x8000]
        return [self.random.choice(kept) for _ in range(self.d)]

    def boundary_value(self):
        """A value whose rest reaches from -r to r, with elements at boundaries of a codebook."""
        book, exponent = self.random.choice(self.books), self.random.randint(-6, 10)
        row = [self.random.choice([-1.0, 1.0, *book.boundaries]) for _ in range(self.d)]
        for i in self.random.sample(range(self.d), self.d // 8):
            row[i] = self.random.choice([-3.0, 3.0])
        return halves([x * 2.0 ** exponent for x in row])

    def boundary_key(self, middles, radii):
        """A key whose channels lie at boundaries or at equal distances from their middles, some far away."""
        book = self.random.choice(self.books)
        row = [z + self.random.choice(book.boundaries + [-1.0, 1.0, 2.0, -2.0]) * r for z, r in zip(middles, radii)]
        return halves(row)

    def kinds(self):
        return [self.gaussian, self.outliers, self.spread, self.sparse, self.zeros, self.largest, self.mixed, self.equal,
                self.subnormals, self.extremes, self.twins, self.boundary_value]

    def draw(self):
        return self.random.choice(self.kinds())()


def channels_apart(random, d, n):
    """Gaussian rows whose channels have means and deviations of their own."""
    means, deviations = ([random.gauss(0, spread) for _ in range(d)] for spread in (2, 1))
    return [halves([random.gauss(mean, deviation) for mean, deviation in zip(means, deviations)]) for _ in range(n)]


def matrix(groups, rows, count, start, unit, size):
    """`count` rows. Keys: `unit` tokens of a channel are a group, blocks from `start`. Values (unit 1): `size` channels are."""
    found = [groups.gaussian(rows.d) for _ in range(min(start, count))]
    while len(found) < count:
        n, kind = min(unit, count - len(found)), groups.random.random()
        if kind < 0.3:
            found += [rows.draw() for _ in range(n)]
        elif kind < 0.6:  # as a model's: errors stay small, so that feedback does not saturate
            found += channels_apart(groups.random, rows.d, n)
        elif unit > 1:
            found += map(list, zip(*[groups.draw(unit)[:n] for _ in range(rows.d)]))
        else:
            found.append([raw for _ in range(rows.d // size) for raw in groups.draw(size)])
    return found



"""Rows on the edges of the contract: they depend on widths, signs, center and codebook of a macro."""
from rows import Maker


class MacroMaker(Maker):
    """What depends on signs, center and codebook of a macro."""
    def __init__(self, macro, random):
        super().__init__(macro.d, macro.form, random)
        self.macro = macro

    def searched(self, make, holds, tries=100):
        """The first row for which `holds`, or the last."""
        for _ in range(tries):
            row = make()
            if holds(row):
                break
        return row

    def key_before(self, row):
        """The key that BALANCE makes this row of, where the format has one."""
        return [self.times_power(raw, power) for raw, power in zip(row, self.macro.balance)] if self.macro.balance else row

    def query_before(self, row):
        return [self.times_power(raw, -power) for raw, power in zip(row, self.macro.balance)] if self.macro.balance else row

    def written(self, row):
        """The record of a row as it is after BALANCE."""
        return self.macro.write(self.key_before(row))

    def tie(self):  # some y_i equal to a threshold other than 0
        return self.searched(self.small, lambda row: any(
            set(part.words) & set(part.y) - {0} for part in self.written(row).parts))

    def joined(self, make):
        """The rows of make(path) for each datapath, in the order of channels."""
        row = [0] * self.d
        for path in self.macro.paths:
            for channel, raw in zip(path.channels, make(path)):
                row[channel] = raw
        return row

    def minus(self, path, r):
        """Sign bits of row r of H under the signs."""
        return [0x8000 * (((r & i).bit_count() & 1) ^ (s < 0)) for i, s in enumerate(path.signs)]

    def hadamard(self):  # one row of H under the signs: every y but one is 0
        def make(path):
            raw = self.pattern()
            return [raw ^ bit for bit in self.minus(path, self.random.randrange(len(path.signs)))]

        return self.joined(make)

    def clamped(self):
        """One y of magnitude 2^(w − 2) · elements − 1, all ones: rounded to fewer bits, it exceeds them by one."""
        rest, pieces, w = (1 << self.macro.w - 1) - 1, [], self.macro.w
        while rest:
            shift = max(0, rest.bit_length() - self.p - 1)
            pieces.append(rest >> shift << shift)
            rest -= pieces[-1]
        one = 1 << w - 2
        pair = {1: one // 2, 2: one, 3: one // 2 * 3}[len(pieces)]  # the sum is the same for any number of pieces

        def make(path):
            m = pieces + [pair, pair] + [one] * (len(path.signs) - len(pieces) - 2)
            self.random.shuffle(m)
            minus = self.minus(path, self.random.randrange(len(m)))
            return [self.encode(v, 2 - w) | bit for v, bit in zip(m, minus)]

        return self.joined(make)

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

    def hidden_exponent(self):
        """Zeros, of the largest powers among them, and few elements that are not: E is that of a zero in one of two."""
        row = self.zeros()
        for i in self.random.sample(range(self.d), self.random.choice([1, 2, 5])):
            row[i] = self.sign(self.random.randint(1, 4 << self.p))
        return row

    def unbalanced(self):
        """Rows as they come, whatever BALANCE makes of them."""
        return [self.gaussian, self.hidden_exponent, self.spread, self.largest, self.extremes, self.mixed, self.subnormals]

    def with_balance(self, kinds, before):
        """The kinds as BALANCE is to leave them, between others that come as they are."""
        if not self.macro.balance:
            return kinds
        return [lambda make=make: before(make()) for make in kinds] + self.unbalanced()

    def everything(self):
        """The kinds that every macro meets."""
        return [self.gaussian, self.outliers, self.hadamard, self.spread, self.small, self.tie, self.zeros, self.largest,
                self.mixed, self.sparse, self.equal, self.halves, self.subnormals, self.extremes, self.root, self.faint,
                self.clamped]

    def keys(self):
        """The kinds of keys; each is a function without arguments."""
        return self.with_balance(self.key_kinds(), self.key_before)

    def queries(self):
        return self.with_balance(self.query_kinds(), self.query_before)

    def key_kinds(self):
        return ([self.near_center, self.opposite_center] if self.macro.center else []) + self.everything()

    def query_kinds(self):
        return self.everything()

"""Values: those of keys without a center, and norms that a weight turns on. Keys whose tokens share the attention."""
from macro_rows import MacroMaker
from vectors import align


class ValueMaker(MacroMaker):
    def __init__(self, macro, random):
        super().__init__(macro, random)
        self.alike = random.random() < 0.5  # keys and queries of one magnitude

    def keys(self):
        return [self.gaussian, self.outliers] if self.alike else super().keys()

    def queries(self):
        return [self.gaussian] if self.alike else super().queries()

    def of_norm(self, norm, exponents):
        def holds(row):
            m, e = align(row, self.macro.form, self.macro.w)
            return self.macro.paths[0].write(m, e).norm == norm

        return self.searched(lambda: self.gaussian(self.random.choice(exponents)), holds)

    def least(self):  # a norm of 2^-24
        return self.of_norm(0x0001, range(-34, -22))

    def saturated(self):
        return self.of_norm(0x7BFF, range(10, 17))

    def lone(self):  # its reconstruction may exceed the largest value
        return self.sparse(self.top)

    def values(self, count):
        """Rows; zeros come first, last, always or among the others."""
        kinds = [self.gaussian, self.zeros, self.least, self.saturated, self.lone] + self.everything()
        rows = [kinds[i % len(kinds)]() for i in range(count)]
        zero = self.random.choice([range(0), range(0), range(3), range(count - 3, count), range(count)])
        return [self.zeros() if i in zero else row for i, row in enumerate(rows)]

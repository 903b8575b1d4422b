"""Keys and values of a language model as they are stored: as they are, or as records of a macro, with bit errors and exact
tokens perhaps."""
import math
import struct
from operator import mul

import ecc
import faults
import tier_spec
import tiers
from faulty_memory import Memory
from floats import norm_parts
from halves import floats_of, halves, widened
from residual import Prod
from vectors import rotate


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def softmax(scores):
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = math.fsum(powers)
    return [power / total for power in powers]


def weighted(weights, rows):
    return [math.fsum(map(mul, weights, column)) for column in zip(*rows)]


class Floats:
    """A store that loses nothing."""
    def __init__(self):
        self.keys, self.values = [], []

    def write(self, before, key, value):
        self.keys.append(key)
        self.values.append(value)

    def attend(self, query, oldest, scale):
        weights = softmax([scale * math.fsum(map(mul, query, key)) for key in self.keys[oldest:]])
        return weighted(weights, self.values[oldest:])


def decoded(macro, record):
    """The vector that a record of a value is read as."""
    result, scale = [0.0] * macro.d, macro.score_scale()
    for path, part in zip(macro.paths, record.parts):
        sigma, epsilon = norm_parts(part.norm)
        rows = [sigma * 2.0 ** epsilon * word for word in path.column(part)]
        if isinstance(macro, Prod):
            sigma, epsilon = norm_parts(record.residual.norm)
            factor = sigma * 2.0 ** (epsilon + macro.n // 2 - 16 - macro.n) * macro.z
            turned = rotate([-1 if t else 1 for t in record.residual.signs], [1] * macro.d)
            rows = [v + factor * s * x for v, s, x in zip(rows, macro.second_signs, turned)]
        turned = rotate(rows, [1] * len(rows))
        for channel, sign, x in zip(path.channels, path.signs, turned):
            result[channel] = sign * x * scale
    return result


class Errors:
    """Bit errors of a window: p, the seed of the generator, the number of the window."""
    def __init__(self, p, seed, window):
        self.p, self.seed, self.window = p, seed, window

    def mask(self, bits, token, layer, head, of_values):
        return faults.mask(bits, self.p, self.seed, token, layer, head, of_values, self.window)


class Records:
    """A store of the records of a macro of keys, and of one of values."""
    def __init__(self, c, kind, layer, head, errors=None):
        self.place, self.errors = (layer, head), errors
        here = c | {"layer": layer, "head": head}
        self.macros = [kind(here), kind(here | {"center": "", "balance": ""})]  # of keys, of values
        self.records, self.memories, self.copies, self.rows = ([], []), [], [], []
        if c["code"] != "none":
            self.memories = [Memory(macro, c["code"], c["erasure"], False) for macro in self.macros]

    def write(self, before, key, value):
        token = len(self.rows)
        for of_values, (macro, raw) in enumerate(zip(self.macros, (halves(key), halves(value)))):
            record = macro.write(raw)
            self.records[of_values].append(record)
            if not of_values:
                self.copies.append(macro.copies.copy(record.parts[0].y, record.e))
            if self.memories:
                bits = ecc.words(macro.code, macro.size()) * ecc.CODES[macro.code][0]
                mask = self.errors.mask(bits, token, *self.place, bool(of_values)) if self.errors else 0
                self.memories[of_values].write(token, record, mask)
        self.rows.append(widened(halves(value)))

    def read(self, of_values, oldest):
        """Records of the tokens from `oldest` on, as a query of the newest reads them."""
        records = self.records[of_values]
        if self.memories:  # neighbours are those of the sequence, whatever the query sees
            records = self.memories[of_values].read(range(len(records)), records)
        return records[oldest:]

    def attend(self, query, oldest, scale):
        macro, count = self.macros[0], len(self.rows)
        exact = [t < macro.copies.first or t >= count - macro.copies.last for t in range(count)]
        rounded = macro.query(halves(query))
        scores = []
        for t, record in enumerate(self.read(False, oldest), oldest):
            _, bits = macro.copies.score(rounded, self.copies[t]) if exact[t] else macro.score(rounded, record)
            scores.append(scale * single(floats_of([bits])[0] * macro.score_scale()))
        values = [self.rows[t] if exact[t] else decoded(self.macros[1], record)
                  for t, record in enumerate(self.read(True, oldest), oldest)]
        return weighted(softmax(scores), values)


class Sequence:
    """What tiers.Coded asks of a trace."""
    def __init__(self, d, layer, head):
        self.d, self.layer, self.head = d, layer, head


class Tiers:
    """A tiered store; SPEC as `--cache` takes it."""
    def __init__(self, spec, model, layer, head):
        self.sides, self.sequence, self.model = tier_spec.parse(spec, model.d), Sequence(model.d, layer, head), model
        self.rows, self.coded, self.keys = ([], []), None, []

    def write(self, before, key, value):
        for rows, row in zip(self.rows, (before if self.sides[0].rope == "pre" else key, value)):
            rows.append(halves(row))
        self.coded = [tiers.Coded(side, rows, self.sequence) for side, rows in zip(self.sides, self.rows)]
        count = len(self.rows[0])
        self.keys = [self.coded[0].at(t, count)[1].decoded for t in range(count)]
        if self.sides[0].rope == "pre":
            self.keys = [self.model.placed(self.sequence.layer, self.sequence.head, row, t) for t, row in enumerate(self.keys)]

    def attend(self, query, oldest, scale):
        count = len(self.keys)
        weights = softmax([scale * math.fsum(map(mul, query, key)) for key in self.keys[oldest:]])
        return weighted(weights, [self.coded[1].at(t, count)[1].decoded for t in range(oldest, count)])

#!/usr/bin/env python3
"""Every number that the contract of bounded memories quotes, its worked example, and each step against a second definition of it."""
import math
import os
import struct
import tempfile
import unittest
from fractions import Fraction
from random import Random

import contract
import memory
import memory_masters as masters
import memory_parameters
import memory_records
import memory_tensors
import memory_traces
from codebook import Codebook
from floats import to_fp16
from memory_macro import Trace
from memory_records import Read, Records
from rows import Maker

EXAMPLE = "macro: {head_dim: 32}\nrotation: {identity: true}\nmemory: {window: 2, exact: 3, sinks: 1, summary: 2}\n"
A, B, C = ([f(i) for i in range(32)] for f in (lambda i: 7 * i % 11 - 5, lambda i: i * i % 11 - 5, lambda i: (3 * i * i + i) % 13 - 6))
ROWS = {"A": A, "B": B, "C": C, "M": [2 * a + b for a, b in zip(A, B)], "N": [3 * b + a for a, b in zip(A, B)], "Z": [0] * 32}
GATES = {"h": (2.0, 225), "l": (-2.0, 30), "v": (-2.5, 19), "d": (-4.0, 5)}
LABELS = ".wsxm"
TABLE = """
Z v | 0, -1, -1, 0, -1, 0 | w...... | 0/0/1 - - - - - -
N l | 0, -1, -1, 0, -1, 1 | ww..... | 0/0/1 1/1/1 - - - - -
M h | 7, 0, -1, 0, -1, 2 | sww.... | 0/0/1 1/1/1 2/2/1 - - - -
C h | 4, 1, -1, 0, -1, 3 | sxww... | 0/0/1 1/1/1 2/2/1 3/3/1 - - -
M h | 3, 2, 1, 2, 2, 4 | sxmww.. | 0/0/1 1/1/1 2/2/1 3/3/1 4/4/1 - -
N h | 4, 3, 1, 0, -1, 5 | sxmxww. | 0/0/1 1/1/1 2/2/1 3/3/1 4/4/1 5/5/1 -
N h | 3, 4, 1, 3, 4, 2 | sxwxmw. | 0/0/1 1/1/1 6/6/1 3/3/1 4/4/2 5/5/1 -
Z h | 2, 5, 1, 3, 5, 4 | sxwxwm. | 0/0/1 1/5/1 6/6/1 3/3/1 7/7/1 5/5/3 -
A d | 2, 2, 1, 3, 2, 5 | sxmxww. | 0/0/1 1/6/1 6/6/4 3/3/1 7/7/1 8/8/1 -
A v | 5, 4, 1, 3, 2, 1 | swmxxw. | 0/0/1 9/9/1 6/6/5 3/3/1 7/7/1 8/8/1 -
Z l | 1, 5, -1, 1, -1, 5 | swmxxw. | 0/0/1 9/9/1 6/6/5 3/3/1 7/7/1 10/10/1 -
N l | 1, 1, -1, 3, 1, 2 | smwxxw. | 0/0/1 9/9/6 11/11/1 3/3/1 7/7/1 10/10/1 -
A v | 6, 5, 3, 2, 5, 6 | smwxxmw | 0/0/1 9/9/6 11/11/1 3/3/1 7/7/1 10/10/1 12/12/1
C h | 6, 2, 3, 3, 2, 1 | swmxxmw | 0/0/1 13/13/1 11/11/7 3/3/1 7/7/1 10/10/1 12/12/1
"""


def macro(text):
    """The macro of a configuration."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.yaml")
        with open(path, "w") as file:
            file.write(text)
        return contract.load(path)


def sized(d, b, more=""):
    return macro(f"macro: {{head_dim: {d}, index_bits: {b}}}\nmemory: {{window: 2}}\n{more}")


def single(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def raw(row):
    return masters.half_bits([float(x) for x in row])


class Example(unittest.TestCase):
    def setUp(self):
        self.macro = macro(EXAMPLE)
        self.lines = [[part.strip() for part in line.split("|")] for line in TABLE.strip().splitlines()]
        tokens = [line[0].split() for line in self.lines]
        rows = [raw(ROWS[name]) for name, _ in tokens]
        self.trace = Trace(rows, rows, [GATES[gate][0] for _, gate in tokens], [raw(ROWS["M"])], [13], list(range(14)), None)
        self.tensors, self.metadata = self.macro.run(self.trace)

    def test_table(self):
        found = {name: tensor.rows() if len(tensor.shape) > 1 else tensor.values() for name, tensor in self.tensors.items()}
        self.assertEqual(list(found["gate_codes"]), [GATES[line[0].split()[1]][1] for line in self.lines])
        for t, (_, event, labels, slots) in enumerate(self.lines):
            self.assertEqual(", ".join(map(str, found["events"][t])), event)
            self.assertEqual("".join(LABELS[label] for label in found["labels"][t]), labels)
            numbers = zip(found["labels"][t], found["positions"][t], found["stamps"][t], found["merged"][t])
            self.assertEqual(" ".join("/".join(map(str, rest)) if label else "-" for label, *rest in numbers), slots)

    def test_records(self):
        records = self.macro.records
        read = {name: records.read(records.value(raw(ROWS[name]))) for name in "ACMNZ"}
        self.assertEqual([read[name].root for name in "ACMZ"], [63343, 59268, 61679, 127438])

        def cosine(a, b):
            acc = memory_records.accumulator(read[a], read[b])
            return round(acc * 2 ** 16 / (read[a].root * read[b].root), 3)

        self.assertEqual([cosine(*pair) for pair in ("MA", "MN", "NA", "CN")], [0.910, 0.801, 0.589, 0.012])
        self.assertEqual([cosine("Z", name) for name in "ACMN"], [0] * 4)
        self.assertEqual([round(t / 65536, 3) for t in (44290, 56945)], [0.676, 0.869])

    def test_end(self):
        master = memory_tensors.rows(self.slots(), "masters")[:4]
        self.assertEqual(masters.half_floats(master), [-14.8515625, -0.90576171875, -6.9140625, 13.9140625])
        self.assertEqual(struct.pack("<4H", *master).hex(" ", 2), "6dcb 3fbb eac6 f54a")
        self.assertEqual(self.slots().slots[2].value.hex(), "122514925c816ba6f49548899351")
        self.assertEqual(list(self.tensors["accumulators"].values()), [42240, -3208, 42940, -3208, 42240, 42240, 55693])
        self.assertEqual([single(bits) for bits in self.tensors["scores"].values()],
                         [0, -76139.875, 2440870.5, -76139.875, 0, 0, 1010305.8125])
        self.assertEqual([bits for bits in self.tensors["scores"].values() if bits << 1 & 0xFFFFFFFF == 0], [0] * 3)

    def slots(self):
        end = self.macro.memory()
        for key, value, z in zip(self.trace.keys, self.trace.values, self.trace.gates):
            end.enter(masters.half_floats(key), masters.half_floats(value), z)
        return end

    def test_result(self):
        shapes = {name: (tensor.dtype, tensor.shape) for name, tensor in self.tensors.items()}
        self.assertEqual(list(shapes.items()), [
            ("gate_codes", ("U8", [14])), ("events", ("I32", [14, 6])), ("labels", ("U8", [14, 7])), ("gates", ("U8", [14, 7])),
            ("positions", ("I32", [14, 7])), ("stamps", ("I32", [14, 7])), ("merged", ("I32", [14, 7])),
            ("key_records", ("U8", [14, 7, 14])), ("value_records", ("U8", [14, 7, 14])), ("masters", ("F16", [14, 2, 32])),
            ("accumulators", ("I64", [1, 7])), ("scores", ("F32", [1, 7]))])
        self.assertEqual([self.metadata[name] for name in ("thresholds", "gate_thresholds", "blend")], ["44290,56945", "26,13", "12"])
        self.assertEqual(sorted(self.metadata), sorted(["boundaries", "centroids", "kappa", "score_scale", "thresholds", "gate_thresholds", "blend"]))


class Numbers(unittest.TestCase):
    def test_gates(self):
        levels = [single(bits) for bits in memory_parameters.gate_levels()]
        self.assertEqual([f"{levels[j - 1]:.8g}" for j in (13, 26)] + [levels[127]], ["-2.9652731", "-2.1972246", 0])
        self.assertEqual([memory_parameters.gate_code(z) for z in (-2.0, 16.0, -3.0, -0.0)], [30, 255, 12, 128])
        self.assertTrue(all(a < b for a, b in zip(levels, levels[1:])))
        random = Random(1)
        for _ in range(5000):
            z = random.gauss(0, 4)
            exact = 255 / (1 + math.exp(-z))
            if abs(exact % 1 - 0.5) > 1e-4:
                self.assertEqual(memory_parameters.gate_code(masters.single(z)), round(exact))
        self.assertEqual([memory_parameters.gate_parameter(x) for x in (0.10, 0.05, 0.047, 0, 1)], [26, 13, 12, 0, 255])

    def test_thresholds(self):
        found = [[memory_parameters.threshold(tau, "gaussian", 128, b) for tau in (0.7, 0.9)] for b in (3, 2, 4)]
        self.assertEqual(found, [[44290, 56945], [40486, 52053], [45439, 58422]])
        self.assertEqual(f"{1 - memory_parameters.expectation('gaussian', 128, 3):.7f}", "0.0345478")

    def test_distortion(self):
        """E[gamma²] of a Lloyd-Max quantizer equals E[x·gamma(x)]; estimated from draws."""
        random = Random(2)
        for kind, d in (("gaussian", 128), ("beta", 32)):
            book, total = Codebook(kind, d, 2, 13, 8), 0.0
            for _ in range(4000):
                x = [random.gauss(0, 1) for _ in range(d if kind == "beta" else 1)]
                y = x[0] * math.sqrt(d / sum(v * v for v in x)) if kind == "beta" else x[0]
                total += float(book.gamma[sum(y > edge for edge in book.beta)]) ** 2
            self.assertAlmostEqual(total / 4000, float(memory_parameters.expectation(kind, d, 2)), delta=0.05)

    def test_widths(self):
        """The largest sums of any codebook, and those of the defaults at d = 128."""
        for most, d, bits in ((127, 256, (22, 23, 19, 42, 55, 56)), (88, 128, (20, 21, 18))):
            q = d * most * most
            root = memory_records.nearest_root(q << 16)
            found = q.bit_length(), q.bit_length() + 1, root.bit_length()
            found += (q * root).bit_length() + 1, (q << 32).bit_length() + 1, (root * root * (2 ** 17 - 1)).bit_length() + 1
            self.assertEqual(found[:len(bits)], bits)
        most = max(memory_parameters.threshold(2, kind, d, b) for kind, d, b in (("gaussian", 128, 4), ("beta", 32, 4)))
        self.assertEqual(most.bit_length(), 17)
        words = Codebook("gaussian", 128, 3, 13, 8).C
        self.assertEqual((len({abs(a * b) for a in words for b in words}), max(a * a for a in words).bit_length() + 1), (10, 14))

    def test_rebuilt(self):
        records = sized(128, 3).records
        self.assertEqual(single(records.scale_bits), 13119285 * 2.0 ** -36)
        largest = {d: masters.rebuilt(r := sized(d, 2).records, r.read(r.value([0x7BFF] + [0] * (d - 1)))) for d in (32, 64, 128, 256)}
        self.assertEqual({round(max(map(abs, row))) for row in largest.values()}, {98938})
        self.assertTrue(all(max(map(masters.half, row)) == 65504 for row in largest.values()))

    def test_sizes(self):
        """Bytes of a memory as its state stores them."""
        for w, e, s, rows, fp16, records in ((128, 32, 32, 98304, 110592, 30080), (256, 64, 64, 196608, 221184, 60160),
                                             (512, 128, 128, 393216, 442368, 120320)):
            unit = sized(128, 3).records
            found = []
            for store in ("fp16", "records"):
                p = memory_parameters.parameters({"window": w, "exact": e, "summary": s, "store": store}, "gaussian", 128, 3)
                width = {"U8": 1, "F16": 2, "I32": 4}
                found.append(sum(math.prod(memory_tensors.shape(name, p, unit)) * width[memory_tensors.TYPES[name]] for name in memory_tensors.names(p)))
            self.assertEqual((4 * 128 * (w + e + s), *found), (rows, fp16, records))
            self.assertEqual(2 ** 17 * 512 // records, {30080: 2231, 60160: 1115, 120320: 557}[records])
            self.assertIn(f"{256 * records / 1e6:.2f}", ("7.70", "15.40", "30.80"))

    def test_defaults(self):
        text = ("window=256,exact=64,summary=64,sinks=0,novel=44290,match=56945,gate_exact=26,gate_summary=13,blend=12,evict=gate,"
                "summary_key=newest,store=records")
        p = memory_parameters.parameters({}, "gaussian", 128, 3)
        self.assertEqual((p.text(), memory_parameters.parse_text(text)), (text, p))
        self.assertEqual(sized(128, 3).max_keys, 2 + 64 + 64)
        high = memory_parameters.parameters({"novel": 0.95}, "gaussian", 128, 3)
        self.assertEqual(high.novel, high.match)


class Steps(unittest.TestCase):
    def test_eta(self):
        """The quotient in double, rounded again, is FP32 RNE of the quotient for every product."""
        for product in {h * g for h in range(256) for g in range(256)}:
            x = masters.eta(1, product)
            exact = Fraction(product, 65025)
            ulp = Fraction(2) ** (math.frexp(x)[1] - 24)
            self.assertLess(abs(Fraction(x) - exact), ulp / 2)

    def test_masters(self):
        """FP16 and FP32 RNE of exact numbers."""
        def rounded(x, bits, least):
            """RNE to `bits` significant bits, no finer than 2^least."""
            if not x:
                return x
            n, m = abs(x).as_integer_ratio()
            exponent = n.bit_length() - m.bit_length()
            exponent -= abs(x) < Fraction(2) ** exponent
            unit = Fraction(2) ** max(exponent - bits + 1, least)
            return round(x / unit) * unit

        random = Random(3)
        for i in range(15000):
            old, new = (masters.half_floats([random.getrandbits(15) % 0x7C00 | random.getrandbits(1) << 15])[0] for _ in range(2))
            if i % 2:
                new = masters.single(old + random.gauss(0, 1) * 2.0 ** random.randint(-30, 4))
            weight = masters.eta(random.randrange(256), random.randrange(256))
            if i % 20 == 0:  # sums that cancel
                new = masters.single(random.gauss(0, 1) * 2.0 ** random.randint(-4, 12))
                old = memory_traces.critical(new, weight, random)
            step = rounded(Fraction(new) - Fraction(old), 24, -149)
            total = rounded(Fraction(old) + rounded(Fraction(weight) * step, 24, -149), 24, -149)
            expected = max(Fraction(-65504), min(Fraction(65504), rounded(total, 11, -24)))
            (found,) = masters.blended([old], [new], weight, masters.half)
            self.assertEqual(Fraction(found), expected)
            self.assertEqual(masters.half_bits([abs(masters.half(new))])[0], to_fp16(*(lambda n, m: (n, 1 - m.bit_length()))(*abs(new).as_integer_ratio())))
        self.assertEqual([masters.half(x) for x in (65519.0, 65520.0, -1e9)], [65504, 65504, -65504])
        self.assertEqual([masters.input_bits([x])[0] for x in (65519.0, 65520.0, -1e9, -0.0)], [0x7BFF, 0x7C00, 0xFC00, 0x8000])

    def test_rebuilt_by_definition(self):
        """v^ against the matrix of the rotation, in exact numbers, for records of any bits."""
        random = Random(4)
        for d, b in ((32, 2), (64, 3), (128, 4)):
            records = sized(d, b).records
            for _ in range(3):
                read = records.read(random.randbytes(records.size))
                sigma = Fraction(read.norm & 1023) / 2 ** 24
                if read.norm >> 10 & 31:
                    sigma = (1024 + (read.norm & 1023)) * Fraction(2) ** ((read.norm >> 10 & 31) - 25)
                for i, x in enumerate(masters.rebuilt(records, read)):
                    y = sum(c * (-1) ** (i & j).bit_count() for j, c in enumerate(read.column))
                    exact = Fraction(single(records.scale_bits)) * records.path.signs[i] * y * sigma
                    self.assertLessEqual(abs(Fraction(x) - exact), abs(exact) / 2 ** 24)
                    self.assertEqual(math.copysign(1, x), math.copysign(1, exact))

    def test_similarity(self):
        """Cosines in exact numbers: order, thresholds, ties to the lower slot, zero norms."""
        random, records = Random(5), sized(32, 3).records
        maker = Maker(32, "fp16", random)
        for _ in range(60):
            base = [maker.gaussian(random.choice([0, 3])) for _ in range(2)] + [maker.zeros()]
            reads = [records.read(records.value(random.choice(base) if random.random() < 0.6 else maker.gaussian())) for _ in range(6)]
            e, *others = reads
            cosines = []
            for other in others:
                acc = sum(a * b for a, b in zip(e.column, other.column)) if e.norm and other.norm else 0
                cosines.append(Fraction(acc * 2 ** 16, e.root * other.root))
            best = max(cosines)
            slot, acc = memory_records.nearest(e, list(enumerate(others)))
            self.assertEqual(slot, cosines.index(best))
            for t in (0, 1, 44290, math.floor(best * 65536), math.floor(best * 65536) + 1):
                self.assertEqual(memory_records.reaches(acc, e, others[slot], t), best * 65536 >= t)
        self.assertIsNone(memory_records.nearest(reads[0], []))
        zero = Read(reads[0].column, 0x8000, reads[0].root)  # bit 15 of a norm is ignored
        self.assertEqual(memory_records.accumulator(zero, reads[0]), 0)

    def test_root(self):
        for q in [1, 2, 3, 2 ** 22 - 1] + [Random(6).getrandbits(22) for _ in range(99)]:
            n = memory_records.nearest_root(q << 16)
            self.assertTrue((2 * n - 1) ** 2 < q << 18 < (2 * n + 1) ** 2)


class Stores(unittest.TestCase):
    def memory(self, store, key="newest", d=32, pairing="half"):
        unit = sized(d, 3)
        p = memory_parameters.parameters({"window": 1, "exact": 0, "summary": 1, "store": store, "summary_key": key}, "gaussian", d, 3)
        return memory.Memory(Records(unit), p, pairing=pairing)

    def tokens(self, count):
        random = Random(7)
        return [[[masters.single(random.gauss(0, 1)) for _ in range(32)] for _ in range(2)] for _ in range(count)]

    def test_fp16_and_f32(self):
        """Masters are value rows; FP32 rows are those before rounding, their masters are not rounded to FP16."""
        for store in ("fp16", "f32"):
            one, rows = self.memory(store), self.tokens(4)
            as_stored = (lambda row: masters.half_floats(masters.input_bits(row))) if store == "fp16" else list
            for key, value in rows:
                one.enter(key, value, 16.0)
            expected = as_stored(rows[0][1])
            for _, value in rows[1:3]:
                weight, new = masters.eta(12, 255), as_stored(value)
                expected = masters.blended(expected, new, weight, masters.half if store == "fp16" else float)
            slot = one.slots[one.of(memory.SUMMARY)[0]]
            self.assertEqual((slot.value_row, slot.key_row, slot.position, slot.merged), (expected, as_stored(rows[2][0]), 2, 3))
            self.assertEqual(slot.value, one.records.value(masters.input_bits(expected)))

    def test_band(self):
        for pairing, channels in (("half", [*range(8, 16), *range(24, 32)]), ("interleaved", range(16, 32))):
            one, rows = self.memory("fp16", "band", pairing=pairing), self.tokens(4)
            self.assertEqual(one.channels, set(channels))
            for key, value in rows:
                one.enter(key, value, 16.0)
            keys = [masters.half_floats(masters.input_bits(key)) for key, _ in rows]
            slot = one.slots[one.of(memory.SUMMARY)[0]]
            for i, x in enumerate(slot.key_row):
                old = masters.half(masters.single(masters.ROOT_OF_TWO * keys[0][i]))
                for key in keys[1:3]:
                    (old,) = masters.blended([old], [masters.single(masters.ROOT_OF_TWO * key[i])], masters.eta(12, 255), masters.half)
                self.assertEqual(x, old if i in one.channels else 0)

    def test_refused(self):
        one, ((key, value),) = self.memory("records"), self.tokens(1)
        one.limit = 1
        for bad in ((key[:-1] + [65520.0], value, 0.0), (key, [math.nan] + value[1:], 0.0), (key, value, math.inf), (key, value, math.nan)):
            self.assertRaises(memory.Refused, one.enter, *bad)
        self.assertEqual((one.tokens, one.refused, one.of(memory.FREE)), (0, 4, [0, 1]))
        one.enter(key, value, 0.0)
        self.assertRaises(memory.Refused, one.enter, key, value, 0.0)
        self.assertEqual((one.tokens, one.refused), (1, 5))

    def test_many_merges(self):
        """After 400 merges toward one target the master is near it."""
        one, random = self.memory("records"), Random(8)
        target = [random.gauss(0, 1) for _ in range(32)]
        for t in range(402):
            one.enter(target, target if t else [random.gauss(0, 1) for _ in range(32)], 16.0)
        slot = one.slots[one.of(memory.SUMMARY)[0]]
        dot, norms = sum(map(float.__mul__, slot.master, target)), [sum(x * x for x in row) for row in (slot.master, target)]
        self.assertEqual(slot.merged, 401)
        self.assertGreater(dot / math.sqrt(math.prod(norms)), 0.97)


if __name__ == "__main__":
    unittest.main()

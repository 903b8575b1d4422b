#!/usr/bin/env python3
"""Checks of the coders of a tiered cache: the test vectors of the contract, the packing of KIVI's own code, and what follows from the contract."""
import math
import struct
import unittest
from fractions import Fraction
from operator import mul
from random import Random

import kivi
import nuq
import nuq_codebook
import squat
import squat_matrices
import tier_spec
import tier_stores
from floats import to_fp16
from halves import UNITS, half, halves, packed, singles, widened
from tier_rows import GroupMaker, RowMaker

ROW = [-1.5, -0.25, -0.0, 0.5, 1, 2, 3, 4.25]
OUTLYING = [0.5, -2, 1, 1, 3, -1, 0, 3]
QUARTERS = [-0.75, -0.25, 0.25, 0.75]


def units(row, exponent=0):
    return [int(x * 2.0 ** (24 + exponent)) for x in row]


def rounded(x):
    """RNE of a fraction, by definition."""
    low = math.floor(x)
    rest = x - low
    return low + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and low % 2)


def kivi_words(codes, bits):
    """KIVI's int32 words of codes along the packed dimension: code j of a word shifted left by bits · j."""
    per_word = 32 // bits
    words = [0] * (len(codes) // per_word)
    for i, code in enumerate(codes):
        words[i // per_word] |= code << bits * (i % per_word)
    return [word - (1 << 32) if word >> 31 else word for word in words]


def coded(row, bits):
    return kivi.code(units(row), bits)


class Vectors(unittest.TestCase):
    """Test vectors of the contract."""
    def test_plan(self):
        side = tier_spec.Side("tiered", True)
        self.assertEqual([side.bounds(n) for n in (64, 95, 96, 543, 544, 32768)],
                         [(0, 0), (0, 0), (32, 0), (448, 0), (480, 32), (32704, 32256)])
        side = tier_spec.Side("tiered:hot=64,warm=64,step=32,sink=4", True)
        self.assertEqual([side.bounds(n) for n in (3, 99, 100, 132, 164)], [(4, 4), (4, 4), (36, 4), (68, 4), (100, 36)])

    def test_kivi(self):
        for bits, scale, codes, data in ((2, 0x3FAB, [0, 1, 1, 1, 1, 2, 2, 3], "54e9"), (3, 0x3A92, [0, 2, 2, 2, 3, 4, 5, 7], "9034f6"),
                                         (4, 0x3622, [0, 3, 4, 5, 7, 9, 12, 15], "305497fc")):
            group = coded(ROW, bits)
            self.assertEqual((group.codes, group.scale, group.minimum), (codes, scale, 0xBE00))
            self.assertEqual(packed(group.codes, bits).hex(), data)
        group = kivi.code(units([0, 1, 2, 3, 4, 5, 22, 23], -24), 4)
        self.assertEqual((group.scale, group.minimum, group.codes), (2, 0, [0, 0, 1, 2, 2, 2, 11, 12]))
        group = kivi.code(units([0, 1, 2, 3, 3, 2, 1, 3], -24), 3)
        self.assertEqual((group.scale, group.minimum, group.codes), (0, 0, [0] * 8))
        group = coded([65504, -65504, 0, 1, 2, 3, 4, 5], 2)
        self.assertEqual((group.scale, group.minimum, group.codes), (0x7955, 0xFBFF, [3, 0, 1, 1, 1, 1, 1, 1]))
        self.assertEqual(kivi.values(group)[0], 65536)
        self.assertEqual(halves(kivi.values(group)[:1]), [0x7BFF])
        self.assertEqual(kivi.Group(list(range(16)), 0, 0).demoted().codes, [0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3])

    def test_feedback(self):
        one = UNITS[0x3C00]
        for current, e, weights, errors, expected in (
                (one, -14, [8192, -3], [1 << 21, 1], 0x3C40), (one, -14, [1], [8 << 24], 0x3C00), (one, -14, [1], [(8 << 24) + 1], 0x3C01),
                (UNITS[0x7BFF], 0, [1], [16 << 24], 0x7BFF), (-one, 0, [1], [one], 0)):
            self.assertEqual(squat.fed(current, weights, errors, e), UNITS[expected])

    def test_kvquant(self):
        book, raw = nuq.Book(2, halves(QUARTERS)), halves(OUTLYING)
        row = nuq.value(raw, book, 2)
        self.assertEqual(row.extremes, [0xBC00, 0x4200])
        self.assertEqual([nuq.position(x, 1.0, 2.0) for x in OUTLYING], [-0.25, -1.5, 0, 0, 1, -1, -0.5, 1])
        self.assertEqual(row.stored(2).hex(" "), "51 c3 00 bc 00 42 01 04 00 c0 00 42")
        self.assertEqual(nuq.key(raw, [1.0] * 8, [2.0, 2.0, 0.0] + [2.0] * 5, book, 2).stored(2).hex(" "), "51 c3 01 04 00 c0 00 42")

    def test_codebook(self):
        y = [-1, -0.9, -0.2, 0, 0.1, 0.6, 0.7, 1]
        self.assertEqual(nuq_codebook.centroids([(v, 1.0) for v in y], 2), ([0xBB9A, 0xA844, 0x3933, 0x3C00], [0, 205, 2253, 3482]))
        self.assertEqual(nuq_codebook.centroids([(v, 1.0 if v else 5.0) for v in y], 2)[0], [0xBB9A, 0xA350, 0x3933, 0x3C00])

    def test_example_1(self):
        """ADR-004's Example 1: bytes of 80 layers, 64 KV heads, 8 sequences of 32768 tokens."""
        side, total = [tier_spec.Side("tiered", keys) for keys in (True, False)], [0, 0, 0]
        for one in side:
            w, a = one.bounds(32768)
            sizes = [one.size(tier_spec.store(name), 128, 0) / one.unit for name in ("kivi4", "kivi2")]
            parts = 256 * (32768 - w), sizes[0] * (w - a), sizes[1] * a
            total = [x + 80 * 64 * 8 * part for x, part in zip(total, parts)]
        self.assertEqual(total, [1342177280, 2936012800, 126835752960])

    def test_sizes(self):
        """Bytes of a token at d = 128, of keys and of values."""
        for name, group, outliers, expected in (("kivi4", 32, 0, (80, 80)), ("kivi3", 32, 0, (64, 64)), ("squat2", 32, 0, (48, 48)),
                                                ("kivi2", 64, 0, (40, 40)), ("kivi2", 128, 0, (36, 36)), ("kvquant4", 32, 2, (70, 74)),
                                                ("kvquant3", 32, 2, (54, 58)), ("kvquant2", 32, 2, (38, 42)), ("axelram4", 32, 0, (66, 66)),
                                                ("axelram2", 32, 0, (34, 34))):
            text = f"tiered:group={group},value_group={group},step=128"
            found = [tier_spec.Side(text, keys).size(tier_spec.store(name), 128, outliers) for keys in (True, False)]
            self.assertEqual((found[0] / group, found[1]), expected, name)
        self.assertEqual([nuq.outlier_count(0.01, d) for d in (32, 64, 128, 256)], [2, 2, 2, 4])
        self.assertEqual([nuq.outlier_count(x, 32) for x in (0.0, 1e-300, 0.0625, 0.25)], [0, 2, 2, 8])


class Properties(unittest.TestCase):
    def test_packing_of_kivi(self):
        """The code part equals the 32-bit words of KIVI's pack_tensor, tokens of a channel or channels of a token."""
        random = Random(5)
        for bits in (2, 4):
            for keys, count, size in ((True, 32, 16 if bits == 2 else 8), (True, 32, 32), (True, 64, 128), (False, 128, 32), (False, 32, 8)):
                groups = [GroupMaker(random, bits).draw(size) for _ in range(count if keys else count // size)]
                groups = [kivi.code([UNITS[raw] for raw in group], bits) for group in groups]
                runs = [group.codes for group in groups] if keys else [[q for group in groups for q in group.codes]]
                words = [word for run in runs for word in kivi_words(run, bits)]
                data = struct.pack(f"<{len(words)}i", *words)
                self.assertEqual(kivi.stored(groups, bits)[:len(data)], data)

    def test_layout(self):
        """Codes, then scales, then minima: of the channels of a key block, and of the groups of a value."""
        groups = [kivi.Group([i % 4 for i in range(8)], 0x1234 + g, 0x9876 + g) for g in range(2)]
        self.assertEqual(kivi.stored(groups, 2).hex(" "), "e4 e4 e4 e4 34 12 35 12 76 98 77 98")
        side = tier_spec.Side("kivi:group=8,value_group=8,step=8", True)
        rows = [halves([t + 10.0 * c for c in range(32)]) for t in range(8)]
        block = tier_stores.code(rows, tier_spec.store("kivi3"), tier_stores.Constants(side, 32, 0, 0))
        self.assertEqual(block.data[:96].hex(" ", 3), " ".join(["88c6fa"] * 32))
        self.assertEqual(block.data[96:], struct.pack("<64e", *[1.0] * 32, *[10.0 * c for c in range(32)]))
        self.assertEqual([row.decoded for row in block.rows], [widened(row) for row in rows])
        side.keys = False
        value = tier_stores.code(rows[1:2], tier_spec.store("kivi2"), tier_stores.Constants(side, 32, 0, 0))
        self.assertEqual(value.data[8:], struct.pack("<8e", *[70 / 3] * 4, 1, 81, 161, 241))

    def test_kivi_by_definition(self):
        random, ties = Random(6), 0
        for i in range(3000):
            bits = 2 + i % 3
            raw = GroupMaker(random, bits).draw(8)
            x, group, top = [Fraction(UNITS[r], 1 << 24) for r in raw], kivi.code([UNITS[r] for r in raw], bits), (1 << bits) - 1
            exact = (max(x) - min(x)) / top
            scale, least = (Fraction(UNITS[r], 1 << 24) for r in (group.scale, group.minimum))
            neighbours = [abs(Fraction(UNITS[r], 1 << 24) - exact) for r in (max(group.scale - 1, 0), group.scale + 1)]
            self.assertTrue(abs(scale - exact) <= min(neighbours) and least == min(x) and group.minimum != 0x8000)
            if abs(scale - exact) == min(neighbours) and group.scale:
                self.assertEqual(group.scale % 2, 0)
                ties += 1
            for v, q, decoded in zip(x, group.codes, kivi.values(group)):
                self.assertEqual(q, max(0, min(top, rounded((v - least) / scale))) if scale else 0)
                self.assertLessEqual(abs(Fraction(decoded) - (least + q * scale)), abs(least + q * scale) / (1 << 24))
        self.assertGreater(ties, 50)

    def test_nested(self):
        """Demotion equals min(3, RNE((x - min) / (5 · scale))) for every x between two half steps, ties included."""
        for scale in (2, 6, 2048):
            for x in range(0, 16 * scale + 1, max(1, scale // 64)):
                q = max(0, min(15, kivi.nearest(x, scale)))
                self.assertEqual((q + 2) // 5, min(3, rounded(Fraction(x, 5 * scale))))
        random = Random(7)
        for _ in range(500):
            x = [UNITS[raw] for raw in GroupMaker(random, 4).draw(16)]
            four = kivi.code(x, 4)
            two, step = four.demoted(), 5 * UNITS[four.scale]
            if step:
                self.assertEqual(two.codes, [min(3, rounded(Fraction(v - min(x), step))) for v in x])
            self.assertEqual(two.decoded(5), [min(x) + q * step for q in two.codes])

    def test_squat_of_one_block_is_kivi(self):
        random = Random(8)
        rows = [RowMaker(32, random, [nuq.Book(2, halves(QUARTERS))]).draw() for _ in range(8)]
        channels = kivi.channels_of(rows)
        for bits in (2, 3, 4):
            expected = [kivi.code(x, bits) for x in channels]
            self.assertEqual(squat.Feedback(32, 32, [], []).code(channels, bits), expected)
            zeros = squat.Feedback(32, 8, [0] * (64 * 6), [0] * 3)
            self.assertEqual(zeros.code(channels, bits), expected)
            first = squat.Feedback(32, 8, [random.randint(-99, 99) for _ in range(64 * 6)], [-8] * 3).code(channels, bits)
            self.assertEqual(first[:8], expected[:8])
            self.assertNotEqual(first[8:], expected[8:])

    def test_squat_by_hand(self):
        """Two blocks of 8 channels: the second is coded after the errors of the first, token by token."""
        random = Random(9)
        channels = [[UNITS[raw] for raw in halves([random.gauss(0, 1) for _ in range(8)])] for _ in range(16)]
        numbers = [random.randint(-20000, 20000) for _ in range(64)]
        found = squat.Feedback(16, 8, numbers, [-15]).code(channels, 2)
        first = [kivi.code(x, 2) for x in channels[:8]]
        for i in range(8):
            moved = []
            for t in range(8):
                total = sum(Fraction(numbers[8 * i + j], 1 << 15) * (first[j].decoded()[t] - channels[j][t]) for j in range(8))
                exact = (channels[8 + i][t] + total) / (1 << 24)
                moved.append(UNITS[struct.unpack("<H", struct.pack("<e", float(exact)))[0]])
            self.assertEqual(found[8 + i], kivi.code(moved, 2))

    def test_squat_of_queries(self):
        """Matrices of the queries that keys meet lower the error of scores; without eigenpairs there is no feedback."""
        random, d = Random(13), 32
        basis = [[random.gauss(0, 1) for _ in range(d)] for _ in range(6)]
        queries = [[sum(w * v[i] for w, v in zip(mix, basis)) + random.gauss(0, 0.3) for i in range(d)]
                   for mix in ([random.gauss(0, 1) for _ in basis] for _ in range(200))]
        moment = [[sum(q[i] * q[j] for q in queries) / len(queries) for j in range(d)] for i in range(d)]
        for value, vector in squat_matrices.eigenpairs(moment):
            for row, x in zip(moment, vector):
                self.assertAlmostEqual(sum(map(mul, row, vector)), value * x, places=9)
        product = [[sum(map(mul, row, column)) for column in zip(*squat_matrices.inverse(moment))] for row in moment]
        for i, row in enumerate(product):
            for j, x in enumerate(row):
                self.assertAlmostEqual(x, float(i == j), places=9)
        blocks = [[[UNITS[raw] for raw in halves([random.gauss(0, 1) for _ in range(16)])] for _ in range(d)] for _ in range(12)]
        errors = []
        for rank in (0, 6, d):
            unit, total = squat.Feedback(d, 8, *squat_matrices.feedback(moment, 8, rank, 0.5)), 0.0
            for channels in blocks:
                wrong = [[(y - x) / (1 << 24) for x, y in zip(before, group.decoded())] for before, group in zip(channels, unit.code(channels, 2))]
                total += sum(sum(map(mul, q, token)) ** 2 for token in zip(*wrong) for q in queries)
            errors.append(total)
        self.assertLess(max(errors[1:]), 0.5 * errors[0])
        self.assertEqual(squat_matrices.integers([[0.5, -0.25 - 2.0 ** -17]]), (-15, [16384, -8192]))
        self.assertEqual(squat_matrices.integers([[0.0]])[0], -20)

    def test_rounding(self):
        """halves and singles are RNE, as the integers of floats.py are."""
        random = Random(10)
        for i in range(20000):
            n = random.getrandbits(random.randint(1, 40))
            exponent = random.randint(-30 - n.bit_length(), 17 - n.bit_length())
            n = n << 12 | random.choice([0, 1 << 11]) if i % 2 else n  # halfway between fewer bits
            sign = random.choice([1, -1])
            self.assertEqual(halves([sign * n * 2.0 ** exponent]), [half(sign * n, exponent)])
        self.assertEqual((half(-1, -26), half(-1, -24), half(1 << 40, 0)), (0, 0x8001, 0x7BFF))
        self.assertEqual(str(singles([-0.0, -1e-60])), "[0.0, 0.0]")
        self.assertEqual(to_fp16(3, -25), 2)

    def test_kvquant(self):
        book, plain = nuq.Book(2, halves(QUARTERS)), [i / 64 for i in range(-80, 81)]
        self.assertEqual([book.index(y) for y in plain], [max(0, min(3, math.ceil(2 * y) + 1)) for y in plain])
        row = nuq.value(halves([1, 5, 5, -2, 5, -2, -2, 0]), book, 4)  # ties: lower channels
        self.assertEqual((row.channels, row.extremes), ([1, 2, 3, 5], halves([-2, 5])))
        row = nuq.key(halves([1, 5, 5, -2, 9, 7, -2, 0]), [0.0] * 8, [1.0] * 8, book, 4)
        self.assertEqual((row.channels, row.elements), ([1, 2, 4, 5], halves([5, 5, 9, 7])))
        row = nuq.value([0x8000, 0, 0x8000, 0x3C00, 0, 0, 0x4000, 0xBC00], book, 2)  # -0 is 0; elements keep their bits
        self.assertEqual((row.channels, row.elements, row.extremes), ([6, 7], [0x4000, 0xBC00], [0, 0x3C00]))
        row = nuq.key([0x8000] * 8, [0.0] * 8, [1.0] * 8, book, 2)
        self.assertEqual((row.channels, row.elements, str(row.decoded[:3])), ([0, 1], [0x8000] * 2, "[-0.0, -0.0, -0.25]"))
        self.assertEqual(str(nuq.key([0x3C00] * 8, [-0.0] * 8, [0.0] * 8, book, 0).decoded[0]), "0.0")

    def test_ranges(self):
        x = units([5, 1, 2, 3, 4, 100, -7, 6, 8, 9])
        self.assertEqual(nuq_codebook.channel_range(x, 0.0), tuple(halves([46.5, 53.5])))
        self.assertEqual(nuq_codebook.channel_range(x, 0.2), tuple(halves([5.0, 4.0])))

    def test_split_is_least(self):
        """The split over few bins against every split; the least starts on equality."""
        random = Random(11)
        for i in range(60):
            samples = [(random.choice([-1, 1, random.uniform(-1, 1)]), random.choice([1.0, 0.5, 0.0, 3.0])) for _ in range(12)]
            prefix = nuq_codebook.histogram(samples, 16)
            table = [[0.0] + [math.inf] * 16]
            starts = []
            for _ in range(4):
                row = [min((table[-1][i] + nuq_codebook.cost(prefix, i, j), i) for i in range(j)) if j else (math.inf, None) for j in range(17)]
                starts.append(row)
                table.append([value for value, _ in row])
            place, expected = 16, []
            for row in reversed(starts):
                place = row[place][1]
                expected.append(place)
            self.assertEqual(nuq_codebook.split(prefix, 4), expected[::-1])

    def test_cost(self):
        """Weighted squared error around the mean of bins that hold one number each."""
        samples = [(-0.9, 1.0), (-0.3, 2.0), (0.2, 0.5), (0.7, 4.0)]
        mean, deviation = nuq_codebook.moments(samples)
        self.assertAlmostEqual(nuq_codebook.cost(nuq_codebook.histogram(samples, 16), 0, 16), 7.5 * deviation ** 2)
        self.assertAlmostEqual(mean, (-0.9 - 0.6 + 0.1 + 2.8) / 7.5)

    def test_normalised_levels(self):
        random = Random(12)
        samples = [(random.random() ** 3, random.choice([1.0, 2.0])) for _ in range(4000)]
        gamma = halves([0.1, 0.4, 0.6, 0.9])
        levels = widened(nuq_codebook.normalised_levels(samples, 2, gamma))
        book = nuq.Book(2, gamma)
        after = nuq_codebook.moments([(levels[book.index(y)], w) for y, w in samples])
        for a, b in zip(after, nuq_codebook.moments(samples)):
            self.assertAlmostEqual(a, b, delta=1e-3)


if __name__ == "__main__":
    unittest.main()

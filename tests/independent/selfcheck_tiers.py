#!/usr/bin/env python3
"""Checks of the tiered cache: the test vectors of the contract, the packing of KIVI's own code, and what follows from the contract."""
import math
import struct
import tempfile
import unittest
from fractions import Fraction
from operator import mul
from random import Random

import attention
import kivi
import nuq
import nuq_codebook
import safetensors
import squat
import squat_matrices
import tier_calibration
import tier_cases
import tier_compare
import tier_files
import tier_spec
import tier_stores
import tier_wrong
import tiers
from floats import to_fp16
from halves import UNITS, half, halves, packed, singles, widened
from safetensors import Tensor
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


def case(name):
    return next(one for one in tier_cases.STANDARD if one.name == name)


def made(folder, one):
    spec = tier_files.write(folder, one.seed, one.spec, one.d, one.tokens, one.queries, one.g, one.outliers)
    return tiers.run(spec, f"{folder}/trace.safetensors")


class Results(unittest.TestCase):
    def store(self, name):
        with tempfile.TemporaryDirectory() as folder:
            return made(folder, case(name))

    def test_faults_are_seen(self):
        """One number changed in each tensor, its type, its shape, the order, and metadata."""
        store = self.store("nested before rotation")
        expected, metadata = store.tensors()
        self.assertEqual(tier_compare.differences(store, expected, metadata), [])
        for name, tensor in expected.items():
            for place in {0, len(tensor.values()) // 2, len(tensor.values()) - 1}:
                values = list(tensor.values())
                values[place] ^= 1 << 22 if tensor.dtype == "F32" else 1
                lines = tier_compare.differences(store, expected | {name: Tensor.pack(tensor.dtype, tensor.shape, values)}, metadata)
                if name == "scores" and len(lines) == 2:  # the softmax of other scores is another
                    self.assertTrue(lines.pop().startswith("outputs: "), lines)
                self.assertTrue(len(lines) == 1 and lines[0].startswith(f"{name}: "), (name, place, lines))
            for other in (Tensor("I64", [len(tensor.data) // 8], tensor.data[:len(tensor.data) // 8 * 8]), Tensor(tensor.dtype, [1, *tensor.shape], tensor.data)):
                self.assertTrue(tier_compare.differences(store, expected | {name: other}, metadata)[0].startswith(f"{name}: "))
            self.assertTrue(tier_compare.differences(store, {k: v for k, v in expected.items() if k != name}, metadata)[0].startswith("tensors: "))
        for key in metadata:
            self.assertEqual(tier_compare.differences(store, expected, metadata | {key: "0"})[0][:15], f"metadata {key}"[:15])
        self.assertEqual(len(tier_compare.differences(store, dict(reversed(expected.items())), metadata)), 1)

    def test_tokens_that_are_not_seen(self):
        store = self.store("nested before rotation")
        expected, metadata = store.tensors()
        values = list(expected["scores"].values())
        row = next(i for i, token in enumerate(store.trace.query_tokens) if token < 79)
        for bits, seen in ((0, False), (0x80000000, True), (1, True)):
            values[row * 80 + 79] = bits
            lines = tier_compare.differences(store, expected | {"scores": Tensor.pack("F32", expected["scores"].shape, values)}, metadata)
            self.assertEqual(bool(lines), seen)

    def test_rows_between_tiers(self):
        """Every token at every n: FP16 rows, warm blocks, and archived blocks that are the warm ones with fewer codes."""
        store = self.store("nested")
        for part, raws in ((store.keys, store.trace.keys), (store.values, store.trace.values)):
            for n in (1, 36, 37, 68, 100, 150):
                w, a = part.side.bounds(n)
                for token in range(n):
                    tier, row = part.at(token, n)
                    self.assertEqual(tier, tiers.HOT if token < 4 or token >= w else tiers.ARCHIVE if token < a else tiers.WARM)
                    if tier == tiers.HOT:
                        self.assertEqual(halves(row.decoded), [raw & (0xFFFF if raw & 0x7FFF else 0) for raw in raws[token]])
                        self.assertEqual(row.extents, [abs(x) for x in widened(raws[token])])
            for warm, nested in zip(part.warm, part.archive):
                self.assertEqual((warm.code, nested.code), (4, 18))
                sizes = [len(group.codes) for group in warm.groups]
                self.assertEqual(nested.data[sum(sizes) // 4:], warm.data[sum(sizes) // 2:])
                for four, two in zip(warm.groups, nested.groups):
                    least, scale = UNITS[four.minimum] / (1 << 24), UNITS[four.scale] / (1 << 24)
                    self.assertEqual(kivi.values(two, 5), singles([least + 5 * ((q + 2) // 5) * scale for q in four.codes]))
                place, channels = (0, range(64)) if part.side.keys else (0, range(0, 64, 16))
                for channel, four, two in zip(channels, warm.groups, nested.groups):
                    self.assertEqual(nested.rows[place].decoded[channel], kivi.values(two, 5)[0])
                    self.assertEqual(nested.rows[place].extents[channel], abs(UNITS[four.minimum] / (1 << 24)) + 15 * UNITS[four.scale] / (1 << 24))

    def test_rows_of_a_file(self):
        """Layer and KV head choose the row of a calibration file."""
        with tempfile.TemporaryDirectory() as folder:
            made(folder, case("kvquant2"))
            tensors = safetensors.read(f"{folder}/calibration.safetensors")[0]
            for layer in range(2):
                for head in range(2):
                    found = tier_calibration.Calibration(f"{folder}/calibration.safetensors", 128, layer, head, "pre")
                    self.assertEqual(found.row("key_middles", "F16", 128), list(tensors["key_middles"].rows()[2 * layer + head]))
                    self.assertEqual(found.row("key_codebook2", "F16", 4, False), list(tensors["key_codebook2"].rows()[layer]))
                    self.assertEqual(found.feedback().matrices[1][5], list(tensors["squat_matrices"].rows()[2 * layer + head][96 * 32 + 160:][:32]))

    def test_axelram(self):
        """What a record decodes to by definition, and that scores agree with it."""
        centers = set()
        for name in ("axelram4 to axelram2", "axelram3 to axelram4", "axelram4 to kivi2", "axelram4 to squat2"):
            with tempfile.TemporaryDirectory() as folder:
                store = made(folder, case(name))
                for part in (store.keys, store.values):
                    bits = tier_spec.store(part.side.before).bits
                    macro = part.constants.macro(bits)
                    centers.add((part.side.keys, macro.center is not None))
                    k, exponent = attention.binary_scale(macro.score_scale(), 24)
                    for block in part.warm[:2]:
                        for row in block.rows[:8]:
                            written = row.record.parts[0]
                            for i in range(0, store.d, 7):
                                levels = sum((-1) ** (i & j).bit_count() * macro.paths[0].book.C[q] for j, q in enumerate(written.indices))
                                norm = struct.unpack("<e", struct.pack("<H", written.norm))[0]
                                exact = Fraction(macro.paths[0].signs[i] * levels * k) * Fraction(2) ** exponent * Fraction(norm)
                                if macro.center:
                                    exact = Fraction(float(exact) + widened(macro.center)[i])
                                self.assertEqual(row.decoded[i], singles([float(exact)])[0])
                query, found = widened(store.trace.queries[-1]), store.exact[-1]
                for t, (score, extent) in enumerate(found):
                    decoded = store.keys.at(t, len(found))[1].decoded
                    self.assertLessEqual(abs(score - sum(q * v for q, v in zip(query, decoded))), 0.05 * extent)
        self.assertEqual(centers, {(True, True), (True, False), (False, False)})

    def test_rotations(self):
        """Keys are turned as complex numbers are, in both orders of pairs; the offset is added behind."""
        for seed in range(6):
            with tempfile.TemporaryDirectory() as folder:
                one = tier_cases.Case("", "kivi:rope=pre", 32, 20, 4, seed=seed)
                store = made(folder, one)
            trace = store.trace
            key = [float(i * i - 50) for i in range(32)]
            for token in (0, 13):
                turned = trace.turned(key, token)
                for (i, j), (c, s) in zip(trace.pairs, trace.rotations[token]):
                    z = complex(key[i], key[j]) * complex(c, s) + complex(trace.offset[i], trace.offset[j])
                    self.assertEqual(j - i, 1 if trace.metadata.get("rotation_pairs") else 16)
                    self.assertAlmostEqual(turned[i], z.real)
                    self.assertAlmostEqual(turned[j], z.imag)
                extents = store.keys.rows[token].extents
                sums = [extents[i] + extents[j] for i, j in sorted(trace.pairs + [(j, i) for i, j in trace.pairs])]
                self.assertEqual(store.read(tiers.HOT, store.keys.rows[token], token)[1], sums)

    def test_bounds_are_tight(self):
        """A score or an output that is off by little more than its bound is seen, one within it is not."""
        store = self.store("kivi")
        expected, metadata = store.tensors()
        for name, width, bound, scored in (("scores", 140, 2.0 ** -17, True),
                                          ("outputs", 128, 2.0 ** -14, False)):
            rows = [[struct.unpack("<f", struct.pack("<I", bits))[0] for bits in row] for row in expected["scores"].rows()]
            i = next(i for i in range(len(rows)) if any(extent > 1 for _, extent in store.exact[i]))
            of = store.exact[i] if scored else store.attended(i, rows[i][:store.trace.query_tokens[i] + 1])
            c, (number, extent) = max(enumerate(of), key=lambda item: item[1][1])
            for factor, seen in ((0.9, False), (1.1, True)):
                bits = struct.unpack("<I", struct.pack("<f", number + factor * bound * extent))[0]
                values = list(expected[name].values())
                values[i * width + c] = bits
                lines = tier_compare.differences(store, expected | {name: Tensor.pack("F32", expected[name].shape, values)}, metadata)
                self.assertEqual(any(line.startswith(name) for line in lines), seen, (name, factor, lines))

    def test_tiers_of_kivi(self):
        """keys hot=1, step=R and values hot=R + 1, step=1: KIVI's residuals, the tier of every token at every n."""
        residual = 32
        keys, values = tier_spec.parse(case("KIVI's decoding").spec, 64)
        for n in range(1, 400):
            self.assertEqual(keys.bounds(n)[0], (n - 1) // residual * residual)
            self.assertEqual(values.bounds(n), (max(0, n - residual - 1),) * 2)

    def test_moves(self):
        """A block moves into the archive at the n at which the bound passes it."""
        for text in ("tiered:hot=3,warm=5,step=8,group=8,sink=2", "tiered:hot=64,warm=1,step=32", "kivi:hot=1,step=7,sink=3"):
            side = tier_spec.Side(text, False)
            for token in range(side.sink, 150):
                n = side.archived_at(token)
                self.assertTrue(side.bounds(n - 1)[1] <= token < side.bounds(n)[1])

    def test_auto(self):
        side = tier_spec.Side("tiered:hot=40,warm=0,step=8,group=8,archive_store=auto,rope=pre", True)
        for token, name in ((1999, "kivi2"), (2000, "squat2"), (8143, "squat2"), (8144, "kvquant3")):
            kind = side.archive_of(token)
            self.assertEqual(f"{kind.name}{kind.bits}", name)

    def test_wrong_inputs(self):
        accepted = []
        with tempfile.TemporaryDirectory() as folder:
            for name, spec, *options in tier_wrong.wrong_inputs(folder):
                try:
                    tiers.run(spec, f"{folder}/trace.safetensors")
                    accepted.append(name)
                except (ValueError, OSError) as error:
                    self.assertEqual(len(str(error).splitlines()), 1)
        self.assertEqual(accepted, ["right, before rotation", "right, after rotation", "engine rtl"])  # the program has engines

    def test_cases_cover_the_contract(self):
        sides = [(one, side) for one in tier_cases.STANDARD for side in tier_spec.parse(one.spec, one.d)]
        used = [(one, side) for one, side in sides if one.tokens > side.sink + side.hot + side.warm + side.step]
        for keys in (True, False):
            mine = [(one, side) for one, side in used if side.keys == keys]
            self.assertEqual({one.d for one, _ in mine}, {32, 64, 128, 256})
            self.assertLessEqual({f"{name}{bits}" for name in ("kivi", "squat", "kvquant", "axelram") for bits in (2, 3, 4)},
                                 {side.archive for _, side in mine})
            self.assertEqual({side.before for _, side in mine if side.warm}, {"kivi4", "kivi3", "axelram4", "axelram3"})
            self.assertEqual({side.rope for _, side in mine}, {"post", "pre"})
        self.assertEqual({side.unit for _, side in used if side.keys}, {8, 16, 32, 64, 128, 256})
        self.assertEqual({side.value_group for _, side in used if not side.keys}, {8, 16, 32, 64, 128, 256})
        self.assertEqual({one.g for one, side in used if "squat" in side.archive}, {8, 16, 32, 64, 128, 256})
        self.assertEqual({one.outliers for one, side in used if "kvquant" in side.archive} >= {0.0, 0.01, 0.25}, True)

    def test_traces_are_adversarial(self):
        """What the corners of the contract meet in the standard set."""
        seen = set()
        for name in ("kivi", "nested", "squat2 of hot rows", "kvquant2"):
            with tempfile.TemporaryDirectory() as folder:
                store = made(folder, case(name))
            for part in (store.keys, store.values):
                for block in part.warm + part.archive:
                    for group in block.groups:
                        seen.add("scale 0" if not group.scale else "subnormal scale" if group.scale < 0x400 else "scale")
                    seen |= {"beyond FP16" for row in block.rows for x in row.decoded if abs(x) > 65504}
                    seen |= {"exact" for row in block.rows for x, a in zip(row.decoded, row.extents) if abs(x) == a and x}
                seen |= {"-0" for row in part.rows for x in row.decoded if str(x) == "-0.0"}
        self.assertEqual(seen, {"scale 0", "subnormal scale", "scale", "beyond FP16", "exact", "-0"})


if __name__ == "__main__":
    unittest.main()

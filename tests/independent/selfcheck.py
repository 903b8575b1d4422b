#!/usr/bin/env python3
"""Every number that the specification quotes, and each building block against a second definition of it."""
import math
import os
import struct
import tempfile
import unittest
import zlib
from decimal import Decimal
from fractions import Fraction
from random import Random

import contract
import ecc
import faults
import floats
import parameters
import safetensors
import vectors
from codebook import Beta, Codebook, Gaussian, lloyd_max, rne_shift
from config import VALUES
from macro_rows import MacroMaker


def macro(text="{}", tensors=None):
    """The macro of a configuration, which may name the file f with these tensors."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.yaml")
        with open(path, "w") as file:
            file.write(text)
        if tensors:
            safetensors.write(os.path.join(folder, "f"), tensors, {})
        return contract.load(path)


def value(raw, form="fp16"):
    v, exponent = floats.significand(raw, form)
    return math.ldexp(v, exponent - floats.FRACTION[form])


def seeded_vector(seed):
    """The vector of a seed in the test vectors of the quantizers."""
    words = vectors.sign_words(seed, 0, 0, 32)
    return [words[i // 4] >> 16 * (i % 4) & 0x8FFF | 0x3000 for i in range(128)]


def copy_of(unit, key):
    record = unit.write(key)
    return unit.copies.of([(record.parts[0].y, record.e)])[0]


class SelfCheck(unittest.TestCase):
    def test_signs(self):
        self.assertEqual(vectors.sign_words(42, 0, 0, 2), [0x57e1faba65107204, 0xf4abd143feb24055])
        self.assertEqual(vectors.sign_words(42, 0, 1, 1), [0xfc991bca1a1aa1ae])

    def test_rom(self):
        self.assertEqual(Codebook("gaussian", 128, 2, 13, 8).C, [-120, -36, 36, 120])
        self.assertEqual(Codebook("gaussian", 128, 3, 13, 8).C, [-88, -55, -31, -10, 10, 31, 55, 88])

    def test_distortion(self):  # 1 - E[gamma²], against Max's table
        for bits, expected in ((1, "0.3634"), (2, "0.1175"), (3, "0.03455"), (4, "0.009501")):
            gamma, beta = lloyd_max(Gaussian(), bits)
            edges = [0.0] + [float(v) for v in beta if v > 0] + [40.0]
            tail = [math.erfc(v / math.sqrt(2)) for v in edges]
            energy = sum(float(g) ** 2 * (p - q) for g, p, q in zip(gamma[len(gamma) // 2:], tail, tail[1:]))
            self.assertAlmostEqual(1 - energy, float(expected), delta=float(expected) * 2e-3)

    def test_lloyd_conditions(self):  # centroids against Simpson's rule on the density
        for law, top in ((Gaussian(), 12.0), (Beta(32), math.sqrt(32)), (Beta(128), math.sqrt(128))):
            density = (lambda x: math.exp(-x * x / 2)) if isinstance(law, Gaussian) else (
                lambda x: max(0.0, 1 - x * x / float(law.d)) ** ((float(law.d) - 3) / 2))
            gamma, beta = lloyd_max(law, 4)
            edges = [float(v) for v in beta if v >= 0] + [top]
            for g, low, high in zip(gamma[8:], edges, edges[1:]):
                step, moments = (high - low) / 4000, [0.0, 0.0]
                for i in range(4001):
                    x, weight = low + i * step, 1 if i in (0, 4000) else 2 + 2 * (i & 1)
                    moments[0] += weight * density(x)
                    moments[1] += weight * density(x) * x
                self.assertAlmostEqual(float(g), moments[1] / moments[0], delta=1e-11)

    def test_rotation(self):
        random = Random(1)
        m, s = [random.randint(-9999, 9999) for _ in range(64)], [random.choice((-1, 1)) for _ in range(64)]
        y = [sum((-1) ** (r & c).bit_count() * s[c] * m[c] for c in range(64)) for r in range(64)]
        self.assertEqual(vectors.rotate(m, s), y)

    def test_rounding(self):
        random = Random(2)
        for _ in range(20000):
            n, e = random.getrandbits(random.randint(1, 50)), random.randint(-190, 60)
            self.assertEqual(floats.to_fp32(-n, e), struct.unpack("<I", struct.pack("<f", -math.ldexp(n, e) if n else 0))[0])
            e, real = e // 5, math.ldexp(n, e // 5)
            if real <= 65504:
                self.assertEqual(floats.to_fp16(n, e), struct.unpack("<H", struct.pack("<e", real))[0])
            else:
                self.assertEqual(floats.to_fp16(n, e), 0x7BFF)
            root = vectors.nearest_root(n)
            self.assertLess(abs(Decimal(n).sqrt() - root), Decimal("0.5"))
            self.assertEqual(rne_shift(-n, 7), round(-n / 128) if n < 2 ** 53 else rne_shift(-n, 7))
            for form, code in (("fp16", "<e"), ("bf16", "<f")):
                raw = random.randint(0, 2 * floats.BIAS[form] + 1 << floats.FRACTION[form])
                if floats.finite(raw, form):
                    data = struct.pack("<H", raw) if form == "fp16" else struct.pack("<I", raw << 16)
                    self.assertEqual(value(raw, form), struct.unpack(code, data)[0])
        self.assertEqual(floats.to_fp32(1, -151), 0)
        self.assertEqual(floats.to_fp32(-1, -151), 0x80000000)
        self.assertEqual(floats.to_fp32(-1, 128), 0xFF7FFFFF)

    def test_record(self):
        unit = macro()
        record = unit.write([0x3C00] + [0] * 127)
        part, packed = record.parts[0], unit.pack(record)
        self.assertEqual((len(packed), len(part.words), part.norm), (50, 7, 0x3C00))
        word = int.from_bytes(packed, "little")
        self.assertEqual([word >> 3 * i & 7 for i in range(128)] + [word >> 384], part.indices + [part.norm])
        record = unit.write([0x8000] * 128)
        self.assertEqual((unit.pack(record), record.parts[0].words, record.parts[0].root), (bytes(50), [0] * 7, 0))
        self.assertEqual(unit.query([0] * 128), ([0] * 128, -28))

    def test_quantizer_vectors(self):
        key, query = seeded_vector(1), seeded_vector(2)
        self.assertEqual(key[:4] + query[:4], [0x311E, 0x3439, 0xBB08, 0x3E41, 0xB4B4, 0x3FD7, 0x3C4F, 0x3468])
        self.assertAlmostEqual(sum(value(a) * value(b) for a, b in zip(key, query)), 5.70066, delta=5e-6)
        for scale, crc, expected in (("norm", 0xE90878AD, (0x493C, 10912, 0x46DF1D80)),
                                     ("unbiased", 0x1AE8BAD8, (0x4C40, 10912, 0x47352800))):
            unit = macro(f"quantizer: {{scale: {scale}}}")
            record = unit.write(key)
            packed, (acc,), score = unit.pack(record), *unit.score(unit.query(query), record)
            self.assertEqual((len(packed), packed[:8].hex(), zlib.crc32(packed)), (50, "a4569aa293cc0b50", crc))
            self.assertEqual((record.parts[0].norm, acc, score), expected)
        self.assertEqual(record.parts[0].correlation, 864825748)
        for bits, crc, expected in ((16, 0x1C26E118, (-9, [673, 75, -3940, -148, 4614, 118, 7818, 41], 1469791, 0x47336AF8)),
                                    (12, 0x96184B23, (-5, [42, 5, -246, -9, 288, 7, 489, 3], 91936, 0x47339000))):
            unit = macro(f"quantizer: {{scale: unbiased}}\nexact: {{last: 1, bits: {bits}}}")
            self.assertEqual(unit.pack(unit.write(key)), packed)
            h, e_k = copy = copy_of(unit, key)
            self.assertEqual(zlib.crc32(struct.pack("<128h", *h)), crc)
            (acc,), score = unit.copies.score(unit.query(query), copy)
            self.assertEqual((e_k, h[:8], acc, score), expected)

    def test_trellis_vectors(self):
        key, query = seeded_vector(1), seeded_vector(2)
        for states, scale, bits, crc, first, expected in (
                (4, "unbiased", 2, 0x7477685C, "5aa3758502c3ba3a", (0x497B, 1341274416, 5107929, 18677, 0x4747EB5C)),
                (8, "unbiased", 2, 0xAF33C391, "da2778810286ae26", (0x497C, 1340077368, 4883368, 18955, 0x474B0A2A)),
                (16, "norm", 4, 0x19498C8C, "88956b8d952c22c8", (0x493C, None, 376448, 11067, 0x46E248D4))):
            unit = macro(f"macro: {{index_bits: {bits}}}\nquantizer: {{kind: trellis, scale: {scale}, states: {states}}}")
            record = unit.write(key)
            packed, part, (acc,), score = unit.pack(record), record.parts[0], *unit.score(unit.query(query), record)
            found = part.norm, part.correlation if scale == "unbiased" else None, part.cost, acc, score
            self.assertEqual((packed[:8].hex(), zlib.crc32(packed), found), (first, crc, expected))

    def test_copy(self):
        random = Random(5)
        for text in ("", "macro: {head_dim: 32}", "numerics: {significand_bits: 20}", "macro: {element_format: bf16}"):
            for bits in (12, 13, 16):
                unit = macro(f"{text}\nquantizer: {{scale: unbiased}}\nexact: {{first: 1, bits: {bits}}}")
                maker = MacroMaker(unit, random)
                limit, reached = 2 ** (bits - 1) - 1, 0
                for make in (maker.gaussian, maker.outliers, maker.small, maker.mixed, maker.hadamard, maker.clamped):
                    key = make()
                    m, e = vectors.align(key, unit.form, unit.w)
                    y = vectors.rotate(m, unit.paths[0].signs)
                    h, e_k = copy_of(unit, key)
                    unit_of_h = Fraction(2) ** (e_k - e)
                    nearest = [round(v / unit_of_h) for v in y]  # of a Fraction: ties to even
                    reached += any(abs(v) > limit for v in nearest)
                    self.assertEqual(h, [max(-limit, min(limit, v)) for v in nearest])
                    self.assertTrue(e_k == e or max(map(abs, y)) * 2 / unit_of_h > limit)  # no smaller unit holds y
                self.assertGreater(reached, 0)

    def test_copy_score(self):  # the exact inner product of what query and copy hold, in the unit of all scores
        unit = macro("numerics: {centroid_bits: 6}\nquantizer: {scale: unbiased}\nexact: {last: 1, bits: 14}")
        tensors, metadata = unit.run([seeded_vector(1)], [seeded_vector(2)])
        u, h = tensors["rotated_queries"].values(), tensors["exact_keys"].values()
        exponent = tensors["query_exponents"].values()[0] + tensors["exact_exponents"].values()[0]
        product = math.ldexp(sum(a * b for a, b in zip(u, h)), exponent) / 128
        score = struct.unpack("<f", tensors["scores"].data)[0] * float(metadata["score_scale"])
        self.assertEqual(score, product)
        self.assertAlmostEqual(score, 5.70066, delta=0.1)
        self.assertEqual(unit.copies.score(([0] * 128, 0), ([0] * 128, 0)), ([0], 0))
        self.assertEqual(unit.copies.score(([-1] + [0] * 127, -200), ([1] + [0] * 127, 0)), ([-1], 0x80000000))
        self.assertEqual(unit.copies.score(([-1] + [0] * 127, 200), ([1] + [0] * 127, 0)), ([-1], 0xFF7FFFFF))

    def test_exact_tokens(self):
        keys = [seeded_vector(seed) for seed in range(6)]
        for first, last, exact in ((1, 0, "100000"), (0, 2, "000011"), (2, 3, "110111"), (2, 4, "111111"), (9, 64, "111111")):
            unit = macro(f"quantizer: {{scale: unbiased}}\nexact: {{first: {first}, last: {last}}}")
            tensors, _ = unit.run(keys, keys[:1])
            self.assertEqual("".join(map(str, tensors["exact"].values())), exact)
            copies = [copy_of(unit, key) for key, bit in zip(keys, exact) if bit == "1"]
            self.assertEqual(tensors["exact_keys"].rows(), [tuple(h) for h, _ in copies])
            self.assertEqual(tensors["exact_exponents"].values(), tuple(e for _, e in copies))
            records, _ = macro("quantizer: {scale: unbiased}").run(keys, keys[:1])
            for name in ("accumulators", "scores"):
                same = [a == b for a, b in zip(tensors[name].values(), records[name].values())]
                self.assertEqual(same, [bit == "0" for bit in exact])
            empty, _ = unit.run([], [])
            self.assertEqual([empty[name].shape for name in ("exact", "exact_keys", "exact_exponents")], [[0], [0, 128], [0]])
        self.assertTrue(records.keys().isdisjoint(["exact", "exact_keys", "exact_exponents"]))
        with self.assertRaises(ValueError):
            macro("exact: {last: 1}")

    def test_drawn_hardware(self):  # what the seeds of scripts/lint draw
        kinds = [{}, {"two_parts": True}, {"attention": True}]
        drawn = [parameters.with_hardware(seed, parameters.draw(seed, "f", **kinds[seed % 3])[0]) for seed in range(1, 51)]
        for section, name in [("microarchitecture", "score_lane"), ("microarchitecture", "table_storage"),
                              ("microarchitecture", "clock_gating"), ("ecc", "erasure"), ("ecc", "decoder"),
                              ("store", "rotation_memory"), ("macro", "head_dim"), ("macro", "index_bits")]:
            self.assertLessEqual(set(VALUES[name]), {c.get(section, {}).get(name) for c in drawn}, name)
        for name in ("key_lanes", "read_lanes"):
            self.assertEqual({c["microarchitecture"][name] for c in drawn}, {1, 2, 4, 8, 16, 32}, name)
        self.assertEqual({c["ecc"].get("stages") for c in drawn}, {None, 0, 1, 2, 3})
        self.assertTrue(any(c["split"]["bits"][1] == 1 for c in drawn if "split" in c))

    def test_drawn(self):  # what the seeds of CMakeLists.txt draw
        drawn = [parameters.draw(seed, "")[0] for seed in range(1, 25)]
        exact = [c for c in drawn if sum(c.get("exact", {}).get(key, 0) for key in ("first", "last"))]
        self.assertTrue(all(c["quantizer"]["scale"] == "unbiased" for c in exact))
        self.assertEqual({c["exact"]["bits"] for c in exact}, set(range(12, 17)))
        self.assertEqual({c["ecc"]["code"] for c in exact}, {"none", *ecc.FIXED})
        self.assertEqual({c["macro"]["element_format"] for c in exact}, {"fp16", "bf16"})
        self.assertEqual({"center" in c["rotation"] for c in exact}, {False, True})
        few = [c["exact"]["first"] + c["exact"]["last"] > min(48, c["macro"]["max_keys"]) for c in exact]
        self.assertEqual(set(few), {False, True})
        self.assertTrue(any(c["quantizer"]["scale"] == "norm" for c in drawn))
        self.assertTrue(any(c not in exact for c in drawn if c["quantizer"]["scale"] == "unbiased"))

    def test_code_sizes(self):
        self.assertEqual([ecc.size(name, 400) for name in ecc.FIXED], [88, 100, 102])
        for name in ecc.FIXED:
            unit = macro(f"ecc: {{code: {name}}}")
            tensors, _ = unit.run([[0x3C00] + [0] * 127] * 3, [])
            self.assertEqual(tensors["codewords"].shape, [3, ecc.size(name, 400)])
        self.assertNotIn("codewords", macro().run([], [])[0])

    def test_codes(self):  # linear, systematic, with the distances of the paper
        for name, distance in (("hamming74", 3), ("hamming84", 4), ("golay24", 8)):
            n, k, code = ecc.CODES[name]
            words = [code(d) for d in range(2 ** k)]
            self.assertTrue(all(word & 2 ** k - 1 == d and word < 2 ** n for d, word in enumerate(words)))
            self.assertTrue(all(words[d] ^ words[1 << i] == words[d ^ 1 << i] for d in range(2 ** k) for i in range(k)))
            self.assertEqual(min(word.bit_count() for word in words[1:]), distance)

    def test_codewords(self):  # by hand: values 15 and 2; rows 0 and 3 of B, the second word padded
        self.assertEqual(ecc.encode("hamming74", b"\x2f"), b"\x7f\x29")
        self.assertEqual(ecc.encode("hamming84", b"\x2f"), b"\xff\xd2")
        self.assertEqual(ecc.encode("golay24", b"\x01\x80"), bytes.fromhex("01b0a3 0870b4"))

    def test_philox(self):  # Random123's known answers
        self.assertEqual(faults.philox((0,) * 4, (0,) * 2), (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8))
        self.assertEqual(faults.philox((2 ** 32 - 1,) * 4, (2 ** 32 - 1,) * 2), (0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd))
        self.assertEqual(faults.philox((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), (0xa4093822, 0x299f31d0)),
                         (0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1))

    def test_decoding(self):
        for name, patterns in (("hamming74", 8), ("hamming84", 9), ("golay24", 2325)):
            self.assertEqual(len(faults.correctable(name)), patterns)
            decoder = faults.Decoder(name)
            self.assertEqual(len(decoder.errors), patterns)  # each of its own syndrome
            for error in faults.correctable(name):
                self.assertEqual(decoder.decode(decoder.code(5) ^ error, decoder.k), (5, [False]))

    def test_mean_norm(self):
        random = Random(4)
        def of_norm(norm):
            sigma, epsilon = floats.norm_parts(norm)
            return sigma * Fraction(2) ** epsilon
        for _ in range(20000):
            a = random.getrandbits(16)
            b = a + random.randint(-99, 99) & 0xFFFF if random.random() < 0.5 else random.getrandbits(16)
            mean = (of_norm(a) + of_norm(b)) / 2
            expected = struct.unpack("<H", struct.pack("<e", float(mean)))[0] if mean <= 65504 else 0x7BFF
            self.assertEqual(faults.mean_norm(a, b), expected)

    def test_digests(self):  # those of tests/golden/key_store_independent_test.cpp
        self.assertEqual(faults.digest("hamming74"), 0x98f6b02320e4f397)
        self.assertEqual(faults.digest("hamming84"), 0xba375a7c56bc01cf)
        self.assertEqual(faults.digest("golay24"), 0xfd5fb4fe046dce11)

    def test_score_error(self):  # of a score, 8-bit query and centroids, Gaussian data: what the specification measured
        for bits, expected in ((2, 0.34), (3, 0.1838), (4, 0.0974)):
            unit, random = macro(f"macro: {{index_bits: {bits}}}"), Random(3)
            maker = MacroMaker(unit, random)
            keys, queries = [maker.gaussian() for _ in range(200)], [maker.gaussian() for _ in range(100)]
            tensors, metadata = unit.run(keys, queries)
            values = [list(map(value, row)) for row in keys + queries]
            exact = [sum(map(float.__mul__, q, k)) for q in values[200:] for k in values[:200]]
            scale = float(metadata["score_scale"])
            scores = [scale * v for v in struct.unpack("<20000f", tensors["scores"].data)]
            error = math.sqrt(sum((a - b) ** 2 for a, b in zip(scores, exact)) / sum(a * a for a in exact))
            self.assertAlmostEqual(error, expected, delta=0.03 * expected)


if __name__ == "__main__":
    unittest.main()

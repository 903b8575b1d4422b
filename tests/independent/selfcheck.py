#!/usr/bin/env python3
"""Every number that the specification quotes, and each building block against a second definition of it."""
import math
import os
import struct
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction
from random import Random

import contract
import ecc
import faults
import traces
from codebook import Beta, Codebook, Gaussian, lloyd_max, rne_shift


def macro(text="{}"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.yaml")
        with open(path, "w") as file:
            file.write(text)
        return contract.Macro(path)


class SelfCheck(unittest.TestCase):
    def test_signs(self):
        self.assertEqual(contract.sign_words(42, 0, 0, 2), [0x57e1faba65107204, 0xf4abd143feb24055])
        self.assertEqual(contract.sign_words(42, 0, 1, 1), [0xfc991bca1a1aa1ae])

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
        self.assertEqual(contract.rotate(m, s), y)

    def test_rounding(self):
        random = Random(2)
        for _ in range(20000):
            n, e = random.getrandbits(random.randint(1, 50)), random.randint(-190, 60)
            self.assertEqual(contract.to_fp32(-n, e), struct.unpack("<I", struct.pack("<f", -math.ldexp(n, e) if n else 0))[0])
            e, value = e // 5, math.ldexp(n, e // 5)
            if value <= 65504:
                self.assertEqual(contract.to_fp16(n, e), struct.unpack("<H", struct.pack("<e", value))[0])
            else:
                self.assertEqual(contract.to_fp16(n, e), 0x7BFF)
            root = contract.nearest_root(n)
            self.assertLess(abs(Decimal(n).sqrt() - root), Decimal("0.5"))
            self.assertEqual(rne_shift(-n, 7), round(-n / 128) if n < 2 ** 53 else rne_shift(-n, 7))
            for form, code in (("fp16", "<e"), ("bf16", "<f")):
                raw = random.randint(0, 2 * contract.BIAS[form] + 1 << contract.FRACTION[form])
                if contract.finite(raw, form):
                    v, x = contract.split(raw, form)
                    data = struct.pack("<H", raw) if form == "fp16" else struct.pack("<I", raw << 16)
                    self.assertEqual(math.ldexp(v, x - contract.FRACTION[form]), struct.unpack(code, data)[0])
        self.assertEqual(contract.to_fp32(1, -151), 0)
        self.assertEqual(contract.to_fp32(-1, -151), 0x80000000)
        self.assertEqual(contract.to_fp32(-1, 128), 0xFF7FFFFF)

    def test_record(self):
        unit = macro()
        indices, norm, _, thresholds, record = unit.write([0x3C00] + [0] * 127)
        self.assertEqual((len(record), len(thresholds), norm), (50, 7, 0x3C00))
        word = int.from_bytes(record, "little")
        self.assertEqual([word >> 3 * i & 7 for i in range(128)] + [word >> 384], indices + [norm])
        self.assertEqual(unit.write([0x8000] * 128), ([0] * 128, 0, 0, [0] * 7, bytes(50)))
        self.assertEqual(unit.query([0] * 128), ([0] * 128, -28))

    def test_code_sizes(self):
        self.assertEqual([ecc.size(name, 400) for name in ecc.CODES], [88, 100, 102])
        for name in ecc.CODES:
            unit = macro(f"ecc: {{code: {name}}}")
            tensors, _ = unit.run([[0x3C00] + [0] * 127] * 3, [])
            self.assertEqual(list(tensors)[3:6], ["records", "codewords", "rotated_queries"])
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
        def value(norm):
            sigma, epsilon = contract.norm_parts(norm)
            return sigma * Fraction(2) ** epsilon
        for _ in range(20000):
            a = random.getrandbits(16)
            b = a + random.randint(-99, 99) & 0xFFFF if random.random() < 0.5 else random.getrandbits(16)
            mean = (value(a) + value(b)) / 2
            expected = struct.unpack("<H", struct.pack("<e", float(mean)))[0] if mean <= 65504 else 0x7BFF
            self.assertEqual(faults.mean_norm(a, b), expected)

    def test_digests(self):  # those of tests/golden/key_store_independent_test.cpp
        self.assertEqual(faults.digest("hamming74"), 0x98f6b02320e4f397)
        self.assertEqual(faults.digest("hamming84"), 0xba375a7c56bc01cf)
        self.assertEqual(faults.digest("golay24"), 0xfd5fb4fe046dce11)

    def test_score_error(self):  # of a score, 8-bit query and centroids, Gaussian data: what the specification measured
        for bits, expected in ((2, 0.34), (3, 0.1838), (4, 0.0974)):
            unit, random = macro(f"macro: {{index_bits: {bits}}}"), Random(3)
            maker = traces.Maker(unit, random)
            keys, queries = [maker.gaussian() for _ in range(200)], [maker.gaussian() for _ in range(100)]
            tensors, metadata = unit.run(keys, queries)
            floats = [[math.ldexp(v, x - 10) for v, x in (contract.split(raw, "fp16") for raw in row)]
                      for row in keys + queries]
            exact = [sum(map(float.__mul__, q, k)) for q in floats[200:] for k in floats[:200]]
            scale = float(metadata["score_scale"])
            scores = [scale * v for v in struct.unpack("<20000f", tensors["scores"].data)]
            error = math.sqrt(sum((a - b) ** 2 for a, b in zip(scores, exact)) / sum(a * a for a in exact))
            self.assertAlmostEqual(error, expected, delta=0.03 * expected)


if __name__ == "__main__":
    unittest.main()

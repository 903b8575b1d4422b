#!/usr/bin/env python3
"""The attention: every number that the specification quotes of it, and a digest that golden's tests have too."""
import struct
import unittest

import attention
import trellis
from attention import Attention, half_up
from codebook import Codebook
from faults import philox
from vectors import seeded_signs


def float_bits(v, exponent=0):
    return struct.unpack("<I", struct.pack("<f", v * 2.0 ** exponent))[0]


def score_scale(book, d):
    return float(1 / (book.kappa * d))


def drawn(i):
    """Attention i, its scores, norms, levels and signs: tests/golden/attention_independent_test.cpp draws the same."""
    d, b, count = 32 << i % 3, 2 + i % 3, i % 23
    states = 8 if i % 4 == 3 else 0
    book = trellis.Book(b, 13, 8) if states else Codebook("gaussian", d, b, 13, 8)
    scale = score_scale(book, d)
    unit = Attention(d, book.C, scale, 2.0 ** (i % 9 - 3), 12 + i % 17, 12 + i % 9, ("fp16", "fp32")[i % 2])
    scores, norms, levels = [], [], []
    for t in range(count):
        size = d * b // 8 + 2
        words = [philox((j // 4, t, i, 77), (0, 0))[j % 4] for j in range(-(-size // 4) + 2)]
        data = b"".join(word.to_bytes(4, "little") for word in words)
        bits = int.from_bytes(data[:size], "little")
        indices = [bits >> j * b & (1 << b) - 1 for j in range(d)]
        levels.append(trellis.levels_of(indices, states) if states else indices)
        norms.append(0 if t % 7 == 3 else bits >> d * b & 0xFFFF)
        v, exponent = words[-2] >> 8, (words[-1] & 15) - 4
        scores.append(float_bits(v - (1 << 24) if v >> 23 else v, exponent))
    return unit, scores, norms, levels, seeded_signs(42, i, 0, d)


class SelfCheck(unittest.TestCase):
    def test_half_up(self):
        for x, shift, expected in ((5, 1, 3), (-5, 1, -2), (-1, 1, 0), (-3, 1, -1), (-6, 2, -1), (-7, 2, -2), (-7, 0, -7)):
            self.assertEqual(half_up(x, shift), expected)

    def test_rom(self):
        self.assertEqual((attention.ROWS[0], attention.ROWS[63]), ((16777216, 2824), (8479954, 1427)))

    def test_scales(self):
        for b, softmax, value in ((2, (53856, -32), (13514988, -37)), (3, (52279, -31), (13119285, -36)),
                                  (4, (48017, -31), (12049674, -36))):
            book = Codebook("gaussian", 128, b, 13, 8)
            unit = Attention(128, book.C, score_scale(book, 128), 1 / 128 ** 0.5, 20, 16, "fp16")
            self.assertEqual((unit.softmax_scale, unit.value_scale), (softmax, value))

    def test_query(self):
        book = Codebook("gaussian", 128, 3, 13, 8)
        scores = [float_bits(v) for v in (0.0, 1e5, 1e5, -5e4, 2.6e5)]
        levels = [[(i + t) % 8 for i in range(128)] for t in range(5)]
        for output, expected in (("fp16", "0000 5640 B852 59EC 5906 D9B0 D8FE D9B0"),
                                 ("fp32", "00000000 42C802D5 BF0A41F1 433D7454 4320B21D C3360520 C31FBBD7 C335F3D8")):
            unit = Attention(128, book.C, score_scale(book, 128), 1 / 128 ** 0.5, 20, 16, output)
            found = unit.attend(scores, [0x3C00, 0x8000, 0x0001, 0x7BFF, 0x3C01], levels, [1] * 128)
            self.assertEqual(found["logits"], [0, 9971, 9971, -4986, 25926])
            self.assertEqual(found["weights"], [524288, 0, 0, 901528, 2576])
            self.assertEqual(found["weight_references"], [1, 1, 1, 15, 15])
            self.assertEqual((found["maximum"], found["denominator"]), ([7], [3109360896]))
            self.assertEqual(found["sums"][:3], [-8992336, 9093376, 28088056])
            self.assertEqual((found["output_shift"], found["reciprocal"]), ([12], [18121698]))
            self.assertEqual(found["rotated"], [0, 379232, -2048, 718432, 609376, -690240, -605728, -689984] + [0] * 120)
            self.assertEqual(found["outputs"], [int(text, 16) for text in expected.split()] + [0] * 120)

    def test_digest(self):  # the same number in tests/golden/attention_independent_test.cpp
        digest = 0xCBF29CE484222325
        for i in range(60):
            unit, *inputs = drawn(i)
            for values in unit.attend(*inputs).values():
                for value in values:
                    for place in range(8):
                        digest = (digest ^ (value >> 8 * place & 255)) * 0x100000001B3 % 2 ** 64
        self.assertEqual(hex(digest), "0x82ee70801b00fd1e")


if __name__ == "__main__":
    unittest.main()

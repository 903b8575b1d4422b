#!/usr/bin/env python3
"""BALANCE: every number that the specification quotes of it, and the step against a second definition."""
import unittest
import zlib
from fractions import Fraction
from random import Random

import floats
import parameters
import vectors
from config import VALUES
from macro_rows import MacroMaker
from rows import Maker
from safetensors import Tensor
from selfcheck import macro, seeded_vector

KINDS = {"records": {}, "two-parts": {"two_parts": True}, "attention": {"attention": True}}


def balanced(exponents, center=None, d=128, more=""):
    """The macro of a configuration with these exponents, and with this center."""
    tensors = {"balance": Tensor.pack("I8", [1, 1, d], exponents)}
    if center:
        tensors["center"] = Tensor.pack("F16", [1, 1, d], center)
    return macro(f"macro: {{head_dim: {d}}}\nrotation: {{balance: f{', center: f' * bool(center)}}}\n{more}", tensors)


def exact(raw, form="fp16"):
    """The number of a pattern."""
    v, exponent = floats.significand(raw, form)
    return v * Fraction(2) ** (exponent - floats.FRACTION[form])


def unit_of(row, form, w, powers):
    """The exponent e of ALIGN for elements times 2^power: from the numbers, those below the least normal at its binade."""
    def binade(x):
        x, e = abs(x), 0
        while x >= 2:
            x, e = x / 2, e + 1
        while 0 < x < 1:
            x, e = x * 2, e - 1
        return e

    least = 1 - floats.BIAS[form]
    return max((max(binade(exact(raw, form)), least) if exact(raw, form) else least) + power
               for raw, power in zip(row, powers)) - (w - 2)


class Balance(unittest.TestCase):
    def test_vectors(self):
        key, query, pair = seeded_vector(1), seeded_vector(2), [i % 64 for i in range(128)]
        slope = [p % 8 - 4 for p in pair]
        for exponents, center, crc, first, expected in (
                ([0] * 128, None, 0xE90878AD, "a4569aa293cc0b50", (0x493C, 10912, 0x46DF1D80)),
                (slope, None, 0x43853606, "655996c9944c0190", (0x5416, -3839, 0xC87517A8)),
                (slope, seeded_vector(3), 0xE6C31CE7, "665996c9944c0190", (0x541D, 5604, 0x48B415A8)),
                ([p % 4 - 2 for p in pair], None, 0x21370DB7, "9be6ba1313890040", (0x4DA6, 8069, 0x4732093E)),
                ([-8 if i % 2 else 7 for i in range(128)], None, 0x52179A58, "dc5855ea31aad558", (0x67B8, 0, 0))):
            unit = balanced(exponents, center)
            record = unit.write(key)
            packed, (acc,), score = unit.pack(record), *unit.score(unit.query(query), record)
            self.assertEqual((packed[:8].hex(), zlib.crc32(packed)), (first, crc))
            self.assertEqual((record.parts[0].norm, acc, score), expected)

    def test_align(self):  # from the numbers of the elements
        random = Random(3)
        for form in VALUES["element_format"]:
            for w in VALUES["significand_bits"]:
                maker = Maker(32, form, random)
                for make in (maker.gaussian, maker.mixed, maker.subnormals, maker.extremes, maker.zeros, maker.sparse):
                    row, powers = make(), parameters.exponent_row(random, 32)
                    m, e = vectors.align(row, form, w, None, powers)
                    self.assertEqual(e, unit_of(row, form, w, powers))
                    unit = Fraction(2) ** e
                    self.assertEqual(m, [round(exact(raw, form) * Fraction(2) ** power / unit)  # ties to even
                                         for raw, power in zip(row, powers)])

    def test_zeros_count(self):  # a zero of the largest exponent, by one unit in the last place
        self.assertEqual(vectors.align([1] + [0] * 31, "fp16", 16, None, [0, 8] + [0] * 30), ([0] * 32, -20))
        self.assertEqual(vectors.align([1] + [0] * 31, "fp16", 16, None, [0, 5] + [0] * 30)[0][0], 0)  # a tie
        self.assertEqual(vectors.align([1] + [0] * 31, "fp16", 16, None, [0, 4] + [0] * 30)[0][0], 1)

    def test_scaled_vectors(self):  # keys and queries that are scaled before a macro without exponents
        random, plain = Random(5), macro("macro: {head_dim: 64}")
        for kind in range(20):
            exponents = parameters.exponent_row(random, 64)
            unit = balanced(exponents, d=64)
            maker = MacroMaker(unit, random)
            # Elements of 2^-4 to 2^4 are normal numbers times every power.
            row, query = ([maker.sign(random.randint(11, 19) << 10 | random.getrandbits(10)) for _ in range(64)]
                          for _ in range(2))
            if kind == 0:
                row = [0x3C00] * 64
            scaled = [maker.times_power(raw, -power) for raw, power in zip(row, exponents)]
            asked = [maker.times_power(raw, power) for raw, power in zip(query, exponents)]
            ours, theirs = unit.write(row), plain.write(scaled)
            self.assertEqual(unit.pack(ours), plain.pack(theirs))
            self.assertEqual(unit.score(unit.query(query), ours), plain.score(plain.query(asked), theirs))

    def test_drawn(self):  # what the seeds of CMakeLists.txt draw
        for name, options in KINDS.items():
            drawn = [parameters.draw(seed, "f", balanced=True, **options) for seed in range(1, 31)]
            self.assertTrue(all(sections["rotation"]["balance"] == "f" for sections, _ in drawn), name)
            self.assertEqual({"center" in sections["rotation"] for sections, _ in drawn}, {False, True})
            self.assertEqual({sections["macro"]["head_dim"] for sections, _ in drawn}, set(VALUES["head_dim"]))
            used = {v for _, tensors in drawn for v in tensors["balance"].values()}
            self.assertEqual(used, set(range(-8, 8)))
            if name == "attention":  # its rotations are as many as the file has rows
                continue
            for seed, (sections, tensors) in enumerate(drawn, 1):
                other, same = parameters.draw(seed, "f", **options)
                other["rotation"]["balance"] = "f"
                self.assertEqual(sections, other)
                self.assertEqual(tensors["balance"].data, same["balance"].data)

    def test_rejected(self):
        for values, shape, kind, what in (
                ([0] * 127 + [8], [1, 1, 128], "I8", "from -8 to 7"), ([-9] + [0] * 127, [1, 1, 128], "I8", "from -8 to 7"),
                ([0] * 64, [1, 1, 64], "I8", "balance"), ([0] * 128, [1, 1, 128], "I32", "balance"),
                ([0] * 128, [1, 128], "I8", "balance")):
            with self.assertRaisesRegex(ValueError, what):
                macro("rotation: {balance: f}", {"balance": Tensor.pack(kind, shape, values)})


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The attention: every number that the specification quotes of it, a digest that golden's tests have too, segments, what is drawn."""
import json
import struct
import unittest

import attention
import parameters
import segments
import traces
import trellis
from attention import Attention, half_up
from codebook import Codebook
from faults import philox
from safetensors import Tensor
from segments import ALLOCATE, APPEND, ATTEND, EVICT, FREE
from selfcheck import macro, seeded_vector
from vectors import seeded_signs


def float_bits(v, exponent=0):
    return struct.unpack("<I", struct.pack("<f", v * 2.0 ** exponent))[0]


def score_scale(book, d):
    return float(1 / (book.kappa * d))


def row(code, *numbers):
    return (code, *numbers) + (0,) * (segments.COLUMNS - 1 - len(numbers))


def reasons(store, command):
    """Why a command is rejected, and what an accepted one does."""
    code, number, *numbers = command
    segment = store.find(number)
    if code == ALLOCATE:
        base, capacity, sinks, rotation, _ = numbers
        return {name for name, holds in (
            ("no such segment", number >= len(store.segments)), ("not free", segment), ("capacity 0", not capacity),
            ("many sinks", sinks > capacity), ("beyond", base + capacity > store.max_keys),
            ("no such row", rotation >= store.rotations), ("sinks", sinks), ("other row", rotation)) if holds}
    if not segment:
        return {(code, "free" if number < len(store.segments) else "missing")}
    full = code == APPEND and len(segment.tokens) == segment.capacity
    wrapped = segment.wraps and segment.capacity > segment.sinks
    emptied = code == EVICT and segment.tokens and segment.sinks == 0 and numbers[0] >= len(segment.tokens)
    return {"wrap" if wrapped else "full"} if full else {"emptied"} if emptied else set()


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
            self.assertEqual((found["maxima"], found["denominators"]), ([7], [3109360896]))
            self.assertEqual(found["sums"][:3], [-8992336, 9093376, 28088056])
            self.assertEqual((found["output_shifts"], found["reciprocals"]), ([12], [18121698]))
            self.assertEqual(found["rotated_outputs"], [0, 379232, -2048, 718432, 609376, -690240, -605728, -689984] + [0] * 120)
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

    def test_segments(self):
        store = segments.Store(9, 2, 1)
        self.assertTrue(store.take(row(ALLOCATE, 0, 2, 4, 1, 0, 1)))
        segment = store.find(0)
        for token in range(7):
            store.take(row(APPEND, 0), token)
        self.assertEqual([token for token, _ in segment.tokens], [0, 4, 5, 6])
        self.assertEqual((segment.exact(2, 2), segment.exact(6, 0)), ({0, 5, 6}, {0, 4, 5}))
        store.take(row(EVICT, 0, 2))
        store.take(row(APPEND, 0), 7)
        self.assertEqual((segment.tokens, segment.exact(2, 2)), ([(0, 0), (6, 6), (7, 7)], {0, 6, 7}))
        store.take(row(EVICT, 0, 9))
        self.assertEqual(segment.tokens, [(0, 0)])
        self.assertIsNone(store.take(row(ALLOCATE, 0, 6, 1)))
        with self.assertRaises(ValueError):
            store.take(row(ALLOCATE, 1, 5, 2))
        self.assertTrue(store.take(row(ALLOCATE, 1, 6, 3, 3, 0, 1)))
        self.assertEqual([bool(store.take(row(APPEND, 1), token)) for token in range(4)], [True] * 3 + [False])
        store.take(row(FREE, 0))
        self.assertIsNone(store.take(row(ATTEND, 0)))

    def test_run(self):
        """Commands that mean what a trace without commands does, and the rows of what is rejected."""
        vectors = [seeded_vector(seed) for seed in range(9)]
        inputs = vectors[:4], vectors[4:8], vectors[6:]
        unit = macro("quantizer: {scale: unbiased}\nexact: {first: 1}\nattention: {group: 2}\nstore: {rotations: 2}")
        tensors, metadata = unit.run(*inputs)
        single, _ = macro("quantizer: {scale: unbiased}\nexact: {first: 1}\nattention: {}").run(*inputs)
        self.assertEqual({name: tensor.data for name, tensor in tensors.items()},
                         {name: tensor.data for name, tensor in single.items()})
        self.assertEqual((tensors["outputs"].dtype, metadata["weight_bits"]), ("F16", "20"))
        commands = [row(APPEND, 0), row(ALLOCATE, 0, 3, 3, 0, 1), *[row(APPEND, 0)] * 3, row(ATTEND, 0), row(FREE, 0), row(ATTEND, 0)]
        tensors, _ = unit.run(*inputs[:2], vectors[5:], commands)
        rows = {name: tensor.rows() for name, tensor in tensors.items() if len(tensor.shape) == 2}
        self.assertEqual(tensors["refused"].values(), (1, 0, 0, 0, 0, 0, 0, 1))
        self.assertEqual((tensors["exact"].values(), tensors["exact_keys"].shape), ((0,) * 4, [0, 128]))
        self.assertEqual((set(rows["records"][0]), set(rows["value_records"][0]), set(rows["thresholds"][0])), ({0},) * 3)
        self.assertEqual((rows["weight_references"][2], tensors["maxima"].values()[2:]), ((-32768,) * 4, (-32768,) * 2))
        self.assertEqual((rows["rotated_queries"][2], rows["outputs"][3]), ((0,) * 128,) * 2)
        self.assertEqual([column[0] for column in (rows["scores"][0], rows["logits"][0], rows["weight_references"][0])],
                         [0, 0, -32768])

    def test_parameters(self):
        for text, bits, scale in (("macro: {max_keys: 1}\nattention: {}", 12, 128 ** -0.5), ("attention: {scale: 1e-3}", 20, 0.001),
                                  ("macro: {max_keys: 16777216}\nattention: {scale: 2}", 28, 2.0),
                                  ('{"attention": {"scale": 0.125, "weight_bits": 13}}', 13, 0.125)):
            unit = macro(text)
            self.assertEqual((unit.weight_bits, unit.attention.softmax_scale),
                             (bits, attention.binary_scale(unit.score_scale() * scale * 1.4426950408889634, 16)))

    def test_rejected_configurations(self):
        for text in ("store: {segments: 2}", "store: {rotation_memory: ram}", "attention: {group: 3}", "attention: {weight_bits: 11}",
                     "attention: {scale: 0}", "attention: {scale: -1.0}", "attention: {scale: .inf}", '{"attention": {"scale": NaN}}',
                     "attention: {scale: 1e-40}", "attention: {scale: 1e50}", "attention: {scale: 1e-323}", "attention: {scale: 1e308}",
                     "attention: {output: bf16}", "attention: {output_lanes: 256}", "attention: {output_lanes: 12}",
                     "attention: {}\nstore: {segments: 0}", "attention: {}\nstore: {rotations: 257}", "attention: {}\nstore: {rotation_memory: x}",
                     "attention: {}\nstore: {rotations: 2}\nrotation: {head: 1048575}", "attention: {}\nquantizer: {kind: prod}",
                     "attention: {}\nnumerics: {centroid_bits: 12}\nmacro: {max_keys: 16777216}",
                     "attention: {}\nquantizer: {scale: unbiased}\nsplit: {bits: [4, 2], channels: f}"):
            with self.assertRaises(ValueError, msg=text):
                macro(text)
        for rotations in (3, 4):  # of a file with four rows, from the second on
            text = f"attention: {{}}\nstore: {{rotations: {rotations}}}\nrotation: {{head: 1, signs: f}}"
            signs = [s for i in range(4) for s in seeded_signs(i, 0, 0, 128)]
            try:
                unit = macro(text, {"signs": Tensor.pack("I8", [2, 2, 128], signs)})
                self.assertEqual([list(r.paths[0].signs) for r in unit.rotations], [signs[i:i + 128] for i in (128, 256, 384)])
            except ValueError:
                self.assertEqual(rotations, 4)

    def test_rejected_commands(self):
        good = [row(ALLOCATE, 1, 0, 4, 4, 0, 1), row(APPEND, 1), row(ATTEND, 255), row(EVICT, 1, 4), row(FREE, 0)]
        segments.check(good, 4, 1, 2, 2)
        for bad in ([row(5)], [row(-1)], [row(FREE, 256)], [row(EVICT, 0, 5)], [row(EVICT, 0, -1)], [row(FREE, 0, 1)], good[1:2],
                    [row(ATTEND)], [row(ALLOCATE, 0, 5)], [row(ALLOCATE, 0, 0, 5)], [row(ALLOCATE, 0, 0, 4, 5)],
                    [row(ALLOCATE, 0, 0, 0, 0, 256)], [row(ALLOCATE, 0, 0, 0, 0, 0, 2)], [row(APPEND, 0, 0, 0, 0, 0, 1)]):
            with self.assertRaises(ValueError, msg=bad):
                segments.check(good + bad, 4, 1, 2, 2)

    def test_drawn(self):  # what the seeds of CMakeLists.txt draw
        sections = [parameters.draw(seed, "f", attention=True) for seed in range(1, 61)]
        drawn = [c for c, _ in sections]
        for name, values in (("group", {1, 2, 4, 8}), ("output", {"fp16", "fp32"}), ("weight_bits", {None, 12, 28})):
            self.assertLessEqual(values, {c["attention"].get(name) for c in drawn})
        self.assertEqual([{c["store"][name] for c in drawn} for name in ("segments", "rotations")], [{1, 2, 3, 4}, {1, 2, 3}])
        scales = [c["attention"]["scale"] for c in drawn if "scale" in c["attention"]]
        self.assertTrue(len(scales) < 60 and min(scales) < 2.0 ** -60 and max(scales) > 2.0 ** 90)
        first = drawn[:6]  # the standard tier
        self.assertTrue(max(c["attention"]["group"] for c in first) > 1)
        self.assertEqual({c["attention"]["output"] for c in first}, {"fp16", "fp32"})
        self.assertTrue(any(c["ecc"]["code"] != "none" for c in first) and any("states" in c["quantizer"] for c in first))
        self.assertTrue(any("center" in c["rotation"] for c in first) and any(sum(c.get("exact", {}).values()) for c in first))
        seen = set()
        for seed in (1, 3, 5):
            unit = macro(json.dumps(drawn[seed - 1]), sections[seed - 1][1])
            tensors, _ = traces.make(unit, seed, 48, 23)
            store = segments.Store(*unit.size_of_store)
            for i, command in enumerate(tensors["commands"].rows()):
                seen |= reasons(store, command)
                store.take(command, i)
            self.assertEqual(len(tensors["queries"].rows()) % unit.group, 0)
        self.assertEqual(seen, {
            "no such segment", "not free", "capacity 0", "many sinks", "beyond", "no such row", "sinks", "other row", "wrap", "full",
            "emptied", *((code, why) for code in (APPEND, ATTEND, EVICT, FREE) for why in ("free", "missing"))})


if __name__ == "__main__":
    unittest.main()

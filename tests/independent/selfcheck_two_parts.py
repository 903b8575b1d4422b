#!/usr/bin/env python3
"""Records of two parts: every number that the specification quotes of them, and each step against a second definition."""
import math
import struct
import unittest
import zlib
from decimal import Decimal
from fractions import Fraction
from random import Random

import faults
import floats
import parameters
import traces
import vectors
from safetensors import Tensor
from selfcheck import macro, seeded_vector, value
from two_part_rows import ProdMaker, SplitMaker, exceeds

EVEN = {"high": Tensor.pack("I32", [1, 1, 64], range(0, 128, 2))}


def channels(d, seed=6):
    return {"high": Tensor.pack("I32", [1, 1, d // 2], sorted(Random(seed).sample(range(d), d // 2)))}


def split(bits, more="", kind="mse", tensors=EVEN):
    return macro(f"quantizer: {{kind: {kind}, scale: unbiased}}\nsplit: {{bits: {bits}, channels: f}}\n{more}", tensors)


def prod(bits, more=""):
    return macro(f"macro: {{index_bits: {bits}}}\nquantizer: {{kind: prod}}\n{more}")


def matrix_rotated(m, signs):
    return [sum((-1) ** (r & i).bit_count() * s * v for i, (s, v) in enumerate(zip(signs, m))) for r in range(len(m))]


def nearest_fp32(x):
    """Bits of the FP32 nearest to a Fraction, from its neighbours."""
    def of(bits):
        return Fraction(struct.unpack("<f", struct.pack("<I", bits))[0])

    magnitude, top = abs(x), 0x7F7FFFFF
    if magnitude >= of(top):
        return top | 0x80000000 * (x < 0)
    start = struct.unpack("<I", struct.pack("<f", float(magnitude)))[0]
    near = min((bits for bits in (start - 1, start, start + 1) if 0 <= bits <= top),
               key=lambda bits: (abs(of(bits) - magnitude), bits & 1))
    return near | 0x80000000 * (x < 0)


def scaled(raw):
    sigma, epsilon = floats.norm_parts(raw)
    return sigma * Fraction(2) ** epsilon


class TwoParts(unittest.TestCase):
    def found(self, unit, key, query):
        record = unit.write(key)
        packed, (accs, score) = unit.pack(record), unit.score(unit.query(query), record)
        return len(packed), zlib.crc32(packed), packed[:8].hex(), unit.norms(record), accs, score

    def test_prod_vectors(self):
        key, query = seeded_vector(1), seeded_vector(2)
        wide = "numerics: {significand_bits: 12, query_bits: 16, centroid_bits: 16}"
        for unit, expected in (
                (prod(2), (36, 0x4539CA2C, "f386905fbd869429", [0x493C, 0x4871], [67945, -233], 0x4791B5AB)),
                (prod(3), (52, 0xC390E549, "5aba39d001d6be37", [0x493C, 0x44C5], [11448, 453], 0x47A39116)),
                (macro(f"macro: {{head_dim: 64}}\nquantizer: {{kind: prod}}\n{wide}"),
                 (28, 0xF97583E3, "869a35d149c6bf6e", [0x4715, 0x3FC0], [1231935868, -166324], 0x49AF702B))):
            self.assertEqual(self.found(unit, key[:unit.d], query[:unit.d]), expected)
        self.assertEqual([prod(bits).z for bits in (2, 3, 4)], [13073851, 6525654, 3361240])
        self.assertEqual([prod(bits).size() // 8 for bits in (2, 3, 4)], [36, 52, 68])

    def test_split_vectors(self):
        key, query = seeded_vector(1), seeded_vector(2)
        for unit, correlations, costs, expected in (
                (split([4, 2]), [330935408, 573678120], [0, 0],
                 (52, 0x64F89EB0, "1786f7917bcab534", [0x4910, 0x46F8], [6879, 5472], 0x46D28370)),
                (split([3, 1], kind="trellis"), [319341022, 406216808], [1364939, 19299520],
                 (36, 0x308BDDB4, "cbb6a35e2f0ee258", [0x493F, 0x48EC], [6155, 19278], 0x477862CE))):
            self.assertEqual(self.found(unit, key, query), expected)
            parts = unit.write(key).parts
            self.assertEqual(([part.correlation for part in parts], [part.cost for part in parts]), (correlations, costs))
        self.assertEqual([split(bits).size() // 8 for bits in ([3, 1], [3, 2], [4, 2], [4, 3])], [36, 44, 52, 60])

    def test_one_bit(self):  # one boundary, 0, and the largest words
        for wc in (6, 8, 16):
            unit = prod(2, f"numerics: {{centroid_bits: {wc}}}")
            self.assertEqual((unit.paths[0].book.B, unit.paths[0].book.C), ([0], [1 - 2 ** (wc - 1), 2 ** (wc - 1) - 1]))
        book = split([1, 1], kind="trellis").paths[0].book
        self.assertEqual(book.C, [-98, -29, 29, 98])

    def test_signs(self):
        d, tensors = 32, channels(32)
        size = "macro: {head_dim: 32}\n"
        unit = split([2, 1], size + "rotation: {seed: 7}", tensors=tensors)
        for j, path in enumerate(unit.paths):
            self.assertEqual(path.signs, vectors.seeded_signs(7, 0, (j + 1) * 2 ** 18, 16))
            self.assertEqual(len(path.channels), 16)
        self.assertEqual(sorted([*unit.paths[0].channels, *unit.paths[1].channels]), list(range(d)))
        row = [Random(1).choice((-1, 1)) for _ in range(d)]
        tensors = tensors | {"signs": Tensor.pack("I8", [1, 1, d], row)}
        for path in split([2, 1], size + "rotation: {signs: f}", tensors=tensors).paths:
            self.assertEqual(path.signs, [row[channel] for channel in path.channels])
        unit = macro(size + "quantizer: {kind: prod}\nrotation: {signs: f}", tensors)
        self.assertEqual((unit.paths[0].signs, unit.second_signs), (row, vectors.seeded_signs(42 ^ 0x514A4C, 0, 0, d)))
        unit = macro("quantizer: {kind: prod}\nrotation: {seed: 9, layer: 3, head: 2}")
        self.assertEqual(unit.second_signs, vectors.seeded_signs(9 ^ 0x514A4C, 3, 2, 128))

    def test_residual(self):  # by the matrix, in rational numbers
        for text in ("", "element_format: bf16, ", "index_bits: 4, "):
            unit = macro(f"macro: {{{text}head_dim: 32}}\nquantizer: {{kind: prod}}\nnumerics: {{significand_bits: 13}}")
            trace, _ = traces.make(unit, 3, 44, 0)
            for key in trace["keys"].rows():
                m, e = vectors.align(key, unit.form, unit.w)
                record = unit.write(key)
                residual, points = record.residual, record.residual.reconstructions
                y = matrix_rotated(m, unit.paths[0].signs)
                exact = [Fraction(word * record.parts[0].root, 2 ** 13) for word in unit.words]
                self.assertEqual(points, [round(x) for x in exact])
                rest = [v - points[i] for v, i in zip(y, record.parts[0].indices)]
                nearest = [round(Fraction(v, 2 ** residual.shift)) for v in rest]
                limit = 2 ** 12 - 1
                rho = [max(-limit, min(limit, v)) for v in nearest]
                self.assertTrue(residual.shift == 0 or max(map(abs, rest)) > limit << residual.shift - 1)
                self.assertLessEqual(max(map(abs, nearest)), limit + 1)
                z = matrix_rotated(rho, unit.second_signs)
                self.assertEqual(residual.signs, [int(v < 0) for v in z])
                root = round(Decimal(sum(v * v for v in rho)).sqrt())
                real = root * Fraction(2) ** (e + residual.shift - 2)
                expected = struct.unpack("<H", struct.pack("<e", float(min(real, 65504))))[0]
                self.assertEqual(residual.norm, expected)

    def test_scores(self):  # in rational numbers, from the tensors
        for unit in (prod(2, "numerics: {query_bits: 6}"), prod(4, "rotation: {identity: true}"), split([4, 1]),
                     split([2, 2], kind="trellis"), macro("macro: {element_format: bf16}\nquantizer: {kind: prod}")):
            trace, _ = traces.make(unit, 8, 30, 30)
            tensors, metadata = unit.run(trace["keys"].rows(), trace["queries"].rows())
            scores = iter(tensors["scores"].values())
            words = [[int(word) for word in text.split(",")] for text in metadata["centroids"].split(";")]
            rows = tensors["levels" if "levels" in tensors else "indices"].rows()
            for q, (u, e_u) in enumerate(zip(tensors["rotated_queries"].rows(), tensors["query_exponents"].values())):
                for t, levels in enumerate(rows):
                    if len(words) == 2:
                        halves = [sum(a * words[j][i] for a, i in zip(u[64 * j:64 * j + 64], levels[64 * j:])) for j in (0, 1)]
                        norms = tensors["norms"].rows()[t]
                        exact = sum(acc * scaled(norm) for acc, norm in zip(halves, norms)) * Fraction(2) ** e_u
                    else:
                        acc = sum(a * words[0][i] for a, i in zip(u, levels))
                        signs, v = tensors["residual_signs"].rows()[t], tensors["residual_queries"].rows()[q]
                        e_v, factor = tensors["residual_query_exponents"].values()[q], int(metadata["residual_scale"])
                        exact = acc * scaled(tensors["norms"].values()[t]) * Fraction(2) ** e_u
                        exact += (sum(a * (1 - 2 * bit) for a, bit in zip(v, signs)) * factor
                                  * scaled(tensors["residual_norms"].values()[t]) * Fraction(2) ** (e_v + 3 - 16 - 7))
                    self.assertEqual(next(scores), nearest_fp32(exact))

    def test_estimates(self):  # RMS error of scores, relative, against the variances of Gaussian keys
        for unit, variance in ((prod(2), 0.207), (prod(3), 0.0671), (prod(4), 0.0197),
                               (split([4, 2]), (0.0096 + 0.1331) / 2), (split([3, 1]), (0.0358 + 0.571) / 2)):
            maker = ProdMaker(unit, Random(3))
            keys, queries = [maker.gaussian() for _ in range(120)], [maker.gaussian() for _ in range(100)]
            tensors, metadata = unit.run(keys, queries)
            values = [list(map(value, row)) for row in keys + queries]
            exact = [sum(map(float.__mul__, q, k)) for q in values[120:] for k in values[:120]]
            scale = float(metadata["score_scale"])
            scores = [scale * v for v in struct.unpack("<12000f", tensors["scores"].data)]
            error = math.sqrt(sum((a - b) ** 2 for a, b in zip(scores, exact)) / sum(a * a for a in exact))
            self.assertAlmostEqual(error, math.sqrt(variance), delta=0.08 * math.sqrt(variance))

    def test_cancellation(self):  # opposite terms give +0, those of half a binary place keep the last bit
        unit = split([3, 3], "rotation: {identity: true}")
        tensors, _ = unit.run(*(trace.rows() for trace in traces.make(unit, 4, 60, 60)[0].values()))
        accs = tensors["accumulators"].rows()
        zero = [score for (first, second), score in zip(accs, tensors["scores"].values()) if first and first + second == 0]
        self.assertIn(0, zero)
        self.assertEqual(floats.sum_to_fp32([(3, -50), (-3, -50)]), 0)
        self.assertEqual(floats.sum_to_fp32([(-5, 10), (5 << 40, -30)]), 0)
        self.assertEqual(floats.sum_to_fp32([(2 ** 24 + 1, 0), (-1, -60)]), 0x4B800000)
        self.assertEqual(floats.sum_to_fp32([(2 ** 24 + 1, 0), (1, -60)]), 0x4B800001)
        self.assertEqual(floats.sum_to_fp32([(-1, -200), (0, 300)]), 0x80000000)

    def test_reach_of_prod(self):  # what the traces are made for
        for text in ("", "macro: {index_bits: 2}", "numerics: {query_bits: 16}", "numerics: {significand_bits: 20}",
                     "macro: {head_dim: 32}\nnumerics: {query_bits: 6, significand_bits: 13}",
                     "macro: {head_dim: 256, element_format: bf16}\nnumerics: {significand_bits: 18, query_bits: 12}"):
            unit = macro(f"{text}\nquantizer: {{kind: prod}}")
            maker = ProdMaker(unit, Random(1))
            for _ in range(4):
                self.assertTrue(exceeds(maker.rest(maker.clamped_residual()), unit.key_bits))
                z = vectors.rotate(unit.query(maker.clamped_second_query())[0], unit.second_signs)
                self.assertTrue(exceeds(z, unit.wq))
        for text in ("index_bits: 2", "index_bits: 3", "head_dim: 32"):
            unit = macro(f"macro: {{{text}}}\nquantizer: {{kind: prod}}\nnumerics: {{significand_bits: 12}}")
            maker = ProdMaker(unit, Random(1))
            record = unit.write(maker.no_residual())
            self.assertNotEqual(record.parts[0].norm, 0)
            self.assertEqual((record.residual.signs, record.residual.norm, record.residual.shift), ([0] * unit.d, 0, 0))
            self.assertTrue(maker.clamp_shows(maker.clamped_residual()))

    def test_reach_of_split(self):
        unit = split([4, 2])
        maker = SplitMaker(unit, Random(1))
        halves = [[part.norm for part in unit.write(maker.one_half()).parts] for _ in range(20)]
        self.assertEqual({tuple(norm == 0 for norm in norms) for norms in halves}, {(False, True), (True, False)})
        halves = [[part.norm for part in unit.write(maker.largest_half()).parts] for _ in range(20)]
        self.assertTrue({(True, False), (False, True)} <= {tuple(norm == 0x7BFF for norm in norms) for norms in halves})
        first, second = unit.write(maker.twins()).parts
        self.assertIn(second.y, (first.y, [-v for v in first.y]))
        u, _ = unit.query(maker.twins())
        self.assertIn(u[64:], (u[:64], [-v for v in u[:64]]))

    def test_refused(self):  # keys of one rotated element, one bit: ties choose its sign
        unit = split([1, 1], "macro: {head_dim: 256}", "trellis", channels(256))
        maker = SplitMaker(unit, Random(1))
        parts = [part for _ in range(200) for part in unit.write(maker.hadamard()).parts if part.root >= 1024]
        refused = [part for part in parts if part.correlation <= 0]
        self.assertEqual({part.norm for part in refused}, {0})
        self.assertAlmostEqual(len(refused) / len(parts), 0.5, delta=0.1)

    def test_drawn(self):  # what the seeds of CMakeLists.txt draw
        drawn = [parameters.draw(seed, "f", two_parts=True)[0] for seed in range(1, 61)]
        for c in drawn:
            self.assertTrue(("split" in c) != (c["quantizer"].get("kind") == "prod"))
        for kind in [[c for c in drawn if "split" in c], [c for c in drawn if "split" not in c]]:
            self.assertEqual({c["macro"]["head_dim"] for c in kind}, {32, 64, 128, 256})
            self.assertEqual({c["macro"]["element_format"] for c in kind}, {"fp16", "bf16"})
            self.assertEqual({c["ecc"]["code"] for c in kind}, {"none", "hamming74", "hamming84", "golay24"})
            self.assertEqual({c["numerics"].get("codebook", "gaussian") for c in kind}, {"gaussian", "beta"})
            self.assertEqual({"center" in c["rotation"] for c in kind}, {False, True})
            self.assertEqual({"balance" in c["rotation"] for c in kind}, {False, True})
            self.assertEqual({key for c in kind for key in c["rotation"]} - {"layer", "head", "center", "balance"}, {"seed", "signs", "identity"})
        self.assertEqual({c["macro"]["index_bits"] for c in drawn if "split" not in c}, {2, 3, 4})
        splits = [c for c in drawn if "split" in c]
        self.assertEqual({tuple(c["split"]["bits"]) for c in splits}, {(high, low) for high in range(1, 5) for low in range(1, high + 1)})
        self.assertEqual({c["quantizer"].get("states", 0) for c in splits}, {0, 4, 8, 16})
        self.assertTrue(any(c["macro"]["head_dim"] == 32 and c["numerics"].get("codebook", "gaussian") == "beta" and
                            "states" not in c["quantizer"] for c in splits))
        self.assertTrue({"split" in c for c in drawn[:6]} == {False, True})  # the standard tier

    def test_excluded(self):
        unbiased, both = "quantizer: {scale: unbiased}\n", "split: {bits: [4, 2], channels: f}"
        for text in ("quantizer: {kind: prod, scale: unbiased}", "quantizer: {kind: prod}\n" + both, both,
                     "quantizer: {kind: prod}\nexact: {last: 1}", unbiased + both + "\nexact: {last: 1}",
                     unbiased + "split: {}", unbiased + "split: {bits: [4, 2]}", unbiased + "split: {channels: f}",
                     unbiased + both.replace("4, 2", "2, 4"), unbiased + both.replace("4, 2", "4"),
                     unbiased + both + "\nrotation: {head: 262144}"):
            with self.assertRaises(ValueError, msg=text):
                macro(text, EVEN)
        for high in ([*range(63), 63, 63][1:], range(64, 0, -1), range(65, 129), range(-1, 63)):
            with self.assertRaises(ValueError):
                macro(unbiased + both, {"high": Tensor.pack("I32", [1, 1, 64], high)})

    def test_result(self):
        unit = prod(3, "ecc: {code: golay24}")
        tensors, metadata = unit.run([], [])
        residual = {"residual_signs", "residual_norms", "residual_shifts", "reconstructions", "residual_queries",
                    "residual_query_exponents", "residual_accumulators"}
        trellis = {"levels", "path_costs", "correlations"}
        self.assertLessEqual(residual | {"thresholds", "codewords"}, tensors.keys())
        self.assertTrue(tensors.keys().isdisjoint(trellis))
        self.assertEqual([tensors[name].shape for name in ("residual_signs", "thresholds", "reconstructions", "records")],
                         [[0, 128], [0, 3], [0, 4], [0, 52]])
        self.assertEqual(sorted(metadata), ["boundaries", "centroids", "kappa", "reconstruction_words", "residual_scale",
                                            "score_scale"])
        tensors, metadata = split([4, 1], kind="trellis").run([seeded_vector(1)], [seeded_vector(2)])
        self.assertLessEqual(trellis | {"reconstructions"}, tensors.keys())
        self.assertTrue(tensors.keys().isdisjoint((residual | {"thresholds", "codewords"}) - {"reconstructions"}))
        self.assertEqual([tensors[name].shape for name in ("norms", "path_costs", "reconstructions", "accumulators")],
                         [[1, 2], [1, 2], [1, 36], [1, 1, 2]])
        self.assertEqual([len(text.split(",")) for text in metadata["reconstruction_words"].split(";")], [32, 4])
        self.assertEqual((len(metadata["kappa"].split(";")), float(metadata["score_scale"])), (2, 2.0 ** -12))

    def test_digests(self):  # those of tests/golden/key_store_independent_test.cpp
        self.assertEqual(faults.digest("hamming74", faults.two_parts), 0x30d387d14599113f)
        self.assertEqual(faults.digest("hamming84", faults.two_parts), 0x9e7abda4f039911)
        self.assertEqual(faults.digest("golay24", faults.two_parts), 0x538ebfb2ca15ac63)


if __name__ == "__main__":
    unittest.main()

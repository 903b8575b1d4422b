#!/usr/bin/env python3
"""Checks of the results of a tiered store: faults that are planted, rows between tiers, records, rotations, and what cases and traces reach."""
import struct
import tempfile
import unittest
from fractions import Fraction

import attention
import kivi
import safetensors
import tier_calibration
import tier_cases
import tier_compare
import tier_files
import tier_spec
import tier_wrong
import tiers
from halves import UNITS, halves, singles, widened
from safetensors import Tensor


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
                                if macro.balance:
                                    exact *= Fraction(2) ** macro.balance[i]
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
            for name, spec, *_ in tier_wrong.wrong_inputs(folder):
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

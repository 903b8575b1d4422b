#!/usr/bin/env python3
"""Memories with wrong bits: statuses by their definitions, a repair across the end of a ring by hand, write-back, and what the
random checks draw."""
import os
import tempfile
import unittest
from collections import Counter
from random import Random

import config
import ecc
import fault_rows
import faults
import segments
from faults import CLEAN, CORRECTED, DETECTED, PARITY_ONLY
from faulty_memory import EVERY_READ, NEXT_READ, OFF, FaultyAttention, Memory
from rows import Maker
from safetensors import Tensor
from segments import ALLOCATE, APPEND, ATTEND
from selfcheck import macro

CODED = "macro: {head_dim: 32, max_keys: 20}\nattention: {}\necc: {code: hamming84, erasure: interpolate}\n"


def row(code, *numbers):
    return (code, *numbers) + (0,) * (segments.COLUMNS - 1 - len(numbers))


class Faults(unittest.TestCase):
    def test_statuses_of_hamming84(self):  # the table of the contract, for all words
        decoder = faults.Decoder("hamming84")
        found = Counter()
        for word in range(256):
            z, parity = (ecc.hamming74(word & 15) ^ word & 0x7F) >> 4, word.bit_count() & 1
            right = ((CLEAN, PARITY_ONLY) if z == 0 else (DETECTED, CORRECTED))[parity]
            corrected, (status,) = decoder.correct(word, 4)
            self.assertEqual(status, right)
            self.assertEqual(corrected == word, status in (CLEAN, DETECTED))
            if status != DETECTED:
                self.assertEqual(ecc.hamming84(corrected & 15), corrected)
            found[status] += 1
        self.assertEqual(found, {CLEAN: 16, PARITY_ONLY: 16, CORRECTED: 112, DETECTED: 112})

    def test_golay24_by_weight(self):
        decoder, random = faults.Decoder("golay24"), Random(2)
        for weight in range(5):
            error = sum(1 << bit for bit in random.sample(range(24), weight))
            corrected, statuses = decoder.correct(ecc.golay24(0x5A3) ^ error, 12)
            self.assertEqual(statuses, [CLEAN if not weight else CORRECTED if weight < 4 else DETECTED])
            self.assertEqual(corrected, ecc.golay24(0x5A3) ^ (error if weight == 4 else 0))

    def test_hsiao(self):  # columns, bytes and an example of the contract
        for name, columns in (("hsiao_8_4", "07 0B 0D 0E"), ("hsiao_13_8", "1A 0B 0D 0E 13 15 16 19"),
                              ("hsiao_22_16", "31 32 0D 0E 13 15 16 19 1A 1C 23 25 26 29 2A 2C"),
                              ("hsiao_39_32", "64 0B 0D 0E 13 15 16 19 1A 1C 23 25 26 29 2A 2C 31 32 34 38 43 45 46 49 4A 4C 51 "
                                              "52 54 58 61 62"),
                              ("hsiao_72_64", "07 0B 0D 0E 13 15 16 19 1A 1C 23 25 26 29 2A 2C 31 32 34 38 43 45 46 49 4A 4C 51 52 "
                                              "54 58 61 62 64 68 70 83 85 86 89 8A 8C 91 92 94 98 A1 A2 A4 A8 B0 C1 C2 C4 C8 D0 E0 "
                                              "F8 E3 E5 9E B9 3E 4F 57")):
            n, k, encoded = ecc.CODES[name]
            self.assertEqual([encoded(1 << i) >> k for i in range(k)], [int(column, 16) for column in columns.split()])
        self.assertEqual([ecc.size(name, 400) for name in ("hsiao_22_16", "hsiao_39_32", "hsiao_72_64")], [69, 64, 63])
        word, decoder = ecc.CODES["hsiao_22_16"][2](0x8001), faults.Decoder("hsiao_22_16")
        self.assertEqual(word, 0x8001 | 0x1D << 16)
        self.assertEqual(decoder.correct(word ^ 1, 16), (word, [CORRECTED]))
        self.assertEqual(decoder.correct(word ^ 3, 16), (word ^ 3, [DETECTED]))

    def faulty(self, tokens, masks, write_back=False, modes=(OFF, OFF), read=(0, 0), attends=1):
        """-> (the macro after `tokens` appends to a ring of a sink and two places, then attends; what the last one read)."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c.yaml")
            with open(path, "w") as file:
                file.write(CODED)
            c = config.load(path)
        size = ecc.size("hamming84", 32 * 3 + 16)

        def tensor(values):
            return Tensor.pack("U8", [len(values), size], b"".join(value.to_bytes(size, "little") for value in values))

        given = {"key_masks": tensor([0] * tokens), "value_masks": tensor([masks.get(t, 0) for t in range(tokens)]),
                 "key_read_masks": tensor([read[0]] * attends), "value_read_masks": tensor([read[1]] * attends),
                 "read_modes": Tensor.pack("I32", [attends, 2], list(modes) * attends)}
        unit = FaultyAttention(c, given, write_back)
        maker = Maker(32, "fp16", Random(7))
        vectors = [[maker.gaussian() for _ in range(count)] for count in (tokens, tokens, attends)]
        commands = [row(ALLOCATE, 0, 0, 3, 1, 0, 1), *[row(APPEND, 0)] * tokens, *[row(ATTEND, 0)] * attends]
        seen = {}
        plain_read = unit.read

        def recorded(segment, all_tokens):
            found = plain_read(segment, all_tokens)
            seen.update(found)
            seen["tokens"] = {i: all_tokens[i] for i in found}
            return found

        unit.read = recorded
        unit.run(*vectors, commands)
        return unit, seen

    def test_wrap(self):
        # Tokens 0 (the sink), 3 and 4 are left of five; token 3 lies at the end of the ring, token 4 at its beginning. The
        # first word of the value of token 3 is lost: its elements 0 and 1, which have bits 0..5.
        _, seen = self.faulty(5, {3: 0b11, 2: 0xFF})
        tokens = seen.pop("tokens")
        self.assertEqual(list(seen), [0, 3, 4])
        stored = {t: tokens[t].value.parts[0].indices for t in seen}
        expected = list(stored[3])
        for i in (0, 1):
            total = stored[0][i] + stored[4][i]
            expected[i] = total >> 1 if total % 2 == 0 else (total >> 1) + (total >> 1 & 1)
        self.assertEqual(seen[3][1].parts[0].indices, expected)
        for t, (key, value) in seen.items():
            self.assertEqual(key.parts[0].indices, tokens[t].key.parts[0].indices)
            if t != 3:
                self.assertEqual(value.parts[0].indices, stored[t])

    def test_write_back(self):
        # A transient error beside a stored one: the lost word becomes permanent, the corrected one is mended.
        for write_back in (True, False):
            unit, _ = self.faulty(5, {4: 1 << 8}, write_back, (OFF, EVERY_READ), (0, 0b11))
            memory, written = unit.memories[1], int.from_bytes(unit.written[1][4], "little")
            self.assertEqual(memory.counts, {CORRECTED: 1, PARITY_ONLY: 0, DETECTED: 3, "written back": int(write_back)})
            self.assertEqual(memory.stored[4], written ^ (1 << 8 | 0b11) if write_back else written)

    def test_next_read(self):
        unit, _ = self.faulty(5, {}, True, (OFF, NEXT_READ), (0, 1), attends=2)
        self.assertEqual(unit.memories[1].counts[CORRECTED], 2)
        self.assertEqual(unit.memories[0].counts[CORRECTED], 0)

    def test_fields(self):
        for text in ("macro: {head_dim: 32}", "macro: {head_dim: 32, index_bits: 4}\nquantizer: {kind: prod}"):
            unit = macro(text)
            memory = Memory(unit, "golay24", "keep", False)
            record = unit.write(Maker(32, "fp16", Random(3)).gaussian())
            memory.write(0, record, 0)
            (read,) = memory.read([0], [record])
            self.assertEqual(unit.pack(read), unit.pack(record))
            self.assertEqual(sum(bits for bits, _ in memory.fields), unit.size())

    def test_drawn(self):  # what the seeds of CMakeLists.txt draw
        for kind in ("scores", "two-parts", "attention"):
            drawn = [fault_rows.configuration(seed, "f", kind, False)[0] for seed in range(1, 61)]
            self.assertEqual({c["ecc"]["code"] for c in drawn}, set(fault_rows.LEAST))
            self.assertEqual({c["ecc"].get("erasure", "keep") for c in drawn}, {"keep", "zero", "interpolate"})
            self.assertEqual({c["macro"]["head_dim"] for c in drawn}, {32, 64, 128, 256})
            if kind == "attention":
                exact = [c for c in drawn if any(c.get("exact", {}).values())]
                self.assertGreater(len(exact), 15)
                self.assertTrue(any(c["quantizer"].get("kind") == "trellis" for c in exact))
                self.assertGreater(len({c["store"]["segments"] for c in drawn}), 2)


if __name__ == "__main__":
    unittest.main()

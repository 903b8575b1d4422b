#!/usr/bin/env python3
"""Checks of the state file of bounded memories: round trips, larger banks, bit errors, and every kind of damage refused by its name."""
import hashlib
import json
import os
import struct
import tempfile
import unittest
from dataclasses import replace
from random import Random

import faults
import memory_masters as masters
import memory_parameters
import memory_state
import memory_tensors
import memory_traces
import memory_wrong
import safetensors
from memory import EXACT, FREE, SUMMARY
from memory_records import Records
from safetensors import Tensor
from selfcheck_memory import macro as macro_of

LAYERS, HEADS, HIDDEN = 2, 2, 5
SMALL = {"window": 3, "exact": 4, "sinks": 1, "summary": 3}
TEXT = "head_dim=32,index_bits=3,significand_bits=16,boundary_fraction_bits=13,query_bits=8,centroid_bits=8,codebook=gaussian,code={},erasure=keep"


def model(code="none", **memory):
    """-> (state model, maker of tokens)."""
    units = [[macro_of(f"macro: {{head_dim: 32}}\nrotation: {{layer: {i}, head: {j}}}\necc: {{code: {code}}}\nmemory: {{window: 3}}\n")
              for j in range(HEADS)] for i in range(LAYERS)]
    parameters = memory_parameters.parameters(SMALL | memory, "gaussian", 32, 3)
    records = [[Records(unit) for unit in row] for row in units]
    signs = memory_state.signs_digest([unit.paths[0].signs for row in units for unit in row])
    digest = memory_state.checkpoint_digest({"b": Tensor("F32", [2, 1], bytes(8)), "a": Tensor("U8", [], b"x")}, b"{}")
    found = memory_state.Model(records, parameters, HIDDEN, TEXT.format(code), digest, signs, 1000)
    units[0][0].parameters = parameters
    return found, memory_traces.TokenMaker(units[0][0], Random(3))


def grown(one, maker, count, errors=None):
    """-> memories, one for each layer and KV head, after tokens with open gates for the most part."""
    memories = [one.memory(layer, head, errors) for layer, head, _ in one.heads()]
    enter(memories, maker, count)
    return memories


def enter(memories, maker, count):
    for _ in range(count):
        for memory in memories:
            key, value, gate = maker.token()
            memory_traces.enter(memory, key, value, 0x41800000 if maker.random.random() < 0.7 else gate)


def equal_slots(a, b):
    def fields(memory):
        return [(slot.label, slot.gate, slot.position, slot.stamp, slot.merged, slot.key if not memory.p.keeps_rows else b"", slot.value,
                 masters.half_bits(slot.master), masters.half_bits(slot.key_row), masters.half_bits(slot.value_row),
                 slot.read and slot.read.root) for slot in memory.slots], memory.tokens

    return fields(a) == fields(b)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/state.safetensors"

    def written(self, one, memories, hidden=(1, 0x80000000, 0x3F800000, 0, 0x7F7FFFFF)):
        memory_state.write(self.path, one, memories, hidden if memories[0].tokens else [0] * HIDDEN, True)
        return memory_state.read(self.path, one)


class RoundTrips(Folder):
    def test_stores(self):
        """Slots come back, another state of them is the same bytes, and tokens go on as if nothing had been saved."""
        for memory, code in ((dict(), "none"), (dict(), "hamming84"), (dict(), "golay24"), (dict(store="fp16"), "none"),
                             (dict(store="fp16", summary_key="band"), "none"), (dict(exact=1, summary=0), "none"), (dict(evict="lru"), "hamming74")):
            one, maker = model(code, **memory)
            sizes = set()
            for count in (0, 1, 5, 40):
                memories = grown(one, maker, count)
                restored, hidden = self.written(one, memories)
                self.assertTrue(all(map(equal_slots, memories, restored)))
                with open(self.path, "rb") as file:
                    first = file.read()
                self.written(one, restored, hidden)
                with open(self.path, "rb") as file:
                    self.assertEqual(file.read(), first)
                sizes.add(len(first))
                tokens = [maker.token() for _ in range(15)]
                for a, b in zip(memories, restored):
                    self.assertEqual([memory_traces.enter(a, *token) for token in tokens], [memory_traces.enter(b, *token) for token in tokens])
                    self.assertTrue(equal_slots(a, b))
            self.assertEqual(len(sizes), 1)

    def test_contents(self):
        """Order, types, shapes and metadata of both stores; bytes as the contract's table of sizes has them."""
        for store, names in (("records", ("labels", "gates", "positions", "stamps", "merged", "key_records", "value_records", "masters", "hidden")),
                             ("fp16", ("labels", "gates", "positions", "stamps", "merged", "value_records", "keys", "values", "hidden"))):
            one, maker = model(store=store)
            self.written(one, grown(one, maker, 20))
            tensors, metadata = safetensors.read(self.path)
            self.assertEqual(tuple(tensors), names)
            s, d, r = one.parameters.slots, 32, 14
            head = s * (4 * d + r + 14) if store == "fp16" else 2 * s * r + 2 * d * one.parameters.summary + 14 * s
            self.assertEqual(sum(len(tensor.data) for tensor in tensors.values()), LAYERS * HEADS * head + 4 * HIDDEN)
            data = b"".join(tensor.data for tensor in tensors.values())
            expected = {"format": "axelram-memory", "version": "1", "tokens": "0000000020", "content": hashlib.sha256(data).hexdigest(),
                        "memory": "window=3,exact=4,summary=3,sinks=1,novel=44290,match=56945,gate_exact=26,gate_summary=13,blend=12,"
                                  f"evict=gate,summary_key=newest,store={store}", "numerics": TEXT.format("none"),
                        "model": hashlib.sha256(b"a\0U8\0\0x" + b"b\0F32\0" + b"2,1\0" + bytes(8) + b"{}").hexdigest(), "signs": one.signs}
            self.assertEqual(metadata, expected)

    def test_larger_banks(self):
        """Slots keep their numbers, new ones are free; tokens go on in the new slots."""
        small, maker = model()
        memories = grown(small, maker, 40)
        self.written(small, memories)
        large, _ = model(exact=6, summary=5)
        restored, _ = memory_state.read(self.path, large)
        for old, new in zip(memories, restored):
            self.assertEqual([slot.label for slot in new.slots], [slot.label for slot in old.slots] + [FREE] * 4)
            self.assertEqual([slot.position for slot in new.slots[:10]], [slot.position for slot in old.slots])
        enter(restored, maker, 40)
        self.assertTrue(any(len(memory.of(EXACT)) == 5 for memory in restored) and any(len(memory.of(SUMMARY)) > 3 for memory in restored))
        self.written(large, restored)
        self.assertRaisesRegex(ValueError, "metadata memory: exact is 6, must be at most 4", memory_state.read, self.path, small)

    def test_blend_of_model(self):
        one, maker = model()
        one = replace(one, parameters=memory_parameters.parameters(SMALL, "gaussian", 32, 3, True), blend=[[12, 200], [0, 255]])
        self.assertIn("blend=model,", one.parameters.text())
        memories = grown(one, maker, 40)
        restored, _ = self.written(one, memories)
        self.assertEqual([memory.blend for memory in restored], [12, 200, 0, 255])
        self.assertRaisesRegex(ValueError, "metadata memory: blend", memory_state.read, self.path, model()[0])

    def test_bit_errors(self):
        """Records are stored with their flips, those of a slot by its position; masters and labels are not hit."""
        for code in ("none", "hamming84"):
            one, maker = model(code)
            records = one.records[0][0]

            def errors(position, is_value):
                return faults.mask(records.stored_bits(), 0.02, 9, position, value=is_value)

            memories = grown(one, maker, 30, errors)
            self.written(one, memories)
            restored, _ = memory_state.read(self.path, one, errors)
            self.assertTrue(all(map(equal_slots, memories, restored)))
            for memory in memories:
                for i in memory.of(SUMMARY):
                    slot = memory.slots[i]
                    if slot.merged > 1:
                        clean = int.from_bytes(memory.records.value(masters.half_bits(slot.master)), "little")
                        self.assertEqual(int.from_bytes(slot.value, "little"), clean ^ errors(slot.position, True))
                    self.assertEqual(slot.read, memory.records.read(slot.value))

    def test_no_state(self):
        one, maker = model(store="f32")
        self.assertRaisesRegex(ValueError, "memory.store", memory_state.make, one, grown(one, maker, 3), [0] * HIDDEN)


class Damage(Folder):
    def refused(self, one, text):
        with self.assertRaisesRegex(ValueError, text) as caught:
            memory_state.read(self.path, one)
        self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def changed(self, tensors, metadata, content=True):
        """Writes them without those that are None; the digest fits, if `content`."""
        tensors = {name: tensor for name, tensor in tensors.items() if tensor}
        metadata = dict(metadata) | ({"content": memory_state.content(tensors)} if content else {})
        safetensors.write(self.path, tensors, {key: value for key, value in metadata.items() if value is not None}, True)

    def test_metadata(self):
        one, maker = model()
        self.written(one, grown(one, maker, 20))
        tensors, good = safetensors.read(self.path)
        zeros = "0" * 64
        words = {"evict": "lru", "summary_key": "band", "store": "fp16"}
        others = [("memory", good["memory"].replace(f"{name}={value}", f"{name}={words.get(name) or 1 + value}"), "metadata memory|tensor")
                  for name, value in vars(one.parameters).items()]
        others += [("numerics", good["numerics"].replace(part, part.partition("=")[0] + "=1"), "metadata numerics") for part in good["numerics"].split(",")]
        for key in ("format", "version", "tokens", "content", "memory", "numerics", "model", "signs"):
            others.append((key, None, f"metadata {key}"))
        others += [("format", "axelram", "metadata format"), ("version", "2", "metadata version"), ("model", zeros, "metadata model"),
                   ("signs", zeros, "metadata signs"), ("extra", "1", "metadata extra: unknown"), ("content", zeros, "metadata content"),
                   ("content", good["content"].upper(), "metadata content"),
                   ("memory", good["memory"] + ",", "metadata memory"), ("memory", "", "metadata memory"),
                   ("memory", good["memory"].replace("window=3", "window=03"), "metadata memory"), ("tokens", "20", "metadata tokens"),
                   ("tokens", "0000000021", "tensor positions"), ("tokens", "0000000019", "tensor positions"), ("tokens", "0000001001", "metadata tokens"),
                   ("tokens", "+000000020", "metadata tokens"), ("tokens", "0000000000", "tensor labels")]
        for key, value, text in others:
            with self.subTest(key, value=value):
                self.changed(tensors, good | {key: value}, content=key != "content")
                self.refused(one, text)
        self.changed(tensors, good)
        memory_state.read(self.path, one)

    def test_tensors(self):
        for store in ("records", "fp16"):
            one, maker = model(store=store)
            self.written(one, grown(one, maker, 20))
            tensors, good = safetensors.read(self.path)
            for name, changed in memory_wrong.wrong_tensors(tensors, list(tensors)):
                with self.subTest(name):
                    self.changed(tensors | changed, good)
                    self.refused(one, f"tensor {next(iter(changed))}: ")
            self.changed(tensors | {"more": Tensor("U8", [1], b"0")}, good)
            self.refused(one, "tensor more: unknown")
            for raw in (0x7F800000, 0xFFC00000):
                self.changed(tensors | {"hidden": memory_wrong.number(tensors["hidden"], 2, raw)}, good)
                self.refused(one, "tensor hidden, element 2")
            for name, tensor in tensors.items():  # the digest alone sees it
                data = bytes([tensor.data[0] ^ 1]) + tensor.data[1:]
                self.changed(tensors | {name: Tensor(tensor.dtype, tensor.shape, data)}, good, content=False)
                self.refused(one, "metadata content")
            self.written(one, grown(one, maker, 0))
            tensors, good = safetensors.read(self.path)
            self.changed(tensors | {"hidden": memory_wrong.number(tensors["hidden"], 4, 1)}, good)
            self.refused(one, "tensor hidden, element 4")

    def test_slots(self):
        """Each head of each layer is checked: the damage is in the last one, or in the first."""
        seen = set()
        for store in ("records", "fp16"):
            one, maker = model(store=store)
            for count in (5, 8, 40):
                memories = grown(one, maker, count)
                moments = [memory_tensors.moment(memory) for memory in memories]
                self.written(one, memories)
                tensors, good = safetensors.read(self.path)
                for place in (0, LAYERS * HEADS - 1):
                    for name, tensor, moment in memory_wrong.wrong_moments(moments[place], one.parameters, one.records[0][0], count):
                        both = moments[:place] + [moment] + moments[place + 1:]
                        packed = memory_tensors.pack(one.lead(), one.parameters, one.records[0][0], both)
                        self.changed(tensors | packed, good)
                        with self.subTest(name, store=store, count=count):
                            self.refused(one, f"layer {place // HEADS}, KV head {place % HEADS}: tensor {tensor}")
                        seen.add(f"{store} {name.split(' of ')[-1] if 'free' in name else name}")
                        seen.add(f"{store} {tensor} of a free slot" if "free" in name else tensor)
        for name in ("records a master beyond the summaries", "records label 4 that is 3", "records label 3 that is 4", "fp16 keys of a free slot",
                     "records key_records of a free slot", "records value_records of a free slot", "fp16 gates of a free slot", "fp16 values of 0x7c00",
                     "records masters of 0x7e01", "records a sink that is not the first token", "records an exact token later than the window"):
            self.assertIn(name, seen)

    def test_bytes(self):
        """A file that is cut, longer, or not of this kind."""
        one, maker = model()
        self.written(one, grown(one, maker, 20))
        with open(self.path, "rb") as file:
            good = file.read()
        size = struct.unpack("<Q", good[:8])[0]
        header = json.loads(good[8:8 + size])
        gap = json.dumps(header | {"labels": header["labels"] | {"data_offsets": [1, 41]}}).encode()
        short = json.dumps(header | {"labels": {"dtype": "U8"}}).encode()
        damaged = [b"", good[:7], good[:8 + size - 1], good[:-1], good + b"\0", b"\xff" * 8 + good[8:], good[:8] + b"x" + good[9:], b"GGUF" * 9]
        damaged += [struct.pack("<Q", len(text)) + text + good[8 + size:] for text in (gap, short, b"[]", b"\xff\xfe")]
        for data in damaged:
            with open(self.path, "wb") as file:
                file.write(data)
            self.refused(one, ".")
        os.unlink(self.path)
        self.assertRaises(OSError, memory_state.read, self.path, one)
        self.written(one, grown(one, maker, 3))
        memory_state.write(self.path, one, grown(one, maker, 3), [0] * HIDDEN, True)
        self.assertRaises(ValueError, memory_state.write, self.path, one, grown(one, maker, 3), [0] * HIDDEN)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["state.safetensors"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Checks of whole runs of a bounded memory: invariants of the contract after each token, decisions by a second definition, and what cases reach."""
import copy
import tempfile
import unittest
from collections import Counter
from fractions import Fraction
from random import Random
from unittest import mock

import contract
import memory as m
import memory_cases
import memory_masters as masters
import memory_tensors
import memory_traces
import safetensors
from memory_macro import MemoryMacro, Trace
from macro import Macro
from memory_records import Read

SEEDS = range(1, 61)


def made(case, folder):
    """-> (macro, its trace)."""
    macro, path = contract.load(memory_cases.write(folder, case)), f"{folder}/trace.safetensors"
    safetensors.write(path, *memory_traces.make(macro, case.seed, case.tokens, case.queries, case.initial), True)
    return macro, *macro.load(path)


def runs(cases):
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            yield case, *made(case, folder)


def entered(memory, trace):
    """Enters the tokens -> (token, event, the memory before it)."""
    for t, (key, value, z) in enumerate(zip(trace.keys, trace.values, trace.gates)):
        before = [copy.copy(slot) for slot in memory.slots], memory.tokens  # rows are replaced, never changed
        yield t, memory.enter(masters.half_floats(key), masters.half_floats(value), z), before


def cosine(a: Read, b: Read):
    zero = not a.norm & 0x7FFF or not b.norm & 0x7FFF
    return Fraction(0 if zero else sum(x * y for x, y in zip(a.column, b.column)) << 16, a.root * b.root)


def chosen(read, slots, bank):
    """-> (slot, cosine) of the largest cosine, the lower slot of equal ones."""
    best = max((cosine(read, slots[i].read) for i in bank), default=None)
    return next(((i, best) for i in bank if cosine(read, slots[i].read) == best), (-1, None))


def decided(p, slots):
    """A second definition of steps 1 and 2 but for merged rows -> (five numbers of an event, labels, the hit slot or None)."""
    labels = [slot.label for slot in slots]

    def bank(label):
        return [i for i, v in enumerate(labels) if v == label]

    def taken(y):
        """Step 2 of y."""
        if p.summary == 0 or slots[y].gate < p.gate_summary:
            labels[y] = m.FREE
            return [m.DROPPED, -1]
        s, best = chosen(slots[y].read, slots, bank(m.SUMMARY))
        if s < 0 or best * 65536 < p.novel and len(bank(m.SUMMARY)) < p.summary:
            labels[y] = m.SUMMARY
            return [m.SPAWNED, y]
        stays, goes = sorted((y, s), key=lambda i: slots[i].position)[::-1]
        labels[stays], labels[goes] = m.SUMMARY, m.FREE
        return [m.MERGED, stays]

    window = sorted(bank(m.WINDOW), key=lambda i: slots[i].position)
    if len(window) < p.window:
        return [m.NOTHING, -1, -1, m.NONE, -1], labels, None
    e = window[0]
    if slots[e].position < p.sinks:
        labels[e] = m.SINK
        return [m.SUNK, e, -1, m.NONE, -1], labels, None
    if p.exact == p.sinks or slots[e].gate < p.gate_exact:
        return [m.NO_BANK if p.exact == p.sinks else m.GATED_OUT, e, -1, *taken(e)], labels, None
    n, best = chosen(slots[e].read, slots, bank(m.EXACT))
    if n >= 0 and best * 65536 >= p.novel:
        hit = best * 65536 >= p.match
        return [m.HIT if hit else m.BETWEEN, e, n, *taken(e)], labels, n if hit else None
    if len(bank(m.EXACT)) < p.exact - p.sinks:
        labels[e] = m.EXACT
        return [m.ADMITTED, e, n, m.NONE, -1], labels, None
    x = sorted(bank(m.EXACT), key=lambda i: (slots[i].gate * (p.evict == "gate"), slots[i].stamp, i))[0]
    if p.evict == "gate" and slots[e].gate < slots[x].gate:
        return [m.KEPT, e, x, *taken(e)], labels, None
    labels[e] = m.EXACT
    return [m.DISPLACED, e, x, *taken(x)], labels, None


class Runs(unittest.TestCase):
    def test_decisions(self):
        """Each event, label and use against the second definition; slots keep their rows; each token ends in one place."""
        outcomes = Counter()
        for case, macro, trace in runs([*memory_cases.STANDARD, *map(memory_cases.drawn, SEEDS[:40])]):
            with self.subTest(case.name):
                memory, p = macro.memory(trace.initial), macro.parameters
                first, dropped = memory.tokens, 0
                lost = memory.tokens - self.weight(memory)
                for t, event, (slots, tokens) in entered(memory, trace):
                    expected, labels, hit = decided(p, slots)
                    free = labels.index(m.FREE)
                    labels[free] = m.WINDOW
                    self.assertEqual((event, [slot.label for slot in memory.slots]), (expected + [free], labels))
                    self.assertEqual((memory.tokens, tokens), (first + t + 1, first + t))
                    dropped += event[3] == m.DROPPED
                    if not any(slot.merged == m.MOST_MERGED for slot in memory.slots):
                        self.assertEqual(self.weight(memory) + dropped + lost, memory.tokens)
                    self.unmoved(memory, slots, event, hit)
                    memory_tensors.check(case.name, memory_tensors.moment(memory), p, macro.records, memory.tokens)
                    outcomes.update([f"e {event[0]}", f"y {event[3]}", f"y {event[3]} after {event[0]}"])
                    if event[3] == m.MERGED:
                        y = event[2] if event[0] == m.DISPLACED else event[1]
                        outcomes[f"{'x' if event[0] == m.DISPLACED else 'e'} {'stays' if event[4] == y else 'goes'}"] += 1
        for name in [f"e {i}" for i in range(9)] + [f"y {i}" for i in range(4)] + ["x stays", "x goes", "e stays"] + [
                f"y {y} after {e}" for e in (1, 2, 3, 5, 6, 8) for y in (1, 2, 3)]:
            self.assertGreater(outcomes[name], 3, name)
        self.assertEqual(outcomes["e goes"], 0)  # the window is later than every summary

    def weight(self, memory):
        """Tokens that slots hold."""
        return sum(slot.merged for slot in memory.slots)

    def unmoved(self, memory, slots, event, hit):
        """Of slots, what an event does not change."""
        admitted = event[1] if event[0] in (m.ADMITTED, m.DISPLACED) else None
        for i, (slot, old) in enumerate(zip(memory.slots, slots)):
            if slot.label == m.FREE or i == event[5]:
                continue
            self.assertEqual((slot.key, slot.gate, slot.position), (old.key, old.gate, old.position))
            stamp = slots[event[1]].position if i == hit else old.position if i == admitted else old.stamp
            self.assertEqual(slot.stamp, stamp)
            if not (event[3] == m.MERGED and i == event[4]):
                self.assertEqual((slot.value, slot.merged), (old.value, old.merged))
                if not (event[3] == m.SPAWNED and i == event[4]):
                    self.assertEqual(slot.master, old.master)
        if event[3] == m.MERGED:
            slot = memory.slots[event[4]]
            self.assertEqual(slot.value, memory.records.value(masters.half_bits(slot.master)))
        if event[3] == m.SPAWNED:
            slot = memory.slots[event[4]]
            self.assertEqual(slot.master, list(map(masters.half, masters.rebuilt(memory.records, slot.read))))

    def test_window_alone(self):
        """While nothing is evicted, slots are the tokens in order and scores those of a macro that keeps every key."""
        for name in ("more tokens than slots need", "signs and center", "the paper's macro"):
            case = next(one for one in memory_cases.STANDARD if one.name == name)
            for _, macro, trace in runs([case]):
                count = min(macro.parameters.window, len(trace.keys))
                short = Trace(trace.keys[:count], trace.values[:count], trace.gates[:count], trace.queries, [count - 1] * len(trace.queries), [count - 1], None)
                tensors, _ = macro.run(short)
                expected, _ = Macro.run(macro, short.keys, short.queries)
                for tensor in ("accumulators", "scores"):
                    self.assertEqual([row[:count] for row in tensors[tensor].rows()], expected[tensor].rows())
                    self.assertFalse(any(v for row in tensors[tensor].rows() for v in row[count:]))
                self.assertEqual(tensors["key_records"].rows()[:count], expected["records"].rows())

    def test_resumed(self):
        """A trace cut in two, the second part from the slots of the first, gives the results of the whole."""
        for case, macro, trace in runs(map(memory_cases.drawn, range(1, 31))):
            cut = Random(case.seed).randint(0, len(trace.keys))
            if not trace.keys[:cut] and not trace.initial:
                continue
            all_shots = list(range(len(trace.keys)))
            whole, _ = macro.run(Trace(trace.keys, trace.values, trace.gates, [], [], all_shots, trace.initial))
            memory = macro.memory(trace.initial)
            for _ in entered(memory, Trace(trace.keys[:cut], trace.values[:cut], trace.gates[:cut], [], [], [], None)):
                pass
            rest = Trace(trace.keys[cut:], trace.values[cut:], trace.gates[cut:], [], [], all_shots[:len(trace.keys) - cut], memory_tensors.moment(memory))
            second, _ = macro.run(rest)
            for name in [*memory_tensors.names(macro.parameters), "events"]:
                size = len(second[name].data)
                self.assertEqual(whole[name].data[len(whole[name].data) - size:], second[name].data, (case.name, name))

    def test_mask(self):
        """Without summaries a slot holds its token: records and gate codes are those of the tokens at their positions."""
        for _, macro, trace in runs(one for one in memory_cases.STANDARD if one.name == "no summaries"):
            memory = macro.memory()
            for _ in entered(memory, trace):
                for slot in memory.slots:
                    if slot.label:
                        key, value = trace.keys[slot.position], trace.values[slot.position]
                        self.assertEqual((slot.key, slot.value), (macro.records.key(key), macro.records.value(value)))

    def test_roundings(self):
        """The traces for it tell a rounding to FP32 that is left out."""
        def blended(left_out):
            def step(x, name):
                return x if name == left_out else masters.single(x)

            def row(old, new, weight, rounded):
                return [rounded(step(a + step(weight * step(b - a, "difference"), "product"), "sum")) for a, b in zip(old, new)]

            return row

        seen, right = Counter(), masters.blended
        for _, macro, trace in runs(memory_cases.ROUNDING):
            expected = macro.run(trace)[0]["masters"].data
            for left_out in ("nothing", "difference", "product", "sum"):
                with mock.patch.object(masters, "blended", blended(left_out)):
                    seen[left_out] += macro.run(trace)[0]["masters"].data != expected
        self.assertEqual(masters.blended, right)
        self.assertEqual(seen["nothing"], 0)
        self.assertGreater(min(seen["difference"], seen["product"], seen["sum"]), 1)

    def test_queries(self):
        """Queries of a token see the slots after it, in order, whatever else is asked."""
        for _, macro, trace in runs(one for one in memory_cases.STANDARD if one.name in ("small banks", "from slots, hamming84, zero")):
            tensors, _ = macro.run(trace)
            memory, row = macro.memory(trace.initial), 0
            for t, _, _ in entered(memory, trace):
                for query in (q for token, q in zip(trace.query_tokens, trace.queries) if token == t):
                    accs, scores = memory.attend(query)
                    self.assertEqual((list(tensors["accumulators"].rows()[row]), list(tensors["scores"].rows()[row])), (accs, scores))
                    row += 1
            self.assertEqual(row, len(trace.queries))

    def test_drawn(self):
        """What is among the drawn macros."""
        found = Counter()
        for seed in SEEDS:
            case = memory_cases.drawn(seed)
            with tempfile.TemporaryDirectory() as folder:
                macro = contract.load(memory_cases.write(folder, case))
            self.assertIsInstance(macro, MemoryMacro)
            p, initial = macro.parameters, case.initial
            found.update({"window of one": p.window == 1, "no banks": p.exact + p.summary == 0, "no exact bank": p.exact == 0, "no summaries": p.summary == 0,
                          "sinks alone": 0 < p.exact == p.sinks, "sinks": 0 < p.sinks < p.exact, "novel 2": p.novel > 2 ** 16, "novel 0": p.novel == 0,
                          "one threshold": p.novel == p.match, "lru": p.evict == "lru", "gate": p.evict == "gate", "gate_exact 0": p.gate_exact == 0,
                          "gate_exact 255": p.gate_exact == 255, "gate_summary 255": p.gate_summary == 255, "blend 0": p.blend == 0,
                          "blend 255": p.blend == 255, "initial": initial, "initial with a code": initial and macro.code != "none",
                          "center": bool(macro.center), macro.code: True, f"d {macro.d}": True, f"b {macro.paths[0].bits}": True, f"WC {macro.wc}": True})
        self.assertEqual([name for name, count in found.items() if count < 2], [])
        self.assertEqual(len(found), 19 + 4 + 4 + 3 + 3)  # with every code, d, b and centroid_bits


if __name__ == "__main__":
    unittest.main()

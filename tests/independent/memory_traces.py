"""Adversarial traces of a bounded memory, drawn from a seed."""
import math
import struct
from random import Random

import memory_masters as masters
import memory_tensors
from memory import EXACT, MOST_MERGED, SUMMARY, WINDOW
from memory_macro import INITIAL, first_token
from memory_parameters import gate_levels
from safetensors import Tensor
from value_rows import ValueMaker

LARGEST = 0x7F7FFFFF


class TokenMaker(ValueMaker):
    """Values around a few anchors: equal, scaled, negated, mixed and noisy ones among rows of every kind."""
    def __init__(self, macro, random):
        super().__init__(macro, random)
        self.alike = False
        self.anchors = [self.normal() for _ in range(random.randint(1, 5))]
        self.kinds = [self.zeros, self.least, self.saturated, self.lone, self.largest, *self.everything()]
        self.share = random.choice([0.5, 0.8, 0.95, 1.0])  # of values around anchors
        self.codes = [self.level() for _ in range(3)]

    def normal(self):
        return [self.random.gauss(0, 1) for _ in range(self.d)]

    def value(self):
        if self.random.random() >= self.share:
            return self.random.choice(self.kinds)()
        row, kind = self.random.choice(self.anchors), self.random.randrange(5)
        if kind == 0:  # the same indices, perhaps another norm
            return [self.encode(x, self.random.choice([0, 0, 3])) for x in row] if self.random.random() < 0.5 else [
                self.encode(x, 2) for x in row]
        if kind == 1:
            return [self.encode(-x) for x in row]
        other = self.random.choice(self.anchors) if kind == 2 else self.normal()
        cosine = self.random.choice([0.7, 0.9, self.random.uniform(0.5, 1)])
        return [self.encode(cosine * x + math.sqrt(1 - cosine * cosine) * y) for x, y in zip(row, other)]

    def level(self):
        """FP32 bits of a level L_j, or of a number next to it."""
        p = self.macro.parameters
        j = self.random.choice([self.random.randint(1, 255), max(1, p.gate_exact), max(1, p.gate_summary), 128])
        bits = gate_levels()[j - 1]
        if bits & 0x7FFFFFFF == 0:
            return self.random.choice([0, 1, 0x80000000, 0x80000001])
        return bits + self.random.choice([-1, 0, 0, 1])

    def gate(self):
        """FP32 bits of a gate logit."""
        kind = self.random.randrange(6)
        if kind < 2:
            return self.random.choice(self.codes)
        if kind == 2:
            return self.level()
        if kind == 3:
            return self.random.choice([LARGEST, LARGEST | 0x80000000, 1, 0x80000000, *struct.unpack("<2I", struct.pack("<2f", 16, -16))])
        return struct.unpack("<I", struct.pack("<f", self.random.gauss(0, 2)))[0]

    def token(self):
        """-> (key, value, gate)."""
        key = self.random.choice(super().keys())()
        value = self.value()
        return (value if self.random.random() < 0.1 else key), value, self.gate()

    def query(self):
        return self.random.choice([self.gaussian, self.gaussian, *self.everything()])()


def enter(memory, key, value, gate):
    """A token of bits -> its event."""
    return memory.enter(masters.half_floats(key), masters.half_floats(value), struct.unpack("<f", struct.pack("<I", gate))[0])


def critical(new, weight, random):
    """An FP16 number, if one is found, that is blended with `new` to another one where one of the roundings to FP32 is left out."""
    old, left_out = 0.0, random.choice(["difference", "product", "sum", "sum"])
    for _ in range(150 if 0 < weight < 1 and new else 0):
        if left_out == "sum":
            old = masters.half(new * random.uniform(-4, 4))
        else:  # sums that cancel, exactly or not
            old = masters.half(new * weight / (weight - 1) * (1 + random.uniform(-1, 1) * 2.0 ** -random.randint(3, 15)))
        (found,) = masters.blended([old], [new], weight, masters.half)
        difference = new - old if left_out == "difference" else masters.single(new - old)
        product = weight * difference if left_out == "product" else masters.single(weight * difference)
        total = old + product if left_out == "sum" else masters.single(old + product)
        if found != masters.half(total):
            break
    return old


def initial(macro, maker, random):
    """-> the moment of a memory that has seen tokens, with other numbers in some places, all valid."""
    memory = macro.memory()
    for _ in range(random.choice([random.randint(0, 4), random.randint(20, 60), random.randint(20, 60)])):
        enter(memory, *maker.token())
    shift = random.choice([0, 5, 2 ** 30]) if not macro.parameters.sinks and memory.tokens >= macro.parameters.window else 0
    memory.tokens += shift
    for slot in (slot for slot in memory.slots if slot.label):
        slot.position, slot.stamp = slot.position + shift, slot.stamp + shift
        slot.key, slot.value = flipped(macro.records, slot.key, random), flipped(macro.records, slot.value, random)
        slot.read = macro.records.read(slot.value)
        if slot.label in (EXACT, SUMMARY) and random.random() < 0.3:
            slot.stamp = random.randint(slot.position, memory.tokens - 1)
    for i in memory.of(SUMMARY):
        slot, kind = memory.slots[i], random.random()
        slot.merged = random.choice([slot.merged, MOST_MERGED, MOST_MERGED - 1, 7])
        if kind < 0.2:
            slot.master = masters.half_floats(random.choice(maker.kinds)())
        elif kind < 0.9:  # the token that is merged next is often the oldest of the window
            y = min((memory.slots[j] for j in memory.of(WINDOW)), key=lambda other: other.position)
            weight = masters.eta(macro.parameters.blend, y.gate)
            slot.master = [critical(v, weight, random) for v in masters.rebuilt(macro.records, y.read)]
    one = memory_tensors.moment(memory)
    memory_tensors.check("drawn", one, macro.parameters, macro.records, first_token(one))
    return one


def flipped(records, stored, random):
    """A stored record after a few bit errors, the top bit of the norm among them."""
    string = int.from_bytes(stored, "little")
    for _ in range(random.choice([0, 0, 1, 2, 3, 8])):
        string ^= 1 << random.randrange(records.stored_bits())
    if records.decoder is None and random.random() < 0.1:
        string ^= 1 << records.stored_bits() - 1
    return string.to_bytes(len(stored), "little")


def make(macro, seed, tokens, queries, with_initial):
    """-> (tensors, metadata) of a trace."""
    random = Random(seed)
    maker = TokenMaker(macro, random)
    drawn = [maker.token() for _ in range(tokens)]

    def rows(numbers):
        return Tensor.pack("F16", [len(numbers), macro.d], [raw for row in numbers for raw in row])

    tensors = {"keys": rows([key for key, _, _ in drawn]), "values": rows([value for _, value, _ in drawn]),
               "gates": Tensor.pack("F32", [tokens], [gate for _, _, gate in drawn]),
               "queries": rows([maker.query() for _ in range(queries)]),
               "query_tokens": Tensor.pack("I32", [queries], sorted(random.randrange(tokens) for _ in range(queries)))}
    shots = random.choice([None, range(tokens), sorted(random.sample(range(tokens), random.randint(0, tokens)))])
    if shots is not None:
        tensors["snapshots"] = Tensor.pack("I32", [len(shots)], list(shots))
    if with_initial:
        moment = initial(macro, maker, random)
        packed = memory_tensors.pack([1, 1], macro.parameters, macro.records, [moment])
        tensors |= {INITIAL + name: tensor for name, tensor in packed.items()}
    return tensors, {"model": "random", "text": f"seed {seed}"}

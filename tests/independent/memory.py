"""A bounded memory: the slots of one layer and KV head, token by token (contract: one token, in this order)."""
import math
from dataclasses import dataclass, field

import memory_masters as masters
from memory_parameters import gate_code
from memory_records import Read, nearest, reaches

FREE, WINDOW, SINK, EXACT, SUMMARY = range(5)
NOTHING, GATED_OUT, HIT, BETWEEN, ADMITTED, DISPLACED, KEPT, SUNK, NO_BANK = range(9)  # of e
NONE, DROPPED, SPAWNED, MERGED = range(4)  # of y
NO_SLOT = -1
MOST_MERGED = 2 ** 31 - 1


class Refused(ValueError):
    """A token that is not entered."""


@dataclass
class Slot:
    label: int = FREE
    gate: int = 0
    position: int = 0
    stamp: int = 0
    merged: int = 0
    key: bytes = b""  # records as stored
    value: bytes = b""
    read: Read | None = None  # of the value record
    master: list = field(default_factory=list)  # of a summary; with FP16 stores it is `value_row`
    key_row: list = field(default_factory=list)  # FP16 stores; floats
    value_row: list = field(default_factory=list)


class Memory:
    """records: memory_records.Records. `blend` is H where the checkpoint decides. `errors` gives the bits that flip in a
    stored record: errors(position, whether of a value) -> integer."""
    def __init__(self, records, parameters, blend=None, limit=2 ** 31, errors=None, pairing="half"):
        self.records, self.p, self.limit, self.errors = records, parameters, limit, errors
        self.blend = parameters.blend if parameters.blend is not None else blend
        self.rounded = masters.half if parameters.store != "f32" else float
        self.channels = masters.slower(records.d, pairing)
        self.slots, self.tokens, self.refused = [Slot() for _ in range(parameters.slots)], 0, 0

    def of(self, label):
        return [i for i, slot in enumerate(self.slots) if slot.label == label]

    def enter(self, key, value, z):
        """Rows and gate logit of a token, as floats -> its event."""
        rows = masters.input_bits(key), masters.input_bits(value)
        finite = math.isfinite(z) and all(raw & 0x7C00 != 0x7C00 for row in rows for raw in row)
        if not finite or self.tokens >= self.limit:
            self.refused += 1
            raise Refused("token: not finite" if not finite else f"token: the position is not below {self.limit}")
        outcome, e, against, leaver = self.evict()
        fate, summary = self.summarise(leaver)
        return [outcome, e, against, fate, summary, self.write(rows, key, value, gate_code(z))]

    # Step 1

    def evict(self):
        """-> (what became of e, e, the slot it was held against, the leaver)."""
        window = self.of(WINDOW)
        if len(window) < self.p.window:
            return NOTHING, NO_SLOT, NO_SLOT, None
        e = min(window, key=lambda i: self.slots[i].position)
        slot = self.slots[e]
        if slot.position < self.p.sinks:
            slot.label = SINK
            return SUNK, e, NO_SLOT, None
        if self.p.exact == self.p.sinks:
            return NO_BANK, e, NO_SLOT, e
        if slot.gate < self.p.gate_exact:
            return GATED_OUT, e, NO_SLOT, e
        bank = self.of(EXACT)
        found = nearest(slot.read, [(i, self.slots[i].read) for i in bank])
        n, acc = found or (NO_SLOT, 0)

        def near(threshold):
            return reaches(acc, slot.read, self.slots[n].read, threshold)

        if found and near(self.p.novel):
            if not near(self.p.match):
                return BETWEEN, e, n, e
            self.slots[n].stamp = slot.position
            return HIT, e, n, e
        if len(bank) < self.p.exact - self.p.sinks:
            self.admit(e)
            return ADMITTED, e, n, None
        x = min(bank, key=self.use)
        if self.p.evict == "gate" and slot.gate < self.slots[x].gate:
            return KEPT, e, x, e
        self.admit(e)
        return DISPLACED, e, x, x

    def admit(self, e):
        self.slots[e].label = EXACT
        self.slots[e].stamp = self.slots[e].position

    def use(self, i):
        slot = self.slots[i]
        return (slot.stamp, i) if self.p.evict == "lru" else (slot.gate, slot.stamp, i)

    # Step 2

    def summarise(self, y):
        """The leaver, which is still `window` or `exact` -> (what became of it, the slot that is a summary)."""
        if y is None:
            return NONE, NO_SLOT
        slot = self.slots[y]
        if self.p.summary == 0 or slot.gate < self.p.gate_summary:
            self.slots[y] = Slot()
            return DROPPED, NO_SLOT
        bank = self.of(SUMMARY)
        found = nearest(slot.read, [(i, self.slots[i].read) for i in bank])
        if not found or len(bank) < self.p.summary and not reaches(found[1], slot.read, self.slots[found[0]].read, self.p.novel):
            self.spawn(slot)
            return SPAWNED, y
        return MERGED, self.merge(y, found[0])

    def rebuilt(self, slot):
        """v^ of a slot."""
        return slot.value_row if self.p.keeps_rows else masters.rebuilt(self.records, slot.read)

    def spawn(self, slot):
        slot.master = [self.rounded(x) for x in self.rebuilt(slot)]
        slot.label, slot.merged = SUMMARY, 1
        if self.p.keeps_rows:
            slot.value_row = slot.master
        if self.p.summary_key == "band":
            slot.key_row = [self.rounded(x) for x in masters.band_source(slot.key_row, self.channels)]

    def merge(self, y, s):
        """-> the slot that stays."""
        new, old = self.slots[y], self.slots[s]
        weight = masters.eta(self.blend, new.gate)
        master = masters.blended(old.master, self.rebuilt(new), weight, self.rounded)
        stays, goes = (y, s) if new.position > old.position else (s, y)
        slot = self.slots[stays]
        if self.p.summary_key == "band":
            source = masters.band_source(new.key_row, self.channels)
            slot.key_row = masters.blended(old.key_row, source, weight, self.rounded)
        slot.label, slot.merged, slot.master = SUMMARY, min(old.merged + 1, MOST_MERGED), master
        if self.p.keeps_rows:
            slot.value_row = master
        self.set_value(slot, masters.half_bits([masters.half(x) for x in master]))
        self.slots[goes] = Slot()
        return stays

    # Step 3

    def write(self, rows, key, value, gate):
        i = self.of(FREE)[0]
        slot = self.slots[i] = Slot(WINDOW, gate, self.tokens, self.tokens, 1)
        slot.key = self.hit(self.records.key(rows[0]), slot, False)
        self.set_value(slot, rows[1])
        if self.p.store == "fp16":
            slot.key_row, slot.value_row = map(masters.half_floats, rows)
        if self.p.store == "f32":
            slot.key_row, slot.value_row = list(key), list(value)
        self.tokens += 1
        return i

    def set_value(self, slot, row):
        slot.value = self.hit(self.records.value(row), slot, True)
        slot.read = self.records.read(slot.value)

    def hit(self, stored, slot, is_value):
        if not self.errors:
            return stored
        return (int.from_bytes(stored, "little") ^ self.errors(slot.position, is_value)).to_bytes(len(stored), "little")

    # Step 4

    def attend(self, query):
        """FP16 bits of a query -> (accumulators, FP32 bits of scores) of all slots, 0 where free."""
        turned = self.records.macro.query(query)
        pairs = [self.records.score(turned, self.records.read(slot.key)) if slot.label != FREE else (0, 0)
                 for slot in self.slots]
        return [acc for acc, _ in pairs], [score for _, score in pairs]

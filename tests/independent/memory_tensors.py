"""The slots of memories as tensors, and what is checked when they are read (contract: state file)."""
import memory_masters as masters
from memory import EXACT, FREE, SINK, SUMMARY, WINDOW, Slot
from safetensors import Tensor

NUMBERS = {"labels": "label", "gates": "gate", "positions": "position", "stamps": "stamp", "merged": "merged"}
RECORDS = ("key_records", "value_records", "masters")
ROWS = ("value_records", "keys", "values")  # of `fp16`
TYPES = {"labels": "U8", "gates": "U8", "positions": "I32", "stamps": "I32", "merged": "I32",
         "key_records": "U8", "value_records": "U8", "masters": "F16", "keys": "F16", "values": "F16"}


def names(p):
    return [*NUMBERS, *(ROWS if p.keeps_rows else RECORDS)]


def width(name, records):
    """Numbers of a slot, or of a master."""
    return 1 if name in NUMBERS else records.size if name.endswith("records") else records.d


def shape(name, p, records):
    """Of one memory."""
    return [p.summary if name == "masters" else p.slots] + ([] if name in NUMBERS else [width(name, records)])


def rows(memory, name):
    """-> the numbers of one memory; floats as bits. Rows of free slots are 0."""
    if name in NUMBERS:
        return [getattr(slot, NUMBERS[name]) for slot in memory.slots]
    count = width(name, memory.records)
    if name == "masters":
        kept = [masters.half_bits(memory.slots[i].master) for i in memory.of(SUMMARY)]
        return [v for row in kept for v in row] + [0] * count * (memory.p.summary - len(kept))
    fields = {"key_records": "key", "value_records": "value", "keys": "key_row", "values": "value_row"}
    result = []
    for slot in memory.slots:
        row = [0] * count if slot.label == FREE else getattr(slot, fields[name])
        result += row if slot.label == FREE or name.endswith("records") else masters.half_bits(row)
    return result


def moment(memory):
    """-> {name: numbers} of a memory as it is now."""
    return {name: rows(memory, name) for name in names(memory.p)}


def pack(lead, p, records, moments):
    """Moments of as many memories as the axes `lead` have -> {name: tensor}."""
    return {name: Tensor.pack(TYPES[name], lead + shape(name, p, records), [v for one in moments for v in one[name]])
            for name in names(p)}


def unpack(where, tensors, lead, p, records, prefix=""):
    """Checks types and shapes -> moments, one for each memory."""
    found = {}
    for name in names(p):
        tensor, want = tensors[prefix + name], lead + shape(name, p, records)
        if (tensor.dtype, tensor.shape) != (TYPES[name], want):
            raise ValueError(f"{where}: tensor {prefix}{name}: {tensor.dtype} {tensor.shape}, must be {TYPES[name]} {want}")
        found[name] = tensor.values()
    count = 1
    for extent in lead:
        count *= extent
    parts = {name: len(values) // count if count else 0 for name, values in found.items()}
    return [{name: list(values[i * parts[name]:(i + 1) * parts[name]]) for name, values in found.items()} for i in range(count)]


def check(where, one, p, records, tokens, prefix=""):
    """Checks the moment of one memory after `tokens` tokens; the first thing wrong is named."""
    def demand(holds, name, what, slot=None):
        if not holds:
            raise ValueError(f"{where}: tensor {prefix}{name}{'' if slot is None else f', slot {slot}'}: {what}")

    labels, positions = one["labels"], one["positions"]
    for i, label in enumerate(labels):
        demand(label <= SUMMARY, "labels", f"{label}, must be 0 .. {SUMMARY}", i)
    of = {label: [i for i, v in enumerate(labels) if v == label] for label in range(SUMMARY + 1)}
    window = min(p.window, tokens)
    sinks = min(p.sinks, tokens - window)
    demand(len(of[WINDOW]) == window, "labels", f"{len(of[WINDOW])} slots are window, must be {window}")
    demand(len(of[SINK]) == sinks, "labels", f"{len(of[SINK])} slots are sink, must be {sinks}")
    for label, name, most in ((EXACT, "exact", p.exact - p.sinks), (SUMMARY, "summary", p.summary)):
        demand(len(of[label]) <= most, "labels", f"{len(of[label])} slots are {name}, must be at most {most}")
    used = [i for i, label in enumerate(labels) if label != FREE]
    seen = set()
    for i in used:
        demand(0 <= positions[i] < tokens, "positions", f"{positions[i]}, must be below {tokens} tokens", i)
        demand(positions[i] not in seen, "positions", f"{positions[i]} is repeated", i)
        seen.add(positions[i])
    for i in of[WINDOW]:
        demand(positions[i] >= tokens - window, "positions", f"{positions[i]}, the window starts at {tokens - window}", i)
    for i in of[SINK]:
        demand(positions[i] < sinks, "positions", f"{positions[i]}, must be below {sinks} sinks", i)
    for i in used:
        demand(positions[i] <= one["stamps"][i] < tokens, "stamps", f"{one['stamps'][i]}, must be {positions[i]} .. {tokens - 1}", i)
        if labels[i] in (WINDOW, SINK):
            demand(one["stamps"][i] == positions[i], "stamps", f"{one['stamps'][i]}, must be {positions[i]}", i)
    for i in used:
        least = one["merged"][i] >= 1 and (labels[i] == SUMMARY or one["merged"][i] == 1)
        demand(least, "merged", f"{one['merged'][i]}, must be {'at least ' * (labels[i] == SUMMARY)}1", i)
    check_rows(demand, one, of, records, p)


def check_rows(demand, one, of, records, p):
    """Finite masters and rows, zeros where free."""
    for name in (name for name in ("masters", "keys", "values") if name in one):
        for j, raw in enumerate(one[name]):
            demand(raw & 0x7C00 != 0x7C00, name, "not finite", j // records.d)
    for name in names(p):
        count = width(name, records)
        for i in (range(len(of[SUMMARY]), p.summary) if name == "masters" else of[FREE]):
            demand(not any(one[name][i * count:(i + 1) * count]), name, "must be 0", i)


def restore(memory, one, p, tokens):
    """A checked moment with the parameters p -> the memory, whose banks may be larger; new slots are free."""
    records, summaries = memory.records, 0

    def row(name, i):
        count = width(name, records)
        return one[name][i * count:(i + 1) * count]

    memory.tokens = tokens
    for i, label in enumerate(one["labels"]):
        slot = memory.slots[i] = Slot(*(one[name][i] for name in NUMBERS))
        if label == FREE:
            continue
        slot.value = bytes(row("value_records", i))
        slot.read = records.read(slot.value)
        if p.keeps_rows:
            slot.key_row, slot.value_row = (masters.half_floats(row(name, i)) for name in ("keys", "values"))
            slot.master = slot.value_row if label == SUMMARY else []
        else:
            slot.key = bytes(row("key_records", i))
            if label == SUMMARY:
                slot.master = masters.half_floats(row("masters", summaries))
                summaries += 1
    return memory

"""Input of `axelram run` with a bounded memory that is wrong in one place, and slots that are."""
import json

import contract
import memory_tensors
import memory_traces
import safetensors
from memory import EXACT, FREE, SINK, SUMMARY, WINDOW
from memory_cases import MEMORIES, SECTIONS, Case, write as write_macro
from memory_macro import INITIAL, first_token
from random import Random
from safetensors import Tensor

CASE = Case("slots of every kind", {"window": 3, "exact": 4, "sinks": 1, "summary": 3}, {"macro": {"head_dim": 32}}, 40, 6, 5)
NAN, INFINITY = 0x7E01, 0xFC00
NAN32, INFINITY32 = 0x7FC00001, 0xFF800000
RIGHT = "right"


def wrong_moments(one, p, records, tokens):
    """-> (name, tensor to be named, moment) of slots that are wrong in one place; what the moment has no slot for is left out."""
    of = {label: [i for i, v in enumerate(one["labels"]) if v == label] for label in range(SUMMARY + 1)}

    def changed(**places):
        """places: {name: {place: number}}."""
        result = {name: list(values) for name, values in one.items()}
        for name, numbers in places.items():
            for place, number in numbers.items():
                result[name][place] = number
        return result

    def relabelled(old, new):
        if of[old]:
            yield f"label {old} that is {new}", "labels", changed(labels={of[old][0]: new})

    for label in (5, 255):
        yield f"label {label}", "labels", changed(labels={0: label})
    for old, new in ((WINDOW, EXACT), (WINDOW, SUMMARY), (WINDOW, SINK), (SINK, EXACT), (SINK, WINDOW), (EXACT, SINK), (EXACT, WINDOW)):
        yield from relabelled(old, new)
    if len(of[EXACT]) == p.exact - p.sinks:
        yield from relabelled(SUMMARY, EXACT)
    if len(of[SUMMARY]) == p.summary:
        yield from relabelled(EXACT, SUMMARY)
    for label in (WINDOW, SINK, EXACT, SUMMARY):
        for i in of[label][-1:]:
            other = next(j for j, v in enumerate(one["labels"]) if v not in (FREE, label))
            here = one["positions"][i]
            for number in (-1, tokens, -2 ** 31, 2 ** 31 - 1, one["positions"][other]):
                yield f"position {number} of label {label}", "positions", changed(positions={i: number})
            for number in (here - 1, -1, tokens, 2 ** 31 - 1) + ((here + 1,) if label in (WINDOW, SINK) else ()):
                yield f"stamp {number} of label {label}", "stamps", changed(stamps={i: number})
            for number in (0, -1) + ((2,) if label != SUMMARY else ()):
                yield f"merged {number} of label {label}", "merged", changed(merged={i: number})
    for i, j in zip(of[WINDOW], of[EXACT]):
        swapped = {i: one["positions"][j], j: one["positions"][i]}
        yield "an exact token later than the window", "positions", changed(positions=swapped, stamps={i: swapped[i], j: swapped[j]})
        break
    for i, j in zip(of[SINK], of[EXACT]):
        swapped = {i: one["positions"][j], j: one["positions"][i]}
        yield "a sink that is not the first token", "positions", changed(positions=swapped, stamps={i: swapped[i], j: swapped[j]})
        break
    for name in ("masters", "keys", "values"):
        for raw in (NAN, INFINITY, 0x7C00) if name in one and of[SUMMARY] else ():
            place = 0 if name == "masters" else of[SUMMARY][0] * records.d
            yield f"{name} of {raw:#x}", name, changed(**{name: {place + records.d - 1: raw}})
    if "masters" in one and len(of[SUMMARY]) < p.summary:
        yield "a master beyond the summaries", "masters", changed(masters={p.summary * records.d - 1: 1})
    for i in of[FREE][:1]:
        for name in memory_tensors.names(p):
            width = memory_tensors.width(name, records)
            if name not in ("labels", "masters"):
                yield f"{name} of a free slot", name, changed(**{name: {(i + 1) * width - 1: 1}})


def number(tensor, place, value):
    """The tensor with one number replaced."""
    values = list(tensor.values())
    values[place] = value
    return Tensor.pack(tensor.dtype, tensor.shape, values)


def wrong_tensors(tensors, names):
    """-> (name, tensors) with a tensor missing (None), of another type, rank or width."""
    for name in names:
        old = tensors[name]
        yield f"without {name}", {name: None}
        other = "I8" if old.dtype == "U8" else "U8"
        yield f"with {name} of {other}", {name: Tensor(other, [len(old.data)], old.data)}
        yield f"with {name} of another rank", {name: Tensor(old.dtype, [1, *old.shape], old.data)}
        yield f"with {name} of another extent", {name: Tensor(old.dtype, [0, *old.shape[1:]], b"")}


def wrong_traces(tensors):
    """-> (name, tensors) of traces that are wrong in one place."""
    d, tokens, queries = CASE.sections["macro"]["head_dim"], CASE.tokens, CASE.queries
    yield from wrong_tensors(tensors, ("keys", "values", "gates", "queries", "query_tokens"))
    for name in ("keys", "values", "queries"):
        for raw in (NAN, INFINITY):
            yield f"with {name} of {raw:#x}", {name: number(tensors[name], 3 * d + 7, raw)}
        yield f"with {name} of 64 elements", {name: Tensor("F16", [tensors[name].shape[0] // 2, 64], tensors[name].data)}
        yield f"with {name} of BF16", {name: Tensor("BF16", tensors[name].shape, tensors[name].data)}
    for raw in (NAN32, INFINITY32, 0x7F800000):
        yield f"with a gate of {raw:#x}", {"gates": number(tensors["gates"], tokens - 1, raw)}
    for name, shape in (("keys", [tokens - 1, d]), ("values", [tokens - 1, d]), ("gates", [tokens - 1])):
        size = len(tensors[name].data) // tokens
        yield f"with {name} of one row less", {name: Tensor(tensors[name].dtype, shape, tensors[name].data[size:])}
    for numbers in ([-1] + [0] * (queries - 1), [0] * (queries - 1) + [tokens], [0, 2, 1] + [3] * (queries - 3), [0] * (queries - 1)):
        yield f"with query_tokens {numbers}", {"query_tokens": Tensor.pack("I32", [len(numbers)], numbers)}
    for numbers in ([-1, 0], [0, tokens], [1, 0], [1, 1]):
        yield f"with snapshots {numbers}", {"snapshots": Tensor.pack("I32", [2], numbers)}
    yield "with snapshots of I64", {"snapshots": Tensor.pack("I64", [1], [0])}
    yield "with snapshots of another rank", {"snapshots": Tensor.pack("I32", [1, 1], [0])}
    empty = {name: Tensor(tensors[name].dtype, [0, *tensors[name].shape[1:]], b"") for name in ("keys", "values", "gates")}
    yield "with queries of no tokens", empty | {"query_tokens": Tensor.pack("I32", [queries], [0] * queries)}


def moments(macro):
    """-> (moment, tokens) of a memory with a free slot and of one with full banks."""
    memory, maker = macro.memory(), memory_traces.TokenMaker(macro, Random(3))
    maker.gate = lambda: 0x41800000  # 16
    found, full = None, None
    while full is None:
        memory_traces.enter(memory, *maker.token())
        counts = [len(memory.of(label)) for label in (FREE, EXACT, SUMMARY)]
        if counts[0] and counts[1] and counts[2] == 1:
            found = memory_tensors.moment(memory), memory.tokens
        if not counts[0]:
            full = memory_tensors.moment(memory), memory.tokens
    return [one for one in (found, full) if one]


def wrong_initials(macro):
    """-> (name, tensors) of traces with initial tensors; RIGHT, and others that are wrong in one place."""
    p, records = macro.parameters, macro.records

    def pack(one):
        packed = memory_tensors.pack([1, 1], p, records, [one])
        return {INITIAL + name: tensor for name, tensor in packed.items()}

    for one, tokens in moments(macro):
        good = pack(one)
        yield f"{RIGHT} initial slots", good
        for name, changed in wrong_tensors(good, good):
            yield name, good | changed
        for name, tensor in good.items():
            extents = tensor.shape[2:]
            yield f"with {name} without the axes of layer and head", good | {name: Tensor(tensor.dtype, extents, tensor.data)}
        for name, _, moment in wrong_moments(one, p, records, tokens):
            if first_token(moment) == tokens or "position" not in name:  # tokens follow from the greatest position
                yield f"with initial slots, {name}", pack(moment)


def wrong_inputs(folder):
    """Writes files -> (name, configuration, trace): right ones, and others that are wrong in one place."""
    config, trace = write_macro(folder, CASE), f"{folder}/trace.safetensors"
    macro = contract.load(config)
    tensors, metadata = memory_traces.make(macro, CASE.seed, CASE.tokens, CASE.queries, False)

    def written(changed):
        both = {name: tensor for name, tensor in (tensors | changed).items() if tensor}
        safetensors.write(trace, both, metadata, True)

    written({})
    yield f"{RIGHT} trace", config, trace
    for name, changed in [*wrong_traces(tensors), *wrong_initials(macro)]:
        written(changed)
        yield name if name.startswith(RIGHT) else f"trace {name}", config, trace
    written({})
    for label, sections in [(f"memory {memory}", {"memory": memory}) for memory in MEMORIES] + [
            (name, {"memory": CASE.memory} | changed) for name, changed in SECTIONS.items()]:
        with open(f"{folder}/wrong.json", "w") as file:
            json.dump(CASE.sections | sections, file)
        yield f"configuration: {label}", f"{folder}/wrong.json", trace
    with open(f"{folder}/wrong.yaml", "w") as file:
        file.write("macro: {head_dim: 32}\nmemory: {window: 3, window: 3}\n")
    yield "configuration: a repeated key", f"{folder}/wrong.yaml", trace

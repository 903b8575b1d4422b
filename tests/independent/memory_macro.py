"""A macro that serves a bounded memory: its trace and the tensors of a run (contract: trace and result)."""
import math
import struct
from dataclasses import dataclass

import memory_masters as masters
import memory_tensors
import safetensors
from macro import Macro
from memory import Memory
from memory_parameters import gate_code
from memory_records import Records
from safetensors import Tensor

INITIAL = "initial_"


@dataclass
class Trace:
    keys: list  # FP16 bits
    values: list
    gates: list  # floats
    queries: list
    query_tokens: list
    snapshots: list
    initial: dict | None  # the moment of one memory


class MemoryMacro(Macro):
    def __init__(self, c):
        super().__init__(c)
        self.parameters, self.records = c["bounded"], Records(self, c["erasure"])

    def load(self, path):
        """A trace, checked -> (Trace,)."""
        tensors, _ = safetensors.read(path)
        keys, values, queries = (self.vectors(path, tensors, name) for name in ("keys", "values", "queries"))
        if len(values) != len(keys) or len(keys) > 2 ** 24:
            raise ValueError(f"{path}: tensor values: {len(values)} rows, keys has {len(keys)}, must be equal and at most 2^24")
        bits = numbers(path, tensors, "gates", "F32", len(keys))
        gates = list(struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *bits)))
        for i, z in enumerate(gates):
            if not math.isfinite(z):
                raise ValueError(f"{path}: tensor gates, row {i}: not finite")
        asked = numbers(path, tensors, "query_tokens", "I32", len(queries))
        check_tokens(path, "query_tokens", asked, len(keys), 0)
        snapshots = [len(keys) - 1] if keys else []
        if "snapshots" in tensors:
            snapshots = numbers(path, tensors, "snapshots", "I32", None)
            check_tokens(path, "snapshots", snapshots, len(keys), 1)
        return (Trace(keys, values, gates, queries, asked, snapshots, self.initial(path, tensors, len(keys))),)

    def initial(self, path, tensors, count):
        """-> the moment that tokens go on from, checked, or None."""
        names = memory_tensors.names(self.parameters)
        given = [name for name in names if INITIAL + name in tensors]
        if not given:
            return None
        for name in names:
            if name not in given:
                raise ValueError(f"{path}: tensor {INITIAL}{name}: missing")
        (one,) = memory_tensors.unpack(path, tensors, [1, 1], self.parameters, self.records, INITIAL)
        first = first_token(one)
        memory_tensors.check(path, one, self.parameters, self.records, first, INITIAL)
        if first + count > 2 ** 31:
            raise ValueError(f"{path}: tensor {INITIAL}positions: {first - 1}, {count} tokens go beyond 2^31 - 1")
        return one

    def memory(self, one=None):
        """-> an empty memory, or one that goes on from a moment."""
        memory = Memory(self.records, self.parameters)
        return memory_tensors.restore(memory, one, self.parameters, first_token(one)) if one else memory

    def run(self, trace):
        """-> (tensors, metadata) of the result file."""
        memory, events, moments, attended = self.memory(trace.initial), [], [], []
        queries = list(zip(trace.query_tokens, trace.queries))
        for t, (key, value, z) in enumerate(zip(trace.keys, trace.values, trace.gates)):
            events.append(memory.enter(masters.half_floats(key), masters.half_floats(value), z))
            attended += [memory.attend(query) for token, query in queries if token == t]
            if t in trace.snapshots:
                moments.append(memory_tensors.moment(memory))
        slots = len(attended), self.parameters.slots
        tensors = {
            "gate_codes": Tensor.pack("U8", [len(events)], [gate_code(z) for z in trace.gates]),
            "events": Tensor.pack("I32", [len(events), 6], [v for event in events for v in event]),
            **memory_tensors.pack([len(moments)], self.parameters, self.records, moments),
            "accumulators": Tensor.pack("I64", slots, [acc for accs, _ in attended for acc in accs]),
            "scores": Tensor.pack("F32", slots, [score for _, scores in attended for score in scores]),
        }
        return tensors, self.metadata()

    def metadata(self):
        p = self.parameters
        return super().metadata() | {"thresholds": f"{p.novel},{p.match}", "gate_thresholds": f"{p.gate_exact},{p.gate_summary}",
                                     "blend": str(p.blend)}


def first_token(one):
    """The token that follows a moment."""
    return max((position for label, position in zip(one["labels"], one["positions"]) if label), default=-1) + 1


def numbers(path, tensors, name, dtype, count):
    tensor = tensors.get(name)
    if not tensor or tensor.dtype != dtype or len(tensor.shape) != 1 or count not in (None, tensor.shape[0]):
        found = f"{tensor.dtype} {tensor.shape}" if tensor else "missing"
        raise ValueError(f"{path}: tensor {name}: {found}, must be {dtype} [{'any' if count is None else count}]")
    return list(tensor.values())


def check_tokens(path, name, tokens, count, least):
    """Tokens of a trace, each at least `least` above the one before."""
    for i, token in enumerate(tokens):
        if not 0 <= token < count:
            raise ValueError(f"{path}: tensor {name}, row {i}: {token}, must be below {count} tokens")
        if i and token - tokens[i - 1] < least:
            raise ValueError(f"{path}: tensor {name}, row {i}: {token} follows {tokens[i - 1]}")

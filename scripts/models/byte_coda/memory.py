"""A bounded memory as a trainer sees it: its specification, and decisions by golden's own function
(bit-contract.md#memory-order)."""

import ctypes
import dataclasses
import math
import pathlib

import numpy
import torch

from byte_coda import moments

LIBRARY = pathlib.Path(__file__).resolve().parents[3] / "build/golden/c/libaxelram_c.so"
STORES = ("records", "fp16", "f32")
EVICTS = ("lru", "gate")
SIGN_SEED = 42


class Wrong(Exception):
    """A specification or a sequence that golden or this module refuses."""


class Options(ctypes.Structure):
    """axelram_memory_route_options."""

    _fields_ = [(name, ctypes.c_int32) for name in (
        "head_dim index_bits significand_bits boundary_fraction_bits centroid_bits beta_codebook "
        "window exact summary sinks evict_by_gate rows").split()]
    _fields_ += [(name, ctypes.c_double) for name in
                 "novel match gate_exact gate_summary blend".split()]


@dataclasses.dataclass
class Specification:
    """Parameters with the defaults of bit-contract.md#memory-parameters."""

    window: int = 256
    exact: int = 64
    summary: int = 64
    sinks: int = 0
    evict: str = "gate"
    novel: float = 0.70
    match: float = math.nan
    gate_exact: float = 0.10
    gate_summary: float = 0.05
    blend: float = 0.047
    store: str = "records"
    seed: int = SIGN_SEED

    @property
    def slots(self):
        return self.window + self.exact + self.summary

    @property
    def has_banks(self):
        return self.exact > self.sinks or self.summary > 0


def specification(text):
    """Of `window=128,exact=32,...`."""
    kinds = {field.name: field.type for field in dataclasses.fields(Specification)}
    found = {}
    for part in text.split(",") if text else []:
        key, equals, value = part.partition("=")
        if key not in kinds or not equals:
            raise Wrong(f"memory: {part!r}; known keys are {', '.join(kinds)}")
        if key in found:
            raise Wrong(f"memory: {key} is there twice")
        try:
            found[key] = kinds[key](value)
        except ValueError:
            raise Wrong(f"memory: {part}: {value!r} is no number") from None
    for key, names in (("evict", EVICTS), ("store", STORES)):
        if found.get(key, names[0]) not in names:
            raise Wrong(f"memory: {key}={found[key]}; it must be {' or '.join(names)}")
    return Specification(**found)


def load_library(path):
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise Wrong(
            f"{path}: {error}; build the target axelram_c, or name its library with --library"
        ) from None


def signs(seed, layer, head, width):
    """Of bit-contract.md#signs."""
    mask, increment = 2**64 - 1, 0x9E3779B97F4A7C15

    def mix(number):
        number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & mask
        number = (number ^ number >> 27) * 0x94D049BB133111EB & mask
        return number ^ number >> 31

    state = mix((seed + increment * (layer * 2**20 + head + 1)) & mask)
    found = []
    for _ in range(0, width, 64):
        state = (state + increment) & mask
        word = mix(state)
        found += [-1 if word >> bit & 1 else 1 for bit in range(64)]
    return numpy.array(found[:width], numpy.int8)


# The logits at which a gate goes up by one (bit-contract.md#memory-gates).
BOUNDARIES = [math.log((j - 0.5) / (255.5 - j)) for j in range(1, 256)]
BOUNDARIES = torch.tensor(BOUNDARIES, dtype=torch.float64).float()


def codes(logits):
    """Gates 0..255, as float."""
    boundaries = BOUNDARIES.to(logits.device)
    return torch.bucketize(logits.detach().contiguous(), boundaries, right=True).float()


def straight(exact, smooth):
    """The value of `exact` with the gradient of `smooth`."""
    return exact.detach() + smooth - smooth.detach()


class Memory:
    """Of one layer, for all its KV heads; what it decides has no gradient."""

    def __init__(self, library, spec, layer, kv_heads, head_dim):
        self.library, self.spec, self.head_dim = library, spec, head_dim
        self.signs = [signs(spec.seed, layer, head, head_dim) for head in range(kv_heads)]
        self.route(numpy.zeros((1, head_dim), numpy.float32), numpy.zeros(1, numpy.float32), 0, 0)

    def route(self, values, logits, head, blend):
        """Events [tokens, 6], labels and positions [tokens, slots] of one sequence of one head."""
        spec, tokens = self.spec, len(values)
        options = Options(
            *(self.head_dim, 3, 16, 13, 8, 0, spec.window, spec.exact, spec.summary, spec.sinks),
            *(EVICTS.index(spec.evict), STORES.index(spec.store), spec.novel, spec.match),
            *(spec.gate_exact, spec.gate_summary, blend),
        )
        events = numpy.empty((tokens, 6), numpy.int32)
        labels = numpy.empty((tokens, spec.slots), numpy.uint8)
        positions = numpy.empty((tokens, spec.slots), numpy.int32)
        error = ctypes.create_string_buffer(200)
        *inputs, to_events, to_labels, to_positions = (
            ctypes.c_void_p(array.ctypes.data)
            for array in (self.signs[head], values, logits, events, labels, positions)
        )
        status = self.library.axelram_memory_route(
            *(ctypes.byref(options), *inputs, ctypes.c_int64(tokens)),
            *(to_events, to_labels, to_positions, error, ctypes.c_size_t(len(error))),
        )
        if status:
            raise Wrong(f"memory: {error.value.decode()}")
        return events, labels, positions

    def items(self, values, logits, blend_logits):
        """What every block of queries meets: values [batch, KV heads, tokens, d], logits of the gate
        [batch, KV heads, tokens] or None, blend logits [KV heads] or None."""
        batch, heads, tokens, _ = values.shape
        rows = values.detach().float().cpu().contiguous().numpy()
        if logits is None:
            gates = numpy.full((batch, heads, tokens), 16, numpy.float32)
            bias, gate, shares = None, torch.ones(batch, heads, tokens, device=values.device), None
        else:
            gates = logits.detach().float().cpu().contiguous().numpy()
            code = codes(logits)
            bias = straight((code.clamp(min=1) / 255).log(), torch.nn.functional.logsigmoid(logits))
            gate = straight(code / 255, logits.sigmoid())
        if blend_logits is None:
            blend = torch.full((heads,), round(255 * self.spec.blend) / 255, device=values.device)
        else:
            blend = straight(codes(blend_logits) / 255, blend_logits.sigmoid())
        shares = gate * blend[:, None]
        rates = blend.tolist()
        histories = [
            moments.history(*self.route(rows[b, h], gates[b, h], h, rates[h]), self.spec.window)
            for b in range(batch)
            for h in range(heads)
        ]
        return moments.Items(histories, values, shares, bias, self.spec.window)


def of_model(path, spec, shape):
    """The memories of all layers, by the library at `path`."""
    library = load_library(path)
    layers = range(shape.layers)
    return [Memory(library, spec, layer, shape.kv_heads, shape.head_dim) for layer in layers]

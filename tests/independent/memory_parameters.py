"""Parameters of a bounded memory: ranges, gate codes and thresholds (contract: table of parameters, inputs of a token, similarity)."""
import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache

from codebook import Beta, Gaussian, lloyd_max
from floats import to_fp32

DEFAULTS = {"window": 256, "exact": 64, "summary": 64, "sinks": 0, "novel": 0.70, "match": 0.90, "gate_exact": 0.10,
            "gate_summary": 0.05, "blend": 0.047, "evict": "gate", "summary_key": "newest", "store": "records"}
CHOICES = {"evict": ("lru", "gate"), "summary_key": ("newest", "band"), "store": ("records", "fp16", "f32")}
MOST = 2 ** 16  # slots
MODEL = "model"  # in place of H, where the checkpoint has one for each KV head


@dataclass(frozen=True)
class Parameters:
    window: int
    exact: int
    summary: int
    sinks: int
    novel: int  # T of tau_n
    match: int  # T of tau_m
    gate_exact: int  # code
    gate_summary: int
    blend: int | None  # code; None where the checkpoint decides
    evict: str
    summary_key: str
    store: str

    @property
    def slots(self):
        return self.window + self.exact + self.summary

    @property
    def keeps_rows(self):
        return self.store != "records"

    def text(self):
        """The metadata `memory` of a state (contract: state file)."""
        return ",".join(f"{name}={MODEL if value is None else value}" for name, value in vars(self).items())


def parse_text(text):
    """The inverse of Parameters.text."""
    names = list(Parameters.__dataclass_fields__)
    match = re.fullmatch(",".join(f"{name}=([a-z0-9]+)" for name in names), text)
    entries = dict(zip(names, match.groups())) if match else {}
    for name, value in entries.items():
        if name in CHOICES:
            right = value in CHOICES[name]
        else:
            right = re.fullmatch("0|[1-9][0-9]{0,5}", value) or (name, value) == ("blend", MODEL)
            entries[name] = None if value == MODEL else int(value) if right else value
        if not right:
            entries = {}
            break
    if not entries:
        raise ValueError(f"memory: {text!r}, must be {','.join(f'{name}=..' for name in names)}")
    return Parameters(**entries)


def gate_parameter(x):
    """The code of a number of 0..1: RNE(255·x in double)."""
    return round(255.0 * x)


@cache
def expectation(kind, d, bits):
    """E[gamma(x)²] of the codebook."""
    law = Gaussian() if kind == "gaussian" else Beta(d)
    gamma, beta = lloyd_max(law, bits)
    half = 2 ** (bits - 1)
    mass = [law.mass(edge) for edge in beta[half - 1:]] + [law.half]  # the first edge is 0
    return sum(g * g * (b - a) for g, a, b in zip(gamma[half:], mass, mass[1:])) / law.half


def threshold(tau, kind, d, bits):
    """T of a cosine tau."""
    return int((Decimal(tau) * expectation(kind, d, bits) * 65536).to_integral_value(ROUND_HALF_EVEN))


def parameters(entries, kind, d, bits, blend_of_model=False):
    """The section `memory` of a configuration -> Parameters for a codebook."""
    unknown = set(entries) - set(DEFAULTS)
    if unknown:
        raise ValueError(f"memory: the keys are {', '.join(DEFAULTS)}, not {min(unknown)}")
    e = DEFAULTS | entries
    for name, default in DEFAULTS.items():
        if type(default) is float and type(e[name]) is int and abs(e[name]) < 2 ** 1023:
            e[name] = float(e[name])
        if type(e[name]) is not type(default):
            raise ValueError(f"memory.{name}: {e[name]!r} is not valid")
    if "match" not in entries:
        e["match"] = max(e["match"], e["novel"])
    ranges = {"window": (1, MOST), "exact": (0, MOST), "summary": (0, MOST), "sinks": (0, e["exact"]), "novel": (0, 2),
              "match": (e["novel"], 2), "gate_exact": (0, 1), "gate_summary": (0, 1), "blend": (0, 1)}
    for name, (low, high) in ranges.items():
        if not low <= e[name] <= high:
            raise ValueError(f"memory.{name}: {e[name]}, must be {low} .. {high}")
    for name, choices in CHOICES.items():
        if e[name] not in choices:
            raise ValueError(f"memory.{name}: {e[name]!r}, must be {' or '.join(choices)}")
    if e["window"] + e["exact"] + e["summary"] > MOST:
        raise ValueError(f"memory: more than {MOST} slots")
    if e["summary_key"] == "band" and e["store"] == "records":
        raise ValueError("memory.summary_key: band needs memory.store fp16 or f32")
    e |= {name: threshold(e[name], kind, d, bits) for name in ("novel", "match")}
    e |= {name: gate_parameter(e[name]) for name in ("gate_exact", "gate_summary", "blend")}
    return Parameters(**e | ({"blend": None} if blend_of_model else {}))


def check_macro(c):
    """Rejects what a macro that serves a memory cannot have."""
    if c["element_format"] != "fp16" or c["centroid_bits"] > 8:
        raise ValueError("memory: it needs macro.element_format fp16 and numerics.centroid_bits of 6 .. 8")
    if c["erasure"] == "interpolate":
        raise ValueError("memory: it needs ecc.erasure keep or zero")
    if c["kind"] != "mse" or c["scale"] != "norm" or c["channels"] or c["first"] + c["last"] or c["attention"]:
        raise ValueError("memory: it excludes attention, exact, split and other quantizers")
    if c["bounded"].store != "records":
        raise ValueError("memory.store: a macro has records")


@cache
def gate_levels():
    """FP32 bits of L_1 .. L_255 (contract: inputs of a token)."""
    def level(j):
        odd = ((Decimal(2 * j - 1)) / (511 - 2 * j)).ln()
        return to_fp32(int((odd * 2 ** 160).to_integral_value(ROUND_HALF_EVEN)), -160)

    return [level(j) for j in range(1, 256)]


@cache
def gate_bounds():
    return struct.unpack("<255f", struct.pack("<255I", *gate_levels()))


def gate_code(z):
    """z: a finite FP32 number as a float."""
    return bisect_right(gate_bounds(), z)

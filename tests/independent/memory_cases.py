"""Macros with a bounded memory that are compared: a list that covers the parameters, and macros drawn from a seed."""
import json
import os
from dataclasses import dataclass, field
from random import Random

import effects
import parameters
import safetensors
from config import ALL_DEFAULTS, VALUES

FILE = "calibration.safetensors"


@dataclass
class Case:
    name: str
    memory: dict
    sections: dict = field(default_factory=dict)
    tokens: int = 40
    queries: int = 20
    seed: int = 1
    initial: bool = False  # slots that tokens go on from


SMALL = {"head_dim": 32}
STANDARD = [
    Case("small banks", {"window": 3, "exact": 4, "sinks": 1, "summary": 3}, {"macro": SMALL}, 90),
    Case("the paper's macro", {"window": 4, "exact": 3, "summary": 3}, {}, 50),
    Case("a window of one", {"window": 1, "exact": 2, "summary": 2}, {"macro": SMALL}, 50),
    Case("one slot", {"window": 1, "exact": 0, "summary": 0}, {"macro": SMALL}, 20),
    Case("no banks", {"window": 4, "exact": 0, "summary": 0}, {"macro": SMALL}, 30),
    Case("no exact bank", {"window": 2, "exact": 0, "summary": 3}, {"macro": SMALL}, 50),
    Case("sinks alone", {"window": 2, "exact": 3, "sinks": 3, "summary": 2}, {"macro": SMALL}, 40),
    Case("sinks and nothing else", {"window": 2, "exact": 3, "sinks": 3, "summary": 0}, {"macro": SMALL}, 30),
    Case("no summaries", {"window": 2, "exact": 5, "summary": 0}, {"macro": SMALL}, 60),
    Case("one summary", {"window": 2, "exact": 1, "summary": 1}, {"macro": SMALL}, 60),
    Case("least recently used", {"window": 2, "exact": 4, "summary": 2, "evict": "lru"}, {"macro": SMALL}, 90),
    Case("every token is novel", {"window": 2, "exact": 3, "summary": 3, "novel": 2}, {"macro": SMALL}, 60),
    Case("nothing hits", {"window": 2, "exact": 3, "summary": 3, "match": 2}, {"macro": SMALL}, 60),
    Case("a cosine of 0", {"window": 2, "exact": 3, "summary": 3, "novel": 0, "match": 0}, {"macro": SMALL}, 60),
    Case("gates of 0", {"window": 2, "exact": 3, "summary": 3, "gate_exact": 0, "gate_summary": 0}, {"macro": SMALL}, 60),
    Case("gates of 1", {"window": 2, "exact": 3, "summary": 3, "gate_exact": 1, "gate_summary": 1}, {"macro": SMALL}, 60),
    Case("masters that stay", {"window": 2, "exact": 2, "summary": 2, "blend": 0}, {"macro": SMALL}, 60),
    Case("masters that follow", {"window": 2, "exact": 2, "summary": 2, "blend": 1}, {"macro": SMALL | {"index_bits": 2}}, 60),
    Case("more tokens than slots need", {"window": 50, "exact": 3, "summary": 3}, {"macro": SMALL}, 40),
    Case("no tokens", {"window": 2, "exact": 2, "summary": 2}, {"macro": SMALL}, 0, 0),
    Case("no queries", {"window": 2, "exact": 2, "summary": 2}, {"macro": SMALL}, 30, 0),
    Case("256 elements of 4 bits", {"window": 3, "exact": 2, "summary": 2}, {"macro": {"head_dim": 256, "index_bits": 4}}, 30),
    Case("beta", {"window": 3, "exact": 3, "summary": 2}, {"macro": {"head_dim": 64, "index_bits": 2}, "numerics": {"codebook": "beta"}}),
    Case("centroids of 6 bits", {"window": 3, "exact": 3, "summary": 2}, {"macro": SMALL, "numerics": {"centroid_bits": 6}}, 60),
    Case("signs and center", {"window": 3, "exact": 3, "summary": 2},
         {"macro": {"head_dim": 64}, "rotation": {"signs": FILE, "center": FILE, "layer": 1, "head": 2}}, 40),
    Case("signs, center and exponents", {"window": 3, "exact": 3, "summary": 2},
         {"macro": {"head_dim": 64}, "rotation": {"signs": FILE, "center": FILE, "balance": FILE, "head": 2}}, 40),
    Case("from slots", {"window": 3, "exact": 3, "sinks": 1, "summary": 3}, {"macro": SMALL}, 60, initial=True),
    Case("from slots, no tokens", {"window": 3, "exact": 3, "summary": 3}, {"macro": SMALL}, 0, 0, initial=True),
] + [Case(f"from slots, {code}, {erasure}", {"window": 3, "exact": 4, "summary": 3},
          {"macro": SMALL, "ecc": {"code": code, "erasure": erasure}}, 40, 20, seed, True)
     for seed, (code, erasure) in enumerate((c, e) for c in ("hamming74", "hamming84", "golay24") for e in ("keep", "zero")
                                          if (c, e) != ("hamming74", "zero"))]

# The first merge into slots that are given turns on every rounding to FP32.
ROUNDING = [Case(f"from slots, roundings of {d} elements, {seed}", {"window": 2, "exact": 0, "summary": 3, "gate_summary": 0, "blend": blend},
                 {"macro": {"head_dim": d}}, 12, 4, seed, True) for seed, d, blend in ((17, 128, 0.5), (30, 32, 0.7), (32, 128, 0.7), (41, 128, 0.7), (43, 64, 0.5))]
STANDARD += ROUNDING

MEMORIES = [  # sections that are rejected
    {"window": 0}, {"window": 65537}, {"window": 2.5}, {"window": "2"}, {"window": True},
    {"exact": -1}, {"exact": 65537}, {"summary": -1}, {"summary": 65537},
    {"window": 65000, "exact": 300, "summary": 300}, {"window": 65536}, {"sinks": -1}, {"sinks": 65}, {"exact": 2, "sinks": 3},
    {"novel": -0.01}, {"novel": 2.01}, {"novel": "nan"}, {"match": 0.69}, {"match": 2.5}, {"novel": 0.8, "match": 0.7},
    {"gate_exact": -0.1}, {"gate_exact": 1.1}, {"gate_summary": -0.1}, {"gate_summary": 1.1}, {"blend": -0.1}, {"blend": 1.1},
    {"evict": "fifo"}, {"evict": 1}, {"summary_key": "oldest"}, {"summary_key": "band"}, {"store": "fp16"}, {"store": "f32"}, {"store": "int4"},
    {"size": 4}, {"window": 2, "banks": 3},
]
SECTIONS = {  # sections that exclude a memory
    "BF16": {"macro": {"head_dim": 32, "element_format": "bf16"}},
    "centroids of 9 bits": {"numerics": {"centroid_bits": 9}},
    "erasures that are interpolated": {"ecc": {"code": "hamming84", "erasure": "interpolate"}},
    "another max_keys": {"macro": {"head_dim": 32, "max_keys": 4096}},
    "attention": {"attention": {}},
    "exact tokens": {"quantizer": {"scale": "unbiased"}, "exact": {"first": 1}},
    "a trellis": {"quantizer": {"kind": "trellis"}},
    "prod": {"quantizer": {"kind": "prod"}},
    "an unbiased norm": {"quantizer": {"scale": "unbiased"}},
}


def drawn(seed):
    """A macro of random parameters."""
    random = Random(seed)

    def any_of(*names):
        return {name: random.choice(VALUES[name]) for name in names}

    memory = {"window": random.choice([1, 1, 2, 3, 5, 8]), "exact": random.choice([0, 1, 2, 3, 4, 6]), "summary": random.choice([0, 1, 2, 4])}
    memory["sinks"] = random.choice([0, 0, 0, random.randint(0, memory["exact"]), random.randint(0, memory["exact"])])
    memory["novel"] = random.choice([0.7, 0.7, 0, 0.3, random.random(), 2])
    memory["match"] = random.choice([memory["novel"], max(0.9, memory["novel"]), random.uniform(memory["novel"], 2), 2.0])
    for name in ("gate_exact", "gate_summary", "blend"):
        memory[name] = random.choice([0, 1, random.random(), random.random() / 8])
    memory["evict"] = random.choice(["lru", "gate"])
    slots = memory["window"] + memory["exact"] + memory["summary"]
    for name in ("sinks", "novel", "match", "gate_exact", "gate_summary", "blend", "evict"):
        if random.random() < 0.2 and (name != "novel" or memory["match"] >= 0.7):
            del memory[name]
    sections = {
        "macro": {"head_dim": random.choice([32, 32, 32, 64, 128, 256])} | any_of("index_bits"),
        "numerics": any_of("significand_bits", "boundary_fraction_bits", "query_bits", "codebook") | {"centroid_bits": random.randint(6, 8)},
        "rotation": {"layer": random.randrange(parameters.LAYERS), "head": random.randrange(parameters.HEADS)},
        "ecc": any_of("code"),
    }
    erasure = random.choice(["keep", "zero"])
    if sections["ecc"].get("code", "none") != "none":
        sections["ecc"]["erasure"] = erasure
    sections["rotation"] |= random.choice([{"seed": random.getrandbits(64)}, {"signs": FILE}, {"identity": True}])
    if random.random() < 0.3:
        sections["rotation"]["center"] = FILE
    if random.random() < 0.3:
        sections["macro"]["max_keys"] = slots
    if Random(f"balance {seed}").random() < 0.3:
        sections["rotation"]["balance"] = FILE
    large = sections["macro"]["head_dim"] > 64
    tokens = random.randint(0, 10) if random.random() < 0.15 else random.randint(10, 40 if large else 120)
    sections = effects.without_idle(sections | {"memory": memory}, ALL_DEFAULTS)
    memory = sections.pop("memory")
    return Case(f"drawn {seed}", memory, sections, tokens, random.randint(0, 20) if tokens else 0, seed, random.random() < 0.4)


def write(folder, case):
    """Writes the configuration and the calibration file that it may name -> its path."""
    sections, path = case.sections | {"memory": case.memory}, f"{folder}/macro.json"
    d = sections.get("macro", {}).get("head_dim", 128)
    tensors = parameters.calibration(Random(case.seed), d, "fp16")
    safetensors.write(os.path.join(folder, FILE), {name: tensors[name] for name in ("signs", "center", "balance")}, {}, True)
    with open(path, "w") as file:
        json.dump(sections, file)
    return path

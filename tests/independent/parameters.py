"""Random configurations: every parameter that changes a bit of a result."""
import json
import os
from random import Random

import effects
import safetensors
from config import ALL_DEFAULTS, VALUES
from floats import DTYPE
from rows import Maker

LAYERS, HEADS = 2, 3  # of a calibration file


def calibration(random, d, form):
    """-> the tensors signs, center, high and balance of a calibration file."""
    maker = Maker(d, form, random)
    rows = LAYERS * HEADS
    center = [random.choice([maker.gaussian, maker.outliers, maker.sparse, maker.subnormals, maker.extremes])()
              for _ in range(rows)]
    signs = [random.choice((-1, 1)) for _ in range(rows * d)]
    high = [channel for _ in range(rows) for channel in sorted(random.sample(range(d), d // 2))]
    own = Random(str(high))  # moves no other draw
    exponents = [v for _ in range(rows) for v in exponent_row(own, d)]
    pack = safetensors.Tensor.pack
    return {
        "signs": pack("I8", [LAYERS, HEADS, d], signs),
        "center": pack(DTYPE[form], [LAYERS, HEADS, d], [raw for row in center for raw in row]),
        "high": pack("I32", [LAYERS, HEADS, d // 2], high),
        "balance": pack("I8", [LAYERS, HEADS, d], exponents),
    }


def exponent_row(random, d):
    """Exponents of one head: of every size, one for both channels of a pair, the ends of the range, few, or one for all."""
    def one():
        return random.randint(-8, 7)

    kind = random.randrange(5)
    if kind == 0:
        return [one() for _ in range(d)]
    if kind == 1:
        return [one() for _ in range(d // 2)] * 2
    if kind == 2:
        return [random.choice([-8, 7]) for _ in range(d)]
    if kind == 3:
        return [one() if random.random() < 0.1 else 0 for _ in range(d)]
    return [one()] * d


def draw(seed, file, two_parts=False, attention=False, balanced=False):
    """-> (the sections of a configuration, the tensors of its calibration file `file`).

    Records have one part, or, if `two_parts`, always two; without them there may be an attention.
    Exponents, which `balanced` always has, are a draw of their own that moves no other."""
    random = Random(seed)

    def any_of(*names):
        return {name: random.choice(VALUES[name]) for name in names}

    sections = {
        "macro": any_of("head_dim", "index_bits", "element_format") | {"max_keys": random.choice([1, 4, 20, 48, 48, 4096])},
        "numerics": any_of("significand_bits", "boundary_fraction_bits", "query_bits", "centroid_bits", "codebook"),
        "rotation": {"layer": random.randrange(LAYERS), "head": random.randrange(HEADS)},
        "ecc": any_of("code"),
    }
    sections["rotation"] |= random.choice([{"seed": random.getrandbits(64)}, {"signs": file}, {"identity": True}])
    if random.random() < 0.5:
        sections["rotation"]["center"] = file
    if balanced or Random(f"balance {seed}").random() < 0.4:
        sections["rotation"]["balance"] = file

    def with_scale(scale):
        return {"scale": scale} | random.choice([{}, {"kind": "trellis"} | any_of("states")])

    if two_parts:
        if random.random() < 0.4:
            sections["quantizer"] = {"kind": "prod"}
        else:
            sections["quantizer"] = with_scale("unbiased")
            sections["split"] = {"bits": random.choice(VALUES["split_bits"]), "channels": file}
    else:
        scale = random.choice(["norm", "unbiased", "unbiased", "unbiased"])
        sections["quantizer"] = with_scale(scale)
        if scale == "unbiased":
            sections["exact"] = {"first": random.choice([0, 1, random.randint(2, 16)]),
                                 "last": random.choice([0, 1, random.randint(2, 16), random.randint(17, 64)])}
            if any(sections["exact"].values()):
                sections["exact"]["bits"] = random.choice(VALUES["exact_bits"])
    if attention:
        sections |= with_attention(random, sections, file)
    sections = effects.without_idle(sections, ALL_DEFAULTS)
    return sections, calibration(random, sections["macro"]["head_dim"], sections["macro"]["element_format"])


def with_attention(random, sections, file):
    """-> the sections of an attention over segments."""
    rotation = sections["rotation"]
    rows = LAYERS * HEADS - rotation["layer"] * HEADS - rotation["head"] if file in rotation.values() else LAYERS * HEADS
    store = {"segments": random.randint(1, 4), "rotations": random.randint(1, min(3, rows))}
    drawn = {name: random.choice(VALUES["attention_" + name]) for name in ("group", "weight_bits", "output")}
    drawn["scale"] = random.choice([2.0 ** random.choice([-90, random.randint(-90, 130), 130]), random.expovariate(1),
                                    10 ** random.uniform(-5, -1)])
    drawn["weight_bits"] = random.choice([12, 28, drawn["weight_bits"]])
    for name in ("scale", "weight_bits"):
        if random.random() < 0.3:
            del drawn[name]
    return {"attention": drawn, "store": store}


def with_hardware(seed, sections):
    """-> the sections with parameters that change no result: lanes, the table, clocks, decoder, outputs a cycle.

    The hardware applies no exponents."""
    rotation = {key: value for key, value in sections["rotation"].items() if key != "balance"}
    sections = sections | {"rotation": rotation}
    random = Random(f"hardware {seed}")
    exact = any(sections.get("exact", {}).get(name) for name in ("first", "last"))
    least = 2 if "split" in sections else 1  # a lane for each part

    def power(low, high):
        return random.choice([2 ** i for i in range(9) if low <= 2 ** i <= high])

    lanes = min(32, sections["macro"]["head_dim"])
    drawn = {"key_lanes": power(least, lanes), "read_lanes": power(least, lanes)}
    drawn["score_lane"] = random.choice([lane for lane in VALUES["score_lane"] if lane != "multiplier" or not exact])
    drawn["clock_gating"] = random.choice(VALUES["clock_gating"])
    if drawn["score_lane"] != "multiplier":
        drawn |= {"table_multipliers": power(1, 32), "table_storage": random.choice(VALUES["table_storage"])}
    ecc = dict(sections["ecc"])
    if ecc["code"] == "none" and random.random() < 0.4:
        ecc["code"] = random.choice(["hsiao_13_8", "hsiao_22_16", "hsiao_39_32", "hsiao_72_64"])
    if ecc["code"] != "none":
        trellis = sections["quantizer"].get("kind") == "trellis"  # several levels depend on an index
        ecc |= {"erasure": "keep" if trellis else random.choice(VALUES["erasure"]),
                "stages": random.choice([0, 1, 2, 3]), "scrub_interval": random.choice([0, 1, 100])}
    if ecc["code"] == "golay24":
        ecc["decoder"] = random.choice(VALUES["decoder"])
    result = sections | {"microarchitecture": drawn, "ecc": ecc}
    if "attention" in sections:
        result["attention"] = sections["attention"] | {"output_lanes": power(1, lanes)}
        result["store"] = sections["store"] | {"rotation_memory": random.choice(VALUES["rotation_memory"])}
    return effects.without_idle(result, ALL_DEFAULTS)


def write(path, seed, two_parts=False, attention=False, hardware=False, force=False):
    """Writes a configuration as JSON and, in the same folder, the calibration file that it names."""
    file = os.path.basename(path) + ".safetensors"
    if os.path.exists(path) and not force:
        raise ValueError(f"{path}: exists; --force writes over it")
    sections, tensors = draw(seed, file, two_parts, attention)
    if hardware:
        sections = with_hardware(seed, sections)
    safetensors.write(os.path.join(os.path.dirname(path), file), tensors, {}, force)
    with open(path, "w") as output:
        json.dump(sections, output, indent=1)

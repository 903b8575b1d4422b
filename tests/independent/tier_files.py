"""Traces, calibration files and configurations for tests of a tiered store, drawn from a seed."""
import json
import math
from random import Random

import nuq
import safetensors
import tier_spec
from halves import half, halves, single_bits, singles, widened
from parameters import calibration as constants
from rows import Maker
from safetensors import Tensor
from tier_calibration import decimal
from tier_rows import GroupMaker, RowMaker, matrix

LAYERS, HEADS = 2, 2


def codebook(random, bits):
    """FP16 bits that ascend strictly."""
    count, kind = 1 << bits, random.randrange(4)
    if kind == 0:  # midpoints of equal steps
        return halves([(2 * i + 1 - count) / count for i in range(count)])
    if kind == 1:  # neighbouring FP16 numbers: boundaries are halfway between
        first = 0x3400 + random.randrange(0x200)
        return [first + i for i in range(count)]
    if kind == 2:  # zero among them
        negative, positive = random.sample(range(-64, 0), count // 2), random.sample(range(1, 65), count // 2 - 1)
        return halves([x / 64 for x in sorted(negative + [0] + positive)])
    return halves([x / 1024 for x in sorted(random.sample(range(-1100, 1100), count))])


def matrices(random, count):
    """-> (exponent, numbers) of one feedback matrix."""
    kind = random.randrange(8)
    if kind == 0:  # whole multiples of errors: rows saturate
        return random.choice([0, -1]), [random.choice([-1, 0, 0, 0, 1]) for _ in range(count)]
    if kind == 1:
        return random.randint(-12, -4), [random.choice([-32767, 32767, random.randint(-32767, 32767)]) for _ in range(count)]
    scale = random.choice([300, 3000, 20000])
    return random.randint(-20, -16), [max(-32767, min(32767, round(random.gauss(0, scale)))) for _ in range(count)]


def calibration(random, d, g, rope, outliers):
    """-> (tensors, metadata) of a calibration file."""
    blocks, rows = d // g, LAYERS * HEADS
    drawn = [[matrices(random, (d - s * g) * g) for s in range(1, blocks)] for _ in range(rows)]
    maker = Maker(d, "fp16", random)
    middles, radii = [], []
    for row in range(rows):
        if row % 2 == 0:  # small multiples of a power of two: boundaries are FP16 numbers
            middles += [half(random.randint(-8, 8), -2) for _ in range(d)]
            radii += [half(random.choice([0, 1, 2, 4, 8]), -2) for _ in range(d)]
        else:
            middles += random.choice([maker.gaussian, maker.subnormals, maker.extremes])()
            radii += [random.choice([0, 1, 0x3FF, 0x3C00, 0x7BFF, random.randint(0, 0x4400)]) for _ in range(d)]
    tensors = {
        "squat_matrices": Tensor.pack("I16", [LAYERS, HEADS, g * g * blocks * (blocks - 1) // 2],
                                      [v for row in drawn for _, numbers in row for v in numbers]),
        "squat_exponents": Tensor.pack("I32", [LAYERS, HEADS, blocks - 1], [exponent for row in drawn for exponent, _ in row]),
        "key_middles": Tensor.pack("F16", [LAYERS, HEADS, d], middles),
        "key_radii": Tensor.pack("F16", [LAYERS, HEADS, d], radii),
    }
    for name in ("key", "value"):
        for bits in (2, 3, 4):
            books = [codebook(random, bits) for _ in range(LAYERS)]
            levels = [halves([x * 0.9 + random.choice([0, 0.03125]) for x in widened(book)]) for book in books]
            for what, numbers in (("codebook", books), ("levels", levels)):
                tensors[f"{name}_{what}{bits}"] = Tensor.pack("F16", [LAYERS, 1 << bits], [v for row in numbers for v in row])
    metadata = {"format": "axelram-tiers", "version": "1", "rope": rope, "outliers": decimal(outliers), "squat_channels": str(g)}
    return tensors, metadata


def configuration(random, d, folder):
    """Writes signs, center and exponents, and a configuration of a macro -> its path."""
    tensors = constants(random, d, "fp16")
    safetensors.write(f"{folder}/signs.safetensors", {name: tensors[name] for name in ("signs", "center", "balance")}, {}, True)
    rotation = random.choice([{"seed": random.getrandbits(64)}, {"signs": "signs.safetensors"}, {"identity": True}])
    if random.random() < 0.6:
        rotation["center"] = "signs.safetensors"
    if Random(tensors["high"].data).random() < 0.4:
        rotation["balance"] = "signs.safetensors"
    numerics = {"significand_bits": random.randint(12, 20), "query_bits": random.randint(6, 16),
                "centroid_bits": random.randint(6, 8), "codebook": random.choice(["gaussian", "beta"])}
    path = f"{folder}/macro.json"
    with open(path, "w") as file:
        json.dump({"macro": {"head_dim": d, "index_bits": random.choice([2, 3, 4]), "max_keys": 16384}, "numerics": numerics,
                   "rotation": rotation}, file)
    return path


def angles(random, d, tokens):
    """FP32 bits of cosines and sines: a model's own, some channels without rotation, some tokens of any angle."""
    still = random.choice([0, 0, d // 4])
    rows = []
    for token in range(tokens):
        turns = [token * 10000.0 ** (-2 * i / d) for i in range(d // 2 - still)] + [0.0] * still
        if random.random() < 0.1:
            turns = [random.uniform(-4, 4) for _ in turns]
        rows.append(turns)
    return [[bits for row in rows for bits in single_bits(singles([of(x) for x in row]))] for of in (math.cos, math.sin)]


def query_tokens(random, count, tokens, moves):
    """Tokens of queries: the first, the last, those around moves, others."""
    near = [n + shift for n in moves for shift in (-2, -1, 0) if 0 <= n + shift < tokens]
    kinds = [[0, tokens - 1], near or [0], range(tokens)]
    return sorted(random.choice(kinds[i % 3]) for i in range(count)) if tokens else []


def trace(random, sides, d, tokens, queries, given):
    """-> (tensors, metadata); given: a calibration (tensors, metadata), or None."""
    layer, head = random.randrange(LAYERS), random.randrange(HEADS)
    books = [nuq.Book(2, halves([-0.75, -0.25, 0.25, 0.75]))]
    if given:
        books += [nuq.Book(b, given[0][f"{name}_codebook{b}"].rows()[layer]) for name in ("key", "value") for b in (2, 3, 4)]
    rows, found = RowMaker(d, random, books), {}
    for name, side in zip(("keys", "values"), sides):
        groups = GroupMaker(random, tier_spec.store(side.stores()[0]).bits)
        found[name] = matrix(groups, rows, tokens, side.sink, side.unit, side.value_group)
    if given and any("kvquant" in name for name in sides[0].stores()):
        middles, radii = (widened(given[0][name].rows()[layer * HEADS + head]) for name in ("key_middles", "key_radii"))
        for t in range(0, tokens, 3):
            found["keys"][t] = rows.boundary_key(middles, radii)
    queries = queries if tokens else 0
    kinds = [rows.gaussian, rows.gaussian, rows.outliers, rows.sparse, rows.zeros, rows.subnormals, rows.largest, rows.mixed]
    found["queries"] = [random.choice(kinds)() for _ in range(queries)]
    tensors = {name: Tensor.pack("F16", [len(x), d], [raw for row in x for raw in row]) for name, x in found.items()}
    moves = {n for side in sides for n in range(1, tokens + 1) if side.bounds(n) != side.bounds(n - 1)}
    tensors["query_tokens"] = Tensor.pack("I32", [queries], query_tokens(random, queries, tokens, sorted(moves)))
    metadata = {"layer": str(layer), "head": str(head)}
    if sides[0].rope == "pre":
        cosines, sines = angles(random, d, tokens)
        tensors["cosines"] = Tensor.pack("F32", [tokens, d // 2], cosines)
        tensors["sines"] = Tensor.pack("F32", [tokens, d // 2], sines)
        if random.random() < 0.5:
            tensors["key_offset"] = Tensor.pack("F32", [d], single_bits(singles([random.gauss(0, 1) for _ in range(d)])))
        if random.random() < 0.5:
            metadata["rotation_pairs"] = "interleaved"
    return tensors, metadata


def write(folder, seed, spec, d, tokens, queries, g=32, outliers=0.01):
    """Writes trace, calibration and configuration -> SPEC with their paths in the place of CALIBRATION and CONFIG."""
    random, given = Random(seed), None
    sides = tier_spec.parse(spec, d)
    if "CALIBRATION" in spec:
        given = calibration(random, d, min(g, d), sides[0].rope, outliers)
        safetensors.write(f"{folder}/calibration.safetensors", *given, True)
        spec = spec.replace("CALIBRATION", f"{folder}/calibration.safetensors")
    if "CONFIG" in spec:
        spec = spec.replace("CONFIG", configuration(random, d, folder))
    safetensors.write(f"{folder}/trace.safetensors", *trace(random, sides, d, tokens, queries, given), True)
    return spec

"""Input of `axelram run --cache` that is wrong in one place."""
import json
from random import Random

import safetensors
import tier_files
from safetensors import Tensor
from tier_cases import REJECTED

D, TOKENS, QUERIES, G = 32, 70, 5, 8
POST, PRE = "tiered:hot=4,warm=32,calibration=CALIBRATION", "tiered:hot=4,warm=32,rope=pre,calibration=CALIBRATION"
NAN, INFINITY, NEGATIVE = 0x7E01, 0xFC00, 0xBC00
RIGHT = "right"


def number(tensor, place, value):
    """The tensor with one number replaced."""
    values = list(tensor.values())
    values[place] = value
    return Tensor.pack(tensor.dtype, tensor.shape, values)


def wrong_traces(tensors, before_rotation):
    """-> (name, tensors, metadata) of traces that are wrong in one place; a tensor of None is missing."""
    def wide(name):
        return Tensor.pack(tensors[name].dtype, [1, *tensors[name].shape], tensors[name].values())

    names = ("cosines", "sines") if before_rotation else ("keys", "values", "queries", "query_tokens")
    for name in names:
        yield f"trace without {name}", {name: None}, {}
        yield f"trace with {name} of U8", {name: Tensor("U8", [len(tensors[name].data)], tensors[name].data)}, {}
        yield f"trace with {name} of another rank", {name: wide(name)}, {}
        if name != "query_tokens":
            special = (0x7F800000, 0xFFC00001) if before_rotation else (NAN, INFINITY)
            for raw in special:
                yield f"trace with {name} {raw:#x}", {name: number(tensors[name], 37, raw)}, {}
            short = Tensor.pack(tensors[name].dtype, [1, tensors[name].shape[1]], tensors[name].values()[:tensors[name].shape[1]])
            if name != "queries":
                yield f"trace with {name} of one row", {name: short}, {}
    if before_rotation:
        yield "trace with key_offset of another shape", {"key_offset": Tensor.pack("F32", [D // 2], [0] * (D // 2))}, {}
        yield "trace with key_offset NaN", {"key_offset": Tensor.pack("F32", [D], [0] * (D - 1) + [0x7FC00000])}, {}
        yield "trace with key_offset of F16", {"key_offset": Tensor.pack("F16", [D], [0] * D)}, {}
        yield "trace with other pairs", {}, {"rotation_pairs": "thirds"}
        return
    for tokens in ([5, 4, 6, 7, 8], [-1, 0, 0, 0, 0], [0, 0, 0, 0, TOKENS], [0] * (QUERIES - 1)):
        yield f"trace with query_tokens {tokens}", {"query_tokens": Tensor.pack("I32", [len(tokens)], tokens)}, {}
    yield "trace with rows of 48", {name: Tensor.pack("F16", [0, 48], []) for name in ("keys", "values", "queries")} | {
        "query_tokens": Tensor.pack("I32", [0], [])}, {}
    for name, value in (("layer", "2"), ("head", "2"), ("layer", "-1"), ("layer", "x"), ("head", "1.5")):
        yield f"trace of {name} {value}", {}, {name: value}


def wrong_calibrations(tensors):
    """-> (name, archive store, tensors, metadata) of calibration files that are wrong in one place."""
    for key, value in (("format", "axelram"), ("format", None), ("version", "2"), ("version", None), ("rope", "pre"), ("rope", None),
                       ("outliers", "0.26"), ("outliers", "-0.1"), ("outliers", "nan"), ("outliers", "x"), ("outliers", None)):
        yield f"calibration with {key} {value}", "kvquant2", {}, {key: value}
    for value in ("7", "4", "64", "0", "x", None):
        yield f"calibration with squat_channels {value}", "squat2", {}, {"squat_channels": value}
    for name in ("squat_matrices", "squat_exponents", "key_middles", "key_radii", "key_codebook2", "value_codebook2"):
        archive = "squat2" if name.startswith("squat") else "kvquant2"
        yield f"calibration without {name}", archive, {name: None}, {}
        yield f"calibration with {name} of U8", archive, {name: Tensor("U8", [len(tensors[name].data)], tensors[name].data)}, {}
        *outer, rows, width = tensors[name].shape
        yield f"calibration with {name} of another shape", archive, {name: Tensor(tensors[name].dtype, [*outer, rows * width, 1], tensors[name].data)}, {}
        if not name.startswith("squat"):
            for raw in (NAN, INFINITY):
                yield f"calibration with {name} {raw:#x}", archive, {name: number(tensors[name], 0, raw)}, {}
    for exponent in (1, -21):
        yield f"calibration with squat_exponents {exponent}", "squat2", {"squat_exponents": number(tensors["squat_exponents"], 0, exponent)}, {}
    yield "calibration with a negative radius", "kvquant2", {"key_radii": number(tensors["key_radii"], 0, NEGATIVE)}, {}
    for name in ("key_codebook2", "value_codebook2"):
        equal = number(tensors[name], 1, tensors[name].values()[0])
        yield f"calibration with {name} that does not ascend", "kvquant2", {name: equal}, {}
    zeros = number(number(tensors["key_codebook2"], 1, 0x8000), 2, 0)
    yield "calibration with key_codebook2 of -0 and +0", "kvquant2", {"key_codebook2": zeros}, {}
    yield "calibration without key_levels2", "kvquant2,qnorm=1", {"key_levels2": None}, {}
    yield "calibration with value_levels2 infinite", "kvquant2,qnorm=1", {"value_levels2": number(tensors["value_levels2"], 0, INFINITY)}, {}


CONFIGS = {
    "centroids of 9 bits": {"numerics": {"centroid_bits": 9}}, "an unbiased norm": {"quantizer": {"scale": "unbiased"}},
    "a trellis": {"quantizer": {"kind": "trellis"}}, "a code": {"ecc": {"code": "hamming84"}},
    "heads of 64": {"macro": {"head_dim": 64}}, "an unknown key": {"macro": {"size": 3}},
    "exact tokens": {"quantizer": {"scale": "unbiased"}, "exact": {"first": 1}}, "BF16": {"macro": {"head_dim": 32, "element_format": "bf16"}},
}


def write(path, given, replaced, changed):
    """A file with tensors and metadata replaced; None removes."""
    both = [{name: value for name, value in (old | new).items() if value is not None} for old, new in zip(given, (replaced, changed))]
    safetensors.write(path, *both, True)


def wrong_inputs(folder):
    """Writes files -> (name, SPEC, options of the program): right ones, and others that are wrong in one place."""
    path, trace = f"{folder}/calibration.safetensors", f"{folder}/trace.safetensors"
    for label, text in (("before rotation", PRE), ("after rotation", POST)):
        spec = tier_files.write(folder, 1, text + ",archive_store=squat2", D, TOKENS, QUERIES, G, 0.01)
        good = safetensors.read(trace)
        good[1].update(layer="0", head="0")
        write(trace, good, {}, {})
        yield f"{RIGHT}, {label}", spec
        for name, replaced, changed in wrong_traces(good[0], text is PRE):
            write(trace, good, replaced, changed)
            yield name, spec
        write(trace, good, {}, {})
    yield "engine rtl", spec, "--engine", "rtl"
    given = safetensors.read(path)
    for name, archive, replaced, changed in wrong_calibrations(given[0]):
        write(path, given, replaced, changed)
        yield name, POST.replace("CALIBRATION", path) + f",archive_store={archive}"
    write(path, given, {}, {})
    for name, sections in CONFIGS.items():
        with open(f"{folder}/wrong.json", "w") as file:
            json.dump({"macro": {"head_dim": D}} | sections, file)
        yield f"configuration of {name}", f"tiered:warm_store=axelram4,config={folder}/wrong.json"
    tier_files.configuration(Random(1), D, folder)
    for spec in REJECTED:
        yield f"SPEC {spec}", spec.replace("CONFIG", f"{folder}/macro.json")

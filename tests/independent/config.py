"""The configuration file: JSON, or the YAML of flow mappings and lists, and one level of block mappings."""
import json
import math
import os
import re

import effects
import memory_parameters

DEFAULTS = {
    "macro": {"head_dim": 128, "index_bits": 3, "max_keys": 4096, "element_format": "fp16"},
    "numerics": {"significand_bits": 16, "boundary_fraction_bits": 13, "query_bits": 8, "centroid_bits": 8,
                 "codebook": "gaussian"},
    "quantizer": {"kind": "mse", "scale": "norm", "states": 8},
    "split": {"bits": [], "channels": ""},
    "exact": {"first": 0, "last": 0, "bits": 16},
    "attention": {"group": 1, "weight_bits": 0, "scale": 0.0, "output": "fp16", "output_lanes": 16},
    "store": {"segments": 1, "rotations": 1, "rotation_memory": "rom"},
    "rotation": {"seed": 42, "layer": 0, "head": 0, "signs": "", "identity": False, "center": "", "balance": ""},
    "microarchitecture": {"key_lanes": 0, "read_lanes": 0, "score_lane": "table", "table_multipliers": 8,
                          "table_storage": "flip_flops", "clock_gating": "none"},  # no effect on any result
    "ecc": {"code": "none", "erasure": "keep", "decoder": "algebraic", "stages": 0, "scrub_interval": 0},
    "sram": {"model": "none", "file": "", "node": 0, "liberty": "", "lef": "", "folder": "", "corner": "", "load": 10,
             "slew": 20, "read_when": "", "write_when": ""},  # no effect on any result
}
ALL_DEFAULTS = DEFAULTS | {"memory": memory_parameters.DEFAULTS}
VALUES = {
    "head_dim": (32, 64, 128, 256), "index_bits": (2, 3, 4), "max_keys": range(1, 2 ** 24 + 1),
    "element_format": ("fp16", "bf16"), "significand_bits": range(12, 21), "boundary_fraction_bits": range(10, 17),
    "query_bits": range(6, 17), "centroid_bits": range(6, 17), "codebook": ("gaussian", "beta"),
    "kind": ("mse", "trellis", "prod"), "scale": ("norm", "unbiased"), "states": (4, 8, 16),
    "split_bits": [[high, low] for high in range(1, 5) for low in range(1, high + 1)],
    "first": range(17), "last": range(65), "exact_bits": range(12, 17),
    "seed": range(2 ** 64), "layer": range(2 ** 20), "head": range(2 ** 20), "identity": (False, True),
    "attention_group": (1, 2, 4, 8), "attention_weight_bits": range(12, 29), "attention_output": ("fp16", "fp32"),
    "attention_output_lanes": [2 ** i for i in range(9)], "rotation_memory": ("rom", "ram"),  # no effect on any result
    "segments": range(1, 257), "rotations": range(1, 257),
    "score_lane": ("table", "half_table", "multiplier"), "table_storage": ("flip_flops", "latches"), "clock_gating": ("none", "write_path"),
    "code": ("none", "hamming74", "hamming84", "golay24"), "erasure": ("keep", "zero", "interpolate"), "decoder": ("algebraic", "rom"),
}


def pairs(items):
    result = {}
    for key, value in items:
        if key in result:
            raise ValueError(f"key {key} is repeated")
        result[key] = value
    return result


def scalar(text):
    text = text.strip()
    if text[:1] in "'\"" and text[:1] == text[-1:] and len(text) > 1:
        return text[1:-1]
    if re.fullmatch(r"[+-]?(0x[0-9a-fA-F]+|[0-9]+)", text):
        return int(text, 16 if "x" in text else 10)
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text):
        return float(text)
    return {"true": True, "false": False}.get(text, text)


def flow(text):
    """'{a: 1, b: {c: 2}}', '[1, 2]' or a scalar."""
    text = text.strip()
    if text[:1] not in ("{", "["):
        return scalar(text)
    if not text.endswith("}" if text[0] == "{" else "]"):
        raise ValueError(f"{text!r} has no closing brace or bracket")
    parts, depth, quote = [""], 0, ""
    for c in text[1:-1]:
        quote = ("" if c == quote else quote) if quote else (c if c in "'\"" else "")
        depth += 0 if quote else (c in "{[") - (c in "}]")
        if c == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += c
    parts = [part for part in parts if part.strip()]
    return pairs(map(entry, parts)) if text[0] == "{" else [flow(part) for part in parts]


def entry(text):
    match = re.fullmatch(r"\s*[\"']?(\w+)[\"']?\s*:(?:\s+(.*))?", text, re.S)
    if not match:
        raise ValueError(f"{text.strip()!r} is not 'key: value'")
    return match[1], flow(match[2] or "{}")


def parse(text):
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError:
        pass
    sections, pending = [], ""  # top-level entries; text of a flow mapping still open
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)#.*", "", line).rstrip()
        if not line.strip() or line == "---":
            continue
        pending, joined = "", (pending + " " + line if pending else line)
        try:
            if joined.count("{") > joined.count("}"):
                pending = joined
            elif joined.startswith("{"):
                sections += flow(joined).items()
            elif joined[0] == " ":
                key, value = entry(joined)
                if not sections or not isinstance(sections[-1][1], dict) or key in sections[-1][1]:
                    raise ValueError(f"key {key} is repeated or belongs to no section")
                sections[-1][1][key] = value
            else:
                sections.append(entry(joined))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    if pending:
        raise ValueError("a brace is not closed")
    return pairs(sections)


def check(c):
    """Rejects what excludes each other."""
    exact = c["first"] + c["last"]
    if exact and c["scale"] != "unbiased":
        raise ValueError("exact: exact tokens need quantizer.scale unbiased")
    if bool(c["split_bits"]) != bool(c["channels"]):
        raise ValueError("split: it needs both bits and channels")
    if exact and (c["kind"] == "prod" or c["channels"]):
        raise ValueError("exact: exact tokens need records of one part")
    if c["kind"] == "prod" and (c["scale"] != "norm" or c["channels"]):
        raise ValueError("quantizer.kind: prod needs quantizer.scale norm, and no split")
    if c["channels"] and c["scale"] != "unbiased":
        raise ValueError("split: it needs quantizer.scale unbiased")
    if c["score_lane"] == "multiplier" and exact:
        raise ValueError("microarchitecture.score_lane: exact tokens need a table")
    if c["channels"] and c["head"] >= 2 ** 18:
        raise ValueError("split: rotation.head is below 2^18")
    if c["attention"]:
        check_attention(c)
    if c["bounded"]:
        memory_parameters.check_macro(c)


def bounded(given):
    """Removes the section `memory` -> its keys, empty where it is absent."""
    section = given.pop("memory", {})
    if not isinstance(section, dict) or set(section) - set(memory_parameters.DEFAULTS):
        raise ValueError(f"memory: the keys are {', '.join(memory_parameters.DEFAULTS)}")
    return section


def check_attention(c):
    if c["kind"] == "prod" or c["channels"]:
        raise ValueError("attention: it needs records of one part")
    if c["attention_output_lanes"] > c["head_dim"]:
        raise ValueError("attention.output_lanes: more than head_dim")
    if c["head"] + c["rotations"] > 2 ** 20 and not c["signs"]:
        raise ValueError("store.rotations: a KV head is below 2^20")
    if c["attention_weight_bits"] + c["centroid_bits"] + (c["max_keys"] - 1).bit_length() > 63:
        raise ValueError("attention.weight_bits: a sum has more than 63 bits")


def load(path):
    """-> one flat dictionary of every parameter; files as written, and the folder that they are in."""
    with open(path) as file:
        given = parse(file.read())
    slots = bounded(given) if isinstance(given, dict) else {}
    result = {"folder": os.path.dirname(path), "rotation": 0}  # rotation: a row of store.rotations
    if not isinstance(given, dict) or set(given) - set(DEFAULTS):
        raise ValueError(f"{path}: the sections are {', '.join(DEFAULTS)}")
    for section, defaults in DEFAULTS.items():
        entries = given.get(section, {})
        if not isinstance(entries, dict) or set(entries) - set(defaults):
            raise ValueError(f"{path}: {section}: the keys are {', '.join(defaults)}")
        for key, default in defaults.items():
            name = f"{section}_{key}" if key == "bits" or section in ("sram", "attention") else key
            value = entries.get(key, default)
            if type(default) is float and type(value) is int and abs(value) < 2 ** 1023:
                value = float(value)
            hsiao = name == "code" and re.fullmatch(r"hsiao_\d+_\d+", str(value))
            if key in entries and (type(value) is not type(default) or name in VALUES and value not in VALUES[name] and not hsiao
                                   or type(value) is float and not 0 < value < math.inf):
                raise ValueError(f"{path}: {section}.{key}: {value!r} is not valid")
            result[name] = value
    result["attention"] = "attention" in given
    result["attention_weight_bits"] = result["attention_weight_bits"] or min(28, max(12, 8 + (result["max_keys"] - 1).bit_length()))
    result["attention_scale"] = result["attention_scale"] or 1 / math.sqrt(result["head_dim"])
    rotation = given.get("rotation", {})
    if sum([bool(rotation.get("signs")), rotation.get("identity", False), "seed" in rotation]) > 1:
        raise ValueError(f"{path}: rotation: give one of seed, signs and identity")
    if given.get("split") == {}:
        raise ValueError(f"{path}: split: it needs both bits and channels")
    try:
        result["bounded"] = memory_parameters.parameters(
            slots, *(result[key] for key in ("codebook", "head_dim", "index_bits"))) if slots else None
        for section, key in effects.found(given | ({"memory": slots} if slots else {}), ALL_DEFAULTS):
            raise ValueError(f"{section}.{key}: it has no effect")
        check(result)
        if slots:
            most = given.get("macro", {}).get("max_keys", result["bounded"].slots)
            if most != result["bounded"].slots:
                raise ValueError(f"macro.max_keys: {most}, the memory has {result['bounded'].slots} slots")
            result["max_keys"] = most
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return result

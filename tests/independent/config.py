"""The configuration file: JSON, or the YAML of flow mappings and one level of block mappings."""
import json
import re

DEFAULTS = {
    "macro": {"head_dim": 128, "index_bits": 3, "max_keys": 4096, "element_format": "fp16"},
    "numerics": {"significand_bits": 16, "boundary_fraction_bits": 13, "query_bits": 8, "centroid_bits": 8,
                 "codebook": "gaussian"},
    "quantizer": {"kind": "mse", "scale": "norm", "states": 8},
    "exact": {"first": 0, "last": 0, "bits": 16},
    "rotation": {"seed": 42, "layer": 0, "head": 0, "signs": "", "identity": False, "center": ""},
    "microarchitecture": {"key_lanes": 0, "read_lanes": 0, "table_multipliers": 8},  # no effect on any result
    "ecc": {"code": "none", "erasure": "keep", "decoder": "algebraic", "stages": 0, "scrub_interval": 0},
}
VALUES = {
    "head_dim": (32, 64, 128, 256), "index_bits": (2, 3, 4), "max_keys": range(1, 2 ** 31),
    "element_format": ("fp16", "bf16"), "significand_bits": range(12, 21), "boundary_fraction_bits": range(10, 17),
    "query_bits": range(6, 17), "centroid_bits": range(6, 17), "codebook": ("gaussian", "beta"),
    "kind": ("mse", "trellis"), "scale": ("norm", "unbiased"), "states": (4, 8, 16), "first": range(17), "last": range(65), "bits": range(12, 17),
    "seed": range(2 ** 64), "layer": range(2 ** 32), "head": range(2 ** 20), "identity": (False, True),
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
    return {"true": True, "false": False}.get(text, text)


def flow(text):
    """'{a: 1, b: {c: 2}}' or a scalar."""
    text = text.strip()
    if not text.startswith("{"):
        return scalar(text)
    if not text.endswith("}"):
        raise ValueError(f"{text!r} has no closing brace")
    parts, depth, quote = [""], 0, ""
    for c in text[1:-1]:
        quote = ("" if c == quote else quote) if quote else (c if c in "'\"" else "")
        depth += 0 if quote else (c == "{") - (c == "}")
        if c == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += c
    return pairs(entry(part) for part in parts if part.strip())


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


def load(path):
    """-> one flat dictionary of every parameter; `signs` and `center` as written."""
    with open(path) as file:
        given = parse(file.read())
    result = {}
    if not isinstance(given, dict) or set(given) - set(DEFAULTS):
        raise ValueError(f"{path}: the sections are {', '.join(DEFAULTS)}")
    for section, defaults in DEFAULTS.items():
        entries = given.get(section, {})
        if not isinstance(entries, dict) or set(entries) - set(defaults):
            raise ValueError(f"{path}: {section}: the keys are {', '.join(defaults)}")
        result.update(defaults | entries)
        for key in entries:
            value = entries[key]
            if type(value) is not type(defaults[key]) or key in VALUES and value not in VALUES[key]:
                raise ValueError(f"{path}: {section}.{key}: {value!r} is not valid")
    rotation = given.get("rotation", {})
    if sum([bool(rotation.get("signs")), rotation.get("identity", False), "seed" in rotation]) > 1:
        raise ValueError(f"{path}: rotation: give one of seed, signs and identity")
    if result["first"] + result["last"] and result["scale"] != "unbiased":
        raise ValueError(f"{path}: exact: exact tokens need quantizer.scale unbiased")
    return result

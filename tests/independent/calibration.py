"""Files that a configuration names: one row of signs, center, exponents or channels."""
import os

import safetensors
from floats import DTYPE, finite


def row(c, key, name, dtype, width):
    """The row of layer, head and rotation of tensor `name` in the file that the configuration has under `key`."""
    file = os.path.join(c["folder"], c[key])
    tensor = safetensors.read(file)[0].get(name)
    if not tensor or tensor.dtype != dtype or len(tensor.shape) != 3 or tensor.shape[2] != width:
        raise ValueError(f"{file}: tensor {name} must be {dtype} [layers, KV heads, {width}]")
    layers, heads = tensor.shape[:2]
    number = c["layer"] * heads + c["head"] + c["rotation"]
    if c["layer"] >= layers or c["head"] >= heads or number >= layers * heads:
        raise ValueError(f"{file}: tensor {name} has no layer {c['layer']}, head {c['head']}, or no row {c['rotation']} behind")
    return list(tensor.rows()[number])


def signs(c):
    values = row(c, "signs", "signs", "I8", c["head_dim"])
    if any(s not in (-1, 1) for s in values):
        raise ValueError(f"{c['signs']}: tensor signs: every value must be +1 or -1")
    return values


def center(c):
    """-> the bits of the center, or None where there is none."""
    if not c["center"]:
        return None
    values = row(c, "center", "center", DTYPE[c["element_format"]], c["head_dim"])
    if not all(finite(raw, c["element_format"]) for raw in values):
        raise ValueError(f"{c['center']}: tensor center: every value must be finite")
    return values


def exponents(c):
    """-> the exponents of BALANCE, or None where there are none."""
    if not c["balance"]:
        return None
    values = row(c, "balance", "balance", "I8", c["head_dim"])
    if not all(-8 <= value <= 7 for value in values):
        raise ValueError(f"{c['balance']}: tensor balance: every value must be from -8 to 7")
    return values


def channels(c):
    """-> the channels of sub-vector 0 and of sub-vector 1."""
    high = row(c, "channels", "high", "I32", c["head_dim"] // 2)
    if any(p >= q for p, q in zip([-1] + high, high + [c["head_dim"]])):
        raise ValueError(f"{c['channels']}: tensor high: channels must ascend strictly from 0 to {c['head_dim'] - 1}")
    return high, [channel for channel in range(c["head_dim"]) if channel not in high]

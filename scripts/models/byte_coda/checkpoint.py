"""Reads a Llama or Qwen2 of bytes, with or without CoDA, and writes it back as a folder of Hugging
Face's."""

import hashlib
import json
import struct

import torch

from byte_coda.model import ByteCoda, Shape, is_own
from byte_llama import checkpoint
from byte_llama.model import EPSILON, MAX_POSITIONS, THETA, VOCABULARY

TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
FIXED = {  # what the model code does not vary, with its default
    "vocab_size": (VOCABULARY, VOCABULARY),
    "max_position_embeddings": (MAX_POSITIONS, MAX_POSITIONS),
    "rms_norm_eps": (EPSILON, 1e-6),
    "rope_theta": (THETA, 10000.0),
    "rope_scaling": (None, None),
    "hidden_act": ("silu", "silu"),
    "tie_word_embeddings": (True, False),
    "attention_bias": (False, False),
    "mlp_bias": (False, False),
    "use_sliding_window": (False, False),
}
# By model_type: whether queries, keys and values have biases.
BIASED = {"llama": False, "qwen2": True}
FIXED_CODA = {"rotation_pairs": "rotary", "head_norm": "none"}


class Wrong(Exception):
    """A checkpoint that cannot be trained on."""


def read_bytes(path):
    try:
        return path.read_bytes()
    except OSError as error:
        raise Wrong(f"{path}: {error.strerror}") from None


def read_config(folder):
    path = folder / "config.json"
    try:
        config = json.loads(read_bytes(path))
        needed = [key for key in checkpoint.SIZES if key not in ("num_key_value_heads", "head_dim")]
        sizes = {checkpoint.SIZES[key]: config[key] for key in needed}
    except (ValueError, TypeError) as error:
        raise Wrong(f"{path}: {error}") from None
    except KeyError as error:
        raise Wrong(f"{path}: no {error.args[0]}") from None
    for key, (value, default) in FIXED.items():
        if config.get(key, default) != value:
            raise Wrong(f"{path}: {key} is {config.get(key, default)}; only {value} can be trained")
    kind = config.get("model_type", "llama")
    if kind not in BIASED:
        raise Wrong(f"{path}: model_type is {kind}; only {' and '.join(BIASED)} can be trained")
    sizes["qkv_bias"] = BIASED[kind]
    coda = config.get("coda", {})
    for key, value in FIXED_CODA.items():
        if coda.get(key, value) != value:
            raise Wrong(f"{path}: coda: {key} is {coda[key]}; only {value} can be trained")
    sizes["kv_heads"] = config.get("num_key_value_heads", sizes["heads"])
    sizes["head_dim"] = config.get("head_dim") or sizes["hidden"] // sizes["heads"]
    return sizes, coda


def read_tensors(path):
    content = read_bytes(path)
    try:
        size = struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8 : 8 + size])
        header.pop("__metadata__", None)
        tensors = {}
        for name, entry in header.items():
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            flat = torch.frombuffer(bytearray(content[begin:end]), dtype=TYPES[entry["dtype"]])
            tensors[name.removeprefix("model.")] = flat.view(entry["shape"]).float()
    except (struct.error, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise Wrong(f"{path}: no safetensors file of {', '.join(TYPES)}: {error}") from None
    return tensors


def digest(folder):
    """SHA-256 of its model.safetensors."""
    return hashlib.sha256(read_bytes(folder / "model.safetensors")).hexdigest()


def load(folder, differential, gated):
    """The model in `folder`. Parameters of CoDA that it lacks begin as those of a new model, and those
    that are not asked for are refused."""
    sizes, _ = read_config(folder)
    path = folder / "model.safetensors"
    tensors = read_tensors(path)
    model = ByteCoda(Shape(**sizes, differential=differential, gated=gated))
    mine = dict(model.named_parameters())
    for name in sorted(set(tensors) - set(mine)):
        raise Wrong(f"{path}: tensor {name} has no place in a model that is to be trained like this")
    with torch.no_grad():
        for name, parameter in mine.items():
            shape, wanted = list(tensors.get(name, parameter).shape), list(parameter.shape)
            if shape != wanted:
                raise Wrong(f"{path}: tensor {name} is {shape}; it must be {wanted}")
            if name in tensors:
                parameter.copy_(tensors[name])
    for name in mine:
        if name not in tensors and not is_own(name):
            raise Wrong(f"{path}: no tensor {name}")
    model.had_theta = "layers.0.self_attn.theta" in tensors
    return model


def coda_config(shape, memory):
    """The object `coda` of config.json; None without CoDA."""
    if not (shape.differential or shape.gated or memory):
        return None
    coda = {**FIXED_CODA, "gate_bias": shape.gated}
    if memory:
        coda["memory"] = memory
    return coda


def save(model, out, memory, recipe):
    """config.json, model.safetensors in F16 and recipe.json, all of them or none."""
    config = checkpoint.config(model.shape)
    coda = coda_config(model.shape, memory)
    if coda:
        config["coda"] = coda
    checkpoint.write(model, out, config, recipe)

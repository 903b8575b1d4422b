"""Configurations and tensors that scripts/gpu_check gives to the program."""
import array
import json
import math
import pathlib
import struct

# Configurations as JSON: a build without yaml-cpp reads nothing else.
CONFIGURATIONS = {f"d128-b{b}": f'{{"macro": {{"index_bits": {b}}}}}' for b in (2, 3, 4)} | {
    "d128-b3-wide": '{"numerics": {"query_bits": 12, "centroid_bits": 10}}',
    "d128-b3-golay24": '{"ecc": {"code": "golay24"}}',
    "d128-b3-trellis": '{"quantizer": {"kind": "trellis", "scale": "unbiased"}}',
    "d128-b3-exact": '{"quantizer": {"scale": "unbiased"}, "exact": {"first": 1, "last": 16}}',
    "d128-b3-balance": '{"rotation": {"balance": "balance.safetensors"}}',
    "d128-b3-balance-exact": '{"rotation": {"balance": "wide.safetensors"}, "quantizer": {"scale": "unbiased"}, '
                             '"exact": {"first": 1, "last": 16}}',
    "d128-b3-attention": '{"quantizer": {"scale": "unbiased"}, "attention": {"group": 4}}',
    "d128-b3-prod": '{"quantizer": {"kind": "prod"}}',
    "d128-split": '{"quantizer": {"scale": "unbiased"}, "split": {"bits": [4, 2], '
                  '"channels": "channels.safetensors"}}',
    "d128-split-trellis": '{"quantizer": {"kind": "trellis", "scale": "unbiased"}, "split": '
                          '{"bits": [3, 1], "channels": "channels.safetensors"}}'}
ROOT = pathlib.Path(__file__).resolve().parents[2]
BALANCE, CENTER = ROOT / "configs/d64-balance.safetensors", ROOT / "traces/qwen2.5-coder-1.5b.center.safetensors"
# Configurations for heads of pretrained models: the trace, and JSON.
OF_HEADS = {
    "d64-b3-balance": ("traces/qwen2.5-coder-0.5b.safetensors",
                       '{"macro": {"head_dim": 64}, "quantizer": {"scale": "unbiased"}, '
                       f'"rotation": {{"balance": "{BALANCE}", "center": "{BALANCE}", "head": 1}}}}'),
    "d128-b3-center": ("traces/qwen2.5-coder-1.5b.safetensors",
                       f'{{"quantizer": {{"scale": "unbiased"}}, "rotation": {{"center": "{CENTER}"}}}}')}
# Of CONFIGURATIONS, keys that are encoded with feedback: rank 1, and full.
FED = ("d128-b3-exact", "d128-b3-trellis")


def write_tensors(path, tensors):
    """A safetensors file; tensors: name, type, shape and an array of the values."""
    header, data = {}, b""
    for name, kind, shape, values in tensors:
        header[name] = {"dtype": kind, "shape": shape,
                        "data_offsets": [len(data), len(data) + len(values.tobytes())]}
        data += values.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_inputs(folder, model_folder):
    """The configurations, and for every layer and KV head of the model the channels of a split, exponents
    and what queries look for."""
    for name, text in CONFIGURATIONS.items():
        (folder / f"{name}.json").write_text(text + "\n")
    for name, (_, text) in OF_HEADS.items():
        (folder / f"{name}.json").write_text(text + "\n")
    model = json.loads(pathlib.Path(model_folder, "config.json").read_text())
    layers, heads, d = model["num_hidden_layers"], model["num_key_value_heads"], model["head_dim"]
    rows = layers * heads
    write_tensors(folder / "channels.safetensors",
                  [("high", "I32", [layers, heads, d // 2], array.array("i", range(0, d, 2)) * rows)])
    # Exponents that no head asked for make noise: of a model's likelihood little more than it has.
    for name, (least, most) in {"balance": (-1, 1), "wide": (-8, 7)}.items():
        exponents = array.array("b", [least + i * 5 % (most - least + 1) for i in range(d)])
        write_tensors(folder / f"{name}.safetensors", [("balance", "I8", [layers, heads, d], exponents * rows)])
    direction = array.array("f", [1 / math.sqrt(d)]) * d
    write_tensors(folder / "rank1.safetensors",
                  [("directions", "F32", [layers, heads, d], direction * rows),
                   ("alphas", "F32", [layers, heads], array.array("f", [20]) * rows)])
    moment = array.array("f", (20 / d + (i % (d + 1) == 0) for i in range(d * d)))
    write_tensors(folder / "full.safetensors",
                  [("moments", "F32", [layers, heads, d, d], moment * rows)])

#!/usr/bin/env python3
"""Makes the small random checkpoints beside this file, and what transformers computes with them.

To run it again: `pip install torch transformers`, then `python make_checkpoints.py`; names as
arguments make only those. Weights come from one seed a checkpoint and are larger than those of a
fresh model, so that attention is far from uniform and every bias, norm and rotation is seen in the
logits. Each checkpoint lists changes of its configuration that must move the logits; one that does
not stops the script, for then the checkpoint would not test what it is there for.
"""

import json
import pathlib
import shutil
import sys
import tempfile
import zlib

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM, logging

import recording
from configurations import CHECKPOINTS, VOCABULARY

HERE = pathlib.Path(__file__).resolve().parent
TOKENS = (2, 24)
LEAST_CHANGE = 3e-4  # of some logit; float32 itself is good to 1e-5


def weight(name, shape, generator, norm_offset):
    """Random values for a tensor of this name: matrices keep the size of what they are applied to
    or enlarge it by half; norms lie around 1, less `norm_offset`; biases are far from 0."""
    normal = torch.randn(shape, generator=generator)
    if "q_norm" in name or "k_norm" in name:
        return 1.5 - norm_offset + 0.3 * normal
    if name.endswith("norm.weight") or "ln_" in name:
        return 0.3 * normal + (0 if name.endswith("bias") else 1 - norm_offset)
    if name.endswith("bias"):
        return (1.0 if "k_proj" in name else 0.5) * normal
    if "wpe" in name:
        return 0.3 * normal
    convolution = any(part in name for part in ("c_attn", "c_proj", "c_fc"))  # stored [in, out]
    inputs = shape[0] if convolution else shape[1]
    enlarged = ("q_proj", "k_proj", "c_attn", "c_proj", "embed", "lm_head", "wte")
    larger = any(part in name for part in enlarged)
    return (1.5 if larger else 1.0) / inputs**0.5 * normal


def weights(name, config):
    """Tensors as stored, by name, drawn in the order of their names."""
    model = AutoModelForCausalLM.from_config(config)
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    stored_type = CHECKPOINTS[name][1]
    norm_offset = 1 if config.model_type == "gemma3_text" else 0  # Gemma stores w - 1
    tied = {"lm_head.weight"} if config.tie_word_embeddings else set()
    tensors = {
        key: weight(key, tensor.shape, generator, norm_offset).to(stored_type)
        for key, tensor in sorted(model.state_dict().items())
        if key not in tied
    }
    return as_found(name, tensors)


def as_found(name, tensors):
    """Gives some checkpoints the oddities of published ones: tensors that are no weights, a stored
    copy of tied weights, names without their prefix."""
    if name == "llama-linear":
        frequencies = 10000.0 ** (-torch.arange(0, 16, 2) / 16)
        tensors |= {
            f"model.layers.{i}.self_attn.rotary_emb.inv_freq": frequencies.clone() for i in range(2)
        }
    if name == "qwen3":
        tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"].clone()
    if name == "gpt2-bare":
        tensors = {key.removeprefix("transformer."): value for key, value in tensors.items()}
        tensors |= {f"h.{i}.attn.bias": torch.ones(1, 1, 32, 32).tril() for i in range(2)}
    return tensors


def write_tensors(folder, tensors, shards):
    """One file, or `shards` files and their index, the tensors dealt out in turn."""
    metadata = {"format": "pt"}
    if shards == 1:
        save_file(tensors, folder / "model.safetensors", metadata)
        return
    names = sorted(tensors)
    files = [f"model-{i + 1:05d}-of-{shards:05d}.safetensors" for i in range(shards)]
    place = {name: files[i % shards] for i, name in enumerate(names)}
    for file in files:
        save_file({n: tensors[n] for n in names if place[n] == file}, folder / file, metadata)
    size = sum(tensor.nbytes for tensor in tensors.values())
    index = {"metadata": {"total_size": size}, "weight_map": place}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def load(folder, **changes):
    config = AutoConfig.from_pretrained(folder, **changes)
    model = AutoModelForCausalLM.from_pretrained(
        folder, config=config, dtype=torch.float32, attn_implementation=recording.NAME
    )
    return model.eval()


def check(name, folder, tokens, logits):
    """Stops where a change that must matter does not."""
    if not 1.0 < logits.std() < 3.5:
        sys.exit(f"{name}: the logits' standard deviation is {logits.std():.2f}")
    for change in CHECKPOINTS[name][3]:
        moved = (load(folder, **change)(tokens).logits - logits).abs().max().item()
        print(f"{name}: {change} moves a logit by {moved:.4f}")
        if not moved > LEAST_CHANGE:
            sys.exit(f"{name}: {change} hardly changes the logits")


@torch.no_grad()
def make(name, folder):
    config, stored_type, shards, _ = CHECKPOINTS[name]
    config = config | {"torch_dtype": str(stored_type).removeprefix("torch.")}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    write_tensors(folder, weights(name, AutoConfig.from_pretrained(folder)), shards)

    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()) + 1)
    tokens = torch.randint(VOCABULARY, TOKENS, generator=generator)
    tokens[:, -1] = torch.tensor([0, VOCABULARY - 1])
    logits, attention = recording.forward(load(folder), tokens)
    expected = {"tokens": tokens.int(), "logits": logits.contiguous()}
    if name == "llama-f32":
        expected["keys_1"], expected["queries_1"] = attention[1]
    save_file(expected, folder / "expected.safetensors")
    check(name, folder, tokens, logits)


def main():
    logging.set_verbosity_error()
    torch.set_num_threads(1)
    for name in sys.argv[1:] or CHECKPOINTS:
        with tempfile.TemporaryDirectory() as scratch:
            make(name, pathlib.Path(scratch))
            shutil.copytree(scratch, HERE / name, dirs_exist_ok=True)


if __name__ == "__main__":
    main()

"""Writes the model as a folder of Hugging Face's: config.json and model.safetensors in F16."""

import json
import pathlib
import shutil
import struct
import tempfile

from byte_llama.model import EPSILON, MAX_POSITIONS, THETA, VOCABULARY

# Sizes by their keys in config.json.
SIZES = {
    "hidden_size": "hidden", "intermediate_size": "ffn", "num_hidden_layers": "layers",
    "num_attention_heads": "heads", "num_key_value_heads": "kv_heads", "head_dim": "head_dim",
}
FILES = {"config.json", "model.safetensors", "recipe.json"}


def config(options):
    qwen2 = options.qkv_bias
    llama_biases = {"attention_bias": False, "mlp_bias": False}
    return {
        "architectures": ["Qwen2ForCausalLM" if qwen2 else "LlamaForCausalLM"],
        "model_type": "qwen2" if qwen2 else "llama",
        **{key: getattr(options, size) for key, size in SIZES.items()},
        "vocab_size": VOCABULARY,
        "max_position_embeddings": MAX_POSITIONS,
        "rms_norm_eps": EPSILON,
        "rope_theta": THETA,
        "hidden_act": "silu",
        **({"use_sliding_window": False} if qwen2 else llama_biases),
        "tie_word_embeddings": True,
        "torch_dtype": "float16",
        "bos_token_id": None,
        "eos_token_id": None,
    }


def safetensors(tensors):
    """A safetensors file: length of the header, header in JSON, data."""
    header, blobs, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name, value in tensors.items():
        blob = value.detach().cpu().half().contiguous().numpy().tobytes()
        place = [offset, offset + len(blob)]
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": place}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # the data begins aligned
    return struct.pack("<Q", len(text)) + text + b"".join(blobs)


def obstacle(out, force):
    """Why a checkpoint cannot go to `out`; None where it can."""
    if not out.parent.is_dir():
        return f"{out.parent}: no such folder; make it, or choose another OUT"
    if not out.exists():
        return None
    if not force:
        return f"{out} exists; --force writes over a checkpoint"
    if not out.is_dir() or {path.name for path in out.iterdir()} - FILES:
        return f"{out} holds more than {' and '.join(sorted(FILES))}; choose another OUT"
    return None


def write(model, out, config, recipe=None):
    """Writes the folder beside its place and renames it: it is there whole or not at all."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    fresh, old = scratch / "new", scratch / "old"
    try:
        fresh.mkdir()
        tensors = {f"model.{name}": value for name, value in model.named_parameters()}
        (fresh / "model.safetensors").write_bytes(safetensors(tensors))
        (fresh / "config.json").write_text(json.dumps(config, indent=2) + "\n")
        if recipe:
            (fresh / "recipe.json").write_text(json.dumps(recipe, indent=2) + "\n")
        if out.exists():
            out.rename(old)
        fresh.rename(out)
    finally:
        if old.exists() and not out.exists():  # stopped between the two renames
            old.rename(out)
        shutil.rmtree(scratch)


def save(model, options):
    write(model, options.out, config(options))

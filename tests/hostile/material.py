"""Valid small inputs of every kind, written into a folder from which each case begins."""

import json
import pathlib
import shutil
import struct

SIZE = {"F16": 2, "F32": 4, "I8": 1, "I32": 4}


def safetensors(tensors, metadata=None):
    """Bytes of a file. tensors: {name: (type, shape, bytes)}."""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (kind, shape, content) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    return from_header(json.dumps(header).encode(), data)


def from_header(header, data):
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data


def split(content):
    """(header, data) of a valid file."""
    length = struct.unpack_from("<Q", content)[0]
    return content[8 : 8 + length], content[8 + length :]


def floats(random, kind, *shape, scale=0.2):
    count = 1
    for extent in shape:
        count *= extent
    code = "<%de" if kind == "F16" else "<%df"
    return kind, shape, struct.pack(code % count, *(random.gauss(0, scale) for _ in range(count)))


CONFIG = """# every section
macro: {name: small, head_dim: 32, index_bits: 3, max_keys: 64, element_format: fp16}
numerics: {significand_bits: 16, boundary_fraction_bits: 13, query_bits: 8, centroid_bits: 8, codebook: gaussian}
rotation: {signs: signs.safetensors, center: center.safetensors, layer: 1, head: 0}
microarchitecture: {key_lanes: 32, read_lanes: 16, table_multipliers: 8}
ecc: {code: hamming84, erasure: zero, stages: 1, scrub_interval: 100}
"""
TEXT = "What is written once is read many times, said the clerk.\n" * 12


def architecture(vocabulary):
    return {
        "model_type": "llama",
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "hidden_act": "silu",
        "max_position_embeddings": 512,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "tie_word_embeddings": True,
        "head_dim": 32,
        "torch_dtype": "float16",
    }


def weights(random, vocabulary):
    tensors = {
        "model.embed_tokens.weight": floats(random, "F16", vocabulary, 32),
        "model.norm.weight": floats(random, "F16", 32, scale=1),
    }
    for layer in range(2):
        for name, shape in (
            ("self_attn.q_proj", (32, 32)),
            ("self_attn.k_proj", (32, 32)),
            ("self_attn.v_proj", (32, 32)),
            ("self_attn.o_proj", (32, 32)),
            ("mlp.gate_proj", (48, 32)),
            ("mlp.up_proj", (48, 32)),
            ("mlp.down_proj", (32, 48)),
            ("input_layernorm", (32,)),
            ("post_attention_layernorm", (32,)),
        ):
            tensors[f"model.layers.{layer}.{name}.weight"] = floats(
                random, "F16", *shape, scale=0.2 if shape[1:] else 1
            )
    return safetensors(tensors, {"format": "pt"})


def llama2c(random, layers=1, dim=32, hidden=48, vocabulary=256, positions=512):
    """A checkpoint with the legacy header: embedding, norms, projections, two unused tables."""
    counts = (vocabulary * dim + layers * (2 * dim + 4 * dim * dim + 3 * dim * hidden) + dim, positions * dim)
    return struct.pack("<7i", dim, hidden, layers, 1, 1, vocabulary, positions) + struct.pack(
        f"<{sum(counts)}f", *(random.gauss(0, 0.2) for _ in range(sum(counts)))
    )


def put(folder, name, content):
    (pathlib.Path(folder) / name).write_bytes(content)


def write(folder, source, random):
    """source: the tree of the project, for tokenizers."""
    folder = pathlib.Path(folder)
    signs = bytes(random.choice((1, 255)) for _ in range(2 * 32))
    files = {
        "config.yaml": CONFIG.encode(),
        "plain.yaml": b"macro: {head_dim: 32, index_bits: 3, max_keys: 64}\n",
        "config.json": json.dumps(
            {"macro": {"head_dim": 32, "max_keys": 64}, "rotation": {"seed": 7}}, indent=1
        ).encode(),
        "signs.safetensors": safetensors({"signs": ("I8", (2, 1, 32), signs)}),
        "center.safetensors": safetensors({"center": floats(random, "F16", 2, 1, 32, scale=1)}),
        "trace.safetensors": safetensors(
            {"keys": floats(random, "F16", 40, 32, scale=1), "queries": floats(random, "F16", 5, 32, scale=1)}
        ),
        "text.txt": TEXT.encode(),
        "tokens.safetensors": safetensors(
            {"tokens": ("I32", (2, 24), bytes(b for _ in range(48) for b in (random.randrange(256), 0, 0, 0)))}
        ),
        "model.bin": llama2c(random),
        "pieces-model.bin": llama2c(random, vocabulary=294),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    for name, vocabulary in (("model", 256), ("words", 1024)):
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(architecture(vocabulary), indent=1))
        (folder / name / "model.safetensors").write_bytes(weights(random, vocabulary))
    tokenizers = pathlib.Path(source) / "tests" / "model" / "tokens" / "reference"
    shutil.copy(tokenizers / "gpt2.json", folder / "words" / "tokenizer.json")
    shutil.copy(tokenizers / "tiny.bin", folder / "pieces.bin")

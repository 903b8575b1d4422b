"""Valid small inputs of every kind, written into a folder from which each case begins."""

import json
import math
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
    count = math.prod(shape)
    code = "e" if kind == "F16" else "f"
    return kind, shape, struct.pack(f"<{count}{code}", *(random.gauss(0, scale) for _ in range(count)))


def squares(random, *shape):
    kind, shape, content = floats(random, "F32", *shape)
    values = struct.unpack(f"<{len(content) // 4}f", content)
    return kind, shape, struct.pack(f"<{len(values)}f", *(value * value for value in values))


CONFIG = """# every section
macro: {name: small, head_dim: 32, index_bits: 3, max_keys: 64, element_format: fp16}
numerics: {significand_bits: 16, boundary_fraction_bits: 13, query_bits: 8, centroid_bits: 8, codebook: gaussian}
rotation: {signs: signs.safetensors, center: center.safetensors, layer: 1, head: 0}
microarchitecture: {key_lanes: 32, read_lanes: 16, table_multipliers: 8}
ecc: {code: hamming84, erasure: zero, stages: 1, scrub_interval: 100}
"""
# An SRAM of 16 words of 8 bits.
LIBERTY = """library (small_lib) { /* of the cases */
  time_unit : "1ns"; voltage_unit : "1V"; capacitive_load_unit(1, pF); leakage_power_unit : "1mW";
  lu_table_template(delay) {
    variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
    index_1("0.01, 0.03"); index_2("0.005, 0.015");
  }
  cell (small) {
    memory() { type : ram; address_width : 4; word_width : 8; }
    area : 1000; cell_leakage_power : 0.002;
    bus(din0) { memory_write() { address : addr0; clocked_on : clk0; } }
    bus(dout0) {
      memory_read() { address : addr0; }
      timing() {
        related_pin : "clk0"; timing_type : rising_edge;
        cell_rise(delay) { values("1, 2",\\
                                  "3, 4"); }
      }
    }
    pin(clk0) {
      internal_power() { when : "!csb0 & !web0"; rise_power(scalar) { values("4"); } }
      internal_power() { when : "!csb0 & web0"; rise_power(scalar) { values("3"); } }
    }
  }
}
"""
SWEEP = """base: plain.yaml
grid: {macro.index_bits: [2, 3], microarchitecture.read_lanes: [8, 64]}
list: [{ecc.code: golay24}]
trace: trace.safetensors
columns: [compression, code_overhead, trace_attention_kl]
pareto: [{x: compression, x_best: highest, y: code_overhead, y_best: lowest, series: ecc.code}]
"""
LEF = "VERSION 5.7 ;\nMACRO small\n  SIZE 50 BY 40 ;\nEND small\nEND LIBRARY\n"
POINTS = """a: {node: 45, voltage: 0.9, words: 1024, bits: 64, ports: 1rw, read: 10, source: "A, page 1"}
b: {node: 45, voltage: 0.9, words: 4096, bits: 64, ports: 1rw, read: 20, area: 0.5, source: "A, page 1"}
"""
TEXT = "What is written once is read many times, said the clerk.\n" * 12


def exponents(rows=None, factors=None):
    """What calibrate --balance writes for the model: exponents I8 [2, 1, 32] and factors F32 [2, 1, 16]."""
    rows = rows or [i % 16 - 8 for i in range(64)]
    factors = factors or [1 + i / 8 for i in range(32)]
    return safetensors({"balance": ("I8", (2, 1, 32), struct.pack("<64b", *rows)),
                        "lambdas": ("F32", (2, 1, 16), struct.pack("<32f", *factors))})


def architecture(vocabulary):
    return {
        "model_type": "llama", "vocab_size": vocabulary, "hidden_size": 32, "intermediate_size": 48,
        "num_hidden_layers": 2, "num_attention_heads": 1, "num_key_value_heads": 1,
        "hidden_act": "silu", "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0, "tie_word_embeddings": True, "head_dim": 32, "torch_dtype": "float16",
    }


SHAPES = {
    **{f"self_attn.{name}_proj": (32, 32) for name in "qkvo"},
    "mlp.gate_proj": (48, 32), "mlp.up_proj": (48, 32), "mlp.down_proj": (32, 48),
    "input_layernorm": (32,), "post_attention_layernorm": (32,),
}


def weights(random, vocabulary):
    tensors = {
        "model.embed_tokens.weight": floats(random, "F16", vocabulary, 32),
        "model.norm.weight": floats(random, "F16", 32, scale=1),
    }
    for layer in range(2):
        for name, shape in SHAPES.items():
            scale = 0.2 if shape[1:] else 1
            tensors[f"model.layers.{layer}.{name}.weight"] = floats(random, "F16", *shape, scale=scale)
    return safetensors(tensors, {"format": "pt"})


def llama2c(random, layers=1, dim=32, hidden=48, vocabulary=256, positions=512):
    """A checkpoint with the legacy header: embedding, norms, projections, two unused tables."""
    counts = (vocabulary * dim + layers * (2 * dim + 4 * dim * dim + 3 * dim * hidden) + dim, positions * dim)
    return struct.pack("<7i", dim, hidden, layers, 1, 1, vocabulary, positions) + struct.pack(
        f"<{sum(counts)}f", *(random.gauss(0, 0.2) for _ in range(sum(counts)))
    )


def gguf(random, vocabulary=300):
    """A Llama model of 1 layer whose matrices are Q8_0, with a tokenizer of bytes and one merge."""
    text = lambda value: struct.pack("<Q", len(value.encode())) + value.encode()
    number = lambda value: struct.pack("<II", 4, value)
    real = lambda value: struct.pack("<If", 6, value)
    texts = lambda values: struct.pack("<IIQ", 9, 8, len(values)) + b"".join(map(text, values))
    # The alphabet of byte-level BPE: printable bytes are themselves, the others follow at 256.
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    pieces = [chr(byte) for byte in shown] + [chr(256 + i) for i in range(len(hidden))] + ["th", "<end>"]
    pieces += [f"<{i}>" for i in range(vocabulary - len(pieces))]
    kinds = [1] * 257 + [3] * (vocabulary - 257)
    keys = {
        "general.architecture": struct.pack("<I", 8) + text("llama"),
        "llama.context_length": number(512),
        "llama.embedding_length": number(32),
        "llama.block_count": number(1),
        "llama.feed_forward_length": number(64),
        "llama.attention.head_count": number(1),
        "llama.attention.head_count_kv": number(1),
        "llama.attention.layer_norm_rms_epsilon": real(1e-5),
        "llama.rope.freq_base": real(10000.0),
        "tokenizer.ggml.model": struct.pack("<I", 8) + text("gpt2"),
        "tokenizer.ggml.pre": struct.pack("<I", 8) + text("gpt-2"),
        "tokenizer.ggml.tokens": texts(pieces),
        "tokenizer.ggml.token_type": struct.pack("<IIQ", 9, 5, vocabulary) + struct.pack(f"<{vocabulary}i", *kinds),
        "tokenizer.ggml.merges": texts(["t h"]),
        "tokenizer.ggml.eos_token_id": number(257),
    }
    shapes = {"token_embd": (32, vocabulary), "output_norm": (32,), "blk.0.attn_norm": (32,), "blk.0.ffn_norm": (32,)}
    shapes |= {f"blk.0.attn_{name}": (32, 32) for name in ("q", "k", "v", "output")}
    shapes |= {"blk.0.ffn_gate": (32, 64), "blk.0.ffn_up": (32, 64), "blk.0.ffn_down": (64, 32)}
    infos, data = b"", b""
    for name, shape in shapes.items():
        flat = len(shape) == 1
        infos += text(f"{name}.weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0 if flat else 8, len(data))
        if flat:
            data += struct.pack("<32f", *(random.gauss(0, 1) for _ in range(32)))
        else:
            data += b"".join(b"\x00\x14" + random.randbytes(32) for _ in range(shape[0] * shape[1] // 32))
        data += bytes(-len(data) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(keys))
    head += b"".join(text(key) + value for key, value in keys.items()) + infos
    return head + bytes(-len(head) % 32) + data


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
            {"macro": {"head_dim": 32, "max_keys": 64}, "rotation": {"seed": 7}}, indent=1).encode(),
        "signs.safetensors": safetensors({"signs": ("I8", (2, 1, 32), signs)}),
        "center.safetensors": safetensors({"center": floats(random, "F16", 2, 1, 32, scale=1)}),
        "balance.safetensors": exponents(),
        "balanced.yaml": b"macro: {head_dim: 32}\nrotation: {balance: balance.safetensors, layer: 1}\n",
        "trace.safetensors": safetensors(
            {"keys": floats(random, "F16", 40, 32, scale=1), "queries": floats(random, "F16", 5, 32, scale=1)}
        ),
        "steps.safetensors": safetensors({
            **{name: floats(random, "F16", count, 32, scale=1)
               for name, count in (("keys", 40), ("values", 40), ("queries", 5))},
            "query_tokens": ("I32", (5,), struct.pack("<5i", 3, 17, 17, 30, 39)),
        }),
        "constants.safetensors": safetensors(
            {"key_middles": floats(random, "F16", 1, 1, 32), "key_radii": ("F16", (1, 1, 32), struct.pack("<e", 2) * 32),
             **{f"{part}_codebook2": ("F16", (1, 4), struct.pack("<4e", -1, -0.25, 0.25, 1)) for part in ("key", "value")}},
            {"format": "axelram-tiers", "version": "1", "rope": "post", "outliers": "0.05", "squat_channels": "32"},
        ),
        "weights.safetensors": safetensors({name: squares(random, 2, 128, 1, 32) for name in ("keys", "values")}),
        "sram.yaml": b"macro: {head_dim: 32}\nsram: {model: liberty, liberty: small.lib, lef: small.lef}\n",
        "table.yaml": b"macro: {head_dim: 32}\nsram: {model: table, file: points.yaml}\n",
        "small.lib": LIBERTY.encode(),
        "small.lef": LEF.encode(),
        "points.yaml": POINTS.encode(),
        "shape.yaml": b"layers: 2\nquery_heads: 4\nkv_heads: 2\nhead_dim: 32\nbatch: 1\ncontext: 700\n",
        "sweep.yaml": SWEEP.encode(),
        "text.txt": TEXT.encode(),
        "tokens.safetensors": safetensors(
            {"tokens": ("I32", (2, 24), bytes(b for _ in range(48) for b in (random.randrange(256), 0, 0, 0)))}
        ),
        "model.gguf": gguf(random),
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

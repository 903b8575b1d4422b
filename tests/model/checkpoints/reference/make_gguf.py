#!/usr/bin/env python3
"""Makes small GGUF files with random weights, and what transformers computes with them.

To run it again: `pip install gguf torch transformers`, then `python make_gguf.py`. NAME.gguf is written by
the package gguf, in block types. NAME.safetensors holds `tokens` I32 [2, 24] and `logits` F32 [2, 24, 96]
of the model that transformers loads from the file (float32, eager attention), which undoes the order of
rows on its own.
"""

import pathlib
import sys
import zlib

import gguf
import numpy
import torch
from safetensors.numpy import save_file
from transformers import AutoConfig, AutoModelForCausalLM

HERE = pathlib.Path(__file__).resolve().parent
VOCABULARY, HIDDEN, FFN = 96, 64, 64
LAYERS = 2  # Gemma 3: 6, of which the last is global
TOKENS = (2, 24)
MODELS = {  # architecture, query heads, KV heads, channels of a head
    "llama": ("llama", 4, 2, 16),
    "llama-bias": ("llama", 2, 1, 32),
    "qwen2": ("qwen2", 4, 2, 16),
    "qwen3": ("qwen3", 2, 1, 64),
    "gemma3": ("gemma3", 2, 1, 48),
    "gpt2": ("gpt2", 4, 4, 16),
}
UNTIED = ("llama", "qwen2")
# Settings that transformers does not read from the file.
CONFIGURATION = {
    "llama-bias": {"attention_bias": True},
    "qwen3": {"head_dim": 64},
    "gpt2": {"n_positions": 64, "n_inner": FFN},
    "gemma3": {"query_pre_attn_scalar": 48},  # as llama.cpp, which takes the size of a head
}
TYPES = {
    "attn_q": "Q4_0", "attn_k": "Q8_0", "attn_v": "Q5_1", "attn_output": "Q4_1", "attn_qkv": "Q8_0",
    "ffn_gate": "Q5_0", "ffn_up": "F16", "ffn_down": "BF16", "token_embd": "Q8_0", "output": "F16",
    "position_embd": "F32",
}  # fmt: skip


class Writer:
    def __init__(self, name):
        self.architecture = MODELS[name][0]
        self.file = gguf.GGUFWriter(HERE / f"{name}.gguf", self.architecture)
        self.random = numpy.random.default_rng(zlib.crc32(name.encode()))

    def matrix(self, name, outputs, inputs, size=1.0):
        kind = TYPES[name.removesuffix(".weight").split(".")[-1]]
        values = self.random.standard_normal((outputs, inputs)) * size / inputs**0.5
        type_ = gguf.GGMLQuantizationType[kind]
        data = gguf.quants.quantize(values.astype(numpy.float32), type_)
        self.file.add_tensor(name, data, raw_dtype=type_)

    def vector(self, name, size, mean=0.0, spread=0.3):
        values = mean + spread * self.random.standard_normal(size)
        self.file.add_tensor(name, values.astype(numpy.float32))

    def close(self):
        self.file.write_header_to_file()
        self.file.write_kv_data_to_file()
        self.file.write_tensors_to_file()
        self.file.close()


def add_metadata(w, name, heads, kv_heads, head):
    f = w.file
    f.add_context_length(64)
    f.add_embedding_length(HIDDEN)
    f.add_block_count(6 if name == "gemma3" else LAYERS)
    f.add_feed_forward_length(FFN)
    f.add_head_count(heads)
    f.add_vocab_size(VOCABULARY)
    f.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_1)
    f.add_quantization_version(2)
    # transformers does not load a file without a list of tokens.
    f.add_tokenizer_model("gpt2")
    f.add_token_list([f"t{i}" for i in range(VOCABULARY)])
    f.add_token_merges(["t 1"])
    if w.architecture == "gpt2":
        f.add_layer_norm_eps(1e-3)
        return
    f.add_head_count_kv(kv_heads)
    f.add_layer_norm_rms_eps(1e-3)
    f.add_rope_freq_base(1000000.0 if w.architecture == "gemma3" else 50000.0)
    if head * heads != HIDDEN:
        f.add_key_length(head)
        f.add_value_length(head)
    if w.architecture == "gemma3":
        f.add_sliding_window(8)
    if w.architecture == "llama":
        f.add_rope_dimension_count(head)


def add_layer(w, prefix, name, heads, kv_heads, head):
    queries, keys = heads * head, kv_heads * head
    gemma = w.architecture == "gemma3"
    w.vector(prefix + "attn_norm.weight", HIDDEN, 1)
    w.vector(prefix + "ffn_norm.weight", HIDDEN, 1)
    if gemma:
        w.vector(prefix + "post_attention_norm.weight", HIDDEN, 1)
        w.vector(prefix + "post_ffw_norm.weight", HIDDEN, 1)
    if w.architecture == "gpt2":
        w.vector(prefix + "attn_norm.bias", HIDDEN)
        w.vector(prefix + "ffn_norm.bias", HIDDEN)
        w.matrix(prefix + "attn_qkv.weight", 3 * HIDDEN, HIDDEN, 1.5)
        w.vector(prefix + "attn_qkv.bias", 3 * HIDDEN)
        w.vector(prefix + "attn_output.bias", HIDDEN)
        w.vector(prefix + "ffn_up.bias", FFN)
        w.vector(prefix + "ffn_down.bias", HIDDEN)
    else:
        w.matrix(prefix + "attn_q.weight", queries, HIDDEN, 1.5)
        w.matrix(prefix + "attn_k.weight", keys, HIDDEN, 1.5)
        w.matrix(prefix + "attn_v.weight", keys, HIDDEN)
        w.matrix(prefix + "ffn_gate.weight", FFN, HIDDEN)
    if name in ("qwen2", "llama-bias"):
        w.vector(prefix + "attn_q.bias", queries)
        w.vector(prefix + "attn_k.bias", keys)
        w.vector(prefix + "attn_v.bias", keys)
    if name == "llama-bias":
        w.vector(prefix + "attn_output.bias", HIDDEN)
    if gemma or name == "qwen3":
        w.vector(prefix + "attn_q_norm.weight", head, 1.5)
        w.vector(prefix + "attn_k_norm.weight", head, 1.5)
    w.matrix(prefix + "attn_output.weight", HIDDEN, queries)
    w.matrix(prefix + "ffn_up.weight", FFN, HIDDEN)
    w.matrix(prefix + "ffn_down.weight", HIDDEN, FFN)


def write(name):
    architecture, heads, kv_heads, head = MODELS[name]
    w = Writer(name)
    add_metadata(w, name, heads, kv_heads, head)
    w.matrix("token_embd.weight", VOCABULARY, HIDDEN, 6.0 if name in UNTIED else 1.5)
    if architecture == "gpt2":
        w.matrix("position_embd.weight", 64, HIDDEN, 2.0)
        w.vector("output_norm.bias", HIDDEN)
    w.vector("output_norm.weight", HIDDEN, 1)
    for layer in range(6 if name == "gemma3" else LAYERS):
        add_layer(w, f"blk.{layer}.", name, heads, kv_heads, head)
    if name in UNTIED:
        w.matrix("output.weight", VOCABULARY, HIDDEN, 1.5)
    w.close()


@torch.no_grad()
def record(name):
    file = f"{name}.gguf"
    config = AutoConfig.from_pretrained(HERE, gguf_file=file, **CONFIGURATION.get(name, {}))
    model = AutoModelForCausalLM.from_pretrained(
        HERE, gguf_file=file, config=config, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    generator = torch.Generator().manual_seed(7)
    tokens = torch.randint(0, VOCABULARY, TOKENS, generator=generator)
    logits = model(tokens).logits
    print(name, model.config.model_type, f"logits' standard deviation {logits.std():.2f}")
    save_file(
        {"tokens": tokens.numpy().astype(numpy.int32), "logits": logits.numpy()},
        HERE / f"{name}.safetensors",
    )


for each in sys.argv[1:] or MODELS:
    write(each)
    record(each)

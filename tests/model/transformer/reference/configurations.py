"""The configurations of the reference checkpoints, written as published ones are."""

import torch

VOCABULARY = 96

COMMON = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "hidden_act": "silu",
    "max_position_embeddings": 64,
    "rms_norm_eps": 1e-3,
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def decoder(model_type, architecture, **changes):
    """A configuration of the Llama family; a value of `...` leaves the key out."""
    config = {"architectures": [architecture], "model_type": model_type} | COMMON | changes
    return {key: value for key, value in config.items() if value is not ...}


def llama(**changes):
    return decoder("llama", "LlamaForCausalLM", **changes)


def qwen2(**changes):
    unused_window = {"use_sliding_window": False, "sliding_window": 8, "max_window_layers": 2}
    return decoder("qwen2", "Qwen2ForCausalLM", **(unused_window | changes))


def gemma3(**changes):
    """As published ones: the activation and the base of local layers under names of their own."""
    own = {
        "hidden_act": ...,
        "hidden_activation": "gelu_pytorch_tanh",
        "attention_bias": False,
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
        "tie_word_embeddings": True,
    }
    return decoder("gemma3_text", "Gemma3ForCausalLM", **(own | changes))


def gpt2(width):
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "activation_function": "gelu_new",
        "vocab_size": VOCABULARY,
        "n_embd": width,
        "n_head": 2,
        "n_layer": 2,
        "n_positions": 32,
        "n_ctx": 32,
        "layer_norm_epsilon": 1e-3,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }


LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
QWEN_YARN = {
    "type": "yarn",
    "factor": 4.0,
    "original_max_position_embeddings": 16,
    "beta_fast": 1.0,
    "beta_slow": 0.25,
}


# name: (configuration, stored type, shards, changes that must move the logits)
CHECKPOINTS = {
    "llama-f32": (
        llama(head_dim=32, rms_norm_eps=1e-2),
        torch.float32,
        1,
        [{"rms_norm_eps": 1e-5}, {"rope_theta": 5000.0}, {"tie_word_embeddings": True}],
    ),
    "llama-bf16-tied": (
        llama(head_dim=16, tie_word_embeddings=True),
        torch.bfloat16,
        3,
        [{"rms_norm_eps": 1e-5}, {"rope_theta": 5000.0}],
    ),
    "llama-f16-bias": (
        llama(num_attention_heads=2, num_key_value_heads=1, attention_bias=True, mlp_bias=True),
        torch.float16,
        1,
        [{"attention_bias": False}, {"mlp_bias": False}, {"rms_norm_eps": 1e-5}],
    ),
    "llama-linear": (
        llama(num_attention_heads=2, rope_scaling={"type": "linear", "factor": 4.0}),
        torch.float16,
        1,
        [{"rope_scaling": None}, {"rope_scaling": {"type": "linear", "factor": 3.0}}],
    ),
    "llama3-rope": (
        llama(head_dim=16, rope_scaling=LLAMA3),
        torch.bfloat16,
        1,
        [
            {"rope_scaling": None},
            {"rope_scaling": {"rope_type": "linear", "factor": 8.0}},
            {"rope_scaling": LLAMA3 | {"factor": 4.0}},
            {"rope_scaling": LLAMA3 | {"low_freq_factor": 1.5}},
            {"rope_scaling": LLAMA3 | {"high_freq_factor": 6.0}},
            {"rope_scaling": LLAMA3 | {"original_max_position_embeddings": 64}},
        ],
    ),
    "llama-yarn": (
        llama(head_dim=16, rope_theta=1000.0, rope_scaling=YARN),
        torch.float16,
        1,
        [
            {"rope_scaling": None},
            {"rope_scaling": {"rope_type": "linear", "factor": 4.0}},
            {"rope_scaling": YARN | {"attention_factor": 1.0}},
            {"rope_scaling": YARN | {"factor": 8.0}},
            {"rope_scaling": YARN | {"original_max_position_embeddings": 64}},
            {"rope_scaling": YARN | {"truncate": False}},
        ],
    ),
    "llama-theta": (
        llama(
            num_attention_heads=2,
            num_key_value_heads=...,
            head_dim=32,
            rope_theta=500000.0,
            rms_norm_eps=1e-6,
        ),
        torch.float16,
        1,
        [{"rope_theta": 10000.0}],
    ),
    "mistral": (
        decoder("mistral", "MistralForCausalLM", head_dim=16, sliding_window=None),
        torch.bfloat16,
        1,
        [{"sliding_window": 8}, {"rope_theta": 5000.0}, {"rms_norm_eps": 1e-5}],
    ),
    "mistral-sliding": (
        decoder("mistral", "MistralForCausalLM", head_dim=16, sliding_window=8),
        torch.bfloat16,
        1,
        [{"sliding_window": 7}, {"sliding_window": 9}, {"sliding_window": None}],
    ),
    "qwen2": (
        qwen2(rope_theta=1000000.0, rms_norm_eps=1e-6),
        torch.bfloat16,
        1,
        [
            {"rope_theta": 10000.0},
            {"layer_types": ["sliding_attention"] * 2, "sliding_window": 8},
        ],
    ),
    "qwen2-sliding": (
        qwen2(use_sliding_window=True, max_window_layers=1, sliding_window=6),
        torch.bfloat16,
        1,
        [
            {"sliding_window": 5},
            {"sliding_window": 7},
            {"layer_types": ["sliding_attention"] * 2},
            {"layer_types": ["full_attention"] * 2},
        ],
    ),
    "qwen2-yarn": (
        qwen2(
            num_attention_heads=2,
            num_key_value_heads=1,
            rope_theta=1000.0,
            rope_scaling=QWEN_YARN,
        ),
        torch.float16,
        1,
        [
            {"rope_scaling": None},
            {"rope_scaling": QWEN_YARN | {"beta_fast": 32.0}},
            {"rope_scaling": QWEN_YARN | {"beta_slow": 1.0}},
            {"rope_scaling": QWEN_YARN | {"attention_factor": 1.0}},
        ],
    ),
    "qwen3": (
        decoder("qwen3", "Qwen3ForCausalLM", head_dim=16, tie_word_embeddings=True)
        | {"attention_bias": False, "use_sliding_window": False, "sliding_window": None},
        torch.bfloat16,
        1,
        [{"rms_norm_eps": 1e-5}, {"rope_theta": 5000.0}],
    ),
    "gemma3": (
        gemma3(
            num_hidden_layers=7,
            head_dim=16,
            query_pre_attn_scalar=24,
            sliding_window=8,
            sliding_window_pattern=6,
            rope_theta=1000.0,
            rope_local_base_freq=100.0,
            rope_scaling={"rope_type": "linear", "factor": 8.0},
        ),
        torch.bfloat16,
        1,
        [
            {"sliding_window": 7},
            {"sliding_window": 9},
            {"layer_types": ["sliding_attention"] * 7},
            {"layer_types": ["sliding_attention"] * 4 + ["full_attention"] * 2 + ["sliding_attention"]},
            {"query_pre_attn_scalar": 16},
            {"rope_theta": 10000.0},
            {"rope_local_base_freq": 1000.0},
            {"rope_scaling": None},
            {"rms_norm_eps": 1e-5},
            {"hidden_activation": "gelu"},
            {"hidden_activation": "silu"},
        ],
    ),
    "gemma3-d256": (
        gemma3(
            hidden_size=16,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=256,
            query_pre_attn_scalar=168,
            layer_types=["sliding_attention", "full_attention"],
            sliding_window=5,
            rope_theta=...,
            attention_bias=True,
            tie_word_embeddings=False,
            rms_norm_eps=1e-6,
        ),
        torch.float16,
        1,
        [
            {"sliding_window": 4},
            {"sliding_window": 6},
            {"layer_types": ["full_attention", "sliding_attention"]},
            {"query_pre_attn_scalar": 256},
            {"rope_theta": 10000.0},
            {"rope_local_base_freq": 1000000.0},
            {"attention_bias": False},
        ],
    ),
    "gpt2": (
        gpt2(width=32),
        torch.float16,
        1,
        [{"activation_function": "gelu"}, {"layer_norm_epsilon": 1e-5}],
    ),
    "gpt2-bare": (
        gpt2(width=16),
        torch.float32,
        1,
        [{"activation_function": "gelu"}, {"layer_norm_epsilon": 1e-5}],
    ),
}

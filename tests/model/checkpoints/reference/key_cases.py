"""Small configurations of every family, in which each key of config.json can be left out, or be null.

A key that is left out has the default of its class, such as 32 heads: other sizes are such that the model with it
is small, and its shapes fit.
"""

DECODER = {
    "vocab_size": 32,
    "hidden_size": 64,
    "intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 8,
    "hidden_act": "silu",
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_theta": 500.0,
    "tie_word_embeddings": False,
}
QWEN = DECODER | {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1}

BASES = {
    "llama": DECODER | {"attention_bias": True, "mlp_bias": True},
    "mistral": DECODER | {"sliding_window": 8},
    "ministral": DECODER | {"sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"]},
    "qwen2": QWEN,
    "qwen3": QWEN | {"attention_bias": True},
    "gemma3_text": {key: value for key, value in DECODER.items() if key != "hidden_act"}
    | {
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "hidden_activation": "gelu_pytorch_tanh",
        "attention_bias": True,
        "rope_local_base_freq": 100.0,
        "sliding_window": 8,
        "sliding_window_pattern": 2,
        "query_pre_attn_scalar": 24,
    },
    "gpt2": {
        "vocab_size": 32,
        "n_embd": 24,
        "n_layer": 2,
        "n_head": 2,
        "n_positions": 256,
        "n_inner": 40,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-3,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "reorder_and_upcast_attn": False,
        "add_cross_attention": False,
        "tie_word_embeddings": False,
    },
}

ANY = {"is_causal": True, "per_layer_config": None}
TURNED = {
    "rope_scaling": None,
    "rope_parameters": None,
    "partial_rotary_factor": 1.0,
    "layer_types": None,
}
OWN_THETA = TURNED | {"original_max_position_embeddings": 64}
# A Mistral model with layer_types, in which the library sees a Ministral one.
MODEL_TYPES = {"ministral": "mistral"}
# Keys that the bases leave out because they say nothing, with a value that says so.
SILENT = {
    "llama": ANY | OWN_THETA,
    "mistral": {key: value for key, value in (ANY | OWN_THETA).items() if key != "layer_types"},
    "ministral": ANY | OWN_THETA,
    "qwen2": ANY | OWN_THETA,
    "qwen3": ANY | OWN_THETA,
    "gemma3_text": ANY
    | TURNED
    | {
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
        "use_bidirectional_attention": False,
    },
    "gpt2": ANY
    | {
        "hidden_size": 24,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 256,
    },
}

# What one key needs of the others: a layer's width that the default divides, or an attention that is short enough for
# texts longer than the default window.
LONG = {"num_attention_heads": 1, "num_key_value_heads": 1, "hidden_size": 16}
CHANGES = {
    ("qwen2", "head_dim"): {},
    ("ministral", "num_hidden_layers"): {"layer_types": None},
    **{(family, "sliding_window"): LONG for family in ("mistral", "ministral", "qwen2", "qwen3", "gemma3_text")},
}
LONG_TEXT, TEXT = 4400, 48

# Rotary embeddings in rope_parameters, of which each key is left out or null.
ROTARY = {
    "default": {"rope_type": "default", "rope_theta": 300.0, "partial_rotary_factor": 1.0},
    "linear": {"rope_type": "linear", "rope_theta": 300.0, "partial_rotary_factor": 1.0, "factor": 4.0},
    "llama3": {
        "rope_type": "llama3",
        "rope_theta": 300.0,
        "partial_rotary_factor": 1.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 32,
    },
    "yarn": {
        "rope_type": "yarn",
        "rope_theta": 300.0,
        "partial_rotary_factor": 1.0,
        "factor": 4.0,
        "original_max_position_embeddings": 64,
        "beta_fast": 4.0,
        "beta_slow": 0.5,
        "attention_factor": 1.5,
        "mscale": 2.0,
        "mscale_all_dim": 0.5,
        "truncate": False,
    },
}


def keys_of(family):
    return sorted(BASES[family] | SILENT[family])


def config_of(family, key, value=...):
    """The base, without `key` (...) or with this value."""
    config = {"model_type": MODEL_TYPES.get(family, family)} | BASES[family] | CHANGES.get((family, key), {})
    config.pop(key, None)
    return config if value is ... else config | {key: value}


def readable_config(family, key):
    """The base with `key` as it is there, and what it needs of the others."""
    return config_of(family, key, (SILENT[family] | BASES[family])[key])


def rotary_config(kind, key, value=...):
    parameters = dict(ROTARY[kind])
    if key in ("mscale", "mscale_all_dim"):
        del parameters["attention_factor"]  # which comes before them
    parameters.pop(key, None)
    if value is not ...:
        parameters[key] = value
    return {"model_type": "llama"} | BASES["llama"] | {"head_dim": 32, "rope_parameters": parameters}

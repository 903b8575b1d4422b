#!/usr/bin/env python3
"""Writes keys.json: what the configuration classes of transformers mean by a key of config.json that is left out, and by
one that is null, for every family; and by the keys of a rotary embedding, as its frequencies.

To run it again: `pip install torch transformers==5.24.0`, then `python make_keys.py`. "rejected": the configuration or
the model cannot be made, or the model computes something that this project does not.
"""

import importlib.metadata
import json
import pathlib
import tempfile

import torch
from transformers import AutoConfig, AutoModelForCausalLM, logging
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

import key_cases

HERE = pathlib.Path(__file__).resolve().parent
REJECTED = "rejected"


def configuration(config):
    """What a user gets who loads a directory with this config.json."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "config.json").write_text(json.dumps(config))
        return AutoConfig.from_pretrained(folder)


def logits(config):
    torch.manual_seed(0)
    made = configuration(config)
    made._attn_implementation = "eager"
    model = AutoModelForCausalLM.from_config(made).eval()
    with torch.no_grad():
        return model(torch.arange(24)[None] % 32).logits


def rotary(made, layers):
    parameters = made.rope_parameters
    return parameters if "rope_type" in parameters else parameters[layers]


def read(family, key, made):
    """The value that the class has by a key, in the words of config.json; None if it says nothing."""
    if key in ("rope_scaling", "rope_parameters", "layer_types", "original_max_position_embeddings", "per_layer_config"):
        return None
    if key == "rope_theta":
        return rotary(made, "full_attention")["rope_theta"]
    if key == "rope_local_base_freq":
        return made.rope_parameters["sliding_attention"]["rope_theta"]
    if key == "partial_rotary_factor":
        return 1
    if key == "head_dim" and getattr(made, key, None) is None:
        return made.hidden_size // made.num_attention_heads
    if key == "n_inner" and made.n_inner is None:
        return 4 * made.n_embd
    if key == "sliding_window_pattern":
        return made._sliding_window_pattern
    value = getattr(made, key, True if key == "is_causal" else None)
    return bool(value) if key == "use_bidirectional_attention" else value


def meaning(family, key, value):
    config = key_cases.config_of(family, key, value)
    try:
        made = configuration(config)
        result = logits(config)
    except Exception:  # of any kind: the class has no meaning for it
        return REJECTED
    if key == "is_causal" and not torch.equal(result, logits(key_cases.config_of(family, key))):
        return REJECTED  # a model that looks ahead
    return read(family, key, made)


def rotary_meaning(kind, key, value):
    try:
        made = configuration(key_cases.rotary_config(kind, key, value))
        kind = made.rope_parameters["rope_type"]
        if kind != "default":
            frequencies, factor = ROPE_INIT_FUNCTIONS[kind](made, "cpu")
        else:
            base, dim = made.rope_parameters["rope_theta"], made.head_dim
            frequencies, factor = base ** (-torch.arange(0, dim, 2) / dim), 1.0
        return {"factor": factor, "frequencies": [float(f"{f:.8g}") for f in frequencies.tolist()]}
    except Exception:
        return REJECTED


def differences(config, base):
    """What a configuration has otherwise than `base`: keys that it lacks are no difference."""
    return {key: value for key, value in config.items() if key not in base or base[key] != value}


def text_of(record):
    """JSON with a line for each key. The configurations of a family have their common keys once."""
    parts = []
    for part in ("families", "rotary"):
        groups = []
        for name, keys in record[part].items():
            base = {}
            for case in keys.values():
                base |= {key: value for key, value in case["others"].items() if key not in base}
            rows = [
                json.dumps(key) + ": " + json.dumps(case | {"others": differences(case["others"], base)})
                for key, case in keys.items()
            ]
            groups.append(f'{json.dumps(name)}: {{"base": {json.dumps(base)}, "keys": {{\n' + ",\n".join(rows) + "}}")
        parts.append(json.dumps(part) + ": {\n" + ",\n".join(groups) + "}")
    version = json.dumps(record["transformers"])
    return f'{{"transformers": {version},\n' + ",\n".join(parts) + "}\n"


def main():
    logging.set_verbosity_error()
    record = {"transformers": importlib.metadata.version("transformers"), "families": {}, "rotary": {}}
    for family in key_cases.BASES:
        record["families"][family] = {
            key: {
                "others": key_cases.config_of(family, key),
                "absent": meaning(family, key, ...),
                "null": meaning(family, key, None),
            }
            for key in key_cases.keys_of(family)
        }
    for kind in key_cases.ROTARY:
        record["rotary"][kind] = {
            key: {
                "others": key_cases.rotary_config(kind, key),
                "absent": rotary_meaning(kind, key, ...),
                "null": rotary_meaning(kind, key, None),
            }
            for key in key_cases.ROTARY[kind]
        }
    (HERE / "keys.json").write_text(text_of(record))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares the program with transformers' own forward pass where a key of config.json is left out or null.

check_keys.py PROGRAM [FAMILY...]: for each key of keys.json a small model with random weights is made by transformers
from a configuration without the key, and from one where it is null. The program reads the same config.json, and the
likelihoods of both must agree; where transformers rejects the configuration, the program must name the key.
Exit code 77, and nothing is checked, without transformers and torch.
"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import key_cases

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 2e-3  # of a negative log-likelihood: 32 layers in float32, where another default moves one by 0.1


def write_safetensors(path, tensors):
    """tensors: name -> (type, shape, bytes)."""
    header, end = {}, 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, _, data in tensors.values():
            file.write(data)


def read_nll(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    begin, end = json.loads(data[8 : 8 + size])["nll"]["data_offsets"]
    return struct.unpack(f"<{(end - begin) // 8}d", data[8 + size + begin : 8 + size + end])


class Library:
    """transformers, where it is installed."""

    def __init__(self):
        import torch
        import transformers

        transformers.logging.set_verbosity_error()
        self.torch, self.library = torch, transformers

    def model(self, folder, seed):
        """A model with random weights by the config.json of a directory."""
        made = self.library.AutoConfig.from_pretrained(folder)
        made._attn_implementation = "eager"
        self.torch.manual_seed(seed)
        model = self.library.AutoModelForCausalLM.from_config(made).eval().float()
        with self.torch.no_grad():
            for name, parameter in model.named_parameters():
                spread = 0.3 if parameter.dim() == 1 else 1.5 / parameter.shape[-1] ** 0.5
                mean = 1.0 if parameter.dim() == 1 and name.endswith("weight") else 0.0
                parameter.normal_(mean, spread)
        return model

    def tensors(self, model):
        tied = {"lm_head.weight"} if model.config.tie_word_embeddings else set()
        return {
            name: ("F32", list(value.shape), value.contiguous().numpy().tobytes())
            for name, value in model.state_dict().items()
            if name not in tied
        }

    def nll(self, model, ids):
        with self.torch.no_grad():
            logits = model(self.torch.tensor([ids])).logits[0, :-1].double()
        logs = self.torch.log_softmax(logits, dim=-1)
        return [-logs[i, ids[i + 1]].item() for i in range(len(ids) - 1)]


def own(program, folder, ids):
    """Likelihoods by the program, or the line that it fails with."""
    write_safetensors(folder / "ids.safetensors", {"tokens": ("I32", [len(ids)], struct.pack(f"<{len(ids)}i", *ids))})
    command = [program, "perplexity", folder, folder / "ids.safetensors", "--window", len(ids), "--stride", len(ids) - 1]
    command += ["--cache", "f32", "--baseline", "f32", "--no-noise", "--nll", folder / "nll", "--force"]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return run.stderr.strip() if run.returncode != 0 else read_nll(folder / "nll")


def check(program, library, family, key, value, meaning):
    """A line about what is wrong, or nothing."""
    config = key_cases.config_of(family, key, value)
    ids = [(7 * i * i + 3 * i) % 31 for i in range(key_cases.LONG_TEXT if key == "sliding_window" else key_cases.TEXT)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        readable = key_cases.readable_config(family, key) if meaning == "rejected" else config
        (folder / "config.json").write_text(json.dumps(readable))
        model = library.model(folder, len(key))
        (folder / "config.json").write_text(json.dumps(config))
        write_safetensors(folder / "model.safetensors", library.tensors(model))
        result = own(program, folder, ids)
        if isinstance(result, str):
            return "" if meaning == "rejected" and key in result else result
        if meaning == "rejected":
            return "it is read, where transformers rejects it"
        worst = max(abs(a - b) for a, b in zip(result, library.nll(model, ids)))
        return "" if worst < TOLERANCE else f"likelihoods differ by {worst:.3g}"


def main():
    program, families = sys.argv[1], sys.argv[2:] or list(key_cases.BASES)
    try:
        library = Library()
    except ImportError as error:
        print(f"skipped: {error}")
        return 77
    record = json.loads((HERE / "keys.json").read_text())["families"]
    good = bad = 0
    for family in families:
        for key, case in record[family]["keys"].items():
            for word, value, meaning in (("absent", ..., case["absent"]), ("null", None, case["null"])):
                wrong = check(program, library, family, key, value, meaning)
                if wrong:
                    print(f"{family}: {key} {word}: {wrong}")
                good, bad = good + (not wrong), bad + bool(wrong)
    print(f"{good} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Records what transformers computes with pretrained models of scripts/get_model: `pretrained/NAME.safetensors`.

To run it again: `pip install gguf torch transformers accelerate`, then `python make_pretrained.py NAME FILE.gguf`.
`tokens` I32 [1, 64]; `places` I32 [16] of them and `ids` I32 [64] of the vocabulary; `logits` F32 [16, 64] there
(float32, eager attention; weights as transformers expands them)."""

import pathlib
import sys

import numpy
import torch
from safetensors.numpy import save_file
from transformers import AutoModelForCausalLM

TOKENS, PLACES, IDS = 64, 16, 64
BOS = {"gemma3-270m": 2}


@torch.no_grad()
def main(name, path):
    file = pathlib.Path(path)
    model = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    generator = torch.Generator().manual_seed(11)
    # Pieces of a text: frequent ids come first in these vocabularies.
    tokens = torch.randint(300, 20000, (1, TOKENS), generator=generator)
    if name in BOS:
        tokens[0, 0] = BOS[name]
    logits = model(tokens).logits[0]
    places = torch.arange(TOKENS // PLACES - 1, TOKENS, TOKENS // PLACES)
    ids = torch.randint(0, logits.shape[1], (IDS,), generator=generator)
    print(name, f"logits' standard deviation {logits.std():.2f}, largest {logits.abs().max():.1f}")
    folder = pathlib.Path(__file__).resolve().parent / "pretrained"
    folder.mkdir(exist_ok=True)
    tensors = {"tokens": tokens, "places": places, "ids": ids}
    arrays = {key: value.numpy().astype(numpy.int32) for key, value in tensors.items()}
    arrays["logits"] = logits[places][:, ids].numpy()
    save_file(arrays, folder / f"{name}.safetensors")


main(*sys.argv[1:])

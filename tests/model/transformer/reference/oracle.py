#!/usr/bin/env python3
"""What transformers computes for a checkpoint, to hold against `axelram perplexity` and `capture`.

    oracle.py MODEL TEXT [--window N] [--stride S] [--tokens M] [--skip BYTES] [-o OUT.safetensors]

TEXT is a file of bytes, for models whose ids are bytes, or a safetensors file with `tokens` I32 [n]
or [sequences, n]. With one dimension, window k starts at k * stride and has `window` ids; the first
is scored on all but its first id, each later one on the ids not yet scored; the last ends at M.
With two, each row is a window of its own. Prints the mean negative log-likelihood in nats. OUT gets
`nll` F64, one a prediction in order, and for the first window, of each layer L, `keys_L`
[ids, kv * d] and `queries_L` [ids, heads * d] F32 as attention sees them.
Weights as stored, float32 (or --float64), eager attention. Needs torch and transformers.
"""

import argparse
import math
import pathlib

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, logging

import recording


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="folder of a checkpoint")
    parser.add_argument("text", type=pathlib.Path, help="bytes, or NAME.safetensors")
    parser.add_argument("--window", type=int, default=256)
    parser.add_argument("--stride", type=int, default=128)
    parser.add_argument("--tokens", type=int, help="how many ids are used, all if not given")
    parser.add_argument("--skip", type=int, default=0, help="ids left out before the first used")
    parser.add_argument("--float64", action="store_true")
    parser.add_argument("-o", "--out", help="safetensors file with every value")
    options = parser.parse_args()
    if not 1 <= options.stride < options.window:
        parser.error("--stride is at least 1 and less than --window")
    return options


def read_ids(options):
    if options.text.suffix == ".safetensors":
        ids = load_file(options.text)["tokens"].long()
    else:
        ids = torch.tensor(list(options.text.read_bytes()))
    return ids if ids.dim() == 2 else ids[options.skip :][: options.tokens]


def windows(ids, window, stride):
    """Pairs of a window's ids and the position in it of the first prediction that counts."""
    if ids.dim() == 2:
        yield from ((row, 1) for row in ids)
        return
    scored = 1  # the first id has nothing before it
    begin = 0
    while scored < len(ids):
        end = min(begin + window, len(ids))
        yield ids[begin:end], scored - begin
        scored = end
        begin += stride


@torch.no_grad()
def main():
    options = arguments()
    logging.set_verbosity_error()
    model = AutoModelForCausalLM.from_pretrained(
        options.model,
        dtype=torch.float64 if options.float64 else torch.float32,
        attn_implementation=recording.NAME,
    ).eval()
    nll, first = [], {}
    for ids, begin in windows(read_ids(options), options.window, options.stride):
        logits, layers = recording.forward(model, ids[None])
        likelihood = logits[0].double().log_softmax(-1)
        nll.append(-likelihood[begin - 1 : -1].gather(-1, ids[begin:, None])[:, 0])
        for layer, (keys, queries) in {} if first else layers.items():
            first |= {f"keys_{layer}": keys[0].float(), f"queries_{layer}": queries[0].float()}
    nll = torch.cat(nll)
    mean = nll.mean().item()
    print(f"{len(nll)} predictions, nll {mean:.8f}, perplexity {math.exp(mean):.6f}")
    if options.out:
        save_file({"nll": nll} | first, options.out)


if __name__ == "__main__":
    main()

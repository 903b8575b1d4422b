#!/usr/bin/env python3
"""Likelihoods of the model in PyTorch beside those of `axelram perplexity`, for one text.

forward.py PROGRAM LIBRARY

byte-llama-d128 as it is, with differential attention, and over a bounded memory, and a model with biases, each within
1e-4 nats of every byte; of two, also the logits of all 256 bytes that may follow, less what they have in common. CoDA's
own parameters are drawn, so that all of them count. The memory has the store f32; a program without the cache `memory`
is not asked for it.
Exit codes: 0 equal, 1 different, 77 without PyTorch.
"""

import math
import pathlib
import subprocess
import sys
import tempfile

import with_torch

with_torch.ensure()
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts" / "models"), str(ROOT / "scripts" / "measure")]

import torch  # noqa: E402
from byte_coda import checkpoint, memory  # noqa: E402
from byte_coda.model import ByteCoda, Shape  # noqa: E402
from experiments.tensors import packed, tensors  # noqa: E402

MODEL, TEXT = ROOT / "models" / "byte-llama-d128", ROOT / "docs" / "reference" / "bit-contract.md"
BIASED = Shape(128, 2, 4, 2, 64, 256, qkv_bias=True, differential=True, gated=True)
LIMIT = 1e-4
BANKS = "window=128,exact=32,summary=32,store=f32"
CASES = [  # name, differential, memory, tokens
    ("plain", False, None, 300),
    ("differential", True, None, 300),
    ("window", False, "window=100,exact=0,summary=0,store=f32", 300),
    ("sinks", True, "window=64,exact=16,summary=0,sinks=4,store=f32", 300),
    ("banks", True, BANKS, 512),
    ("lru", True, "window=48,exact=24,summary=8,evict=lru,store=f32", 300),
    ("biases", True, "window=48,exact=24,summary=8,store=f32", 300),
]
EVERY, PLACE = ("differential", "lru"), 100  # cases and place of which the logits of all bytes are compared
failures = []


def drawn(name, differential, spec):
    """The bundled model, or one with biases, with parameters of CoDA at random: such that no token is so close to a
    threshold of the memory that a last bit decides."""
    torch.manual_seed(5)
    if name == "biases":
        model = ByteCoda(BIASED)
    else:
        model = checkpoint.load(MODEL, differential, gated=spec is not None and spec.has_banks)
    torch.manual_seed(5)
    with torch.no_grad():
        for layer in model.layers:
            attention = layer.self_attn
            if name == "biases":
                for projection in (attention.q_proj, attention.k_proj, attention.v_proj):
                    projection.bias.normal_(0, 1)
            if differential:
                attention.theta += torch.randn_like(attention.theta)
                attention.lambda_proj.weight.normal_(0, 0.05)
                attention.lambda_proj.bias.fill_(-2)
            if attention.write_proj is not None:
                attention.write_proj.weight.normal_(0, 0.1)
                attention.write_proj.bias.fill_(-1)
                attention.summary_eta_logit.copy_(torch.tensor([-3.0, -2.0]))
    return model.half().float()  # what is stored


@torch.no_grad()
def mine(model, tokens):
    logits = model(tokens[None])[0, :-1]
    return torch.nn.functional.cross_entropy(logits, tokens[1:], reduction="none").double()


def theirs(program, folder, spec, tokens, text=TEXT):
    cache = f"memory:{spec}" if spec else "f32"
    command = [program, "perplexity", folder, text, "--cache", cache, "--baseline", "f32", "--no-noise"]
    size = ["--separate", "--window", str(tokens), "--threads", "1"]
    size += ["--tokens", str(tokens)] if text == TEXT else []
    found = folder.parent / "nll.safetensors"
    done = subprocess.run([*command, *size, "--nll", found, "--force"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return torch.from_numpy(tensors(found)[0]["nll"].copy())


@torch.no_grad()
def of_every_byte(program, folder, spec, model, tokens):
    """Differences of the logits of all bytes behind `tokens`, each side's less what they have in common."""
    rows = torch.cat([tokens.expand(256, -1), torch.arange(256)[:, None]], 1)
    ids = folder.parent / "ids.safetensors"
    ids.write_bytes(packed(rows.numpy(), "tokens"))
    other = -theirs(program, folder, spec, rows.shape[1], ids).view(256, -1)[:, -1]
    return (model(tokens[None])[0, -1].double().log_softmax(-1) - other).abs()


def case(program, library, name, differential, text, count, folder):
    spec = memory.specification(text) if text else None
    model = drawn(name, differential, spec)
    out = folder / name
    checkpoint.save(model, out, text, None)
    if spec:
        model.set_memories(memory.of_model(library, spec, model.shape))
    tokens = torch.tensor(list(TEXT.read_bytes()[:count]))
    one, other = mine(model, tokens), theirs(program, out, text, count)
    if one.shape != other.shape:
        failures.append(f"{name}: {len(other)} predictions in the place of {len(one)}")
        return
    off = (one - other).abs()
    mean = one.mean().item()
    print(f"{name}: mean {mean:.4f} nats, largest difference {off.max():.2e} at byte {off.argmax() + 1}")
    if name in EVERY:
        every = of_every_byte(program, out, text, model, tokens[:PLACE]).max()
        print(f"{name}: largest difference of a logit {every:.2e}")
        if not every <= LIMIT:
            failures.append(f"{name}: a logit differs by {every:.2e}")
    if not (off.max() <= LIMIT and math.isfinite(mean)):
        failures.append(f"{name}: differs by {off.max():.2e}, {int((off > LIMIT).sum())} bytes by more than {LIMIT}")


def main(program, library):
    torch.set_num_threads(1)
    caches = subprocess.run([program, "list", "caches"], capture_output=True, text=True, check=True).stdout
    bounded = any(line.split()[:1] == ["memory"] for line in caches.splitlines())
    with tempfile.TemporaryDirectory() as scratch:
        for one in CASES:
            if one[2] is None or bounded:
                case(program, library, *one, pathlib.Path(scratch))
    if not bounded:
        print("this program has no cache `memory`: not compared")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

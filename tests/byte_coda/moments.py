#!/usr/bin/env python3
"""Attention over a memory, all tokens at once, beside a loop over tokens and slots
(docs/bit-contract.md#memory-attend); signs and gates of the contract; and what has a gradient.

moments.py LIBRARY

Exit codes: 0 equal, 1 different, 77 without PyTorch.
"""

import math
import pathlib
import sys

import with_torch

with_torch.ensure()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "models"))

import torch  # noqa: E402
from byte_coda import memory, moments  # noqa: E402

CASES = [  # specification, tokens: of more than one block, of one that is not full, of no eviction
    ("window=16,exact=8,summary=4,store=f32", 200),
    ("window=16,exact=8,summary=4,sinks=2,evict=lru,store=f32", 130),
    ("window=9,exact=0,summary=6,store=f32", 128),
    ("window=1,exact=3,summary=0", 70),
    ("window=20,exact=0,summary=0", 100),
    ("window=64,exact=8,summary=8", 40),
]
WIDTH, HEADS, GROUP = 32, 2, 2
SUMMARY, EXACT, SPAWNED, MERGED, DISPLACED = 4, 3, 2, 3, 5
failures = []


def check(good, text):
    if not good:
        failures.append(text)


def slow(route, spec, q, k, v, share, gate, blend, happened):
    """One head, token by token: queries [group, 2, tokens, d], outputs [group, tokens, d]."""
    events, labels, positions = route
    masters, outputs = {}, []
    for t in range(len(k)):
        what, oldest, other, out, stays, _ = events[t]
        happened[out] += 1
        if out >= SPAWNED:
            place = positions[t - 1, other if what == DISPLACED else oldest]
            value = v[place]
            if out == MERGED:
                gone = [s for s in masters if labels[t, s] != SUMMARY]
                before = masters.pop(gone[0] if gone else stays)
                value = before + blend * gate[place] / 65025 * (value - before)
            masters[stays] = value
        slots = [s for s in range(spec.slots) if labels[t, s]]
        places = [positions[t, s] for s in slots]
        values = torch.stack([masters[s] if labels[t, s] == SUMMARY else v[p] for s, p in zip(slots, places)])
        bias = [math.log(max(gate[p], 1) / 255) if labels[t, s] == EXACT else 0 for s, p in zip(slots, places)]
        weights = (q[:, :, t] @ k[places].T + torch.tensor(bias)).softmax(-1)
        outputs.append((weights[:, 0] - share[:, t] * weights[:, 1]) @ values)
    return torch.stack(outputs, 1)


def case(library, text, tokens):
    spec = memory.specification(text)
    mine = memory.Memory(library, spec, 1, HEADS, WIDTH)
    torch.manual_seed(tokens)
    like = torch.randn(2, HEADS, 7, WIDTH)[:, :, torch.randint(0, 7, (tokens,))]  # tokens that resemble others
    v = (like + 0.7 * torch.randn(2, HEADS, tokens, WIDTH)).requires_grad_()
    k = torch.randn(2, HEADS, tokens, WIDTH)
    q = torch.randn(2, HEADS, GROUP, 2, tokens, WIDTH) / 2
    logits = (2 * torch.randn(2, HEADS, tokens)).requires_grad_()
    eta = torch.tensor([-3.0, -1.0], requires_grad=True)
    share = torch.rand(2, HEADS, GROUP, tokens, 1)
    found = moments.attend(q, k, v, share, mine.items(v, logits, eta))
    gates, blends = memory.codes(logits), memory.codes(eta)
    happened = [0] * 4
    for b in range(2):
        for h in range(HEADS):
            rows, z = v[b, h].detach().numpy(), logits[b, h].detach().numpy()
            route = mine.route(rows.copy(), z.copy(), h, float(blends[h]) / 255)
            one = q[b, h], k[b, h], v[b, h], share[b, h], gates[b, h].tolist(), float(blends[h])
            wanted = slow(route, spec, *one, happened)
            off = (wanted - found[b, h]).abs().max().item()
            check(off < 2e-5, f"{text}: batch {b}, head {h} differs by {off}")
    found.square().sum().backward()
    check(v.grad.isfinite().all() and v.grad.abs().sum() > 0, f"{text}: gradient of values")
    if spec.exact and tokens > spec.window:
        check(logits.grad.abs().sum() > 0, f"{text}: no gradient reaches the write gate")
    if happened[MERGED]:
        check((eta.grad.abs() > 0).all(), f"{text}: no gradient reaches the blend logits")
    print(f"{text}: {tokens} tokens, {happened[SPAWNED]} spawned, {happened[MERGED]} merged")
    return happened


def main(path):
    torch.set_num_threads(1)
    library = memory.load_library(path)
    word = 0xFC991BCA1A1AA1AE  # docs/bit-contract.md#signs
    signs = memory.signs(42, 0, 1, 64).tolist()
    check(signs == [-1 if word >> bit & 1 else 1 for bit in range(64)], "signs of seed 42, head 1")
    logits = torch.tensor([-2.9652731, -2.96527338, -2.1972246, -2.0, 0.0, 16.0, -16.0])
    check(memory.codes(logits).tolist() == [13, 12, 26, 30, 128, 255, 0], "codes of gates")
    counts = [case(library, *one) for one in CASES]
    for number in (SPAWNED, MERGED):
        check(sum(count[number] for count in counts), f"no leaver with {number}")
    print("\n".join(failures) or "all equal")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

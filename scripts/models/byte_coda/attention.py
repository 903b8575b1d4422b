"""Differential attention, unbounded or over a bounded memory (bit-contract.md#memory)."""

import math

import torch
from torch import nn

from byte_coda import moments
from byte_coda.difference import mix
from byte_llama.model import Projections, rotate

QUERIES = 256  # of a causal block: later blocks of keys are left out for all of them


def turn(queries, theta):
    """The noise queries: pairs of rotary embedding, i with i + d/2, turned by theta [heads, d/2]."""
    first, second = queries.chunk(2, -1)
    cosine, sine = theta.cos()[:, None], theta.sin()[:, None]
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], -1)


def causal(queries, keys, values, share):
    """Attention to every token up to its own: queries [batch, KV heads, group, streams, tokens, d],
    keys and values [batch, KV heads, tokens, d], share [batch, KV heads, group, tokens, 1]."""
    parts = []
    tokens = keys.shape[-2]
    for begin in range(0, tokens, QUERIES):
        end = min(begin + QUERIES, tokens)
        rows = queries[..., begin:end, :]
        scores = rows.flatten(2, 4) @ keys[:, :, :end].transpose(-1, -2)
        scores = scores.unflatten(2, rows.shape[2:5])
        later = torch.full((end - begin, end - begin), -math.inf, device=keys.device).triu(1)
        scores[..., begin:end] += later
        part = None if share is None else share[..., begin:end, :]
        parts.append(mix(scores, part, values[:, :, :end]))
    return torch.cat(parts, -2)


class CodaAttention(Projections):
    """Modules and parameters are named as in a checkpoint. `memory` is None for unbounded attention,
    or the Memory of this layer."""

    def __init__(self, options):
        super().__init__(options)
        self.kv_heads = options.kv_heads
        self.theta = self.lambda_proj = self.write_proj = self.summary_eta_logit = None
        if options.differential:
            self.theta = nn.Parameter(torch.empty(options.heads, options.head_dim // 2))
            self.lambda_proj = nn.Linear(options.hidden, options.heads)
        if options.gated:
            self.write_proj = nn.Linear(options.hidden, options.kv_heads)
            self.summary_eta_logit = nn.Parameter(torch.empty(options.kv_heads))
        self.memory = None
        self.gates = None  # of the last forward pass with a memory

    @torch.no_grad()
    def begin(self):
        """CoDA's own parameters at their first values: nearly plain attention, nearly open gates."""
        if self.theta is not None:
            self.theta.fill_(math.pi / 2)
            self.lambda_proj.weight.zero_()
            self.lambda_proj.bias.fill_(-6)
        if self.write_proj is not None:
            self.write_proj.weight.zero_()
            self.write_proj.bias.fill_(2)
            self.summary_eta_logit.fill_(-3)

    def forward(self, x):
        q, k, v = self.heads(x)
        q, k = rotate(q), rotate(k)
        streams = [q] if self.theta is None else [q, turn(q, self.theta)]
        queries = torch.stack(streams, 2).unflatten(1, (self.kv_heads, self.group))
        queries = queries * self.head_dim**-0.5
        share = None
        if self.theta is not None:
            share = self.lambda_proj(x).sigmoid().transpose(1, 2)[..., None]
            share = share.unflatten(1, (self.kv_heads, self.group))
        if self.memory is None:
            mixed = causal(queries, k, v, share)
        else:
            logits = None
            if self.write_proj is not None:
                logits = self.write_proj(x).transpose(1, 2)
                self.gates = logits.sigmoid()
            items = self.memory.items(v, logits, self.summary_eta_logit)
            mixed = moments.attend(queries, k, v, share, items)
        return self.o_proj(mixed.flatten(1, 2).transpose(1, 2).flatten(2))

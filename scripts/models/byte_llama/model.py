"""The model: a Llama with tied embeddings over bytes, with optional biases as Qwen2 has them."""

import math

import torch
from torch import nn
from torch.nn import functional

VOCABULARY, EPSILON, THETA, MAX_POSITIONS = 256, 1e-5, 10000.0, 2048


def rotate(x):
    """RoPE of [batch, heads, tokens, d] in Llama's pairing: element i with i + d/2."""
    tokens, half = x.shape[-2], x.shape[-1] // 2
    frequencies = THETA ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    angles = torch.outer(torch.arange(tokens, device=x.device, dtype=torch.float32), frequencies)
    first, second = x[..., :half], x[..., half:]
    cosine, sine = angles.cos(), angles.sin()
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON)


class Projections(nn.Module):
    """Of queries, keys and values, and of what attention makes of them."""

    def __init__(self, options):
        super().__init__()
        self.head_dim, self.group = options.head_dim, options.heads // options.kv_heads
        queries, keys = options.heads * options.head_dim, options.kv_heads * options.head_dim
        self.q_proj = nn.Linear(options.hidden, queries, bias=options.qkv_bias)
        self.k_proj = nn.Linear(options.hidden, keys, bias=options.qkv_bias)
        self.v_proj = nn.Linear(options.hidden, keys, bias=options.qkv_bias)
        self.o_proj = nn.Linear(queries, options.hidden, bias=False)

    def heads(self, x):
        """Queries, keys and values, [batch, heads, tokens, d]."""
        return (
            projection(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )


class Attention(Projections):
    def forward(self, x):
        q, k, v = self.heads(x)
        k, v = (t.repeat_interleave(self.group, 1) for t in (rotate(k), v))
        future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        scores = rotate(q) @ k.transpose(-1, -2) * self.head_dim**-0.5
        mixed = scores.masked_fill(future, -torch.inf).softmax(-1) @ v
        return self.o_proj(mixed.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.gate_proj = nn.Linear(options.hidden, options.ffn, bias=False)
        self.up_proj = nn.Linear(options.hidden, options.ffn, bias=False)
        self.down_proj = nn.Linear(options.ffn, options.hidden, bias=False)

    def forward(self, x):
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    def __init__(self, options, attention):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = (
            Norm(options.hidden) for _ in range(2)
        )
        self.self_attn, self.mlp = attention(options), Mlp(options)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class ByteLlama(nn.Module):
    """Modules are named as in a checkpoint, less the prefix `model.`."""

    def __init__(self, options, attention=Attention):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCABULARY, options.hidden)
        self.layers = nn.ModuleList(Layer(options, attention) for _ in range(options.layers))
        self.norm = Norm(options.hidden)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif parameter.dim() == 2:  # what a layer adds to its input starts small
                added = name.endswith(("o_proj.weight", "down_proj.weight"))
                deviation = 0.02 / math.sqrt(2 * options.layers) if added else 0.02
                nn.init.normal_(parameter, 0, deviation)

    def forward(self, tokens):
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embed_tokens.weight.T

    def loss(self, tokens, following):
        """Mean nats per byte; both [batch, tokens]."""
        return functional.cross_entropy(self(tokens).flatten(0, 1), following.flatten())

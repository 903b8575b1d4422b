"""The model: ByteLlama with differential attention, a write gate and a bounded memory, each optional."""

import dataclasses

import torch
from torch.nn import functional

from byte_coda.attention import CodaAttention
from byte_llama.model import ByteLlama

OWN = ("theta", "lambda_proj", "write_proj", "summary_eta_logit")  # what Llama does not have


@dataclasses.dataclass
class Shape:
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    qkv_bias: bool = False
    differential: bool = False
    gated: bool = False  # a write gate and blend logits


def is_own(name):
    """True for a parameter that CoDA adds to Llama."""
    return any(part in OWN for part in name.split("."))


class ByteCoda(ByteLlama):
    def __init__(self, shape):
        super().__init__(shape, CodaAttention)
        self.shape = shape
        for layer in self.layers:
            layer.self_attn.begin()

    def set_memories(self, memories):
        """One of each layer, or None for unbounded attention."""
        for number, layer in enumerate(self.layers):
            layer.self_attn.memory = memories[number] if memories else None

    def mean_gate(self):
        """Of the last forward pass, over all layers, heads and tokens; None without gates."""
        gates = [layer.self_attn.gates for layer in self.layers]
        return None if gates[0] is None else torch.stack([gate.mean() for gate in gates]).mean()

    def loss_at(self, tokens, following, places):
        """Mean nats of the bytes `following` at places of `tokens`; all but tokens are flat."""
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        hidden = self.norm(x).flatten(0, 1)[places]
        return functional.cross_entropy(hidden @ self.embed_tokens.weight.T, following)

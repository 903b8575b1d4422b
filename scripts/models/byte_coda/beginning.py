"""First weights of a model of recall. The second layer can only match what the first gathers, and
the first has no reason to gather it before the second matches. So heads of the first layer begin as
ones that look 1, 2, 3 ... tokens back, by biases alone, and heads of the second hand on the byte
that they see. What they look for is learned."""

import torch

from byte_coda.model import is_own
from byte_llama.model import THETA

DEVIATION, ADDED = 0.08, 0.0125  # of matrices, and of those whose output is added to an embedding
PAIRS, STRENGTH = 8, 5.0  # the rotary pairs that tell neighbours apart, and the size of their biases
COPIED = 0.3  # of the byte that a head of the second layer sees


@torch.no_grad()
def begin(model):
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2 and not is_own(name):
            added = name.endswith(("o_proj.weight", "down_proj.weight"))
            parameter.normal_(0, ADDED if added else DEVIATION)
    look_back(model.layers[0].self_attn, model.shape)
    hand_on(model.layers[1].self_attn, model.shape)


def look_back(attention, shape):
    """Head h prefers the key of h + 1 tokens ago: its query's bias is the key's, turned by so much."""
    half = shape.head_dim // 2
    angles = THETA ** (-torch.arange(PAIRS) / half) * -torch.arange(1, shape.heads + 1)[:, None]
    attention.k_proj.bias.view(shape.kv_heads, -1)[:, :PAIRS] = STRENGTH
    queries = attention.q_proj.bias.view(shape.heads, -1)
    queries[:, :PAIRS] = STRENGTH * angles.cos()
    queries[:, half : half + PAIRS] = STRENGTH * angles.sin()


def hand_on(attention, shape):
    """The output of a head is its input, on the rows of an orthogonal matrix."""
    values = torch.nn.init.orthogonal_(torch.empty_like(attention.v_proj.weight))
    attention.v_proj.weight.copy_(values)
    of_heads = values.unflatten(0, (shape.kv_heads, -1)).repeat_interleave(
        shape.heads // shape.kv_heads, 0
    )
    attention.o_proj.weight.copy_(COPIED * of_heads.flatten(0, 1).T)

"""Weights of differential attention, and sums of values by them (bit-contract.md#memory-attend)."""

import torch


class Difference(torch.autograd.Function):
    """softmax(signal) - share * softmax(noise) of scores [..., 2, queries, keys].

    Autograd would keep and copy more of these large tensors.
    """

    @staticmethod
    def forward(context, scores, share):
        weights = scores.softmax(-1)
        context.save_for_backward(weights, share)
        return torch.addcmul(weights[..., 0, :, :], share, weights[..., 1, :, :], value=-1)

    @staticmethod
    def backward(context, gradient):
        weights, share = context.saved_tensors
        by_scores = gradient[..., None, :, :] * weights
        sums = by_scores.sum(-1, keepdim=True)
        by_scores.addcmul_(weights, sums, value=-1)
        by_scores[..., 1, :, :].mul_(-share)
        return by_scores, -sums[..., 1, :, :]


def mix(scores, share, values):
    """Weighted sums of values [..., keys, d] by scores [..., group, streams, queries, keys]; the
    share of noise is [..., group, queries, 1], or None with one stream."""
    weights = scores.softmax(-1)[..., 0, :, :] if share is None else Difference.apply(scores, share)
    group, queries = weights.shape[-3:-1]
    return (weights.flatten(-3, -2) @ values).unflatten(-2, (group, queries))

"""Attention of every query to the slots of its own moment (bit-contract.md#memory-attend).

A slot's contents over time are items, each with a key, a value and the moments at which it is there:
a token in the window; the same token in the exact bank; a version of a summary, from the token that
made it to the one that changes it. A block of queries meets the items that are there at any of its
moments, and a mask leaves each query its own. Summaries have every token's moment; nothing is
approximated but roundings to FP16.
"""

import dataclasses
import math

import numpy
import torch

from byte_coda.difference import mix

QUERIES = 64  # of a block

EXACT, SINK, SUMMARY = 3, 2, 4  # labels
ADMITTED, DISPLACED, INTO_SINK = 4, 5, 7  # first number of an event
SPAWNED = 2  # fourth number of an event; 3 is merged


@dataclasses.dataclass
class History:
    """Of one KV head. Tokens in the bank: `exact`, from `exact_begin` to before `exact_end`; those
    with a bias. Versions of summaries: token of the key, leaver, chain, and the moments likewise."""

    tokens: int
    exact: numpy.ndarray
    exact_begin: numpy.ndarray
    exact_end: numpy.ndarray
    biased: numpy.ndarray
    key: numpy.ndarray
    leaver: numpy.ndarray
    spawned: numpy.ndarray
    chain: numpy.ndarray
    version_begin: numpy.ndarray
    version_end: numpy.ndarray


def history(events, labels, positions, window):
    tokens = len(events)
    what, out = events[:, 0], events[:, 3]
    entered = numpy.flatnonzero(numpy.isin(what, (ADMITTED, DISPLACED, INTO_SINK)))
    exact = entered - window
    end = numpy.full(tokens, tokens)
    displaced = numpy.flatnonzero(what == DISPLACED)
    victims = positions[displaced - 1, events[displaced, 2]]
    end[victims] = displaced

    made = numpy.flatnonzero(out >= SPAWNED)
    leaver = made - window
    by_victim = what[made] == DISPLACED
    leaver[by_victim] = positions[made[by_victim] - 1, events[made[by_victim], 2]]
    key = positions[made, events[made, 4]]
    # A merge leaves one summary fewer than slots that were or are one: the slot that is none any
    # more held the summary, or else the one that stayed did.
    lost = (labels[made - 1] == SUMMARY) & (labels[made] != SUMMARY)
    before = numpy.where(lost.any(1), lost.argmax(1), events[made, 4])
    before = positions[made - 1, before]
    spawned = out[made] == SPAWNED
    chain = numpy.empty(len(made), numpy.int64)
    version_end = numpy.full(len(made), tokens)
    newest = {}  # version by the token of its key
    for version, (new, old, first) in enumerate(
        zip(key.tolist(), before.tolist(), spawned.tolist())
    ):
        if first:
            chain[version] = version
        else:
            earlier = newest.pop(old)
            chain[version] = chain[earlier]
            version_end[earlier] = made[version]
        newest[new] = version
    return History(
        *(tokens, exact, entered, end[exact], what[entered] != INTO_SINK),
        *(key, leaver, spawned, chain, made, version_end),
    )


def padded(arrays, fill=0):
    """Arrays of unequal length, one under another."""
    width = max((len(array) for array in arrays), default=0)
    out = numpy.full((len(arrays), width), fill, numpy.int64)
    for row, array in zip(out, arrays):
        row[: len(array)] = array
    return out


def there(begin, end, first):
    """Numbers of the items that are there in each block, [blocks, most], and which are padding."""
    alive = (begin < first[:, None] + QUERIES) & (end > first[:, None])
    most = int(alive.sum(1).max()) if alive.size else 0
    order = numpy.argsort(~alive, axis=1, kind="stable")[:, :most]
    return order, numpy.take_along_axis(alive, order, 1)


class Items:
    """Of all heads: key, row of the value table, moments and bias of the items of every block, and the
    values of the summaries' versions."""

    def __init__(self, histories, values, shares, bias, window):
        batch, heads, tokens, width = values.shape
        first = numpy.arange(0, tokens, QUERIES)
        blocks = [self.of_blocks(one, first, window) for one in histories]
        most = max(block.shape[-1] for block in blocks)
        table = numpy.zeros((5, batch * heads, len(first), most), numpy.int64)
        for number, block in enumerate(blocks):
            table[:, number, :, : block.shape[-1]] = block
        table = torch.from_numpy(table).to(values.device).unflatten(1, (batch, heads))
        self.key, self.row, self.begin, self.end, biased = table
        self.bias = None
        if bias is not None:
            taken = bias.gather(2, self.key.flatten(2)).view_as(self.key)
            self.bias = torch.where(biased.bool(), taken, torch.zeros_like(taken))
        self.values = values
        if any(len(one.key) for one in histories):
            self.values = torch.cat([values, masters(histories, values, shares)], 2)

    @staticmethod
    def of_blocks(one, first, window):
        """Key, row, begin, end and biased, [5, blocks, items] of one head."""
        near = first[:, None] + numpy.arange(1 - window, QUERIES)
        inside = (near >= 0) & (near < one.tokens)
        near = numpy.where(inside, near, 0)
        zero = numpy.zeros_like(near)
        parts = [numpy.stack([near, near, near, numpy.where(inside, near + window, 0), zero])]
        order, real = there(one.exact_begin, one.exact_end, first)
        token = one.exact[order]
        end = numpy.where(real, one.exact_end[order], 0)
        parts.append(numpy.stack([token, token, one.exact_begin[order], end, one.biased[order]]))
        order, real = there(one.version_begin, one.version_end, first)
        end = numpy.where(real, one.version_end[order], 0)
        begin = one.version_begin[order]
        key = one.key[order]
        parts.append(numpy.stack([key, one.tokens + order, begin, end, numpy.zeros_like(key)]))
        return numpy.concatenate(parts, 2)


def masters(histories, values, shares):
    """Values of the versions of all summaries, [batch, KV heads, most, d]
    (bit-contract.md#memory-blend): a version is the sum of the leavers of its chain, each times its
    share and what later merges left of it."""
    batch, heads = values.shape[:2]
    device = values.device

    def stacked(arrays, fill=0):
        return torch.from_numpy(padded(arrays, fill)).to(device).view(batch, heads, -1)

    leaver = stacked([one.leaver for one in histories])
    chain = stacked([one.chain for one in histories], -1)
    spawned = stacked([one.spawned for one in histories]).bool()
    share = shares.gather(2, leaver)
    left = torch.log1p(-share.clamp(max=0.999)).masked_fill(spawned, 0)
    share = share.masked_fill(spawned, 1)
    # Sums of logarithms by chain: versions sorted by chain and, within one, by moment.
    order = chain.sort(dim=2, stable=True).indices
    sums = left.gather(2, order).cumsum(2)
    sums = torch.zeros_like(sums).scatter(2, order, sums)
    same = (chain[..., :, None] == chain[..., None, :]).tril()
    decay = (sums[..., :, None] - sums[..., None, :]).masked_fill(~same, -math.inf).exp()
    rows = values.gather(2, leaver[..., None].expand(-1, -1, -1, values.shape[-1]))
    return decay @ (share[..., None] * rows)


def gathered(rows, index):
    """rows [batch, heads, n, d] at index [batch, heads, blocks, items]."""
    batch, heads, count, width = rows.shape
    offset = torch.arange(batch * heads, device=rows.device).view(batch, heads, 1, 1) * count
    flat = rows.reshape(-1, width).index_select(0, (index + offset).flatten())
    return flat.view(*index.shape, width)


def attend(queries, keys, values, share, items):
    """As attention.causal does, each query over the items of its moment."""
    batch, heads, group, streams, tokens, width = queries.shape
    blocks = items.key.shape[2]
    spare = blocks * QUERIES - tokens
    if spare:
        queries = torch.nn.functional.pad(queries, (0, 0, 0, spare))
    # [batch, KV heads, blocks, group, streams, queries, d]
    queries = queries.unflatten(4, (blocks, QUERIES)).permute(0, 1, 4, 2, 3, 5, 6)
    near = gathered(keys, items.key).transpose(-1, -2)
    scores = (queries.flatten(3, 5) @ near).unflatten(3, (group, streams, QUERIES))
    moment = torch.arange(blocks * QUERIES, device=keys.device).view(blocks, 1, QUERIES, 1)
    begin, end = (x[:, :, :, None, None] for x in (items.begin, items.end))
    absent = (moment[:, 0] < begin[:, :, :, 0]) | (moment[:, 0] >= end[:, :, :, 0])
    if spare:  # queries beyond the text meet something, so that nothing is NaN
        absent[:, :, -1, QUERIES - spare :] = False
    added = torch.zeros(absent.shape, device=keys.device).masked_fill_(absent, -math.inf)
    if items.bias is not None:
        added = added + items.bias[..., None, :]
    scores = scores + added[:, :, :, None, None]
    part = None
    if share is not None:
        part = share if not spare else torch.nn.functional.pad(share, (0, 0, 0, spare))
        part = part.unflatten(3, (blocks, QUERIES)).permute(0, 1, 3, 2, 4, 5)
    mixed = mix(scores, part, gathered(items.values, items.row))
    # [batch, KV heads, blocks, group, queries, d]
    return mixed.permute(0, 1, 3, 2, 4, 5).flatten(3, 4)[:, :, :, :tokens]

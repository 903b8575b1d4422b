"""Calibration of KVQuant in FP64: ranges of channels, weighted codebooks without local optima, Q-Norm."""
import math
from itertools import accumulate

from halves import half, halves
from nuq import Book

BINS = 4096


def channel_range(samples, outliers):
    """FP16 numbers of one channel, in units of 2^-24 -> FP16 bits of its middle and its radius."""
    x, k = sorted(samples), math.floor(len(samples) * outliers / 2)
    lo, hi = x[k], x[len(x) - 1 - k]
    return half(hi + lo, -25), half(hi - lo, -25)


def histogram(samples, bins=BINS):
    """Pairs (y, weight) with |y| <= 1 -> prefix sums of w, w · y and (w · y) · y over the bins below each edge."""
    sums = [[0.0] * bins for _ in range(3)]
    for y, w in samples:
        place = min(bins - 1, bins // 2 + math.floor(bins // 2 * y))
        for total, term in zip(sums, (w, w * y, (w * y) * y)):
            total[place] += term
    return [list(accumulate(total, initial=0.0)) for total in sums]


def cost(prefix, i, j):
    """Weighted squared error of bins i .. j - 1 around their mean."""
    weight, first, second = (total[j] - total[i] for total in prefix)
    return second - first * first / weight if weight else 0.0


def split(prefix, runs):
    """-> the first bin of each of the cheapest runs, the least start on equality.

    D_k is constant between bins that hold something and the ends of pieces of D_(k-1), so that it is kept as pieces
    (least bin, D_k, start of the last run): the minimum over the least bins is the minimum over all."""
    bins = len(prefix[0]) - 1
    edges = {0} | {j for j in range(1, bins + 1) if any(total[j] != total[j - 1] for total in prefix)}
    pieces, history = [(0, 0.0, None), (1, math.inf, None)], []
    for k in range(1, runs + 1):
        places = {bins} if k == runs else edges | {i + 1 for i, *_ in pieces if i < bins}
        found = []
        for j in sorted(places):
            best, start = math.inf, None
            for i, before, _ in pieces:
                if i >= j:
                    break
                total = before + cost(prefix, i, j)
                if total < best:
                    best, start = total, i
            found.append((j, best, start))
        history.append(found)
        pieces = found
    starts, place = [], bins
    for found in reversed(history):
        place = next(start for j, _, start in reversed(found) if j <= place)
        if place is None:
            raise ValueError(f"a codebook of {runs} centroids needs as many bins")
        starts.append(place)
    return starts[::-1]


def centroids(samples, bits, bins=BINS):
    """Pairs (y, weight) -> (FP16 bits of the centroids, first bins of the runs)."""
    prefix = histogram(samples, bins)
    starts = split(prefix, 1 << bits)
    weights, sums = ([total[j] - total[i] for i, j in zip(starts, starts[1:] + [bins])] for total in prefix[:2])
    if not all(weights):
        raise ValueError("a run of the codebook has no weight")
    gamma = halves([x / w for x, w in zip(sums, weights)])
    ascending = Book(bits, gamma).centroids
    if any(a >= b for a, b in zip(ascending, ascending[1:])):
        raise ValueError("centroids of the codebook do not ascend")
    return gamma, starts


def moments(pairs):
    """-> weighted mean and deviation."""
    weight = math.fsum(w for _, w in pairs)
    mean = math.fsum(y * w for y, w in pairs) / weight
    return mean, math.sqrt(math.fsum(w * (y - mean) ** 2 for y, w in pairs) / weight)


def normalised_levels(samples, bits, gamma):
    """Q-Norm -> FP16 bits of the levels: quantized numbers decode to the mean and deviation of what they were."""
    book = Book(bits, gamma)
    mean, deviation = moments(samples)
    mean_after, deviation_after = moments([(book.centroids[book.index(y)], w) for y, w in samples])
    ratio = deviation / deviation_after
    return halves([g * ratio + mean - mean_after * ratio for g in book.centroids])

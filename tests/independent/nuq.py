"""KVQuant: rows of indices into a codebook, with the elements that fit it least kept exactly."""
import math
from bisect import bisect_left
from dataclasses import dataclass

from halves import half_bytes, halves, packed, singles, widened


def outlier_count(outliers, d):
    """Exact elements of a row."""
    return 2 * math.ceil(outliers * d / 2)


class Book:
    """A codebook. `levels`: what an index decodes to, if not to its centroid. All FP16 bits."""
    def __init__(self, bits, centroids, levels=None):
        gamma = widened(centroids)
        self.bits, self.centroids, self.levels = bits, gamma, gamma if levels is None else widened(levels)
        self.boundaries = [(a + b) / 2 for a, b in zip(gamma, gamma[1:])]

    def index(self, y):
        """The number of boundaries below y."""
        return bisect_left(self.boundaries, y)


@dataclass
class Row:
    indices: list
    extremes: list  # FP16 bits of lo and hi; none in a key
    channels: list  # of the exact elements, ascending
    elements: list  # FP16 bits
    decoded: list  # FP32 numbers
    extents: list

    def stored(self, bits):
        return packed(self.indices, bits) + half_bytes(self.extremes) + bytes(self.channels) + half_bytes(self.elements)


def position(x, z, r):
    """y of an element: its place between the extremes. x - z is exact."""
    return (x - z) / r if r else 0.0


def row(raw, y, z, r, channels, book, extremes):
    """A row of positions y, middles z and radii r, all floats."""
    indices = [book.index(v) for v in y]
    decoded = singles([middle + radius * book.levels[i] for middle, radius, i in zip(z, r, indices)])
    extents, exact = [abs(middle) + 2 * radius for middle, radius in zip(z, r)], widened(raw)
    for channel in channels:
        decoded[channel], extents[channel] = exact[channel], abs(exact[channel])
    return Row(indices, extremes, channels, [raw[channel] for channel in channels], decoded, extents)


def key(raw, middles, radii, book, count):
    """FP16 bits of a key, floats of the middle and the radius of each channel."""
    y = [position(*element) for element in zip(widened(raw), middles, radii)]
    order = sorted(range(len(y)), key=lambda channel: (-abs(y[channel]), channel))
    return row(raw, y, middles, radii, sorted(order[:count]), book, [])


def value(raw, book, count):
    """FP16 bits of a value."""
    x = widened(raw)
    order = sorted(range(len(x)), key=lambda channel: (x[channel], channel))
    smallest, others = order[:count // 2], order[count // 2:]
    others.sort(key=lambda channel: (-x[channel], channel))
    largest, rest = others[:count // 2], [x[channel] for channel in others[count // 2:]]
    lo, hi = min(rest), max(rest)
    z, r = (hi + lo) / 2, (hi - lo) / 2
    y = [position(v, z, r) for v in x]
    return row(raw, y, [z] * len(x), [r] * len(x), sorted(smallest + largest), book, halves([lo, hi]))

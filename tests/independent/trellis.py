"""The trellis: levels, their words, and the path of least cost, searched over whole paths."""
from decimal import Decimal
from functools import cache

from codebook import centroid_words, fixed, rne_shift

LEVELS = {
    1: "0.3525 1.1911",
    2: "0.1940 0.6080 1.0840 1.8810",
    3: "0.1160 0.3460 0.5860 0.8400 1.1230 1.4510 1.8990 2.5980",
    4: "0.0654 0.1899 0.3228 0.4484 0.5860 0.7185 0.8661 1.0109 "
       "1.1665 1.3309 1.5143 1.7151 1.9624 2.2584 2.6318 3.2387",
}
# Distances back from element i: of z1 besides x_i, and of z0.
TAPS = {4: ([2], 1), 8: ([1, 3], 2), 16: ([1, 4], 2)}


@cache
class Book:
    """Words of the ROM."""
    def __init__(self, bits, fraction_bits, centroid_bits):
        positive = [Decimal(text) for text in LEVELS[bits].split()]
        self.levels = [-v for v in reversed(positive)] + positive
        self.L = fixed(self.levels, fraction_bits)
        self.C, self.kappa = centroid_words(self.levels, centroid_bits)


def subset(states, bits, x):
    """Of the bits so far, the newest last, and the bit x of this element."""
    def back(places):
        return bits[-places] if len(bits) >= places else 0

    of_z1, of_z0 = TAPS[states]
    z1 = x
    for places in of_z1:
        z1 ^= back(places)
    return 2 * z1 + back(of_z0)


def levels_of(indices, states):
    bits, levels = [], []
    for index in indices:
        levels.append(4 * (index >> 1) + subset(states, bits, index & 1))
        bits.append(index & 1)
    return levels


def reconstructions(words, n, fraction_bits):
    return [rne_shift(word * n, fraction_bits) for word in words]


def encode(y, points, n, states):
    """-> (indices, cost)."""
    places = max(0, n.bit_length() - 10)
    memory = states.bit_length() - 1
    paths = {0: (0, [], [])}  # state: cost, indices, the latest bits
    for v in y:
        nearest = [min(range(k, len(points), 4), key=lambda j: (abs(v - points[j]), j)) for k in range(4)]
        cost = [min(4095, abs(v - points[j]) + ((1 << places) >> 1) >> places) ** 2 for j in nearest]
        after = {}
        for state in sorted(paths):
            so_far, indices, bits = paths[state]
            for x in (0, 1):
                k = subset(states, bits, x)
                to, total = (2 * state + x) % states, so_far + cost[k]
                if to not in after or total < after[to][0]:
                    after[to] = (total, indices + [2 * (nearest[k] >> 2) + x], (bits + [x])[-memory:])
        paths = after
    best = min(sorted(paths), key=lambda state: paths[state][0])
    return paths[best][1], paths[best][0]

#!/usr/bin/env python3
"""Listings of ADR-004 (references.md#adr-004), run: docs/claims.md cites an entry by its number.

Each function is a listing in Python, `round` as Rust has it. A line is true if the statement of docs/claims.md on that
claim holds. Exit code 1 if a line is false.
"""
import collections
import math
import sys

import checks


def nearest(x):
    """Halves away from zero."""
    return math.copysign(math.floor(abs(x) + 0.5), x)


# ---- Sections 2 and 3: KIVI, SQuat

def quantize(group, bits):
    """Codes and scale of the elements that share a scale: KIVI's keys, its values and SQuat's subspaces alike."""
    most = (1 << bits) - 1
    scale = max(abs(x) for x in group) / most
    return [min(max(nearest(x / scale), 0), most) for x in group], scale


def decoded(group, bits):
    codes, scale = quantize(group, bits)
    return [code * scale for code in codes]


def kivi(group, bits):
    """With the minimum of the group, which the listing leaves out."""
    most, least = (1 << bits) - 1, min(group)
    scale = (max(group) - least) / most
    return [least + min(max(nearest((x - least) / scale), 0), most) * scale for x in group]


def error(group, other):
    """Relative, of a group of decoded elements."""
    return math.sqrt(sum((x - y)**2 for x, y in zip(group, other)) / sum(x * x for x in group))


SIGNED = [i - 15.5 for i in range(32)]  # -15.5 to 15.5


def negative_elements_become_zero():
    return all(max(quantize([-abs(x) for x in SIGNED] + [20], bits)[0][:32]) == 0 for bits in (2, 3, 4))


def half_of_the_energy_is_lost():
    """At any width, since it is the half below zero; with a minimum the error falls with the bits."""
    return all(error(SIGNED, decoded(SIGNED, bits)) > math.sqrt(0.5) for bits in (2, 3, 4)) and \
        error(SIGNED, kivi(SIGNED, 2)) < 0.32 and error(SIGNED, kivi(SIGNED, 4)) < 0.07


def appended_keys_are_groups_of_one():
    """TwoTierKVCache::append quantizes a token alone. A scale by channel is then the element: nothing is quantized of
    a positive one, a negative one is lost, and 2 bits with an FP16 scale take more than 16."""
    key = [3.25, -1.5, 0.125, -7]
    rows = [decoded([x], 2)[0] for x in key]
    return rows == [3.25, 0, 0.125, 0] and 2 + 16 > 16


# An orthogonal basis: a quarter of a Hadamard matrix.
BASIS = [[0.5 * s for s in row] for row in ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))]


def product(row, matrix):
    return [sum(x * matrix[i][j] for i, x in enumerate(row)) for j in range(len(matrix[0]))]


def transpose_is_the_inverse():
    row = [0.5, -3, 2, 7]
    transposed = [list(column) for column in zip(*BASIS)]
    return product(product(row, BASIS), transposed) == row


def squat_listing(row, subspaces, bits):
    """Project, quantize each subspace, project back."""
    projected, size = product(row, BASIS), len(row) // subspaces
    parts = [decoded(projected[i * size:(i + 1) * size], bits) for i in range(subspaces)]
    return product(sum(parts, []), [list(column) for column in zip(*BASIS)])


def subspaces_are_clamped_too():
    row = [0.5, -3, 2, 7]
    # Projected: 3.25, -0.75, -5.75, 4.25.
    return error(row, squat_listing(row, 2, 2)) > 0.5


def subspaces_take_no_less():
    """The listing stores as many bits of an element as KIVI, and an FP16 scale for each of 4 to 8 subspaces: of 128
    channels 40 to 48 bytes a row, KIVI's 48 with groups of 32."""
    rows = [(2 * 128 + 16 * subspaces) // 8 for subspaces in (4, 8)]
    return rows == [40, 48] and 48 / min(rows) < 2.2


# ---- Section 4: rotary embedding where keys are read

def rotated(x, y, position, turn=0.3):
    c, s = math.cos(position * turn), math.sin(position * turn)
    return x * c - y * s, x * s + y * c


def rotation_is_for_each_key():
    """dequantize_key_with_rope is called for every key that a query reads. No one rotation of the query replaces it."""
    keys, query, at = [(1.0, 0.5), (-0.25, 2.0), (0.75, -1.0)], (0.5, 1.0), 7
    calls = 0
    exact = []
    for position, key in enumerate(keys):
        calls += 1
        x, y = rotated(*key, position)
        qx, qy = rotated(*query, at)
        exact.append(x * qx + y * qy)

    def with_one_rotation(angle):
        qx, qy = rotated(*query, angle)
        return [x * qx + y * qy for x, y in keys]

    best = min(max(abs(a - b) for a, b in zip(exact, with_one_rotation(angle / 100))) for angle in range(-1050, 1050))
    return calls == len(keys) and best > 0.1


# ---- Section 6: rematerialization

def should_evict(position, layer, budget, flops=1000, pressure=0.95, threshold=0.9):
    if pressure < threshold:
        return "keep"
    age = 1 / (1 + position / 100)
    return "evict" if flops * layer * age < budget else "quantize"


def the_newest_are_evicted():
    return [should_evict(position, layer=1, budget=100) for position in (0, 800, 1000, 100000)] == \
        ["quantize", "quantize", "evict", "evict"] and \
        all(should_evict(later, 1, 100) == "evict" for later in range(1000, 5000, 100))


def layer_zero_costs_nothing():
    return [should_evict(0, layer, budget=1) for layer in (0, 1, 31)] == ["evict", "quantize", "quantize"]


# ---- Integration: adaptive thresholds

class Thresholds:
    """track_quality and adapt_thresholds; should_adapt_thresholds is not listed and taken as true."""

    def __init__(self, target, hot=64, bits=2):
        self.target, self.hot, self.bits = target, hot, bits
        self.history = collections.deque(maxlen=1000)
        self.changes = 0

    def track(self, sample):
        self.history.append(sample)
        recent = sum(list(self.history)[-100:]) / 100
        before = self.bits
        if recent < self.target:
            self.hot, self.bits = int(self.hot * 1.2), min(self.bits + 1, 4)
        elif recent > self.target * 1.1:
            self.hot, self.bits = int(max(self.hot * 0.9, 32)), max(self.bits - 1, 2)
        self.changes += self.bits != before
        return recent


def a_loss_is_read_as_a_score():
    """quality_target is the "Target PPL delta" of AdaptiveKVCacheConfig: a loss below it is taken for degraded."""
    good, bad = Thresholds(target=0.3, bits=3), Thresholds(target=0.3, bits=3)
    for _ in range(200):
        good.track(0.01)
        bad.track(5.0)
    return (good.bits, bad.bits) == (4, 2)


def the_first_mean_is_too_low():
    thresholds = Thresholds(target=1)
    return [thresholds.track(1.0) for _ in range(3)] == [0.01, 0.02, 0.03]


def steady_quality_never_settles():
    """A score in the band at which nothing should change. 94 means are too low: the hot tier grows by 1.2 each time."""
    thresholds = Thresholds(target=1)
    for _ in range(100):
        thresholds.track(1.05)
    return thresholds.bits == 4 and thresholds.hot > 10**8


def a_bit_more_swings():
    """A score of the inverse of a loss that a bit divides by 4.4: no width is in a band of 1.1, unless by chance."""
    thresholds = Thresholds(target=1)
    scores = {2: 0.5, 3: 0.5 * 4.4, 4: 0.5 * 4.4**2}
    for _ in range(5000):
        thresholds.track(scores[thresholds.bits])
    before = thresholds.changes
    for _ in range(5000):
        thresholds.track(scores[thresholds.bits])
    return thresholds.changes - before > 100


def small_hot_tiers_never_grow():
    return [int(hot * 1.2) for hot in (1, 2, 3, 4, 5)] == [1, 2, 3, 4, 6]


CHECKS = {
    "R8": negative_elements_become_zero() and half_of_the_energy_is_lost(),
    "R10": subspaces_are_clamped_too(),
    "R15": subspaces_take_no_less(),
    "R17": transpose_is_the_inverse(),
    "R21": rotation_is_for_each_key(),
    "R24": the_newest_are_evicted(),
    "R25": layer_zero_costs_nothing(),
    "R26": a_loss_is_read_as_a_score(),
    "R27": a_bit_more_swings() and small_hot_tiers_never_grow(),
    "R28": the_first_mean_is_too_low(),
    "R33": steady_quality_never_settles(),
    "R45": appended_keys_are_groups_of_one(),
}


if __name__ == "__main__":
    sys.exit(checks.report(CHECKS))

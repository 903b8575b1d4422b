#!/usr/bin/env python3
"""Arithmetic of the papers' claims that need no experiment: docs/claims.md cites an entry by its number.

A line is true if the statement of docs/claims.md on that claim holds: that the paper's figures follow from its own
formulas, or that they do not. Figures without a source in a line are those that the paper prints. Exit code 1 if a line is false.
"""
import math
import sys

import checks

PI = math.pi
KB, MB, GB, TB = 1e3, 1e6, 1e9, 1e12
KIB, MIB, GIB = 2**10, 2**20, 2**30
# Distortion of the Gaussian codebook at 0 to 4 bits (tests/golden/codebook_test.cpp), and its centroids at 4 bits
# (references.md#max).
D = (1, 0.36338, 0.1175, 0.03455, 0.009501)
CENTROIDS = (0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6180, 2.0690, 2.7326)
GAPS = [2 * CENTROIDS[0]] + [b - a for a, b in zip(CENTROIDS, CENTROIDS[1:])]


def near(value, printed, relative=0.006):
    return abs(value / printed - 1) <= relative


def kv(layers, heads, dim, tokens, batch=1, size=2):
    """Bytes of the keys and values of a model."""
    return 2 * layers * heads * dim * tokens * batch * size


def three_tiers(tokens, archive_bits, tail=64, warm=448, warm_bits=4):
    """How many times smaller than FP16: a tail in FP16, then `warm` tokens, then an archive, without scales."""
    return 16 * tokens / (16 * tail + warm_bits * warm + archive_bits * (tokens - tail - warm))


def overflows(value):
    try:
        math.gamma(value)
    except OverflowError:
        return True
    return False


def sphere_mass(dim, steps=20000):
    """Integral of the density of a coordinate of the unit sphere (Simpson, x = sin t)."""
    log_scale = math.lgamma(dim / 2) - math.lgamma((dim - 1) / 2) - 0.5 * math.log(PI)
    at = [math.exp(log_scale) * max(math.cos(-PI / 2 + PI * i / steps), 0) ** (dim - 2) for i in range(steps + 1)]
    return PI / steps / 3 * (at[0] + at[-1] + 4 * sum(at[1:-1:2]) + 2 * sum(at[2:-1:2]))


def slope_error(bits):
    """Standard error of a slope over 2000 pairs of independent unit vectors: that of their products is 1/sqrt(d)."""
    return math.sqrt(PI / 2 * D[bits - 1] / 2000)


def bits_stored(high, low, norms, channels=64):
    """Of a channel of 128, `channels` of them with `high` bits, FP16 norms included."""
    return (channels * high + (128 - channels) * low + 16 * norms) / 128


def clamped(bits):
    """Share of the codes of signed values that clamp(round(x / scale), 0, 2^bits - 1) makes zero."""
    values = range(-2**(bits - 1), 2**(bits - 1))
    return sum(min(max(value, 0), 2**bits - 1) == 0 for value in values) / len(values)


ITEMS = "VFVVFFVFVVFVFVVVFFVVFFFHVHHHHHHHAA"  # states of Table 5 of the corrections, item by item
BOXES = range(1, 11)  # headings "Bug 1" to "Bug 10" of its text
MISTRAL = dict(layers=1, heads=8, dim=128)
CODA = 256 + 64 + 64  # slots of the medium cache
BIG = dict(layers=80, heads=64, dim=128, batch=8)  # appendix A of ADR-004
EXAMPLE = [kv(**BIG, tokens=n, size=size) for n, size in ((64, 2), (448, 0.5), (32256, 0.25))]

CHECKS = {
    # AXELRAM
    "A27": near(172 / 22, 7.8),
    "A35": all(near(1 - selected / random, removed, 0.001) for random, selected, removed in
               ((58.43, 0.82, 0.986), (51.00, 0.58, 0.989), (2.98, 0.25, 0.916))),
    "A36": all(abs(1 - selected / random - removed) < 0.005 for random, selected, removed in
               ((17.45, 9.26, 0.47), (1.09, 0.35, 0.68))) and 1 - 0.015 / 0.045 < 0.72 < 1 - 0.005 / 0.055,
    "A39": 36 * 128 / 8 == 576,
    # ECC paper
    "E4": all(near(kv(32, 8, 128, tokens, 4, size), printed * GB, 0.05) for tokens, size, printed in
              ((1000, 2, 0.5), (10000, 2, 5), (100000, 2, 50), (128000, 2, 64), (1000, 0.5, 0.13), (10000, 0.5, 1.25),
               (100000, 0.5, 12.5), (128000, 0.5, 16))),
    "E5": 2 * 32 * 8 * 128 == 65536,
    "E6": (1 / 16, 8 / 16) == (0.0625, 0.5),
    "E7": 8 / 1 == 2**(4 - 1),
    "E9": [8 * p for p in (1e-4, 1e-3, 1e-2)] == [8e-4, 8e-3, 8e-2],
    # Table 7 counts 57848 corrected words of 4 bits, hence one value each, at 1e-4; WikiText-2 has more than 200000 tokens.
    "E54": 57848 / (1 - (1 - 1e-4)**7) / 65536 < 1300,
    "E59": all(abs(100 * (perplexity / 1.42 - 1) - printed) < 0.06 for perplexity, printed in
               ((1.51, 6.3), (1.50, 5.6), (1.44, 1.4))),
    # TurboQuant corrections
    "T1": [ITEMS.count(status) for status in "FVHA"] == [11, 13, 8, 2] and 13 + 11 + 8 + 2 == 34,
    "T2": ITEMS.count("F") == 11 and max(BOXES) == len(BOXES) == 10 != 6,
    "T3": 34 + 27 + 35 + 57 == 153 != 156,
    "T5": near(math.sqrt(128), 11.31) and near(math.sqrt(1536), 39.19),
    # A correction that is sqrt(d) too large: of an estimate that is 1 - D without it.
    "T6": all(near(1 - D[b - 1] + math.sqrt(128) * D[b - 1], slope) for b, slope in enumerate((11.31, 4.75, 2.21, 1.36), 1)),
    "T7": all(near(slope_error(b), printed, 0.03) for b, printed in enumerate((0.028, 0.017, 0.0096, 0.0052), 1)),
    "T8": all(near(sphere_mass(dim), 1, 1e-9) for dim in (4, 16, 64, 1536)),
    "T9": overflows(1536 / 2) and not overflows(171.6),
    "T14": all(measured > math.sqrt(3) * PI / 2 / 4**b for b, measured in enumerate((1.61, 0.54, 0.18, 0.054), 1)) and
           all(measured < math.sqrt(3) * PI**2 / 4**b for b, measured in enumerate((1.61, 0.54, 0.18, 0.054), 1)),
    "T15": all(near(PI / 2 * D[b - 1], printed, 0.06) for b, printed in enumerate((1.61, 0.54, 0.18, 0.054), 1)),
    "T16": 0.0344 / 0.03 > 1.14 and 0.054 / 0.047 > 1.14,
    "T17": all(PI / 2 * D[b - 1] > 4**-b for b in range(1, 5)) and all(
        measured > 4**-b for b, measured in enumerate((1.61, 0.54, 0.18, 0.054), 1)),
    "T20": len({100 + (layer * 32 + head) * 4 for layer in range(80) for head in range(32)}) == 80 * 32,
    "T21": 100 * 16 * 2 == 3200 != 1600,
    "T22": 80 * 64 * 2 * 1600 == 16384000 > 10 * 1.6e6 and 80 * 64 * 2 * 3200 > 2 * 16000000,
    "T24": min(GAPS) / math.sqrt(128) > 7 * 0.003 and near(max(GAPS) / math.sqrt(128), 0.0587),
    "T26": near(math.sqrt(D[2]), 0.342, 0.01),
    "T29": near(0.6395, 2 / PI, 0.005),
    "T32": (32 * 4 + 96 * 3) / 128 == 3.25,
    "T31": (32 * 3 + 96 * 2) / 128 == 2.25 and bits_stored(3, 2, 2, 32) == 2.5,
    "T33": (3.5 - 3) / (4 - 3) * 128 == (2.5 - 2) / (3 - 2) * 128 == 64,
    "T34": 32 + 96 == 128 != 64 and (32 * 4 + 32 * 3) / 64 == 3.5,
    "T35": near(16 / 3.5, 4.57) and near(16 / bits_stored(4, 3, 2), 4.27) and bits_stored(4, 3, 4) == 4,
    "T45": all(1 < D[b] * 4**b < 2.7 for b in range(1, 5)),
    "T49": (64 * 4 + 64 * 3) / 128 == 3.5 and (64 * 3 + 64 * 2) / 128 == 2.5,
    "T54": all(abs(bias) < 2.1 * slope_error(b) / math.sqrt(512) for b, bias in
               enumerate((-0.00018, -0.00153, -0.00036, 0.00007), 1)) and 0.00007 / 0.000007 > 9,
    "T55": [measured < math.sqrt(3 * PI) / 2 / 4**b for b, measured in enumerate((0.3627, 0.1167, 0.0344, 0.0094), 1)] ==
           [True, False, False, False],
    # pi/2 times distortions as rounded for the same table, cut to the printed digits.
    "T56": [math.floor(PI / 2 * rounded * digits) / digits for rounded, digits in
            ((1, 100), (0.36, 100), (0.117, 100), (0.03, 1000))] == [1.57, 0.56, 0.18, 0.047] and
           near(PI / 2 * D[1], 0.571) and near(PI / 2 * D[3], 0.0543),
    "T58": bits_stored(4, 3, 0) == 3.5 and bits_stored(3, 2, 0) == 2.5 and bits_stored(4, 3, 2) == 3.75 and
           bits_stored(3, 2, 2) == 2.75,
    # ADR-004
    "R1": kv(32, 8, 128, 2048) == 256 * MIB and near(kv(32, 32, 128, 2048), 1.07 * GB),
    "R2": kv(80, 64, 128, 2048) > 2 * 2.6 * GB and kv(80, 8, 128, 2048) < 0.3 * 2.6 * GB,
    "R3": kv(80, 64, 128, 2048, 32) > 2 * 83 * GB and kv(80, 8, 128, 2048, 32) < 0.3 * 83 * GB,
    "R4": kv(80, 64, 128, 131072) > 2 * 166 * GB and kv(80, 8, 128, 131072) < 0.3 * 166 * GB,
    "R5": near(kv(118, 48, 128, 2048, 512), 3 * TB, 0.02),
    "R7": 64 + 448 == 512,
    "R8": clamped(4) > 0.5 and clamped(2) > 0.5,
    "R12": near(16 / (2 + 32 / 32), 5.33) and near(16 / (2 + 32 / 64), 6.4) and near(16 / (2 + 32 / 128), 7.1, 0.01),
    "R13": all(6.5 < 4 / size < 8.1 for size in (0.5, 0.6)),
    "R15": (16 / 2) / (16 / (2 + 32 / 32)) < 2.2,
    "R16": 16 / 2 < 15,
    "R18": near(16 / 3, 5.3, 0.01),
    "R29": 16 / 2 == 8 < 22,
    "R34": [3 * TB / (size * GB) for size in (400, 150)] == [7.5, 20] and 16 / 2 < 20,
    "R35": near(kv(**BIG, tokens=32768), 687 * GB),
    "R36": near(EXAMPLE[0], 1.34 * GB),
    "R37": near(2 * EXAMPLE[1], 4.69 * GB, 0.01),
    "R38": near(2 * EXAMPLE[2], 168 * GB, 0.01),
    "R39": near(kv(**BIG, tokens=32768) / sum(EXAMPLE), 7.79),
    "R40": near((EXAMPLE[0] + EXAMPLE[1] + EXAMPLE[2] / 2.5) / GB, 37.5),
    "R42": near(three_tiers(4096, 2, warm=0), 7.21),
    "R43": near(three_tiers(4096, 2), 6.56) and three_tiers(4096, 2 / 2.5) < 16,
    # CoDA-GQA-L
    "C1": kv(**MISTRAL, tokens=CODA) == 1536 * KIB,
    "C2": near(2048 / CODA, 5.33),
    "C4": [kv(**MISTRAL, tokens=n) / MIB for n in (192, 384, 768, 256)] == [0.75, 1.5, 3, 1],
    "C5": [kv(**MISTRAL, tokens=n) / MIB for n in (512, 1024, 2048, 4096, 8192)] == [2, 4, 8, 16, 32],
    "C6": all(near(n / CODA, printed, 0.03) for n, printed in
              ((512, 1.3), (1024, 2.7), (2048, 5.3), (4096, 10.7), (8192, 21.3))),
    "C7": 32 * kv(**MISTRAL, tokens=CODA) == 48 * MIB and 32 * kv(**MISTRAL, tokens=2048) == 256 * MIB,
    "C8": kv(**MISTRAL, tokens=131072) == 512 * MIB and near(131072 / CODA, 341),
    "C9": [32 * kv(**MISTRAL, tokens=n) / GIB for n in (2048, 32768, 131072)] == [0.25, 4, 16],
    "C10": [80 * kv(**MISTRAL, tokens=n) / GIB for n in (2048, 32768, 131072)] == [0.625, 10, 40] and
           80 * kv(**MISTRAL, tokens=CODA) == 120 * MIB,
    "C11": 131072 / CODA < 342,
    "C12": near(80 * kv(**MISTRAL, tokens=131072), 42.9 * GB) and near(kv(80, 64, 128, 131072), 344 * GB),
    "C13": near(100 * 48 * MB, 4.8 * GB),
    "C14": 32 * 128 * 4096 == 4096 * 4096,
    "C15": 4096 * 4096 == 16777216,
    "C18": near(1 / (1 + math.exp(6)), 0.0025, 0.02),
    "C31": near(5.94 / 5.38, 1.104) and near(5.94 / 5.75, 1.033),
    "C32": all(near(perplexity / 4.81 - 1, printed, 0.01) for perplexity, printed in
               ((6.31, 0.312), (5.38, 0.119), (6.22, 0.293), (5.94, 0.235))),
    "C33": not near(5.38, 5.75),
    "C34": near(5.94 - 5.38, 0.56) and near(6.31 - 5.75, 0.56),
    "C29": len({31.12, 30.12, 27.88}) == 3,
    "C35": 1.09 > 0.90,
    "C37": 1 - 256 / 2048 == 0.875 and 1 - CODA / 2048 == 0.8125,
    "C39": all(round(perplexity / 5.94 - 1, 3) == printed for perplexity, printed in
               ((6.36, 0.071), (6.09, 0.025), (5.95, 0.002), (6.87, 0.157))),
    "C40": near(21.94 / 5.94, 3.7, 0.01) and near(21.94 / 6.87, 3.2, 0.01),
    "C42": round(1 - 6.80 / 6.87, 3) == 0.010 and round(1 - 5.96 / 5.95, 3) == -0.002,
    "C47": near(32 * 2 * (4096 * 4096 + 4096 * 1024), 1.35e9, 0.01),
    "C48": 1 * 8 * 8192 == 65536,
    "C50": 75.9 - 52.0 > 10 * (2.0 - 0.218),
    "C52": near(31.12 / 22.0 - 1, 0.415),
    "C57": kv(4, 4, 128, 1) / kv(4, 2, 128, 1) == 4 / 2 and kv(4, 2, 128, 1) == 4096,
    "C53": near(5.94 / 5.38 - 1, 0.104),
}


if __name__ == "__main__":
    sys.exit(checks.report(CHECKS))

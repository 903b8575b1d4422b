"""Vectors of integers that share an exponent: signs, BALANCE, ALIGN, CENTER, ROTATE, the root of a sum of squares, fewer bits."""
import math

from codebook import rne_shift
from floats import FRACTION, significand

G, U64 = 0x9E3779B97F4A7C15, 2 ** 64 - 1


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & U64
    return z ^ z >> 31


def sign_words(seed, layer, head, count):
    x = mix(seed + G * ((layer << 20) + head + 1) & U64)
    words = []
    for _ in range(count):
        x = x + G & U64
        words.append(mix(x))
    return words


def seeded_signs(seed, layer, head, count):
    words = sign_words(seed, layer, head, -(-count // 64))
    return [-1 if words[i // 64] >> i % 64 & 1 else 1 for i in range(count)]


def align(row, form, w, center=None, powers=None):
    """-> (m, e), element i taken times 2^powers[i] and the center subtracted where there are such."""
    parts = [significand(raw, form) for raw in row]
    if powers:
        parts = [(v, x + power) for (v, x), power in zip(parts, powers)]
    offset = [significand(raw, form) for raw in center] if center else []
    e = max(x for _, x in parts + offset) - (w - 2)
    shift = e + FRACTION[form]
    m = [rne_shift(v, shift - x) for v, x in parts]
    if center:
        m = [a - rne_shift(v, shift - x) for a, (v, x) in zip(m, offset)]
    return m, e


def rotate(m, signs):
    y, half = [a * s for a, s in zip(m, signs)], 1
    while half < len(y):
        for block in range(0, len(y), 2 * half):
            for i in range(block, block + half):
                y[i], y[i + half] = y[i] + y[i + half], y[i] - y[i + half]
        half *= 2
    return y


def nearest_root(s):
    r = math.isqrt(s)
    return r + (s - r * r > r)


def rounded(y, e, bits):
    """Integers -> (integers of `bits` bits, their exponent)."""
    sh = max(0, max(map(abs, y)).bit_length() - (bits - 1))
    limit = 2 ** (bits - 1) - 1
    return [max(-limit, min(limit, rne_shift(v, sh))) for v in y], e + sh

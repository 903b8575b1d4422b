"""16-bit and 32-bit floats as bit patterns, and every rounding to them."""
from codebook import rne_shift

FRACTION = {"fp16": 10, "bf16": 7}
BIAS = {"fp16": 15, "bf16": 127}
DTYPE = {"fp16": "F16", "bf16": "BF16"}


def finite(raw, form):
    return raw >> FRACTION[form] & 2 * BIAS[form] + 1 != 2 * BIAS[form] + 1


def significand(raw, form):
    """16 bits -> (signed significand v, max(exponent field, 1) - bias): the value is v · 2^(exponent - fraction bits)."""
    p = FRACTION[form]
    field, v = raw >> p & 2 * BIAS[form] + 1, raw & (1 << p) - 1
    if field:
        v |= 1 << p
    return (-v if raw >> 15 else v), max(field, 1) - BIAS[form]


def to_float(n, exponent, fraction, least, infinity):
    """Bits of RNE(n · 2^exponent), n >= 0, saturated; `least` is the exponent of the smallest subnormal."""
    if n == 0:
        return 0
    ulp = max(n.bit_length() + exponent - fraction - 1, least)
    return min((ulp - least << fraction) + rne_shift(n, ulp - exponent), infinity - 1)


def to_fp16(n, exponent):
    return to_float(n, exponent, 10, -24, 0x7C00)


def to_fp32(n, exponent):
    bits = to_float(abs(n), exponent, 23, -149, 0x7F800000)
    return bits | (0x80000000 if n < 0 else 0)


def quotient_to_fp16(s, a, exponent):
    """FP16 bits of s / a · 2^exponent, s >= 0, a > 0: below the half unit in the last place only the rest counts."""
    shift = max(0, 14 + a.bit_length() - s.bit_length())
    quotient, rest = divmod(s << shift, a)
    return to_fp16(2 * quotient + (rest > 0), exponent - shift - 1)


def sum_to_fp32(terms):
    """FP32 bits of the exact sum of integer · 2^exponent over the pairs of both."""
    lowest = min(exponent for _, exponent in terms)
    return to_fp32(sum(n << exponent - lowest for n, exponent in terms), lowest)


def norm_parts(raw):
    """-> (sigma, epsilon)."""
    field, fraction = raw >> 10 & 31, raw & 1023
    return (1024 + fraction, field - 25) if field else (fraction, -24)

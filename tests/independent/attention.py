"""The attention of one query head: logits, a softmax whose references are powers of two, weighted sums, an output."""
import math
from decimal import Decimal, localcontext

from codebook import rne_shift
from floats import norm_parts, to_float
from vectors import rotate, rounded

NONE = -(1 << 15)  # no token or no weight yet
FINITE = {"fp16": (10, -24, 0x7C00, 15), "fp32": (23, -149, 0x7F800000, 31)}


def power_rows():
    """64 rows (base, slope)."""
    with localcontext() as context:
        context.prec = 60
        powers = [Decimal(2) ** (24 - Decimal(i) / 64) for i in range(65)]
        return [(int(here.to_integral_value()), int(((here - after) / 64).to_integral_value()))
                for here, after in zip(powers, powers[1:])]


ROWS = power_rows()


def half_up(x, shift):
    return (x + ((1 << shift) >> 1)) >> shift


def binary_scale(x, bits):
    """(significand of exactly `bits` bits, exponent), nearest to the double x."""
    top, bottom = x.as_integer_ratio()
    exponent = top.bit_length() - bottom.bit_length() - bits
    while True:
        numerator, denominator = (top << -exponent, bottom) if exponent < 0 else (top, bottom << exponent)
        quotient, rest = divmod(numerator, denominator)
        if quotient.bit_length() == bits:
            break
        exponent += 1 if quotient.bit_length() > bits else -1
    quotient += 2 * rest > denominator or (2 * rest == denominator and quotient & 1)
    return (quotient >> 1, exponent + 1) if quotient.bit_length() > bits else (quotient, exponent)


def float32(bits):
    """(v, exponent) of FP32 bits: v · 2^exponent."""
    field, fraction = bits >> 23 & 255, bits & (1 << 23) - 1
    v = fraction | (1 << 23) if field else fraction
    return (-v if bits >> 31 else v), max(field, 1) - 150


def limited(value, limit):
    return max(-limit, min(limit, value))


class Attention:
    def __init__(self, d, words, score_scale, scale, weight_bits, significand_bits, output):
        """words: C_j of the levels; output: fp16 or fp32."""
        self.d, self.words, self.fw, self.w, self.output = d, words, weight_bits, significand_bits, output
        factor = score_scale * scale * 1.4426950408889634
        self.softmax_scale = binary_scale(factor, 16) if 0 < factor < math.inf else (0, 999)
        if not -128 <= self.softmax_scale[1] <= 127:
            raise ValueError("attention.scale: the exponent of the softmax scale is outside -128..127")
        self.value_scale = binary_scale(score_scale, 24)

    def attend(self, scores, norms, levels, signs):
        """FP32 bits, FP16 bits and levels of each token, the oldest first -> {tensor: value}."""
        logits, weights, references = [], [], []
        maximum, denominator, reference, sums = NONE, 0, NONE, [0] * self.d
        for score, norm, row in zip(scores, norms, levels):
            v, exponent = float32(score)
            logit = limited(rne_shift(v * self.softmax_scale[0], -(exponent + self.softmax_scale[1] + 12)), 2 ** 26 - 1)
            ceiling = -(-logit >> 12)
            base, slope = ROWS[(ceiling * 4096 - logit) // 64]
            mantissa = base - slope * ((ceiling * 4096 - logit) % 64) + 128 >> 8
            largest = max(maximum, ceiling)
            denominator = half_up(denominator, largest - maximum) + half_up(mantissa << 16, largest - ceiling)
            maximum = largest
            sigma, epsilon = norm_parts(norm & 0x7FFF)
            weight = 0
            if sigma:
                exponent = ceiling + epsilon + 11
                largest = max(reference, exponent)
                weight = rne_shift(mantissa * sigma, 27 - self.fw + largest - exponent)
                kept = [0] * self.d if reference == NONE else [half_up(s, largest - reference) for s in sums]
                sums = [s + weight * self.words[j] for s, j in zip(kept, row)]
                reference = largest
            logits.append(logit)
            weights.append(weight)
            references.append(reference)
        h, shift = rounded(sums, 0, self.w)
        y = [s * v for s, v in zip(signs, rotate(h, [1] * self.d))]
        dropped = denominator.bit_length() - 24
        reciprocal = (self.value_scale[0] << 24) // (denominator >> dropped) if denominator else 0
        exponent = self.value_scale[1] - 24 - dropped + 32 - maximum + shift - self.fw + reference
        return {"logits": logits, "weights": weights, "weight_references": references, "maxima": [maximum],
                "denominators": [denominator], "sums": sums, "output_shifts": [shift], "rotated_outputs": y,
                "reciprocals": [reciprocal], "outputs": [self.rounded_output(v * reciprocal, exponent) for v in y]}

    def rounded_output(self, product, exponent):
        fraction, least, infinity, sign = FINITE[self.output]
        near = limited(exponent, 1000)  # beyond, everything saturates or vanishes
        bits = to_float(abs(product), near, fraction, least, infinity)
        return bits | (1 << sign if product < 0 else 0)

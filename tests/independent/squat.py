"""SQuat: the codes of KIVI's key blocks, chosen with feedback of errors from blocks of channels to later channels."""
from operator import mul

import kivi
from halves import UNITS, half


def fed(current, weights, errors, exponent):
    """FP16 RNE of current + 2^exponent · Σ weight · error, in units of 2^-24; the exponent is -20..0."""
    total = sum(map(mul, weights, errors))
    return UNITS[half((current << -exponent) + total, exponent - 24)]


class Feedback:
    def __init__(self, d, channels, numbers, exponents):
        """numbers: M'_1, M'_2, ... one after another, M'_s of d - s · channels rows; exponents: e_1, e_2, ..."""
        self.d, self.g, self.exponents, self.matrices = d, channels, exponents, []
        start = 0
        for end in range(channels, d, channels):
            rows = range(start, start + (d - end) * channels, channels)
            self.matrices.append([numbers[i:i + channels] for i in rows])
            start += (d - end) * channels
        assert start == len(numbers) and len(exponents) == len(self.matrices)

    def code(self, channels, bits):
        """The tokens of each channel, in units -> the group of each channel."""
        current, groups = [list(x) for x in channels], []
        for start in range(0, self.d, self.g):
            end = start + self.g
            groups += [kivi.code(x, bits) for x in current[start:end]]
            if end == self.d:
                return groups
            matrix, exponent = self.matrices[start // self.g], self.exponents[start // self.g]
            errors = [[after - before for after, before in zip(group.decoded(), x)]
                      for group, x in zip(groups[start:], current[start:end])]
            for token, of_token in enumerate(zip(*errors)):
                if any(of_token):
                    for channel, weights in enumerate(matrix, end):
                        current[channel][token] = fed(current[channel][token], weights, of_token, exponent)

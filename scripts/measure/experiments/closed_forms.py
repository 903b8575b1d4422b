"""Probabilities that a codeword is clean, corrected, detected or miscorrected under independent bit errors, from
weight enumerators only (references.md#macwilliams-sloane, chapter 1): a decoder of radius t decodes to the codeword
within distance t, and spheres of radius t do not overlap."""
from math import comb, exp, lgamma, log, sqrt, erfc

# Length, words of each weight, radius of correction; an error in the last bit of hamming84 counts as parity_only.
CODES = {
    "hamming74": (7, {0: 1, 3: 7, 4: 7, 7: 1}, 1),
    "hamming84": (8, {0: 1, 4: 14, 8: 1}, 1),
    "golay24": (24, {0: 1, 8: 759, 12: 2576, 16: 759, 24: 1}, 3),
}


def rates(code, p):
    """Probabilities of the counters of one word: corrected, parity_only, detected, miscorrected. As in the JSON of
    `axelram perplexity`, corrected counts every word of that status, miscorrected ones included."""
    n, enumerator, radius = CODES[code]
    result = dict.fromkeys(("corrected", "parity_only", "detected", "miscorrected"), 0.0)
    result["detected"] = 1.0
    for weight, words in enumerator.items():
        for distance in range(radius + 1):
            for inside in range(min(weight, distance) + 1):  # errors among the word's ones are absent
                errors = weight - inside + (distance - inside)
                ways = words * comb(weight, inside) * comb(n - weight, distance - inside)
                share = ways * p**errors * (1 - p)**(n - errors)
                result["detected"] -= share
                if weight > 0:
                    result["miscorrected"] += share
                if distance > 0:
                    parity = 1 / n if code == "hamming84" else 0.0
                    result["parity_only"] += share * parity
                    result["corrected"] += share * (1 - parity)
    result["detected"] = max(result["detected"], 0.0)
    return result


def p_value(events, of, rate):
    """Two-sided, of `events` among `of` where each happens with probability `rate`: twice the smaller tail."""
    if rate < 1e-15 or rate >= 1:
        return 1.0 if events == (of if rate >= 1 else 0) else 0.0
    if of * rate > 1000:
        return erfc(abs(events - of * rate) / sqrt(2 * of * rate * (1 - rate)))
    term = lambda k: exp(lgamma(of + 1) - lgamma(k + 1) - lgamma(of - k + 1) + k * log(rate) + (of - k) * log(1 - rate))
    below, above = sum(map(term, range(events + 1))), 0.0
    for k in range(events, of + 1):
        above += term(k)
        if k > of * rate and term(k) < 1e-17 * above:
            break
    return min(1.0, 2 * min(below, above))

"""Exact tokens: copies of rotated keys, scored in place of their records."""
from operator import mul

from floats import to_fp32
from vectors import rounded


class Copies:
    def __init__(self, c):
        self.first, self.last, self.bits, self.wc = c["first"], c["last"], c["exact_bits"], c["centroid_bits"]

    def copy(self, y, e):
        return rounded(y, e, self.bits)

    def of(self, keys):
        """Rotated keys (y, e) -> one copy (h, e_k) for each, None where the record is scored."""
        exact = [t < self.first or t >= len(keys) - self.last for t in range(len(keys))]
        return [self.copy(*key) if is_exact else None for key, is_exact in zip(keys, exact)]

    def score(self, query, copy):
        """-> (accumulators, FP32 bits of the score)."""
        (u, e_u), (h, e_k) = query, copy
        acc = sum(map(mul, u, h))
        return [acc], to_fp32(acc, e_u + e_k + self.wc - 2)

    def tensors(self, copies, d):
        """-> {name: (shape, values)}, empty if the configuration has no exact tokens."""
        if not self.first + self.last:
            return {}
        kept = [copy for copy in copies if copy]
        return {
            "exact": ([len(copies)], [int(copy is not None) for copy in copies]),
            "exact_keys": ([len(kept), d], [v for h, _ in kept for v in h]),
            "exact_exponents": ([len(kept)], [e for _, e in kept]),
        }

#!/usr/bin/env python3
"""The bit contract in plain Python, from the written specification alone: a second opinion on every other engine.

contract.py CONFIG TRACE -o OUT.safetensors [--force]
contract.py --compare A.safetensors B.safetensors [--tolerance REL]
contract.py --random CONFIG -o TRACE --seed N --keys T --queries Q [--force]
contract.py --draw -o CONFIG --seed N [--force]
"""
import argparse
import math
import os
import sys
from operator import mul

import config
import ecc
import parameters
import safetensors
import traces
import trellis
from codebook import Codebook, rne_shift

G, U64 = 0x9E3779B97F4A7C15, 2 ** 64 - 1
FRACTION = {"fp16": 10, "bf16": 7}
BIAS = {"fp16": 15, "bf16": 127}
DTYPE = {"fp16": "F16", "bf16": "BF16"}


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


def finite(raw, form):
    return raw >> FRACTION[form] & 2 * BIAS[form] + 1 != 2 * BIAS[form] + 1


def split(raw, form):
    """16 bits -> (signed significand v, max(exponent field, 1) - bias): the value is v · 2^(exponent - fraction bits)."""
    p = FRACTION[form]
    field, v = raw >> p & 2 * BIAS[form] + 1, raw & (1 << p) - 1
    if field:
        v |= 1 << p
    return (-v if raw >> 15 else v), max(field, 1) - BIAS[form]


def align(row, form, w, center=None):
    """-> (m, e), the center subtracted where there is one."""
    parts = [split(raw, form) for raw in row]
    offset = [split(raw, form) for raw in center] if center else []
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


def rounded(y, e, bits):
    """Integers of `bits` bits that share one exponent -> (the integers, the exponent)."""
    sh = max(0, max(map(abs, y)).bit_length() - (bits - 1))
    limit = 2 ** (bits - 1) - 1
    return [max(-limit, min(limit, rne_shift(v, sh))) for v in y], e + sh


def norm_parts(raw):
    """-> (sigma, epsilon)."""
    field, fraction = raw >> 10 & 31, raw & 1023
    return (1024 + fraction, field - 25) if field else (fraction, -24)


class Macro:
    """One configuration: constants and the two paths."""
    def __init__(self, path):
        c = config.load(path)
        self.d, self.b, self.form, self.max_keys = c["head_dim"], c["index_bits"], c["element_format"], c["max_keys"]
        self.w, self.f, self.wq = c["significand_bits"], c["boundary_fraction_bits"], c["query_bits"]
        self.code, self.unbiased = c["code"], c["scale"] == "unbiased"
        self.first, self.last, self.x = c["first"], c["last"], c["bits"]
        self.n, self.wc = self.d.bit_length() - 1, c["centroid_bits"]
        self.states = c["states"] if c["kind"] == "trellis" else 0
        if self.states:
            self.book = trellis.Book(self.b, self.f, self.wc)
        else:
            self.book = Codebook(c["codebook"], self.d, self.b, self.f, self.wc)

        def row(key, dtype):
            file = os.path.join(os.path.dirname(path), c[key])
            tensor = safetensors.read(file)[0].get(key)
            if not tensor or tensor.dtype != dtype or len(tensor.shape) != 3 or tensor.shape[2] != self.d:
                raise ValueError(f"{file}: tensor {key} must be {dtype} [layers, KV heads, {self.d}]")
            if c["layer"] >= tensor.shape[0] or c["head"] >= tensor.shape[1]:
                raise ValueError(f"{file}: tensor {key} has no layer {c['layer']}, head {c['head']}")
            return list(tensor.rows()[c["layer"] * tensor.shape[1] + c["head"]])

        if c["signs"]:
            self.signs = row("signs", "I8")
            if any(s not in (-1, 1) for s in self.signs):
                raise ValueError(f"{c['signs']}: tensor signs: every value must be +1 or -1")
        elif c["identity"]:
            self.signs = [1] * self.d
        else:
            words = sign_words(c["seed"], c["layer"], c["head"], -(-self.d // 64))
            self.signs = [-1 if words[i // 64] >> i % 64 & 1 else 1 for i in range(self.d)]
        self.center = row("center", DTYPE[self.form]) if c["center"] else None
        if self.center and not all(finite(raw, self.form) for raw in self.center):
            raise ValueError(f"{c['center']}: tensor center: every value must be finite")

    def write(self, key):
        """-> (indices, norm bits, correlation, thresholds or reconstructions, record bytes, levels, path cost)."""
        m, e = align(key, self.form, self.w, self.center)
        y = rotate(m, self.signs)
        s = sum(v * v for v in m)
        n = nearest_root(s)
        cost = 0
        if self.states:
            words = trellis.reconstructions(self.book.L, n, self.f)
            indices, cost = trellis.encode(y, words, n, self.states)
            levels = trellis.levels_of(indices, self.states)
        else:
            words = [word * n >> self.f for word in self.book.B]
            indices = levels = [sum(v > t for t in words) for v in y]
        correlation = sum(v * self.book.C[i] for v, i in zip(y, levels))
        if self.unbiased:
            norm = quotient_to_fp16(s, correlation, self.n + self.wc - 2 + e) if s and correlation > 0 else 0
        else:
            norm = to_fp16(n, e)
        record = norm << self.d * self.b
        for i, index in enumerate(indices):
            record |= index << i * self.b
        record_bytes = record.to_bytes((self.d * self.b + 16) // 8, "little")
        return indices, norm, correlation, words, record_bytes, levels, cost

    def chosen(self, written):
        """-> the tensors of the words that indices were chosen by."""
        pack, t = safetensors.Tensor.pack, len(written)
        values = [v for _, _, _, words, *_ in written for v in words]
        if not self.states:
            return {"thresholds": pack("I32", [t, 2 ** self.b - 1], values)}
        return {
            "path_costs": pack("U32", [t], [cost for *_, cost in written]),
            "reconstructions": pack("I32", [t, 2 ** (self.b + 1)], values),
        }

    def copy(self, key):
        """-> (h, e_k)."""
        m, e = align(key, self.form, self.w, self.center)
        return rounded(rotate(m, self.signs), e, self.x)

    def copies(self, keys):
        """-> one (h, e_k) per key, None where the record is scored."""
        exact = [t < self.first or t >= len(keys) - self.last for t in range(len(keys))]
        return [self.copy(key) if is_exact else None for key, is_exact in zip(keys, exact)]

    def query(self, query):
        """-> (u, e_u)."""
        m, e = align(query, self.form, self.w)
        return rounded(rotate(m, self.signs), e, self.wq)

    def score(self, query, norm, column, copy):
        """-> (acc, FP32 bits of the score) of one key: centroid words and norm of its record, and its copy or None."""
        u, e_u = query
        if copy:
            h, e_k = copy
            acc = sum(map(mul, u, h))
            return acc, to_fp32(acc, e_u + e_k + self.wc - 2)
        sigma, epsilon = norm_parts(norm)
        acc = sum(map(mul, u, column))
        return acc, to_fp32(acc * sigma, e_u + epsilon)

    def codewords(self, records):
        """-> the tensor of that name, where there is a code."""
        if self.code == "none":
            return {}
        values = [v for record in records for v in ecc.encode(self.code, record)]
        shape = [len(records), ecc.size(self.code, self.d * self.b + 16)]
        return {"codewords": safetensors.Tensor.pack("U8", shape, values)}

    def exact(self, copies):
        """-> the tensors of exact tokens, where the configuration has any."""
        if not self.first + self.last:
            return {}
        pack, kept = safetensors.Tensor.pack, [copy for copy in copies if copy]
        return {
            "exact": pack("U8", [len(copies)], [int(copy is not None) for copy in copies]),
            "exact_keys": pack("I16", [len(kept), self.d], [v for h, _ in kept for v in h]),
            "exact_exponents": pack("I32", [len(kept)], [e for _, e in kept]),
        }

    def run(self, keys, queries):
        """Raw rows -> (tensors, metadata) of the result file."""
        written = [self.write(key) for key in keys]
        columns = [[self.book.C[i] for i in levels] for *_, levels, _ in written]
        norms = [norm for _, norm, *_ in written]
        records = [row for *_, row, _, _ in written]
        copies = self.copies(keys)
        rotated = [self.query(query) for query in queries]
        scored = [self.score(query, *token) for query in rotated for token in zip(norms, columns, copies)]
        t, q, pack = len(keys), len(queries), safetensors.Tensor.pack
        tensors = {
            "indices": pack("U8", [t, self.d], [i for indices, *_ in written for i in indices]),
            **({"levels": pack("U8", [t, self.d], [v for *_, row, _ in written for v in row])} if self.states else {}),
            "norms": pack("F16", [t], norms),
            **({"correlations": pack("I64", [t], [a for _, _, a, *_ in written])} if self.unbiased else {}),
            **self.chosen(written),
            "records": pack("U8", [t, (self.d * self.b + 16) // 8], [v for row in records for v in row]),
            **self.codewords(records),
            **self.exact(copies),
            "rotated_queries": pack("I32", [q, self.d], [v for u, _ in rotated for v in u]),
            "query_exponents": pack("I32", [q], [e for _, e in rotated]),
            "accumulators": pack("I64", [q, t], [acc for acc, _ in scored]),
            "scores": pack("F32", [q, t], [score for _, score in scored]),
        }
        kappa = self.book.kappa
        scale = 2.0 ** (2 - self.wc - self.n) if self.unbiased else float(1 / (kappa * self.d))
        return tensors, {
            "score_scale": f"{scale:.17g}", "kappa": f"{float(kappa):.17g}",
            "centroids": ",".join(map(str, self.book.C)),
            **({"reconstruction_words": ",".join(map(str, self.book.L))} if self.states
               else {"boundaries": ",".join(map(str, self.book.B))}),
        }

    def load(self, path):
        """A trace, checked -> (keys, queries) as raw rows."""
        tensors, _ = safetensors.read(path)
        for name in ("keys", "queries"):
            tensor, dtype = tensors.get(name), DTYPE[self.form]
            if not tensor or tensor.dtype != dtype or len(tensor.shape) != 2 or tensor.shape[1] != self.d:
                found = f"{tensor.dtype} {tensor.shape}" if tensor else "missing"
                raise ValueError(f"{path}: tensor {name}: {found}, must be {dtype} [rows, {self.d}]")
            for i, raw in enumerate(tensor.values()):
                if not finite(raw, self.form):
                    raise ValueError(f"{path}: tensor {name}, row {i // self.d}, column {i % self.d}: not finite")
        if tensors["keys"].shape[0] > self.max_keys:
            raise ValueError(f"{path}: tensor keys: {tensors['keys'].shape[0]} rows, max_keys is {self.max_keys}")
        return tensors["keys"].rows(), tensors["queries"].rows()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("-o", "--output")
    parser.add_argument("--force", action="store_true")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--compare", action="store_true")
    mode.add_argument("--random", action="store_true")
    mode.add_argument("--draw", action="store_true")
    parser.add_argument("--tolerance", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keys", type=int, default=64)
    parser.add_argument("--queries", type=int, default=64)
    a = parser.parse_args()
    if len(a.files) != (0 if a.draw else 1 if a.random else 2) or a.compare == bool(a.output):
        parser.error("see the usage above: wrong number of files, or -o missing or out of place")
    try:
        if a.compare:
            lines = safetensors.differences(*a.files, a.tolerance)
            print("\n".join(lines) if lines else "equal")
            return 1 if lines else 0
        if a.draw:
            parameters.write(a.output, a.seed, a.force)
            return 0
        macro = Macro(a.files[0])
        if a.random:
            result = traces.make(macro, a.seed, min(a.keys, macro.max_keys), a.queries)
        else:
            result = macro.run(*macro.load(a.files[1]))
        safetensors.write(a.output, *result, a.force)
        return 0
    except (ValueError, KeyError, OSError) as error:
        print(f"contract.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

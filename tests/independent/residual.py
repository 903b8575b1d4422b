"""The inner-product quantizer: a codebook of one bit less, and the signs of what it leaves."""
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN
from operator import mul

import result
from codebook import fixed, pi, rne_shift
from datapath import Datapath
from floats import norm_parts, to_fp16
from macro import Macro
from vectors import nearest_root, rotate, rounded, seeded_signs

SEED = 0x514A4C


@dataclass
class Residual:
    reconstructions: list
    signs: list  # t: 1 for a negative element
    norm: int  # FP16 bits
    shift: int  # h


class Prod(Macro):
    """A query is (u, e_u, v, e_v)."""
    def __init__(self, c):
        super().__init__(c)
        book = self.paths[0].book
        self.n, self.key_bits = self.d.bit_length() - 1, self.w + (self.center is not None)
        seed = 42 if c["signs"] or c["identity"] else c["seed"]
        self.second_signs = seeded_signs(seed ^ SEED, c["layer"], c["head"], self.d)
        self.words = fixed(book.gamma, self.f)
        self.z = int((book.kappa * (pi() / 2).sqrt() * 2 ** 16).to_integral_value(ROUND_HALF_EVEN))

    def datapaths(self, c):
        return [Datapath(c, range(self.d), self.signs(c), c["index_bits"] - 1)]

    def write(self, key):
        record = super().write(key)
        record.residual = self.residual(record.parts[0], record.e)
        return record

    def left(self, part):
        """-> (reconstructions, what they leave of the rotated key)."""
        points = [rne_shift(word * part.root, self.f) for word in self.words]
        return points, [v - points[i] for v, i in zip(part.y, part.indices)]

    def residual(self, part, e):
        points, rest = self.left(part)
        rho, e_rho = rounded(rest, e, self.key_bits)
        return Residual(points, *self.signs_and_norm(rho, e_rho), e_rho - e)

    def signs_and_norm(self, rho, e_rho):
        root = nearest_root(sum(v * v for v in rho))
        return [int(v < 0) for v in rotate(rho, self.second_signs)], to_fp16(root, e_rho - self.n // 2)

    def elements(self, record):
        return super().elements(record) + [(t, 1) for t in record.residual.signs]

    def norms(self, record):
        return super().norms(record) + [record.residual.norm]

    def size(self):
        return super().size() + self.d + 16

    def query(self, query):
        u, e_u = super().query(query)
        return u, e_u, *rounded(rotate(u, self.second_signs), e_u, self.wq)

    def terms(self, query, record):
        u, e_u, v, e_v = query
        acc = sum(map(mul, v, (-1 if t else 1 for t in record.residual.signs)))
        sigma, epsilon = norm_parts(record.residual.norm)
        exponent = e_v + epsilon + self.n // 2 - 16 - self.n
        return super().terms((u, e_u), record) + [(acc, acc * sigma * self.z, exponent)]

    def key_tensors(self, records):
        t, residuals = len(records), [record.residual for record in records]
        points = [v for residual in residuals for v in residual.reconstructions]
        return super().key_tensors(records) | {
            "residual_signs": ([t, self.d], [v for residual in residuals for v in residual.signs]),
            "residual_norms": ([t], [residual.norm for residual in residuals]),
            "residual_shifts": ([t], [residual.shift for residual in residuals]),
            "reconstructions": ([t, len(self.words)], points),
        }

    def query_tensors(self, rotated):
        q = len(rotated)
        return super().query_tensors([query[:2] for query in rotated]) | {
            "residual_queries": ([q, self.d], [a for _, _, v, _ in rotated for a in v]),
            "residual_query_exponents": ([q], [e_v for _, _, _, e_v in rotated]),
        }

    def score_tensors(self, q, t, scored):
        return super().score_tensors(q, t, [(accs[:1], bits) for accs, bits in scored]) | {
            "residual_accumulators": ([q, t], [accs[1] for accs, _ in scored]),
        }

    def metadata(self):
        return super().metadata() | {"reconstruction_words": result.joined([self.words]), "residual_scale": str(self.z)}

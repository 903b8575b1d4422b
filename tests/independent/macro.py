"""A macro of one configuration: both paths, and the tensors of a run. Kinds of macros differ in their datapaths."""
from dataclasses import dataclass
from operator import mul

import calibration
import ecc
import result
import safetensors
from datapath import Datapath
from exact import Copies
from floats import DTYPE, finite, norm_parts, sum_to_fp32
from vectors import align, rounded, seeded_signs


@dataclass
class Record:
    e: int  # exponent of the rotated elements
    parts: list  # what each datapath wrote
    residual: object = None  # of the inner-product quantizer


class Macro:
    """Records of one vector. Subclasses replace `datapaths`, or add a residual to what is written, read and listed."""
    def __init__(self, c):
        self.d, self.form, self.max_keys = c["head_dim"], c["element_format"], c["max_keys"]
        self.w, self.f, self.wq, self.wc = (c[key] for key in ("significand_bits", "boundary_fraction_bits", "query_bits",
                                                               "centroid_bits"))
        self.code, self.unbiased, self.trellis = c["code"], c["scale"] == "unbiased", c["kind"] == "trellis"
        self.paths, self.center, self.copies = self.datapaths(c), calibration.center(c), Copies(c)
        self.balance = calibration.exponents(c)
        self.axis = [2] if len(self.paths) == 2 else []

    def datapaths(self, c):
        return [Datapath(c, range(self.d), self.signs(c), c["index_bits"])]

    def signs(self, c):
        if c["signs"]:
            return calibration.signs(c)
        return [1] * self.d if c["identity"] else seeded_signs(c["seed"], c["layer"], c["head"] + c["rotation"], self.d)

    def write(self, key):
        m, e = align(key, self.form, self.w, self.center, self.balance and [-power for power in self.balance])
        return Record(e, [path.write(m, e) for path in self.paths])

    def elements(self, record):
        """-> (value, bits) of each element of a record, the lowest first."""
        return [(index, path.bits) for path, part in zip(self.paths, record.parts) for index in part.indices]

    def norms(self, record):
        return [part.norm for part in record.parts]

    def size(self):
        """Bits of a record."""
        return sum(len(path.channels) * path.bits + 16 for path in self.paths)

    def pack(self, record):
        """-> the bytes of a record."""
        string, place = 0, 0
        for value, bits in self.elements(record) + [(norm, 16) for norm in self.norms(record)]:
            string |= value << place
            place += bits
        return string.to_bytes(self.size() // 8, "little")

    def query(self, query):
        """-> (u, e_u); u of one sub-vector after the other."""
        m, e = align(query, self.form, self.w, None, self.balance)
        return rounded([v for path in self.paths for v in path.rotate(m)], e, self.wq)

    def terms(self, query, record):
        """-> one (acc, integer, exponent) for each norm: the score is the sum of integer · 2^exponent."""
        (u, e_u), terms, start = query, [], 0
        for path, part in zip(self.paths, record.parts):
            acc = sum(map(mul, u[start:], path.column(part)))
            sigma, epsilon = norm_parts(part.norm)
            terms.append((acc, acc * sigma, e_u + epsilon))
            start += len(path.channels)
        return terms

    def score(self, query, record):
        """-> (accumulators, FP32 bits of the score)."""
        terms = self.terms(query, record)
        return [acc for acc, _, _ in terms], sum_to_fp32([term[1:] for term in terms])

    def run(self, keys, queries):
        """Raw rows -> (tensors, metadata) of the result file."""
        records = [self.write(key) for key in keys]
        copies = self.copies.of([(record.parts[0].y, record.e) for record in records])
        rotated = [self.query(query) for query in queries]
        scored = [self.copies.score(query, copy) if copy else self.score(query, record)
                  for query in rotated for record, copy in zip(records, copies)]
        tensors = {**self.key_tensors(records), **self.copies.tensors(copies, self.d), **self.query_tensors(rotated),
                   **self.score_tensors(len(queries), len(keys), scored)}
        return result.pack(tensors), self.metadata()

    def key_tensors(self, records):
        """-> {name: (shape, values)}."""
        def values(of):
            return [v for record in records for part in record.parts for v in of(part)]

        t, packed = len(records), [self.pack(record) for record in records]
        words = [t, sum(len(path.words()) for path in self.paths)], values(lambda part: part.words)
        tensors = {
            "indices": ([t, self.d], values(lambda part: part.indices)),
            "norms": ([t, *self.axis], values(lambda part: [part.norm])),
            "records": ([t, self.size() // 8], [v for row in packed for v in row]),
        }
        if self.trellis:
            tensors["levels"] = [t, self.d], values(lambda part: part.levels)
            tensors["path_costs"] = [t, *self.axis], values(lambda part: [part.cost])
            tensors["reconstructions"] = words
        else:
            tensors["thresholds"] = words
        if self.unbiased:
            tensors["correlations"] = [t, *self.axis], values(lambda part: [part.correlation])
        if self.code != "none":
            coded = [v for row in packed for v in ecc.encode(self.code, row)]
            tensors["codewords"] = [t, ecc.size(self.code, self.size())], coded
        return tensors

    def query_tensors(self, rotated):
        return {
            "rotated_queries": ([len(rotated), self.d], [v for u, *_ in rotated for v in u]),
            "query_exponents": ([len(rotated)], [e for _, e, *_ in rotated]),
        }

    def score_tensors(self, q, t, scored):
        return {
            "accumulators": ([q, t, *self.axis], [acc for accs, _ in scored for acc in accs]),
            "scores": ([q, t], [score for _, score in scored]),
        }

    def score_scale(self):
        path = self.paths[0]
        return 2.0 ** (2 - self.wc - path.n) if self.unbiased else float(1 / (path.book.kappa * self.d))

    def metadata(self):
        books = [path.book for path in self.paths]
        return {
            "score_scale": result.double(self.score_scale()),
            "kappa": ";".join(result.double(book.kappa) for book in books),
            "centroids": result.joined(book.C for book in books),
            "reconstruction_words" if self.trellis else "boundaries": result.joined(path.words() for path in self.paths),
        }

    def load(self, path):
        """A trace, checked -> (keys, queries) as raw rows."""
        tensors, _ = safetensors.read(path)
        keys, queries = (self.vectors(path, tensors, name) for name in ("keys", "queries"))
        if len(keys) > self.max_keys:
            raise ValueError(f"{path}: tensor keys: {len(keys)} rows, max_keys is {self.max_keys}")
        return keys, queries

    def vectors(self, path, tensors, name):
        """-> the rows of a tensor of the trace, checked."""
        tensor, dtype = tensors.get(name), DTYPE[self.form]
        if not tensor or tensor.dtype != dtype or len(tensor.shape) != 2 or tensor.shape[1] != self.d:
            found = f"{tensor.dtype} {tensor.shape}" if tensor else "missing"
            raise ValueError(f"{path}: tensor {name}: {found}, must be {dtype} [rows, {self.d}]")
        for i, raw in enumerate(tensor.values()):
            if not finite(raw, self.form):
                raise ValueError(f"{path}: tensor {name}, row {i // self.d}, column {i % self.d}: not finite")
        return tensor.rows()

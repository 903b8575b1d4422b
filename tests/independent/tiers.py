"""One layer and KV head of a tiered store: the tensors of `axelram run --cache`, and the bounds of scores and outputs."""
import math
from operator import add, mul

import tier_spec
import tier_stores
from floats import norm_parts
from halves import floats_of, halves, single_bits, singles, widened
from safetensors import Tensor
from tier_trace import Trace

HOT, WARM, ARCHIVE = range(3)
# A smaller weight may count as 0 (bit-contract.md#tier-reading); in the unit of the bound.
LEAST_WEIGHT = 2.0 ** (-126 + 14)


class Coded:
    """Rows of keys or of values, and every block that they become."""
    def __init__(self, side, raws, trace):
        self.side, self.count = side, len(raws)
        self.constants = tier_stores.Constants(side, trace.d, trace.layer, trace.head)
        self.constants.load()
        self.rows = [tier_stores.plain(raw) for raw in raws]
        w, a = side.bounds(len(raws))
        self.starts = range(side.sink, w, side.unit)
        hot = [raws[start:start + side.unit] for start in self.starts]
        self.warm = [self.code(block, tier_spec.store(side.before)) for block in hot] if side.warm else []
        self.archive = [self.archived(start, hot[i], self.warm[i] if side.warm else None)
                        for i, start in enumerate(range(side.sink, a, side.unit))]

    def code(self, raws, kind):
        return tier_stores.code(raws, kind, self.constants)

    def archived(self, start, raws, warm):
        kind, before = self.side.archive_of(start), tier_spec.store(self.side.before)
        if warm is None:
            return self.code(raws, kind)
        if kind == before:
            return warm
        if (kind.name, kind.bits, before.name, before.bits) == ("kivi", 2, "kivi", 4):
            return tier_stores.demoted(warm, self.side.keys)
        return self.code([halves(row.decoded) for row in warm.rows], kind)

    def at(self, token, n):
        """-> (tier, row) of a token, n tokens in the sequence."""
        w, a = self.side.bounds(n)
        if token < self.side.sink or token >= w:
            return HOT, self.rows[token]
        block, place = divmod(token - self.side.sink, self.side.unit)
        return (ARCHIVE, self.archive[block].rows[place]) if token < a else (WARM, self.warm[block].rows[place])

    def macro(self, tier, token):
        """The macro that scores the records of a tier."""
        kind = self.side.archive_of(token) if tier == ARCHIVE else tier_spec.store(self.side.before)
        return self.constants.macro(kind.bits)

    def tensors(self, name, d):
        def blocks(found, width):
            data = b"".join(block.data.ljust(width, b"\0") for block in found)
            return Tensor("U8", [len(found), width], data)

        numbers = [x for n in range(1, self.count + 1) for x in self.side.bounds(n)]
        longest = max((len(block.data) for block in self.archive), default=0)
        size = self.constants.size
        width = longest if self.side.archive == "auto" else size(tier_spec.store(self.side.archive))
        warm = size(tier_spec.store(self.side.before)) if self.side.warm else 0  # its store counts for nothing without a warm tier
        decoded = [x for token in range(self.count) for x in self.at(token, self.count)[1].bits()]
        return {
            f"{name}_bounds": Tensor.pack("I32", [self.count, 2], numbers),
            f"warm_{name}s": blocks(self.warm, warm),
            f"archive_{name}s": blocks(self.archive, width),
            f"{name}_kinds": Tensor.pack("U8", [len(self.archive)], [block.code for block in self.archive]),
            f"decoded_{name}s": Tensor.pack("F32", [self.count, d], decoded),
        }

    def bytes(self, d):
        """-> bytes of FP16 rows, of warm and of archived blocks, all tokens in the sequence."""
        w, a = self.side.bounds(self.count)
        archived = len(self.archive)
        assert archived * self.side.unit == a - self.side.sink
        return (2 * d * (self.count - w + self.side.sink), sum(len(block.data) for block in self.warm[archived:]),
                sum(len(block.data) for block in self.archive))


class Tiers:
    """SPEC over a trace."""
    def __init__(self, spec, trace):
        self.trace, self.d = trace, trace.d
        self.key_side, self.value_side = tier_spec.parse(spec, trace.d)
        if self.key_side.rope == "pre":
            trace.load_rotations()
        self.keys, self.values = Coded(self.key_side, trace.keys, trace), Coded(self.value_side, trace.values, trace)
        self.turned = {}
        self.exact = [self.scored(i) for i in range(len(trace.queries))]

    def read(self, tier, row, token):
        """-> (numbers, A) of a key after rotation and offset, both of each channel."""
        if self.key_side.rope == "post":
            return row.decoded, row.extents
        if (tier, token) not in self.turned:
            self.turned[tier, token] = self.trace.turned(row.decoded, token), self.trace.sums(row.extents)
        return self.turned[tier, token]

    def scored(self, query):
        """-> one (score, its bound / 2^-17) for each token that the query sees."""
        token = self.trace.query_tokens[query]
        q, rotated, found = widened(self.trace.queries[query]), {}, []
        size = [abs(x) for x in q]
        if self.key_side.rope == "pre":
            size = self.trace.sums(size)
        for t in range(token + 1):
            tier, row = self.keys.at(t, token + 1)
            if row.record is None:
                numbers, extents = self.read(tier, row, t)
                slack = sum(map(mul, map(abs, q), self.trace.offsets)) if self.key_side.rope == "pre" else 0.0
                found.append((sum(map(mul, q, numbers)), sum(map(mul, size, extents)) + slack))
                continue
            macro = self.keys.macro(tier, t)
            if tier not in rotated:
                rotated[tier] = macro.query(self.trace.queries[query])
            found.append(self.scored_record(macro, rotated[tier], row.record, q))
        return found

    @staticmethod
    def scored_record(macro, rotated, record, q):
        (u, _), scale = rotated, macro.score_scale()
        output = floats_of([macro.score(rotated, record)[1]])[0]
        ((_, _, exponent),) = macro.terms(rotated, record)
        products = sum(abs(x * c) for x, c in zip(u, macro.paths[0].column(record.parts[0])))
        sigma, _ = norm_parts(record.parts[0].norm)
        extent = products * sigma * 2.0 ** exponent * scale
        terms = [x * c for x, c in zip(q, widened(macro.center))] if macro.center else []
        if macro.balance:
            terms = [x * 2.0 ** power for x, power in zip(terms, macro.balance)]
        return output * scale + sum(terms), extent + sum(map(abs, terms))

    def attended(self, query, scores):
        """Scores of the tokens that a query sees -> one (output, its bound / 2^-14) for each channel."""
        n = self.trace.query_tokens[query] + 1
        top = max(scores)
        weights = [math.exp((score - top) / math.sqrt(self.d)) for score in scores]
        total = math.fsum(weights)
        sums, extents = [0.0] * self.d, [0.0] * self.d
        for t, weight in enumerate(weights):
            if weight:
                p, (_, row) = weight / total, self.values.at(t, n)
                sums = [x + p * v for x, v in zip(sums, row.decoded)]
                extents = list(map(add, extents, [(p + LEAST_WEIGHT) * a for a in row.extents]))
        return list(zip(sums, extents))

    def tensors(self):
        """-> (tensors, metadata) in the order of the result file."""
        parts = [self.keys.tensors("key", self.d), self.values.tensors("value", self.d)]
        names = [list(part) for part in parts]
        order = [names[0][0], names[1][0], *names[0][1:3], *names[1][1:3], names[0][3], names[1][3], names[0][4], names[1][4]]
        found = {name: (parts[0] | parts[1])[name] for name in order}
        t, q = len(self.trace.keys), len(self.trace.queries)
        rows = [singles([score for score, _ in scores]) for scores in self.exact]
        outputs = [singles([x for x, _ in self.attended(i, row)]) for i, row in enumerate(rows)]
        found["scores"] = Tensor.pack("F32", [q, t], [x for row in rows for x in [*single_bits(row), *[0] * (t - len(row))]])
        found["outputs"] = Tensor.pack("F32", [q, self.d], [x for row in outputs for x in single_bits(row)])
        return found, self.metadata()

    def metadata(self):
        sums = map(add, self.keys.bytes(self.d), self.values.bytes(self.d))
        return {f"bytes_{name}": str(count) for name, count in zip(("fp16", "warm", "archive"), sums)}


def run(spec, path):
    """-> Tiers of the trace in a file."""
    return Tiers(spec, Trace(path))

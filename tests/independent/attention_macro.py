"""A macro with attention: tokens of a key and a value in segments, and groups of queries over them."""
from dataclasses import dataclass

import result
import safetensors
import segments
from attention import NONE, Attention
from datapath import Written
from macro import Macro, Record
from vectors import align

PER_TOKEN, PER_ELEMENT = ("logits", "weights", "weight_references"), ("sums", "rotated_outputs", "outputs")
PER_QUERY = ("maxima", "denominators", "output_shifts", "reciprocals")
NEVER = ("weight_references", "maxima")  # without a token they are NONE, all others 0


@dataclass
class Token:
    key: Record
    value: Record
    copy: tuple  # of the key


@dataclass
class Attended:
    rotated: tuple  # (u, e_u)
    scores: list  # (accumulators, FP32 bits) of each token of the trace
    outputs: dict


class AttentionMacro(Macro):
    def __init__(self, c):
        super().__init__(c)
        self.group, self.output, self.weight_bits = c["attention_group"], c["attention_output"], c["attention_weight_bits"]
        self.size_of_store = c["max_keys"], c["segments"], c["rotations"]
        self.rotations = [Macro(c | {"rotation": i}) for i in range(c["rotations"])]
        self.attention = Attention(self.d, self.paths[0].book.C, self.score_scale(), c["attention_scale"],
                                   self.weight_bits, self.w, self.output)

    def load(self, path):
        """A trace, checked -> (keys, values, queries, commands or None)."""
        tensors, _ = safetensors.read(path)
        keys, values, queries = (self.vectors(path, tensors, name) for name in ("keys", "values", "queries"))
        if len(values) != len(keys):
            raise ValueError(f"{path}: tensor values: {len(values)} rows, keys has {len(keys)}")
        commands = tensors.get("commands")
        if not commands:
            if len(keys) > self.max_keys:
                raise ValueError(f"{path}: tensor keys: {len(keys)} rows, max_keys is {self.max_keys}")
            return keys, values, queries, None
        if commands.dtype != "I32" or len(commands.shape) != 2 or commands.shape[1] != segments.COLUMNS:
            raise ValueError(f"{path}: tensor commands: must be I32 [rows, {segments.COLUMNS}]")
        segments.check(commands.rows(), self.max_keys, len(keys), len(queries), self.group)
        return keys, values, queries, commands.rows()

    def default_commands(self, keys, queries):
        def rows(code, count):
            return [(code,) + (0,) * (segments.COLUMNS - 1)] * count

        return ([(segments.ALLOCATE, 0, 0, self.max_keys, 0, 0, 0)] + rows(segments.APPEND, keys)
                + rows(segments.ATTEND, -(-queries // self.group)))

    def run(self, keys, values, queries, commands=None):
        """Raw rows -> (tensors, metadata) of the result file."""
        store, rejected, tokens, attended = segments.Store(*self.size_of_store), [], [], []
        for row in self.default_commands(len(keys), len(queries)) if commands is None else commands:
            segment = store.take(row, len(tokens))
            rejected.append(int(segment is None))
            unit = self.rotations[segment.row] if segment else None
            if row[0] == segments.APPEND:
                tokens.append(self.token(unit, keys[len(tokens)], values[len(tokens)]))
            if row[0] == segments.ATTEND:
                group = queries[len(attended):len(attended) + self.group]
                seen = self.read(segment, tokens)
                attended += [self.attend(unit, query, segment, seen, tokens, len(keys)) for query in group]
        tensors = {**self.key_tensors([token.key for token in tokens]), **self.copies.tensors(self.kept(store, tokens), self.d),
                   **self.query_tensors([query.rotated for query in attended]),
                   **self.score_tensors(len(queries), len(keys), [score for query in attended for score in query.scores]),
                   **self.value_tensors([token.value for token in tokens]), **self.output_tensors(attended, len(keys))}
        if commands is not None:
            tensors["refused"] = [len(rejected)], rejected
        return result.pack(tensors, outputs={"fp16": "F16", "fp32": "F32"}[self.output]), self.metadata()

    def token(self, unit, key, value):
        if unit is None:
            path = self.paths[0]
            nothing = Record(0, [Written([0] * self.d, 0, [0] * self.d, [0] * self.d, 0, 0, [0] * len(path.words()), 0)])
            return Token(nothing, nothing, None)
        record = unit.write(key)
        m, e = align(value, self.form, self.w)
        return Token(record, Record(e, [unit.paths[0].write(m, e)]), self.copies.copy(record.parts[0].y, record.e))

    def read(self, segment, tokens):
        """What a group sees -> {number of a token: (record of its key, of its value)}, the oldest first."""
        return {i: (tokens[i].key, tokens[i].value) for i, _ in segment.tokens} if segment else {}

    def attend(self, unit, query, segment, seen, tokens, count):
        """A query over a segment; `count`: tokens of the trace."""
        attended = Attended(([0] * self.d, 0), [([0], 0)] * count, {
            name: [NONE if name in NEVER else 0] * self.width(name, count) for name in PER_TOKEN + PER_ELEMENT + PER_QUERY})
        if unit is None:
            return attended
        exact = segment.exact(self.copies.first, self.copies.last)
        attended.rotated = unit.query(query)
        for i, (key, _) in seen.items():
            attended.scores[i] = (self.copies.score(attended.rotated, tokens[i].copy) if i in exact
                                  else self.score(attended.rotated, key))
        values = [value.parts[0] for _, value in seen.values()]
        found = self.attention.attend([attended.scores[i][1] for i in seen], [value.norm for value in values],
                                      [value.levels for value in values], unit.paths[0].signs)
        for name in ("logits", "weights", "weight_references"):
            for i, number in zip(seen, found.pop(name)):
                attended.outputs[name][i] = number
        attended.outputs.update(found)
        return attended

    def kept(self, store, tokens):
        """-> the copy of each token, or None."""
        exact = [segment.exact(self.copies.first, self.copies.last) for segment in store.segments]
        return [token.copy if any(i in those for those in exact) else None for i, token in enumerate(tokens)]

    def value_tensors(self, values):
        tensors = self.key_tensors(values)
        return {f"value_{name}": tensors[name] for name in ("indices", "norms", "records", "codewords") if name in tensors}

    def width(self, name, count):
        """Numbers of a query."""
        return count if name in PER_TOKEN else self.d if name in PER_ELEMENT else 1

    def output_tensors(self, attended, count):
        tensors = {name: ([len(attended)], [v for query in attended for v in query.outputs[name]])
                   for name in PER_TOKEN + PER_ELEMENT + PER_QUERY}
        for name in PER_TOKEN + PER_ELEMENT:
            tensors[name][0].append(self.width(name, count))
        return tensors

    def metadata(self):
        scales = {"softmax_scale": self.attention.softmax_scale, "value_scale": self.attention.value_scale}
        return super().metadata() | {"weight_bits": str(self.weight_bits)} | {
            name: ",".join(map(str, scale)) for name, scale in scales.items()}

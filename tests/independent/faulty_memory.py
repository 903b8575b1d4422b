"""A memory whose bits may be wrong: codewords with flips, what a read makes of them, and macros that keep their records there."""
from dataclasses import replace

import ecc
import result
import trellis
from attention_macro import AttentionMacro
from faults import CLEAN, CORRECTED, DETECTED, INDEX, NORM, PARITY_ONLY, SIGN, Decoder, repair
from macro import Macro
from residual import Prod
from split import Split

OFF, NEXT_READ, EVERY_READ = 0, 2, 3


class Memory:
    """Records of one macro, by the numbers of their tokens."""
    def __init__(self, macro, code, policy, write_back):
        self.macro, self.code, self.policy, self.write_back = macro, code, policy, write_back
        self.decoder, self.bits, self.stored = Decoder(code), macro.size(), {}
        self.fields = [(path.bits, INDEX) for path in macro.paths for _ in path.channels]
        self.fields += [(1, SIGN)] * macro.d if isinstance(macro, Prod) else []
        self.fields += [(16, NORM)] * ((self.bits - sum(bits for bits, _ in self.fields)) // 16)
        self.counts = {CORRECTED: 0, PARITY_ONLY: 0, DETECTED: 0, "written back": 0}

    def write(self, token, record, mask):
        """-> the codewords as stored."""
        string = int.from_bytes(ecc.encode(self.code, self.macro.pack(record)), "little") ^ mask
        self.stored[token] = string
        return string.to_bytes(ecc.size(self.code, self.bits), "little")

    def receive(self, token, mask):
        """-> (data, whether each word is lost)."""
        received = self.stored[token] ^ mask
        corrected, statuses = self.decoder.correct(received, self.bits)
        for status in statuses:
            if status != CLEAN:
                self.counts[status] += 1
        if self.write_back and {CORRECTED, PARITY_ONLY} & set(statuses):
            self.stored[token] = corrected
            self.counts["written back"] += 1
        return self.decoder.data(corrected, self.bits), [status == DETECTED for status in statuses]

    def read(self, tokens, records, mode=OFF, mask=0):
        """What a read of these tokens gives, in this order; `records` are as they were written."""
        received = [self.receive(token, mask if mode == EVERY_READ or mode == NEXT_READ and i == 0 else 0)
                    for i, token in enumerate(tokens)]
        repaired = repair(received, self.decoder.k, self.fields, self.policy)
        return [self.unpack(record, string) for record, string in zip(records, repaired)]

    def unpack(self, record, string):
        """The record with the elements of a string of bits."""
        values = []
        for bits, _ in self.fields:
            values.append(string & (1 << bits) - 1)
            string >>= bits
        parts = []
        for path, part in zip(self.macro.paths, record.parts):
            indices, values = values[:len(path.channels)], values[len(path.channels):]
            levels = trellis.levels_of(indices, path.states) if path.states else indices
            parts.append(replace(part, indices=indices, levels=levels))
        residual = record.residual
        if residual:
            residual = replace(residual, signs=values[:self.macro.d], norm=values[-1])
            values = values[self.macro.d:]
        parts = [replace(part, norm=norm) for part, norm in zip(parts, values)]
        return replace(record, parts=parts, residual=residual)


def flips(rows):
    return [int.from_bytes(bytes(row), "little") for row in rows]


def set_codewords(tensors, name, stored):
    """Replaces the rows of a tensor by what was stored for some tokens."""
    tensor = tensors[name]
    rows = [stored.get(i, bytes(row)) for i, row in enumerate(tensor.rows())]
    tensor.data = b"".join(rows)


class FaultyAttention(AttentionMacro):
    def __init__(self, c, faults, write_back):
        """faults: tensors of a trace, as faulty_run.cpp reads them."""
        super().__init__(c)
        self.memories = [Memory(self, c["code"], c["erasure"], write_back) for _ in range(2)]  # of keys, of values
        self.masks = [flips(faults[name].rows()) for name in ("key_masks", "value_masks")]
        self.read_masks = [flips(faults[name].rows()) for name in ("key_read_masks", "value_read_masks")]
        self.modes, self.written, self.appended, self.groups = faults["read_modes"].rows(), [{}, {}], 0, 0

    def token(self, unit, key, value):
        token, number = super().token(unit, key, value), self.appended
        self.appended += 1
        if unit:
            for memory, written, record, masks in zip(self.memories, self.written, (token.key, token.value), self.masks):
                written[number] = memory.write(number, record, masks[number])
        return token

    def read(self, segment, tokens):
        seen, group = super().read(segment, tokens), self.groups
        self.groups += 1
        read = [memory.read(seen, [pair[i] for pair in seen.values()], self.modes[group][i], self.read_masks[i][group])
                for i, memory in enumerate(self.memories)]
        return dict(zip(seen, zip(*read)))

    def run(self, *vectors):
        tensors, metadata = super().run(*vectors)
        for name, written in zip(("codewords", "value_codewords"), self.written):
            set_codewords(tensors, name, written)
        return tensors, metadata


def faulty(kind):
    """The same of a kind of macro that ends at the scores."""
    class Faulty(kind):
        def __init__(self, c, faults, write_back):
            super().__init__(c)
            self.memories, self.masks = [Memory(self, c["code"], c["erasure"], write_back)], flips(faults["key_masks"].rows())
            self.scored, self.records = [], []

        def write(self, key):
            record = super().write(key)
            self.records.append(record)
            return record

        def run(self, keys, queries):
            tensors, metadata = super().run(keys, queries)
            memory, records = self.memories[0], self.records[:len(keys)]
            written = {t: memory.write(t, record, self.masks[t]) for t, record in enumerate(records)}
            set_codewords(tensors, "codewords", written)
            copies = self.copies.of([(record.parts[0].y, record.e) for record in records])
            scored = []
            for query in map(self.query, queries):
                read = memory.read(range(len(keys)), records)
                scored += [self.copies.score(query, copy) if copy else self.score(query, record)
                           for record, copy in zip(read, copies)]
            tensors |= result.pack(self.score_tensors(len(queries), len(keys), scored))
            return tensors, metadata

    return Faulty


FaultyMacro, FaultyProd, FaultySplit = faulty(Macro), faulty(Prod), faulty(Split)

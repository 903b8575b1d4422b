#!/usr/bin/env python3
"""Decisions of a memory through the shared library, as a trainer calls it.

memory_route.py LIBRARY CONTRACT

Routes the tokens of the example of bit-contract.md#example-memory and compares events, labels and positions with
its table; then checks the lines of errors.
Exit codes: 0 equal, 1 different.
"""
import ctypes
import math
import re
import sys

INTEGERS = ("head_dim", "index_bits", "significand_bits", "boundary_fraction_bits", "centroid_bits", "beta_codebook",
            "window", "exact", "summary", "sinks", "evict_by_gate", "rows")
NUMBERS = ("novel", "match", "gate_exact", "gate_summary", "blend")
EXAMPLE = dict(head_dim=32, index_bits=3, significand_bits=16, boundary_fraction_bits=13, centroid_bits=8,
               beta_codebook=0, window=2, exact=3, summary=2, sinks=1, evict_by_gate=1, rows=0, novel=0.70,
               match=math.nan, gate_exact=0.10, gate_summary=0.05, blend=0.047)
LOGITS = {"h": 2.0, "l": -2.0, "v": -2.5, "d": -4.0}
LABELS = ".wsxm"


class Options(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in INTEGERS] + [(name, ctypes.c_double) for name in NUMBERS]


def row(name):
    values = []
    for i in range(32):
        a, b, c = 7 * i % 11 - 5, i * i % 11 - 5, (3 * i * i + i) % 13 - 6
        values.append({"A": a, "B": b, "C": c, "M": 2 * a + b, "N": 3 * b + a, "Z": 0}[name])
    return values


def route(library, options, rows, logits):
    """(status, error, events, labels, positions) of a sequence."""
    tokens, slots = len(rows), options["window"] + options["exact"] + options["summary"]
    values = (ctypes.c_float * (tokens * 32))(*[x for one in rows for x in one])
    gates = (ctypes.c_float * tokens)(*logits)
    signs = (ctypes.c_int8 * 32)(*[1] * 32)
    events = (ctypes.c_int32 * (6 * tokens))()
    labels = (ctypes.c_uint8 * (slots * tokens))()
    positions = (ctypes.c_int32 * (slots * tokens))()
    error = ctypes.create_string_buffer(200)
    status = library.axelram_memory_route(
        ctypes.byref(Options(**options)), signs, values, gates, ctypes.c_int64(tokens), events, labels, positions,
        error, ctypes.c_size_t(len(error)))

    def cut(flat, width):
        return [list(flat[t * width:(t + 1) * width]) for t in range(tokens)]

    return status, error.value.decode(), cut(events, 6), cut(labels, slots), cut(positions, slots)


def example(contract):
    """(row, logit, event, labels, positions) of each token, from the table."""
    text = open(contract, encoding="utf-8").read().split('<a id="example-memory"></a>')[1]
    for line in text.splitlines():
        found = re.match(r"\| \d+ \| ([A-Z]) ([hlvd]) \| ([-\d, ]+) \| `(\S+)` \| (.+) \|", line)
        if found:
            places = [None if place == "-" else int(place.split("/")[0]) for place in found[5].split()]
            yield found[1], found[2], [int(x) for x in found[3].split(",")], found[4], places


def main(path, contract):
    library = ctypes.CDLL(path)
    tokens = list(example(contract))
    failures = [] if len(tokens) == 14 else [f"the table has {len(tokens)} tokens in the place of 14"]
    rows, logits = [row(token[0]) for token in tokens], [LOGITS[token[1]] for token in tokens]
    status, error, events, labels, positions = route(library, EXAMPLE, rows, logits)
    if status:
        failures.append(error)
    for t, token in enumerate(tokens):
        mine = "".join(LABELS[label] for label in labels[t])
        places = [None if label == 0 else at for label, at in zip(labels[t], positions[t])]
        if (events[t], mine, places) != token[2:]:
            failures.append(f"token {t}: {events[t]} {mine} {places}, to be {token[2:]}")

    wrong = [row("A"), [0.0] * 7 + [70000.0] + [0.0] * 24]
    for change, data, gates, expected in [
            ({"window": 0}, rows, logits, "memory.window is 0; it must lie in 1..65536"),
            ({"rows": 3}, rows, logits, "rows is 3; it must lie in 0..2"),
            ({}, wrong, [0.0, 0.0], "token 1: element 7 of its value is not finite in FP16; magnitudes up to 65504 are "
                                    "needed"),
            ({}, wrong[:1], [math.nan], "token 0: its gate is not finite; a finite logit is needed")]:
        status, error, *_ = route(library, {**EXAMPLE, **change}, data, gates)
        if (status, error) != (1, expected):
            failures.append(f"{change}: {status} '{error}', to be 1 '{expected}'")
    status, error, *_ = route(library, EXAMPLE, [], [])
    if status:
        failures.append(f"no tokens: {error}")
    print("\n".join(failures) or f"{len(tokens)} tokens as in the table")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

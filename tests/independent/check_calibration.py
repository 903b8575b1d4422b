#!/usr/bin/env python3
"""Compares constants of `axelram calibrate --tiers` with those that the contract makes of captured rows.

check_calibration.py AXELRAM MODEL TEXT [--slow | --span N]

MODEL has heads of 32 elements, TEXT rows of 24 ids. With --span, the model is a Llama that becomes a Mistral whose queries see N
tokens. The rows are those of `axelram capture`. Ranges, codebooks and levels must
be equal to the bit; integers of SQuat's matrices come from FP64 of another library and from queries before rounding, so that
they may differ by 1 and a thousandth of the largest. Exit codes: 0 equal, 1 different, 2 bad usage."""
import json
import math
import pathlib
import shutil
import struct
import sys
import tempfile

import nuq
import nuq_codebook
import safetensors
import squat_matrices
from halves import UNITS, widened
from program import run

LAYERS, HEADS, DIM, TOKENS = 2, 2, 32, 24
CLOSE = 1e-3  # of SQuat's integers, of the largest
# The eigenvalues on both sides of a rank are 9 % apart or more: what rounding the queries changes grows as they come closer.
CASES = {  # name: (rope, share of outliers, channels, rank, strength, bits of codebooks)
    "after rotation": ("post", 0.01, 8, 6, 0.5, (2,)),
    "before rotation": ("pre", 0.1, 16, 32, 0.01, (2,)),
}
SLOW_CASES = {
    "3 bits": ("pre", 0.05, 16, 2, 0.5, (3,)),
    "4 bits": ("post", 0.25, 32, 1, 2.0, (4,)),
}
failures = []


def rows_of(axelram, model, text, rope, folder):
    """{(layer, head): tensors of the trace}"""
    found = {}
    for layer in range(LAYERS):
        for head in range(HEADS):
            trace = folder / f"{layer}-{head}"
            run(axelram, "capture", model, text, "--layer", layer, "--head", head, "--tokens", TOKENS, "--window", TOKENS,
                "--by-token", *(["--before-rotary"] if rope == "pre" else []), "-o", trace, "--force")
            found[layer, head] = safetensors.read(str(trace))[0]
    return found


def turned_back(trace, span):
    """Queries turned to the position of each key that they see: with keys before rotation, by the angles of the tokens between."""
    pairs = DIM // 2
    cosines, sines = ([singles(row) for row in trace[name].rows()] for name in ("cosines", "sines"))
    queries = [widened(row) for row in trace["queries"].rows()]
    asked = trace["query_tokens"].values()
    found = []
    for query, token in zip(queries, asked):
        for t in range(max(0, token + 1 - span), token + 1):
            turned = [0.0] * DIM
            for p in range(pairs):
                a, b = query[p], query[p + pairs]
                turned[p], turned[p + pairs] = a * cosines[t][p] + b * sines[t][p], b * cosines[t][p] - a * sines[t][p]
            found.append(turned)
    return found


def singles(bits):
    return struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *bits))


def check(name, mine, theirs):
    if len(mine) != len(theirs):
        failures.append(f"{name}: {len(theirs)} elements, to be {len(mine)}")
    elif list(mine) != list(theirs):
        place = next(i for i, (a, b) in enumerate(zip(mine, theirs)) if a != b)
        failures.append(f"{name}: element {place} is {theirs[place]}, to be {mine[place]}")


def check_squat(name, trace, rope, made, place, options):
    channels, rank, strength, span = options
    queries = turned_back(trace, span) if rope == "pre" else [widened(row) for row in trace["queries"].rows()]
    moment = [[math.fsum(q[i] * q[j] for q in queries) / len(queries) for j in range(DIM)] for i in range(DIM)]
    numbers, exponents = squat_matrices.feedback(moment, channels, rank, strength)
    theirs = made["squat_matrices"].values()[place * len(numbers):(place + 1) * len(numbers)]
    check(f"{name}: exponents", exponents,
          made["squat_exponents"].values()[place * len(exponents):(place + 1) * len(exponents)])
    worst = max((abs(a - b) for a, b in zip(numbers, theirs)), default=0)
    if len(theirs) != len(numbers) or worst > CLOSE * max(map(abs, numbers), default=0) + 1:
        failures.append(f"{name}: integers of SQuat differ by {worst}")
    return worst


def check_books(name, side, samples, made, layer, bits):
    for b in bits:
        gamma, _ = nuq_codebook.centroids(samples, b)
        levels = nuq_codebook.normalised_levels(samples, b, gamma)
        for kind, mine in (("codebook", gamma), ("levels", levels)):
            theirs = made[f"{side}_{kind}{b}"].values()[layer << b:layer + 1 << b]
            check(f"{name}: {side} {kind} of {b} bits", mine, theirs)


def case(axelram, model, text, name, options, folder, span):
    rope, share, channels, rank, strength, bits = options
    made_at, before = folder / "tiers", len(failures)
    run(axelram, "calibrate", model, text, "--tiers", made_at, "--samples", 1, "--window", TOKENS, "--rope", rope,
        "--outliers", share, "--squat-channels", channels, "--squat-rank", rank, "--squat-strength", strength, "--force")
    made, _ = safetensors.read(str(made_at))
    traces = rows_of(axelram, model, text, rope, folder)
    worst, count = 0, nuq.outlier_count(share, DIM)
    for layer in range(LAYERS):
        samples = {"key": [], "value": []}
        ranges = []
        for head in range(HEADS):
            trace, place = traces[layer, head], (layer * HEADS + head) * DIM
            columns = list(zip(*trace["keys"].rows()))
            pairs = [nuq_codebook.channel_range([UNITS[raw] for raw in column], share) for column in columns]
            for index, kind in enumerate(("key_middles", "key_radii")):
                check(f"{name}: {kind} of layer {layer}, head {head}", [pair[index] for pair in pairs],
                      made[kind].values()[place:place + DIM])
            ranges.append([widened([pair[index] for pair in pairs]) for index in (0, 1)])
            worst = max(worst, check_squat(f"{name}: layer {layer}, head {head}", trace, rope, made, layer * HEADS + head,
                                           (channels, rank, strength, span)))
        book = nuq.Book(2, made["value_codebook2"].values()[layer << 2:layer + 1 << 2])
        for token in range(TOKENS):
            for head in range(HEADS):
                key, value = (traces[layer, head][part].rows()[token] for part in ("keys", "values"))
                middles, radii = ranges[head]
                samples["key"] += [((x - z) / r, 1.0) for x, z, r in zip(widened(key), middles, radii) if r]
                least, largest = widened(nuq.value(value, book, count).extremes)
                z, r = (largest + least) / 2, (largest - least) / 2
                samples["value"] += [((x - z) / r, 1.0) for x in widened(value) if r]
        for side, all_of in samples.items():
            check_books(f"{name}: layer {layer}", side, [pair for pair in all_of if abs(pair[0]) <= 1], made, layer, bits)
    print(f"{name}: equal; integers of SQuat within {worst}" if len(failures) == before else f"{name}: different")


def sliding(model, span, folder):
    """-> a copy of the model whose queries see `span` tokens."""
    copy = folder / "sliding"
    shutil.copytree(model, copy, copy_function=shutil.copyfile)
    described = json.loads((copy / "config.json").read_text())
    described |= {"architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": span}
    (copy / "config.json").write_text(json.dumps(described))
    return copy


def main(axelram, model, text, option=None, span=TOKENS):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if option == "--span":
            model = sliding(model, int(span), folder)
        cases = SLOW_CASES if option == "--slow" else CASES
        for name, options in cases.items():
            if option == "--span" and options[0] != "pre":  # queries as they are do not depend on what they see
                continue
            case(axelram, model, text, name, options, folder, int(span))
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[4:5] not in ([], ["--slow"], ["--span"]) or len(sys.argv) != (6 if "--span" in sys.argv else 5 if "--slow" in sys.argv else 4):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))

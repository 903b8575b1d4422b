"""Recall: questions for planted pairs, by distance, with caches of one size; and where the pairs went."""
import functools
import pathlib

from . import with_models  # noqa: F401, before byte_coda
from . import with_numpy  # noqa: F401, before numpy

import numpy

from .memory_plan import cache_of, CACHES, known_as
from .tensors import packed, tensors

from byte_coda import recall

# Without a memory the last one has twice the steps.
ARMS = {"gqa": "GQA", "coda": "CoDA", "gqa-2400": "GQA, 2400 steps before"}
SEEDS = {"gqa": (1, 2), "coda": (1, 2), "gqa-2400": (2,)}
LENGTH, TESTS = 1024, 100
WINDOW = 128  # of the bounded memory
TRACED = 20  # texts of which the way of each answer is followed
FOLLOWED = 512  # at this distance
SETS = {  # column: distance, length, the first two keys have one value
    "128": (128, LENGTH, False), "256": (256, LENGTH, False), "512": (512, LENGTH, False), "900": (900, LENGTH, False),
    "512, two keys with one value": (512, LENGTH, True), "512 in 2048": (512, 2 * LENGTH, False),
    "1800 in 2048": (1800, 2 * LENGTH, False),
}
UNBOUNDED, BOUNDED, LONGER = "", "-bounded", "-longer"  # ends of a folder's name; no memory, 400 steps with one, 1600
HEAD_DIM = 64
ROWS = {  # row: folder, row of memory_plan.CACHES
    **{row: (UNBOUNDED, row) for row in ("full", "window of 192", "4 sinks and 188")},
    "128 and exact 64": (BOUNDED, "128 and exact 64"),
    "128, 32, 32, before": (UNBOUNDED, "128, 32, 32"),
    **{row: (BOUNDED, row) for row in CACHES if row.startswith("128, 32, 32") and "sinks" not in row},
}
LONGER_ROWS = {f"{row}, 1600 steps": (LONGER, row) for row in ("128, 32, 32", "128, 32, 32, records of 3 bits")}
FEW_ROWS = ("full", "window of 192", "128, 32, 32, before", "128, 32, 32", "128, 32, 32, records of 3 bits")
ROWS_OF = {"gqa": ROWS | LONGER_ROWS, "coda": ROWS, "gqa-2400": {row: ROWS[row] for row in FEW_ROWS} | LONGER_ROWS}
KEPT, DISPLACED, MERGED = "kept", "displaced", "merged"
# By what happened when a token left the window (bit-contract.md#memory-events); 4 and 5 made it a landmark.
LEFT = {1: "gated out", 2: "not novel", 3: "not novel", 6: "of least gate"}
ENDS = (KEPT, "gated out", "not novel", "of least gate", DISPLACED)
INTO_OTHERS = 3  # fourth number of an event: the leaver became part of a summary


def model(trained, arm, seed, kind):
    return pathlib.Path(trained) / f"recall-{arm}-{seed}{kind}"


@functools.cache
def texts(store, name):
    """The file of the texts of a column, ids [texts, length]."""
    distance, length, twins = SETS[name]
    generator = numpy.random.default_rng([1, distance, length, twins])
    drawn = [recall.asked_at(generator, distance, length, twins=twins)[0] for _ in range(TESTS)]
    return store.put(f"recall-{name}.safetensors".replace(" ", "-"), packed(numpy.stack(drawn), "tokens"))


def answered(store, trained, arm, seed, row, name):
    """Share of the questions whose two letters are both the likeliest; None if the time is over."""
    kind, cached = ROWS_OF[arm][row]
    cache = cache_of(store, cached, HEAD_DIM)
    filed = known_as(store, model(trained, arm, seed, kind))
    if filed is None:
        return None
    length = SETS[name][1]
    at = f"recall/{filed}/{row}/{name}".replace(" ", "-")
    ranks = store.path(at + ".ranks")
    done = store.json(at, "perplexity", model(trained, arm, seed, kind), texts(store, name), "--separate", "--window",
                      length, "--no-noise", "--cache", f"memory:{cache}" if cache else "fp16", "--ranks", ranks, "--force")
    if not done:
        return None
    first = length - recall.SIZE + recall.ANSWER - 1  # the prediction of the answer's first letter
    found = tensors(ranks)[0]["ranks"].reshape(TESTS, length - 1)[:, first:first + 2]
    return float((found == 0).all(axis=1).mean())


def ends(events, token):
    """What became of a token of a trace, by its events: what happened when it left the window, and later; and whether a
    summary has it among others."""
    left = token + WINDOW  # the token that takes its place in the window
    if left >= len(events):
        return KEPT, False
    what, slot = events[left][:2]
    if what in LEFT:
        return LEFT[what], events[left][3] == INTO_OTHERS
    assert what in (4, 5), f"token {token}: event {what}"
    later = events[left + 1:]
    displaced = later[(later[:, 0] == 5) & (later[:, 2] == slot)]
    return (DISPLACED, displaced[0][3] == INTO_OTHERS) if len(displaced) else (KEPT, False)


def followed(store, trained, arm, seed, head):
    """Of the answers of TRACED texts, how many letters had ended how when they were asked for, in the second layer, behind
    a first layer with every key; None if the time is over."""
    filed = known_as(store, model(trained, arm, seed, BOUNDED))
    if filed is None:
        return None
    ids = tensors(texts(store, str(FOLLOWED)))[0]["tokens"][:TRACED]
    counts = dict.fromkeys((*ENDS, MERGED), 0)
    config = store.put(f"recall-memory-{head}.yaml", f"macro: {{head_dim: {HEAD_DIM}, index_bits: 3, max_keys: 192}}\n"
                       f"memory: {{window: {WINDOW}, exact: 32, summary: 32}}\nrotation: {{layer: 1, head: {head}}}\n")
    for number, text in enumerate(ids):
        at = f"recall/{filed}/followed/{number}-{head}"
        one = store.put(at + ".safetensors", packed(text, "tokens"))
        trace = store.file(at + ".trace", "capture", model(trained, arm, seed, BOUNDED), one, "--layer", 1, "--head", head,
                           "--memory", "--tokens", LENGTH, "--window", LENGTH)
        result = trace and store.file(at + ".result", "run", config, trace)
        if not result:
            return None
        events = tensors(result)[0]["events"][:LENGTH - recall.SIZE + recall.ANSWER]
        planted = LENGTH - recall.SIZE - FOLLOWED + recall.ANSWER
        for token in (planted, planted + 1):
            end, merged = ends(events, token)
            counts[end] += 1
            counts[MERGED] += int(merged)
    return counts


def tables(store, trained):
    measure = functools.partial(answered, store, trained)
    lines = []
    for arm in ARMS:
        for row in ROWS_OF[arm]:
            cells = []
            for name in SETS:
                shares = [measure(arm, seed, row, name) for seed in SEEDS[arm]]
                cells.append(" / ".join(f"{share:.2f}" for share in shares if share is not None))
            if not any(cells):
                continue
            lines.append([f"{ARMS[arm]}: {row}", *cells])
    yield ["", *SETS], lines
    lines = []
    for arm in ARMS:
        for seed in SEEDS[arm]:
            for head in (0, 1):
                counts = followed(store, trained, arm, seed, head)
                if counts:
                    lines.append([f"{ARMS[arm]}, seed {seed}, head {head}", *map(str, counts.values())])
    yield ["letters of answers, second layer, first with every key", *ENDS, "of these merged with others"], lines

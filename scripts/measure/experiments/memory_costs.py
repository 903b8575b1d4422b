"""Bytes of memories by formula, and the time of a model that has one."""
import json
import resource
import statistics

from .common import program, provenance, run
from .memory_plan import texts

LAYERS, HEADS, DIM, BITS = 32, 8, 128, 3  # of Mistral-7B, the paper's model
SIZES = ((128, 32, 32), (256, 64, 64), (512, 128, 128))
TOKENS = (2048, 131072)  # of a full cache
PAPER = {  # what it prints for a layer, and how many times smaller that is
    (128, 32, 32): "108.9 KB", (256, 64, 64): "217.9 KB and 1.5 MB; 9.5 and 5.3 times at 2048, 2667 at 128K",
    (512, 128, 128): "3.0 MB"}
ROUNDS = 3
WHOLE = "memory, records of 3 bits"
RUNS = {  # row, arguments: each passes the full cache as well, which the first passes alone
    "full": ("--cache", "fp16"),
    "memory, rows": ("--cache", "memory:store=fp16"),
    WHOLE: ("--cache", "memory"),
    "64 tokens at a time": ("--cache", "memory", "--chunk", 64),
    "token by token": ("--cache", "memory", "--chunk", 1),
}


def sizes():
    """bit-contract.md#memory-bytes."""
    lines = []
    for window, exact, summary in SIZES:
        slots = window + exact + summary
        record = DIM * BITS // 8 + 2
        records = 2 * slots * record + 2 * DIM * summary + 14 * slots
        rows = slots * (4 * DIM + record + 14)
        full = [4 * DIM * tokens for tokens in TOKENS]
        paper = 4 * DIM * slots
        of_layer = [str(paper * HEADS), PAPER[window, exact, summary], *(f"{size / paper:.1f}" for size in full),
                    *(str(size * HEADS) for size in (rows, records))]
        lines.append([f"{window}, {exact}, {summary}", *of_layer, f"{LAYERS * HEADS * records / 1e6:.1f} MB",
                      *(f"{size / records:.1f}" for size in full)])
    return ["slots", "FP16 rows alone, as the paper counts", "the paper prints",
            *(f"rows alone: times smaller than {tokens} tokens" for tokens in TOKENS), "rows", "records of 3 bits",
            f"of {LAYERS} layers",
            *(f"records: times smaller than {tokens} tokens in FP16" for tokens in TOKENS)], lines


def seconds(arguments):
    """User time of one perplexity."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    path, skip = texts()["WikiText-2"]
    run("perplexity", "models/byte-coda-d128", path, "--skip", skip, "--separate", "--window", 1024, "--tokens", 8192,
        "--no-noise", "--threads", 1, *arguments)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def rounds_of(store):
    """[{row: seconds}], in which all rows take turns, from the folder if they are there; None if the time is over."""
    path = store.path("costs.json")
    if path.exists():
        return json.loads(path.read_text())["rounds"]
    if store.late("costs"):
        return None
    program()  # built before the first round
    rounds = [{name: seconds(arguments) for name, arguments in RUNS.items()} for _ in range(ROUNDS)]
    store.put("costs.json", json.dumps({"provenance": provenance(), "rounds": rounds}))
    return rounds


def speed(store):
    """Medians of the rounds."""
    head = ["8192 bytes in windows of 1024, full cache and", "user seconds", "memory alone, of the full cache's time",
            "both caches, of one piece"]
    rounds = rounds_of(store)
    if rounds is None:
        return head, []
    medians = {name: statistics.median(one[name] for one in rounds) for name in RUNS}
    lines = []
    for name, took in medians.items():
        pieces = "--chunk" in RUNS[name]
        own = "" if pieces or name == "full" else f"{took / medians['full'] - 1:.2f}"
        lines.append([name, f"{took:.2f}", own, f"{took / medians[WHOLE]:.2f}" if pieces else ""])
    return head, lines


def tables(store):
    yield sizes()
    yield speed(store)

"""The measurements of `bounded_memory`: which memories, in which models, on which texts."""
import functools
import hashlib
import pathlib

from .common import BUNDLED_NAME, ROOT, data
from .real_plan import texts as held_out

WINDOW, TOKENS = 1024, 16384  # ids of a window and of a text
HEAD_DIM = 128
FOUR_BITS = "{4 bits}"  # stands for the path of a configuration
LENGTHS = (256, 512, 1024, 2048)
RATES = (0, 1e-4, 1e-3)
BANKS = "window=128,exact=32,summary=32"
BOUNDED, ONLY_WINDOW = f"{BANKS},store=fp16", "window=192,exact=0,summary=0,store=fp16"
# Models: the folder that they were trained into. GQA has no second query. The bounded ones and the window went on
# from the unbounded ones with that memory in place.
ARMS = {"untrained": None, "GQA": "gqa", "CoDA": "coda", "GQA, bounded": "gqa-bounded", "GQA, window": "gqa-window",
        "CoDA, bounded": "coda-bounded"}
SEEDS = (1, 2, 3)  # of the batches of both phases; folders of the second one on have it behind their name
CACHES = {  # by row; None is the full one
    "full": None,
    "window of 192": ONLY_WINDOW,
    "4 sinks and 188": "window=188,exact=4,sinks=4,summary=0,store=fp16",
    "128 and exact 64": "window=128,exact=64,summary=0,store=fp16",
    "128, 32, 32": BOUNDED,
    "128, 32, 32, 4 sinks": f"{BANKS},sinks=4,store=fp16",
    "128, 32, 32, band": f"{BOUNDED},summary_key=band",
    "128, 32, 32, lru": f"{BOUNDED},evict=lru",
    "128, 32, 32, no filter of novelty": f"{BOUNDED},novel=2",
    "128, 32, 32, records of 3 bits": BANKS,
    "128, 32, 32, records of 4 bits": f"{BANKS},config={FOUR_BITS}",
}
SLOTS_192 = [  # model, row
    ("untrained", "full"), ("untrained", "128, 32, 32, 4 sinks"), ("GQA", "full"), ("GQA, window", "window of 192"),
    ("GQA, window", "4 sinks and 188"), ("GQA, bounded", "128 and exact 64"), ("GQA, bounded", "128, 32, 32"),
    ("GQA, bounded", "full"), ("CoDA", "full"), *(("CoDA, bounded", row) for row in CACHES if row not in (
        "4 sinks and 188", "128, 32, 32, 4 sinks"))
]
# Unbounded model, the model that went on from it, and the memory with which it did.
PHASES = [("GQA", "GQA, window", "window of 192"), ("GQA", "GQA, bounded", "128, 32, 32"),
          ("CoDA", "CoDA, bounded", "128, 32, 32")]
SIZES = {"64, 16, 16": "window=64,exact=16,summary=16,store=fp16", "128, 32, 32": BOUNDED,
         "256, 64, 64": "window=256,exact=64,summary=64,store=fp16"}


def folder(arm, seed):
    return ARMS[arm] + (f"-{seed}" if seed != SEEDS[0] else "")


def configuration(store, bits, ecc="", head_dim=HEAD_DIM):
    """Writes the configuration of a macro with records of `bits` bits; returns its path."""
    name = f"{bits}-bits{'-coded' if ecc else ''}{'' if head_dim == HEAD_DIM else f'-{head_dim}'}.yaml"
    return store.put(name, f"macro: {{head_dim: {head_dim}, index_bits: {bits}}}\n{ecc}")


def cache_of(store, row, head_dim=HEAD_DIM):
    """The keys of the memory of a row; None for the full cache."""
    cache = CACHES[row]
    if cache and FOUR_BITS in cache:
        cache = cache.replace(FOUR_BITS, str(configuration(store, 4, head_dim=head_dim)))
    return cache


def texts():
    war = data() / "text" / "warpeace.txt"
    return held_out() | {"War and Peace": (war, int(war.stat().st_size * 0.95))}


@functools.cache
def digest(weights):
    return hashlib.sha256(weights.read_bytes()).hexdigest()[:8]


def known_as(store, model):
    """What the results of a model are filed under: its name and the digest of its weights. None if its folder is not
    there; it counts as missing then."""
    weights = ROOT / model / "model.safetensors"
    if weights.exists():
        return f"{model.name}-{digest(weights)}"
    if str(model) not in store.missing:
        store.missing.append(str(model))
    return None


class Campaign:
    """All results on one text. `trained`: the folder of the models that were trained."""

    def __init__(self, store, trained, text, seed=SEEDS[0]):
        self.store, self.trained, self.text, self.seed = store, pathlib.Path(trained), text, seed

    def seeds(self):
        """A campaign of each seed."""
        return [Campaign(self.store, self.trained, self.text, seed) for seed in SEEDS]

    def model(self, arm):
        return self.trained / folder(arm, self.seed) if ARMS[arm] else pathlib.Path(BUNDLED_NAME)

    def measure(self, arm, name, cache, window=WINDOW):
        """JSON of a memory beside the full cache; None if the time is over or the model is not there."""
        filed = known_as(self.store, self.model(arm))
        if filed is None:
            return None
        found = self.store.perplexities(
            f"{filed}/{self.text}/{name}".replace(" ", "-"), self.model(arm), texts()[self.text], window, TOKENS,
            "--no-noise", caches=[f"memory:{cache}" if cache else "fp16"])
        return found and found[0]

    def row(self, arm, row):
        return self.measure(arm, row, cache_of(self.store, row))

    def slots_192(self):
        """{(model, row): JSON} of what is measured."""
        return {key: run for key in SLOTS_192 if (run := self.row(*key))}

    def phases(self):
        """(row, full cache of the unbounded model, its memory, the bounded model's memory)."""
        for before, after, row in PHASES:
            for one in self.seeds():
                runs = one.row(before, "full"), one.row(before, row), one.row(after, row)
                if all(runs):
                    yield f"{before}, {row}, seed {one.seed}", *runs

    def two_by_two(self):
        """{arm: (full cache, memory of the model that was trained with it)}, or None"""
        arms = {"GQA": "GQA, bounded", "CoDA": "CoDA, bounded"}
        runs = {arm: (self.row(arm, "full"), self.row(bounded, "128, 32, 32")) for arm, bounded in arms.items()}
        return runs if all(run for pair in runs.values() for run in pair) else None

    def sizes(self):
        return {name: run for name, cache in SIZES.items() if (run := self.measure("CoDA, bounded", name, cache))}

    def lengths(self):
        """{length: (full cache of the unbounded model, memory of the bounded one)}"""
        pairs = {length: (self.measure("CoDA", f"full, {length}" if length != WINDOW else "full", None, length),
                          self.measure("CoDA, bounded", f"128, 32, 32, {length}" if length != WINDOW else "128, 32, 32",
                                       BOUNDED, length)) for length in LENGTHS}
        return {length: pair for length, pair in pairs.items() if all(pair)}

    def errors(self):
        """{(row, protection, rate): JSON} of records of 3 bits."""
        configurations = {"none": configuration(self.store, 3),
                          "Hamming(8,4)": configuration(self.store, 3, "ecc: {code: hamming84, erasure: zero}\n")}
        kinds = (("128, 32, 32", "CoDA, bounded", BANKS), ("window of 192", "GQA, window", "window=192,exact=0,summary=0"))
        found = {}
        for protection, config in configurations.items():
            for rate in RATES:
                for row, arm, slots in kinds:
                    cache = f"{slots},config={config}" + (f",ber={rate}" if rate else "")
                    if one := self.measure(arm, f"{row}, {protection}, {rate}", cache):
                        found[f"{arm}: {row}", protection, rate] = one
        return found

"""The measurements of `bounded_memory`: which memories, in which models, on which texts."""
import hashlib
import pathlib

from .common import BUNDLED, ROOT, data
from .real_plan import texts as held_out

WINDOW, TOKENS = 1024, 16384  # ids of a window and of a text
LENGTHS = (256, 512, 1024, 2048)
RATES = (0, 1e-4, 1e-3)
BANKS = "window=128,exact=32,summary=32"
BOUNDED, ONLY_WINDOW = f"{BANKS},store=fp16", "window=192,exact=0,summary=0,store=fp16"
# Models: the folder that they were trained into. GQA has no second query. The bounded ones and the window went on
# from the unbounded ones with that memory in place.
ARMS = {"untrained": None, "GQA": "gqa", "CoDA": "coda", "GQA, bounded": "gqa-bounded", "GQA, window": "gqa-window",
        "CoDA, bounded": "coda-bounded"}
SLOTS_192 = [  # row, model, cache; None is the full one
    ("full", "untrained", None),
    ("128, 32, 32, 4 sinks", "untrained", f"{BANKS},sinks=4,store=fp16"),
    ("full", "GQA", None),
    ("window of 192", "GQA, window", ONLY_WINDOW),
    ("4 sinks and 188", "GQA, window", "window=188,exact=4,sinks=4,summary=0,store=fp16"),
    ("128 and exact 64", "GQA, bounded", "window=128,exact=64,summary=0,store=fp16"),
    ("128, 32, 32", "GQA, bounded", BOUNDED),
    ("full", "CoDA", None),
    ("window of 192", "CoDA, bounded", ONLY_WINDOW),
    ("128 and exact 64", "CoDA, bounded", "window=128,exact=64,summary=0,store=fp16"),
    ("128, 32, 32", "CoDA, bounded", BOUNDED),
    ("128, 32, 32, band", "CoDA, bounded", f"{BOUNDED},summary_key=band"),
    ("128, 32, 32, lru", "CoDA, bounded", f"{BOUNDED},evict=lru"),
    ("128, 32, 32, no filter of novelty", "CoDA, bounded", f"{BOUNDED},novel=2"),
    ("128, 32, 32, records of 3 bits", "CoDA, bounded", BANKS),
    ("128, 32, 32, records of 4 bits", "CoDA, bounded", f"{BANKS},config={{4 bits}}"),
]
OWN = {("window of 192", "GQA, window"), ("128, 32, 32", "GQA, bounded"), ("128, 32, 32", "CoDA, bounded")}
PHASES = [  # row, unbounded model, bounded model, cache
    ("GQA, window of 192", "GQA", "GQA, window", ONLY_WINDOW),
    ("GQA, 128, 32, 32", "GQA", "GQA, bounded", BOUNDED),
    ("CoDA, 128, 32, 32", "CoDA", "CoDA, bounded", BOUNDED),
]
SIZES = {"64, 16, 16": "window=64,exact=16,summary=16,store=fp16", "128, 32, 32": BOUNDED,
         "256, 64, 64": "window=256,exact=64,summary=64,store=fp16"}


def texts():
    war = data() / "text" / "warpeace.txt"
    return held_out() | {"War and Peace": (war, int(war.stat().st_size * 0.95))}


def known_as(store, model):
    """What the results of a model are filed under: its name and the digest of its weights. None if its folder is not
    there; it counts as missing then."""
    weights = ROOT / model / "model.safetensors"
    if weights.exists():
        return f"{model.name}-{hashlib.sha256(weights.read_bytes()).hexdigest()[:8]}"
    if str(model) not in store.missing:
        store.missing.append(str(model))
    return None


class Campaign:
    """All results on one text. `trained`: the folder of the models that were trained."""

    def __init__(self, store, trained, text):
        self.store, self.trained, self.text = store, pathlib.Path(trained), text

    def model(self, arm):
        return self.trained / ARMS[arm] if ARMS[arm] else BUNDLED.relative_to(BUNDLED.parent.parent)

    def configuration(self, bits, ecc=""):
        """The file of a macro with records of so many bits."""
        name = f"{bits}-bits{'-coded' if ecc else ''}.yaml"
        return self.store.put(name, f"macro: {{head_dim: 128, index_bits: {bits}}}\n{ecc}")

    def measure(self, arm, name, cache, window=WINDOW):
        """JSON of a memory beside the full cache; None if the time is over or the model is not there."""
        path, skip = texts()[self.text]
        filed = known_as(self.store, self.model(arm))
        if filed is None:
            return None
        return self.store.json(f"{filed}/{self.text}/{name}".replace(" ", "-"), "perplexity", self.model(arm), path,
                               "--skip", skip, "--separate", "--window", window, "--tokens", TOKENS, "--no-noise",
                               "--cache", f"memory:{cache}" if cache else "fp16")

    def full(self, arm):
        return self.measure(arm, "full", None)

    def slots_192(self):
        """{(row, model): JSON} of what is measured."""
        four = self.configuration(4)
        runs = {(row, arm): self.measure(arm, row, cache and cache.replace("{4 bits}", str(four)))
                for row, arm, cache in SLOTS_192}
        return {key: run for key, run in runs.items() if run}

    def phases(self):
        """(row, full cache of the unbounded model, its memory, the bounded model's memory)."""
        for row, before, after, cache in PHASES:
            name = "window of 192" if cache == ONLY_WINDOW else "128, 32, 32"
            runs = self.full(before), self.measure(before, name, cache), self.measure(after, name, cache)
            if all(runs):
                yield row, *runs

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
        configurations = {"none": self.configuration(3),
                          "Hamming(8,4)": self.configuration(3, "ecc: {code: hamming84, erasure: zero}\n")}
        kinds = (("128, 32, 32", "CoDA, bounded", BANKS), ("window of 192", "GQA, window", "window=192,exact=0,summary=0"))
        found = {}
        for protection, config in configurations.items():
            for rate in RATES:
                for row, arm, slots in kinds:
                    cache = f"{slots},config={config}" + (f",ber={rate}" if rate else "")
                    if one := self.measure(arm, f"{row}, {protection}, {rate}", cache):
                        found[f"{arm}: {row}", protection, rate] = one
        return found

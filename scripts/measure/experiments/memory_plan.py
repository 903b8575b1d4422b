"""The measurements of `bounded_memory`: which memories, on which models and texts."""
from .common import BUNDLED, data
from .real_plan import texts as held_out

WINDOW, TOKENS = 1024, 16384  # ids of a window and of a text
LENGTHS = (256, 512, 1024, 2048)
RATES = (0, 1e-4, 1e-3)
BANKS = "window=128,exact=32,summary=32"
# 192 slots each. A model that was not trained with a memory wants its first tokens.
CACHES = {
    "full FP16": None,
    "window of 192": "window=192,exact=0,summary=0,store=fp16",
    "4 sinks and 188": "window=188,exact=4,sinks=4,summary=0,store=fp16",
    "128 and exact 64": "window=128,exact=64,sinks=4,summary=0,store=fp16",
    "128, 32, 32": f"{BANKS},sinks=4,store=fp16",
    "128, 32, 32, no sinks": f"{BANKS},store=fp16",
    "128, 32, 32, band": f"{BANKS},sinks=4,store=fp16,summary_key=band",
    "128, 32, 32, lru": f"{BANKS},sinks=4,store=fp16,evict=lru",
    "128, 32, 32, no filter of novelty": f"{BANKS},sinks=4,store=fp16,novel=2",
    "128, 32, 32, records of 3 bits": f"{BANKS},sinks=4",
    "128, 32, 32, records of 4 bits": f"{BANKS},sinks=4,config=4",
}


def models():
    return {"byte-llama-d128": BUNDLED.relative_to(BUNDLED.parent.parent)}


def texts():
    war = data() / "text" / "warpeace.txt"
    return held_out() | {"War and Peace": (war, int(war.stat().st_size * 0.95))}


class Campaign:
    """All results of one model on one text."""

    def __init__(self, store, model, text):
        self.store, self.model, self.text = store, model, text

    def configuration(self, bits, ecc=""):
        """The file of a macro with records of so many bits."""
        name = f"{bits}-bits{'-coded' if ecc else ''}.yaml"
        return self.store.put(name, f"macro: {{head_dim: 128, index_bits: {bits}}}\n{ecc}")

    def measure(self, name, cache, window=WINDOW):
        """JSON of a memory beside the full cache; None if the time is over."""
        path, skip = texts()[self.text]
        cache = cache and cache.replace("config=4", f"config={self.configuration(4)}")
        return self.store.json(f"{self.model}/{self.text}/{name}".replace(" ", "-"), "perplexity", models()[self.model],
                               path, "--skip", skip, "--separate", "--window", window, "--tokens", TOKENS, "--no-noise",
                               "--cache", f"memory:{cache}" if cache else "fp16")

    def caches(self):
        return {name: found for name, cache in CACHES.items() if (found := self.measure(f"1-{name}", cache))}

    def lengths(self):
        cache = CACHES["128, 32, 32"]
        return {length: found for length in LENGTHS if (found := self.measure(f"3-{length}", cache, length))}

    def errors(self):
        """{(protection, rate): JSON} of records of 3 bits."""
        configurations = {"none": self.configuration(3),
                          "Hamming(8,4)": self.configuration(3, "ecc: {code: hamming84, erasure: zero}\n")}
        found = {}
        for protection, config in configurations.items():
            for rate in RATES:
                for kind, slots in (("128, 32, 32", f"{BANKS},sinks=4"), ("window of 192", "window=192,exact=0,summary=0")):
                    cache = f"{slots},config={config}" + (f",ber={rate}" if rate else "")
                    if one := self.measure(f"6-{kind}-{protection}-{rate}", cache):
                        found[kind, protection, rate] = one
        return found

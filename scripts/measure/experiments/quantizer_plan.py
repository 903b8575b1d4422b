"""The measurements of `quantizers`: keys and values that cost as many bits as the paper's, and less of the model."""
from . import real_plan
from .common import BUNDLED
from .real_plan import keys, values

BITS = (2, 3, 4)
SEEDS = "1-10"
SWEEP_SEEDS = "1-3"
FIRST, LAST = (0, 1, 4), (0, 8, 16, 32, 64)
NEWEST = 16  # exact tokens of the tables


class Model:
    """`place`: what the program takes; `window`: ids that it sees at once; `tokens`: ids of a text."""

    def __init__(self, place, head_dim, window, tokens):
        self.place, self.head_dim, self.window, self.tokens = str(place), head_dim, window, tokens


def models():
    return {"smollm2-135m": Model("smollm2-135m", 64, 512, 4096),
            "byte-llama-d128": Model(BUNDLED.relative_to(BUNDLED.parent.parent), 128, 256, 16384)}


class Campaign:
    """All results of one model on one text."""

    def __init__(self, store, name, text):
        self.store, self.name, self.text, self.model = store, name, text, models()[name]

    def calibrated(self, place, name):
        """Names of the center and of the feedback of rank 1 and full, of the model at `place`; None if the time is over.
        Centers and feedback do not depend on the signs."""
        path, skip = real_plan.calibration_texts()["WikiText-2"]
        files = {}
        for rank in ("1", "full"):
            folder = f"{self.name}/{name}-{rank}"
            center, feedback = (self.store.path(f"{folder}/{kind}.safetensors") for kind in ("center", "feedback"))
            if not self.store.file(f"{folder}/signs.safetensors", "calibrate", place, path, "--skip", skip,
                                   "--candidates", 1, "--samples", 16, "--window", self.model.window,
                                   "--center", center, "--feedback", feedback, "--rank", rank):
                return None
            files[rank] = feedback
            files["center"] = center
        return files

    def balanced(self):
        """The model with balanced keys and queries, a folder; None if the time is over."""
        path, skip = real_plan.calibration_texts()["WikiText-2"]
        place = self.model.place
        if self.name != "byte-llama-d128":  # a GGUF file
            place = self.store.file(f"{self.name}/converted", "convert", place)
        balance = self.store.path(f"{self.name}/balance.safetensors")
        if not place or not self.store.file(f"{self.name}/balance.signs", "calibrate", place, path, "--skip", skip,
                                            "--candidates", 1, "--samples", 16, "--window", self.model.window,
                                            "--balance", balance):
            return None
        return self.store.file(f"{self.name}/balanced", "fold", place, "--balance", balance)

    def configuration(self, bits, kind="mse", scale="unbiased", center=None, first=0, last=0):
        parts = [kind, scale, f"{bits}", *(["centered", center.parent.name] if center else []), f"{first}-{last}"]
        text = (f"macro: {{head_dim: {self.model.head_dim}, index_bits: {bits}, max_keys: 8192}}\n"
                f"quantizer: {{kind: {kind}, scale: {scale}}}\n")
        if center:
            text += f"rotation: {{center: {center}}}\n"
        if first + last:
            text += f"exact: {{first: {first}, last: {last}}}\n"
        path = self.store.put(f"{self.name}/{'-'.join(parts)}.yaml", text)
        return f"axelram:config={path}"

    def measure(self, name, caches, *more, place=None):
        """The JSON of each cache, in order; None if the time is over or a cache could not be made."""
        path, skip = real_plan.texts()[self.text]
        command = ["perplexity", place or self.model.place, path, "--skip", skip, "--separate", "--window",
                   self.model.window, "--tokens", self.model.tokens, "--no-noise", *more]
        for cache in caches:
            command += ["--cache", cache]
        result = self.store.json(f"{self.name}/{self.text}/{name}", *command)
        return result and result.get("caches", [result])


def with_encoder(cache, feedback):
    return f"{cache},encoder=feedback:{feedback}"


def table_1(campaign):
    """{row: [JSON]}: keys alone, values alone and both, the paper's macro first."""
    files = campaign.calibrated(campaign.model.place, "as-it-is")
    place = campaign.balanced()
    of_balanced = place and campaign.calibrated(place, "balanced")
    rows = {}
    for bits in BITS:
        make = lambda *arguments, **options: campaign.configuration(bits, *arguments, **options)
        exact = {"first": 1, "last": NEWEST}
        ways = {"keys, plain": keys(make("mse", "norm")), "keys, unbiased": keys(make()),
                "keys, unbiased, trellis": keys(make("trellis")),
                f"keys, unbiased, first and newest {NEWEST} exact": keys(make(**exact))}
        if files:
            center = {"center": files["center"]}
            for kind, named in (("mse", ""), ("trellis", ", trellis")):
                for tokens, told in (({}, ""), ({"first": 1}, ", first exact"),
                                     (exact, f", first and newest {NEWEST} exact")):
                    cache = make(kind, **center, **tokens)
                    ways[f"keys, unbiased, center{told}{named}"] = keys(cache)
                    if tokens:
                        for rank in ("1", "full"):
                            ways[f"keys, unbiased, center{told}{named}, feedback {rank}"] = keys(
                                with_encoder(cache, files[rank]))
            both = with_encoder(make("trellis", **center, **exact), files["1"])
            plain = make("mse", "norm")
            ways["keys and values, plain"] = plain
            ways[f"keys and values, unbiased, first and newest {NEWEST} exact, trellis, keys with center and feedback 1"] = both
        ways["values, plain"] = values(make("mse", "norm"))
        ways["values, unbiased"] = values(make())
        for kind, named in (("mse", ""), ("trellis", ", trellis")):
            ways[f"values, unbiased, first and newest {NEWEST} exact{named}"] = values(make(kind, **exact))
        for name, cache in ways.items():
            found = campaign.measure(f"1-{name}-{bits}", [cache], "--seeds", SEEDS)
            if found:
                rows[f"{bits} bits, {name}"] = found
        if of_balanced:
            for name, options in (("", {}), (", first exact", {"first": 1}),
                                  (f", first and newest {NEWEST} exact", exact)):
                for kind, named in (("mse", ""), ("trellis", ", trellis")):
                    cache = keys(make(kind, center=of_balanced["center"], **options))
                    found = campaign.measure(f"1-balanced{name}{named}-{bits}", [cache], "--seeds", SEEDS, place=place)
                    if found:
                        rows[f"{bits} bits, keys, unbiased, center, balance{name}{named}"] = found
    return rows


def table_2(campaign):
    """Exact tokens: {(bits, first, last): [JSON]}."""
    files = campaign.calibrated(campaign.model.place, "as-it-is")
    rows = {}
    for bits in (2, 3) if files else ():
        for first in FIRST:
            for last in LAST:
                cache = keys(campaign.configuration(bits, center=files["center"], first=first, last=last))
                found = campaign.measure(f"2-{first}-{last}-{bits}", [cache], "--seeds", SWEEP_SEEDS)
                if found:
                    rows[bits, first, last] = found
    return rows

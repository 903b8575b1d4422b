"""The measurements of `quantizers`: keys and values that cost as many bits as the paper's, and less of the model."""
from . import models as all_models
from . import real_plan
from .real_plan import keys, values

BITS = (2, 3, 4)
MEASURED_FIRST = (3, 2, 4)
SWEEP_SEEDS = "1-3"
FIRST, LAST = (0, 1, 4), (0, 8, 16, 32, 64)
NEWEST = 16  # exact tokens of the tables
LENGTHS = (512, 2048, 8192)
BLOCKS = (512, 128, 32)  # positions that share a center
PAIRS, SCALE = 4, 8  # of the stressed keys


def models():
    return all_models.of("quantizers")


class Campaign:
    """All results of one model on one text."""

    def __init__(self, store, name, text, device="cpu"):
        self.store, self.name, self.text, self.model = store, name, text, models()[name]
        self.device = device

    def calibrate(self, name, place, *more):
        text = real_plan.calibration_texts()["WikiText-2"]
        return self.store.calibrated(name, place, text, self.model.window, *self.model.options, *more)

    def calibrated(self, place, name):
        """Names of the center and of the feedback of rank 1 and full, of the model at `place`; None if the time is over.
        Centers and feedback do not depend on the signs."""
        files = {}
        for rank in ("1", "full"):
            folder = f"{self.name}/{name}-{rank}"
            center, feedback = (self.store.path(f"{folder}/{kind}.safetensors") for kind in ("center", "feedback"))
            if not self.calibrate(f"{folder}/signs.safetensors", place, "--center", center, "--feedback",
                                  feedback, "--rank", rank):
                return None
            files[rank] = feedback
            files["center"] = center
        return files

    def centers(self, block):
        """The cache's key for centers of blocks of positions; None if the time is over."""
        centers = self.store.path(f"{self.name}/centers-{block}.safetensors")
        made = self.calibrate(f"{self.name}/centers-{block}.signs", self.model.place, "--centers", centers,
                              "--block", block)
        return f",centers={centers}" if made else None

    def directory(self):
        """The model as a Hugging Face directory; None if the time is over."""
        if self.name not in all_models.pretrained():
            return self.model.place
        return self.store.file(f"{self.name}/converted", "convert", self.model.place)

    def stressed(self):
        """The model with keys that are hard to quantize, a folder; None if the time is over."""
        place = self.directory()
        return place and self.store.file(f"{self.name}/stressed", "stress", place, "--layers", "all", "--pairs", PAIRS,
                                         "--scale", SCALE)

    def balanced(self, place, of="balance", to="balanced"):
        """The model at `place` with balanced keys and queries, a folder; None if the time is over."""
        balance = self.store.path(f"{self.name}/{of}.safetensors")
        if not place or not self.calibrate(f"{self.name}/{of}.signs", place, "--balance", balance):
            return None
        return self.store.file(f"{self.name}/{to}", "fold", place, "--balance", balance)

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

    def measure(self, name, caches, *more, place=None, window=None):
        """The JSON of each cache, in order; None if the time is over or a cache could not be made."""
        window = window or self.model.window
        # No kernel reads centers of positions.
        device = "cpu" if any("centers=" in cache for cache in caches) else self.device
        return self.store.perplexities(
            f"{self.name}/{self.text}/{name}", place or self.model.place, real_plan.texts()[self.text], window,
            max(window, self.model.tokens), "--no-noise", *self.model.options, *more, caches=caches, where=("--device", device))


def with_encoder(cache, feedback):
    return f"{cache},encoder=feedback:{feedback}"


def ways_of(campaign, bits, files, of_balanced):
    """[(row, cache, is the model balanced)] of one number of bits."""
    make = lambda *arguments, **options: campaign.configuration(bits, *arguments, **options)
    plain, exact = make("mse", "norm"), {"first": 1, "last": NEWEST}
    told = f"first and newest {NEWEST} exact"
    ways = [("keys, plain", keys(plain)), ("keys, unbiased", keys(make())),
            ("keys, unbiased, trellis", keys(make("trellis"))),
            (f"keys, unbiased, {told}", keys(make(**exact)))]
    if files:
        centered = {"center": files["center"]}
        rank_1 = lambda cache: with_encoder(cache, files["1"])
        all_of_it = rank_1(make("trellis", **centered, **exact))
        ways += [("keys, unbiased, center", keys(make(**centered))),
                 ("keys, unbiased, center, first exact", keys(make(**centered, first=1))),
                 (f"keys, unbiased, center, {told}", keys(make(**centered, **exact))),
                 (f"keys, unbiased, center, {told}, trellis", keys(make("trellis", **centered, **exact))),
                 ("keys, unbiased, center, first exact, feedback 1", keys(rank_1(make(**centered, first=1)))),
                 (f"keys, unbiased, center, {told}, feedback 1", keys(rank_1(make(**centered, **exact)))),
                 ("keys, unbiased, center, first exact, trellis, feedback 1",
                  keys(rank_1(make("trellis", **centered, first=1)))),
                 (f"keys, unbiased, center, {told}, trellis, feedback 1", keys(all_of_it)),
                 ("keys, unbiased, center, first exact, trellis, feedback full",
                  keys(with_encoder(make("trellis", **centered, first=1), files["full"]))),
                 ("keys and values, plain", plain),
                 (f"keys and values, unbiased, {told}, trellis, keys with center and feedback 1", all_of_it)]
    if of_balanced:
        centered = {"center": of_balanced["center"]}
        ways += [("keys, unbiased, center, balance", keys(make(**centered))),
                 ("keys, unbiased, center, balance, trellis", keys(make("trellis", **centered))),
                 ("keys, unbiased, center, balance, first exact, trellis",
                  keys(make("trellis", **centered, first=1)))]
    ways += [("values, plain", values(plain)), ("values, unbiased", values(make())),
             (f"values, unbiased, {told}, trellis", values(make("trellis", **exact)))]
    return [(name, cache, "balance" in name) for name, cache in ways]


def table_1(campaign):
    """{row: [JSON]}: keys alone, both, values alone; the paper's macro first."""
    files = campaign.calibrated(campaign.model.place, "as-it-is")
    place = campaign.balanced(campaign.directory())
    of_balanced = place and campaign.calibrated(place, "balanced")
    found = {}
    for bits in MEASURED_FIRST:
        for name, cache, balanced in ways_of(campaign, bits, files, of_balanced):
            found[bits, name] = campaign.measure(f"1-{name}-{bits}", [cache], "--seeds", campaign.model.seeds,
                                                 place=place if balanced else None)
    return {f"{bits} bits, {name}": found[bits, name] for bits in BITS
            for name, _, _ in ways_of(campaign, bits, files, of_balanced) if found[bits, name]}


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


def table_3(campaign):
    """Positions: {(bits, row): {window: [JSON]}}. One pattern of signs; centers are calibrated in short windows."""
    model = campaign.model
    if model.longest < max(LENGTHS):
        return {}
    files = campaign.calibrated(model.place, "as-it-is")
    blocks = {block: campaign.centers(block) for block in BLOCKS}
    rows = {}
    for bits in (3, 2) if files and all(blocks.values()) else ():
        make = lambda *arguments, **options: campaign.configuration(bits, *arguments, **options)
        exact = {"first": 1, "last": NEWEST}
        ways = {"unbiased, one center": make(center=files["center"]),
                f"unbiased, centers of {BLOCKS[-1]}": make() + blocks[BLOCKS[-1]],
                "exact tokens": make(**exact),
                "exact tokens, one center": make(center=files["center"], **exact),
                **{f"exact tokens, centers of {block}": make(**exact) + blocks[block] for block in BLOCKS},
                "exact tokens, one center, trellis, feedback 1":
                    with_encoder(make("trellis", center=files["center"], **exact), files["1"]),
                f"exact tokens, centers of {BLOCKS[-1]}, trellis, feedback 1":
                    with_encoder(make("trellis", **exact), files["1"]) + blocks[BLOCKS[-1]]}
        for name, cache in ways.items():
            for window in LENGTHS:
                found = campaign.measure(f"3-{name}-{window}-{bits}", [keys(cache)], "--seeds", "1", window=window)
                if found:
                    rows.setdefault((bits, name), {})[window] = found
    return rows


def table_4(campaign):
    """Keys with strong pairs of channels: {row: [JSON]}, as trained and stressed, without balance and with it."""
    if campaign.name != "byte-llama-d128":
        return {}
    places = {"as trained": campaign.directory(), "stressed": campaign.stressed()}
    rows = {}
    for told, place in places.items():
        for balance in ("", ", balance"):
            if balance:
                place = campaign.balanced(place, f"balance-{told}".replace(" ", "-"),
                                          f"balanced-{told}".replace(" ", "-"))
            files = place and campaign.calibrated(place, f"{told}{balance}".replace(" ", "-").replace(",", ""))
            if not files:
                continue
            for bits in (2, 3):
                ways = {"plain": campaign.configuration(bits, "mse", "norm"),
                        "unbiased, center": campaign.configuration(bits, center=files["center"])}
                for name, cache in ways.items():
                    found = campaign.measure(f"4-{told}{balance}-{name}-{bits}", [keys(cache)], "--seeds", campaign.model.seeds,
                                             place=place)
                    if found:
                        rows[f"{bits} bits, {told}{balance}, {name}"] = found
    return rows

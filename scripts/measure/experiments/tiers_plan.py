"""The measurements of `perplexity_tiers`: which tiered caches, on which models and texts."""
import os
import subprocess

from . import models as all_models
from . import real_plan
from .common import ROOT, run
from .real_plan import keys, values

PAIRS, SCALE, CONSTANT = 4, "8-20", 100  # of stressed keys
CALIBRATION_WINDOWS = 16
EQUAL = 0.03  # most difference of bytes that are called equal
HOTS, SINKS = (1, 32, 64, 128, 256), (0, 1, 4, 16)


def models():
    return all_models.of("tiers")


def row_bytes(store, d, value):
    """Bytes of a token in a store such as kivi2, groups of 32 (bit-contract.md#tiers-bytes)."""
    kind, bits = store[:-1], int(store[-1])
    codes = d * bits / 8
    outliers = 3 * (2 if d <= 128 else 4)
    return codes + {"kivi": 4 * d / 32, "squat": 4 * d / 32, "kvquant": outliers + (4 if value else 0), "axelram": 2}[kind]


class Campaign:
    """All results of one model on one text in one state; `known`: rows that are not measured again."""

    STATES = {"as trained": None, "constant": ("--bias", CONSTANT), "pairs": ("--pairs", PAIRS, "--scale", SCALE)}

    def __init__(self, store, name, text, state="as trained", known=()):
        self.store, self.name, self.text, self.state, self.model = store, name, text, state, models()[name]
        self.known = known
        self.place = self.stressed() if self.STATES[state] else self.model.place

    def converted(self):
        """The model as a folder of Hugging Face; None if the time is over."""
        if self.name not in all_models.pretrained():
            return self.model.place
        return self.store.file(f"{self.name}/converted", "convert", self.model.place)

    def stressed(self):
        """The model with harder keys, a folder; None if the time is over."""
        place = self.converted()
        return place and self.store.file(f"{self.name}/{self.state}", "stress", place, "--layers", "all",
                                         *self.STATES[self.state])

    def constants(self, rope, outliers=0.01, weighted=False):
        """The file of `axelram calibrate --tiers`; None if the time is over, or if weights need a PyTorch that is not
        there, or for stressed models, of which no row has them."""
        if weighted and self.STATES[self.state]:
            return None
        path, skip = real_plan.calibration_texts()["WikiText-2"]
        channels = min(64, self.model.head_dim // 2)  # so that squat has two blocks of channels in a head of 64, too
        name = (f"{self.name}/{self.state}-{rope}-{outliers}{'-weighted' * weighted}-{channels}.safetensors"
                .replace(" ", "-"))
        target = self.store.path(name)
        if target.exists() or not self.place:
            return target if self.place else None
        weights = self.weights(rope, path) if weighted else ()
        if weights is None or self.store.late(name, self.place):
            return None
        if weights and self.ids.exists():
            path = self.ids
        run("calibrate", self.place, path, *self.model.options, "--skip", skip, "--samples", CALIBRATION_WINDOWS, "--window",
            self.model.window, "--tiers", target, "--rope", rope, "--outliers", outliers, "--squat-channels", channels, *weights,
            "--force")
        return target

    @property
    def ids(self):
        """The ids of the text of calibration, if another tokenizer than the program's made them."""
        return self.store.path(f"{self.name}/calibration.ids.safetensors")

    def weights(self, rope, text):
        """Options of `calibrate` for squared gradients, made by the Python that AXELRAM_PYTORCH names; None without it."""
        python, target = os.environ.get("AXELRAM_PYTORCH"), self.store.path(f"{self.name}/{rope}.gradients.safetensors")
        if target.exists():
            return "--fisher", target
        folder, more = self.place, ()
        if self.name in all_models.pretrained():
            folder, more = self.converted(), ("--ids", self.ids)
        if not python or not folder or self.store.late(target):
            return None
        script = ROOT / "scripts" / "models" / "squared_gradients"
        subprocess.run([python, script, folder, text, "-o", target, "--rope", rope, "--samples",
                        str(CALIBRATION_WINDOWS), "--window", str(self.model.window), "--force", *more], check=True)
        return "--fisher", target

    def calibrated(self, place, kind, name):
        """What `axelram calibrate --kind` writes of the model at `place`, a file; None if the time is over."""
        text = real_plan.calibration_texts()["WikiText-2"]
        file = f"{self.name}/{self.state}-{name}".replace(" ", "-")
        target = self.store.path(f"{file}.safetensors")
        made = place and self.store.calibrated(f"{file}.signs", place, text, self.model.window, *self.model.options, f"--{kind}", target,
                                               samples=CALIBRATION_WINDOWS)
        return target if made else None

    def balanced(self):
        """The model with balanced keys and queries, a folder; None if the time is over."""
        factors = self.calibrated(self.place, "balance", "balance")
        return factors and self.store.file(f"{self.name}/{self.state}-balanced", "fold", self.place, "--balance", factors)

    def configuration(self, bits, quantizer="", center=None):
        """A macro: the paper's, or with another quantizer, or with a file of centers."""
        text = f"macro: {{head_dim: {self.model.head_dim}, index_bits: {bits}, max_keys: 8192}}\n"
        told = "".join(c for c in quantizer if c.isalnum()) or "plain"
        if center:
            text, told = text + f"rotation: {{center: {center}}}\n", center.stem
        return self.store.put(f"{self.name}/{bits}-{told}.yaml", text + quantizer)

    def uniform(self, store, hot=None, rope="post", **more):
        """One quantized tier behind the tail."""
        return self.tiers(None, store, hot=hot, warm=0, rope=rope, **more)

    def tiers(self, warm_store, archive, hot=None, warm=None, rope="post", outliers=0.01, weighted=False, **more):
        """The specification of a cache in tiers; None if the time is over."""
        asked = {"hot": hot or self.model.hot, "warm": self.model.warm if warm is None else warm}
        if warm_store:
            asked["warm_store"] = warm_store
        asked["archive_store"] = archive
        if rope != "post":
            asked["rope"] = rope
        if archive.startswith(("squat", "kvquant")):
            asked["calibration"] = self.constants(rope, outliers, weighted)
            if not asked["calibration"]:
                return None
        if "axelram" in archive or "axelram" in (warm_store or ""):
            asked["config"] = self.configuration(3)
        asked |= more
        return "tiered:" + ",".join(f"{key}={value}" for key, value in asked.items())

    def best(self, bits):
        """The best of the macro's quantizers at the bytes of the paper's, behind the same tail."""
        config = self.configuration(bits, "quantizer: {kind: trellis, scale: unbiased}\n")
        return f"axelram:config={config},exact_newest={self.model.hot}"

    def measure(self, name, cache, windows=("--separate",), place=None):
        """[JSON] of a cache; None if the time is over or it could not be made."""
        place = place or self.place
        if not cache or not place:
            self.store.missing.append(f"{self.name}/{self.text}/{name}")
            return None
        return self.store.perplexities(
            f"{self.name}/{self.text}/{self.state}-{name}".replace(" ", "-"), place, real_plan.texts()[self.text],
            self.model.window, self.model.tokens, "--no-noise", *self.model.options, caches=[cache], windows=windows)

    def costs(self, number, ways, windows=("--separate",)):
        """(rows in order, {row: [JSON]}) of (row, cache), without rows that are known or for which there was no time."""
        found = {name: self.measure(f"{number}-{name}", cache, windows) for name, cache in ways if name not in self.known}
        return [name for name, _ in ways], {name: runs for name, runs in found.items() if runs}


def stores(campaign):
    """[(row, cache of keys and values)]: each store behind the same tail."""
    c = campaign
    ways = []
    for bits in (4, 3, 2):
        ways.append((f"kivi{bits}", c.uniform(f"kivi{bits}")))
        ways.append((f"kivi{bits}, before rotation", c.uniform(f"kivi{bits}", rope="pre")))
    for group in (64, 128):
        ways += [(f"kivi{bits}, groups of {group}",
                  c.uniform(f"kivi{bits}", group=group, step=group, value_group=min(group, c.model.head_dim)))
                 for bits in (4, 2)]
    for rope in ("post", "pre"):
        told = ", before rotation" if rope == "pre" else ""
        ways.append((f"squat2{told}", c.uniform("squat2", rope=rope)))
    for bits in (4, 3, 2):
        ways.append((f"kvquant{bits}, before rotation", c.uniform(f"kvquant{bits}", rope="pre")))
        ways.append((f"kvquant{bits}, before rotation, sink 1", c.uniform(f"kvquant{bits}", rope="pre", sink=1)))
    ways += [("kvquant3, before rotation, no outliers", c.uniform("kvquant3", rope="pre", outliers=0)),
             ("kvquant2, before rotation, no outliers", c.uniform("kvquant2", rope="pre", outliers=0)),
             ("kvquant2, before rotation, Q-Norm", c.uniform("kvquant2", rope="pre", qnorm=1)),
             ("kvquant3, before rotation, weighted", c.uniform("kvquant3", rope="pre", weighted=True)),
             ("kvquant2, before rotation, weighted", c.uniform("kvquant2", rope="pre", weighted=True)),
             ("int4", f"int4:mode=asymmetric,group=32,exact_newest={c.model.hot}")]
    for bits in (4, 3, 2):
        ways += [(f"axelram{bits}", c.uniform(f"axelram{bits}")),
                 (f"axelram{bits}, unbiased, trellis", c.best(bits))]
    return ways


def table_1(campaign):
    """Keys, values and both in each store."""
    ways = []
    for name, cache in stores(campaign):
        told = [(f"{name}: keys", keys(cache)), (f"{name}: both", cache)]
        if "before rotation" not in name:
            told.insert(1, (f"{name}: values", values(cache)))
        ways += told
    return campaign.costs("1", ways)


def equal_warm(campaign, warm_store, archive, store):
    """(warm, difference) of tiers that take the bytes of `store` alone, at the end of a window: the warm tokens whose
    bytes come nearest."""
    model, d = campaign.model, campaign.model.head_dim
    both = lambda name: row_bytes(name, d, False) + row_bytes(name, d, True)
    coded = (model.window - model.hot) // 32 * 32
    aim = coded * both(store)
    total = lambda warm: warm * both(warm_store) + (coded - warm) * both(archive)
    best = min(range(0, coded + 1, 32), key=lambda warm: abs(total(warm) - aim))
    tail = (model.window - coded) * 4 * d
    return best, (total(best) - aim) / (aim + tail)


# Tiers, and what they are compared with at equal bytes.
PAIRED = (("kivi4", "kivi2", "kivi3"), ("kivi4", "squat2", "kivi3"), ("kivi4", "kvquant2", "kivi3"),
          ("axelram4", "axelram2", "axelram3"))


def table_2(campaign):
    """Tiers against one store, at equal bytes and with the sizes of ADR-004."""
    c, ways = campaign, []
    for warm_store, archive, store in PAIRED:
        warm, difference = equal_warm(c, warm_store, archive, store)
        if warm and abs(difference) <= EQUAL:
            ways.append((f"{warm_store} and {archive}, bytes of {store}", c.tiers(warm_store, archive, warm=warm)))
    for warm_store, archive in (("kivi4", "kivi2"), ("kivi4", "kivi3"), ("kivi4", "squat2"), ("kivi4", "kvquant2"),
                                ("kivi4", "kvquant3"), ("axelram4", "axelram2")):
        ways.append((f"{warm_store} and {archive}", c.tiers(warm_store, archive)))
    ways += [(f"kivi4 and {archive}, sink 1", c.tiers("kivi4", archive, sink=1))
             for archive in ("kivi2", "kvquant2", "kvquant3")]
    ways += [(f"{store} alone", c.uniform(store)) for store in ("kivi4", "kivi3", "kivi2", "axelram3", "axelram2")]
    ways.append(("int4 alone", f"int4:mode=asymmetric,group=32,exact_newest={c.model.hot}"))
    return c.costs("2", ways)


def table_3(campaign):
    """How much of it is the tail, and the first tokens."""
    c = campaign
    ways = [(f"kivi2, hot {hot}", c.uniform("kivi2", hot=hot)) for hot in HOTS if hot < c.model.window]
    ways += [(f"kivi2, sink {sink}", c.uniform("kivi2", sink=sink)) for sink in SINKS]
    return c.costs("3", ways)


def table_4(campaign):
    """Keys that are hard: as table 1, fewer stores, keys alone; and what centers and balance do for records."""
    c = campaign
    names, rows = c.costs("4", [(name, keys(cache)) for name, cache in stores(c)
                                if "groups" not in name and "no outliers" not in name and "Q-Norm" not in name
                                and "weighted" not in name])
    for told, place in (("center", lambda: c.place), ("balance, center", c.balanced)):
        for bits in (4, 3, 2):
            name = f"axelram{bits}, {told}"
            names.append(name)
            if name in c.known:
                continue
            made = place()
            center = c.calibrated(made, "center", told.replace(", ", "-"))
            cache = center and keys(c.uniform(f"axelram{bits}", config=c.configuration(3, center=center)))
            if runs := c.measure(f"4-{name}", cache, place=made):
                rows[name] = runs
    return names, rows


def table_6(campaign):
    """Tiers against one store at equal bytes where both have older tokens: windows overlap by half, and predictions of the
    second half count."""
    c, ways, alone = campaign, [], {}
    for warm_store, archive, store in PAIRED:
        warm, difference = equal_warm(c, warm_store, archive, store)
        if warm and abs(difference) <= EQUAL:
            ways.append((f"{warm_store} and {archive}, bytes of {store}", c.tiers(warm_store, archive, warm=warm)))
            alone[f"{store} alone"] = c.uniform(store)
    return c.costs("6", ways + list(alone.items()), ("--stride", c.model.window // 2))


TABLES = {"1": (table_1, "stores, behind the same tail"), "2": (table_2, "tiers by age against one store"),
          "3": (table_3, "the tail and the first tokens"), "4": (table_4, "keys that are hard"), "5": (None, "archives that are made of warm rows"),
          "6": (table_6, "tiers by age against one store, the second half of each window")}

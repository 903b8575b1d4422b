"""The measurements of `real_models`: which caches, on which models and texts."""
import pathlib
import re

from . import models as all_models
from .common import data, held_out
from .protections import PROTECTIONS, with_keys

BITS = (2, 3, 4)
CANDIDATES = 200
SELECTED_BITS = (2, 3)
RATES = (1e-4, 1e-3, 1e-2)
FAULT_SEEDS = 3
CALIBRATION_WINDOWS = (1, 4, 16, 64)
LENGTHS = (512, 2048, 8192)
EXACT_TOKENS = (1, 4, 16)
EXACT_CHANNELS = (1, 2, 4, 8)
# The layers with the largest cost, of which each head is measured.
WORST_LAYERS = 3


def models():
    return all_models.of("real_models")


def texts():
    """Name: file, bytes to skip."""
    return dict(zip(all_models.TEXTS, ((file, skip) for _, file, skip in held_out())))


def calibration_texts():
    return {"WikiText-2": (data() / "text" / "wikitext2-valid.txt", 0),
            "Shakespeare": (data() / "text" / "shakespeare.txt", 0)}


class Campaign:
    """All results of one model on one text."""

    def __init__(self, store, model, text, windows):
        self.store, self.model, self.text, self.windows = store, model, text, windows
        self.folder = f"{model.name}/{text}"

    def configuration(self, name, bits, rotation=""):
        path = self.store.put(f"{self.model.name}/{name}.yaml",
                              f"macro: {{head_dim: {self.model.head_dim}, index_bits: {bits}, max_keys: 8192}}\n"
                              f"rotation: {{{rotation}}}\n")
        return f"axelram:config={path}"

    def plain(self, bits):
        return self.configuration(f"plain-{bits}", bits)

    def calibrated(self, name, bits, seed, windows=8, text="WikiText-2", centered=False):
        """(signs, center) as files beside the configurations; None if the time is over. Signs that begin with seed
        1 + 1000 * seed are the best of their own candidates."""
        path, skip = calibration_texts()[text]
        folder = self.model.name
        center = self.store.path(f"{folder}/{name}.center.safetensors")
        signs = self.store.file(
            f"{folder}/{name}.signs.safetensors", "calibrate", self.model.place, path, "--skip", skip, "--bits", bits,
            "--candidates", CANDIDATES, "--seed", 1 + 1000 * seed, "--samples", windows, *self.model.options,
            *(["--center", center] if centered else []))
        return signs and (signs.name, center.name)

    def centered(self, bits, windows=8, text="WikiText-2"):
        found = self.calibrated(f"center-{text}-{windows}", 3, 0, windows, text, True)
        return found and self.configuration(f"centered-{text}-{windows}-{bits}", bits, f"center: {found[1]}")

    def selected(self, bits, seed, centered):
        name = f"{'both' if centered else 'selected'}-{bits}-{seed}"
        found = self.calibrated(name, bits, seed, centered=centered)
        rotation = found and f"signs: {found[0]}" + (f", center: {found[1]}" if centered else "")
        return found and self.configuration(name, bits, rotation)

    def place_of_text(self):
        """File, bytes to skip."""
        return texts()[self.text]

    def measure(self, name, caches, *more, length=None, windows=None):
        """The JSON of each cache, in order; None if the time is over or a cache could not be made."""
        caches = list(caches)
        if any(cache is None for cache in caches):
            self.store.missing.append(f"{self.folder}/{name}")
            return None
        window = length or self.model.window
        tokens = self.model.ids(windows or self.windows, window)
        return self.store.perplexities(f"{self.folder}/{name}", self.model.place, self.place_of_text(), window,
                                       tokens, *self.model.options, *more, caches=caches)


def without(cache, key):
    """A cache without a key that has no effect on what it keeps."""
    return re.sub(rf"([:,]){key}=[^,]*,?", r"\1", cache).rstrip(":,")


def keys(cache):
    return cache and f"keys={without(cache, 'value_group')};values=fp16"


def values(cache):
    return cache and f"keys=fp16;values={without(cache, 'group')}"


def with_key(cache, text):
    return cache and with_keys(cache, text)


def table_1(campaign):
    """{row: [JSON]}: keys, values and both at each width; the ways to choose signs; INT4."""
    rows = {}
    for bits in BITS:
        plain, centered = campaign.plain(bits), campaign.centered(bits)
        for name, cache in (("keys, plain", keys(plain)), ("keys, centered", keys(centered)),
                            ("values, plain", values(plain)), ("keys and values, plain", plain)):
            found = campaign.measure(f"1-{name}-{bits}", [cache], "--seeds", campaign.model.seeds)
            if found:
                rows[f"{bits} bits, {name}"] = found
        for name, both in (("keys, signs selected", False), ("keys, both", True)) if bits in SELECTED_BITS else ():
            caches = [keys(campaign.selected(bits, seed, both)) for seed in range(1, campaign.model.patterns + 1)]
            found = campaign.measure(f"1-{'both' if both else 'selected'}-{bits}", caches, "--no-noise")
            if found:
                rows[f"{bits} bits, {name}"] = found
    caches = [part(f"int4:mode={mode}") for mode in ("symmetric", "asymmetric") for part in (keys, values, str)]
    found = campaign.measure("1-int4", caches)
    for one in found or []:
        rows[one["cache"]] = [one]
    return rows


def table_2(campaign):
    """Where it hurts, at 2 and 3 bits: {name: [JSON]}."""
    rows = {}
    for bits in (2, 3):
        plain, centered = campaign.plain(bits), campaign.centered(bits)
        layers = campaign.measure(f"2-layers-{bits}", (keys(with_key(plain, f"layer={layer}"))
                                                       for layer in range(campaign.model.layers)), "--no-noise")
        if layers:
            rows[f"layers {bits}"] = layers
            worst = sorted(range(len(layers)), key=lambda layer: -layers[layer]["kl"])[:WORST_LAYERS]
            if campaign.model.heads > 1:
                rows[f"heads {bits}"] = campaign.measure(
                    f"2-heads-{bits}", (keys(with_key(plain, f"layer={layer},head={head}")) for layer in worst
                                        for head in range(campaign.model.heads)), "--no-noise")
        ways = [""] + [f"exact_tokens={n}" for n in EXACT_TOKENS] + [f"exact_channels={n}" for n in EXACT_CHANNELS]
        ways.append("exact_tokens=1,exact_channels=4")
        for name, cache in (("plain", plain), ("centered", centered)):
            rows[f"exact {bits} {name}"] = campaign.measure(
                f"2-exact-{name}-{bits}", (keys(with_key(cache, way)) for way in ways), "--no-noise")
    return {name: found for name, found in rows.items() if found}


def table_3(campaign):
    """INT4 keys and values under bit errors: {(protection, rate): JSON}."""
    rows = {}
    clean = campaign.measure("3-clean", (cache for _, cache, _ in PROTECTIONS), "--no-noise")
    for (name, _, _), one in zip(PROTECTIONS, clean or []):
        rows[name, 0] = one
    for rate in RATES:
        found = campaign.measure(f"3-{rate:g}", (with_key(cache, f"ber={rate:g}") for _, cache, _ in PROTECTIONS),
                                 "--seeds", f"1-{FAULT_SEEDS}", "--no-noise")
        for (name, _, _), one in zip(PROTECTIONS, found or []):
            rows[name, rate] = one
    return rows


def table_4(campaign):
    """Centers of one text on another: {(text, windows, bits): JSON}."""
    places = [(text, windows, bits) for text in calibration_texts() for windows in CALIBRATION_WINDOWS
              for bits in (2, 3)]
    found = campaign.measure("4-centers", (keys(campaign.centered(bits, windows, text))
                                           for text, windows, bits in places), "--no-noise")
    return dict(zip(places, found or []))


def table_5(campaign):
    """Long contexts: {(length, way): JSON and divergences by position}."""
    rows = {}
    for length in LENGTHS:
        if length > campaign.model.longest:
            continue
        windows = max(1, LENGTHS[-1] // length)
        for way, cache in (("plain", campaign.plain(3)), ("centered", campaign.centered(3)),
                           ("plain, first token exact", with_key(campaign.plain(3), "exact_tokens=1"))):
            name = f"5-{length}-{way}"
            positions = campaign.store.path(f"{campaign.folder}/{name}.kl.safetensors")
            found = campaign.measure(name, [keys(cache)], "--no-noise", "--kl", positions, "--force", length=length,
                                     windows=windows)
            if found:
                rows[length, way] = (found[0], pathlib.Path(positions))
    return rows


def table_6(campaign):
    """Algorithm 1: {candidates: seconds}, the reading of the model and the keys of 8 windows among them."""
    path, skip = calibration_texts()["WikiText-2"]
    signs = campaign.store.path(f"{campaign.folder}/6-signs.safetensors")
    rows = {}
    for candidates in (1, CANDIDATES):
        name = f"{campaign.folder}/6-{candidates}"
        if campaign.store.json(name, "calibrate", campaign.model.place, path, "--skip", skip, "--bits", 3, "--candidates",
                               candidates, "--samples", 8, *campaign.model.options, "-o", signs, "--force"):
            rows[candidates] = campaign.store.seconds(name)
    return rows

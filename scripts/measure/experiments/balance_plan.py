"""The measurements of `balance`: which exponents of balance suit keys, with feedback and without it."""
from . import with_numpy  # noqa: F401, before numpy

import numpy

import tensor_files

from . import models as all_models
from . import real_plan
from .common import data
from .real_plan import keys
from .tensors import tensors

BITS = (3, 2)
CALIBRATION_BYTES, MEASURED_BYTES, WINDOWS = 24000, 5200, 4
SAMPLES = 16
MOST_GAIN = 0.25  # of a balanced head (bit-contract.md#exponents-rule)
LEAST, MOST = -8, 7
ENCODERS = ("hardware", "feedback 1")
# Models that balance costs: their factors are measured in the macro and folded into the weights.
FOLDED = ("smollm2-135m",)
OF_FOLDED = "deflated queries, every head"
WIDEST = "numerics: {significand_bits: 20, boundary_fraction_bits: 16, query_bits: 16, centroid_bits: 16}\n"


def models():
    return all_models.of("balance")


class Heads:
    """Energies of the pairs of channels of every layer and KV head, by what `calibrate --balance --feedback --rank full`
    wrote: [layers, heads, pairs]. Those of keys are up to a factor for each head, which no exponent depends on."""

    def __init__(self, balance, feedback):
        made, fed = tensors(balance)[0], tensors(feedback)[0]
        powers = numpy.exp2(-made["balance"].astype(numpy.float64))
        self.moments = fed["moments"].astype(numpy.float64) * powers[..., :, None] * powers[..., None, :]
        self.whole = self.of_pairs(numpy.diagonal(self.moments, axis1=-2, axis2=-1))
        self.keys = made["lambdas"].astype(numpy.float64) ** 4 * self.whole
        values, vectors = numpy.linalg.eigh(self.moments)
        leading = vectors[..., -1] ** 2
        without = lambda rest: numpy.maximum(self.whole - self.of_pairs((values[..., -1] - rest)[..., None] * leading), 0)
        self.deflated = without(values[..., -2])
        self.to_mean = without(values[..., :-1].mean(-1))

    @staticmethod
    def of_pairs(channels):
        half = channels.shape[-1] // 2
        return channels[..., :half] + channels[..., half:]

    def gain(self, queries):
        """G of every head."""
        return (numpy.sqrt(self.keys * queries).sum(-1) ** 2) / (self.keys.sum(-1) * queries.sum(-1))

    def logs(self, queries):
        """Base-2 logarithms of the factors; 0 for pairs without energy, which do not count in the mean."""
        there = (self.keys > 0) & (queries > 0)
        found = numpy.log2(numpy.where(there, self.keys, 1) / numpy.where(there, queries, 1)) / 4
        mean = (found * there).sum(-1) / numpy.maximum(there.sum(-1), 1)
        return (found - mean[..., None]) * there


def by_rule(heads, queries):
    return heads.logs(queries) * (heads.gain(queries) <= MOST_GAIN)[..., None]


# Row: logarithms of the factors of heads.
RULES = {
    "no balance": lambda heads: 0 * heads.keys,
    "whole queries, by the rule": lambda heads: by_rule(heads, heads.whole),
    "deflated queries, by the rule": lambda heads: by_rule(heads, heads.deflated),
    "whole queries, every head": lambda heads: heads.logs(heads.whole),
    "deflated queries, every head": lambda heads: heads.logs(heads.deflated),
    "deflated to the mean, every head": lambda heads: heads.logs(heads.to_mean),
    "deflated queries, times 1 - G": lambda heads: heads.logs(heads.deflated) * (1 - heads.gain(heads.deflated))[..., None],
}


class Campaign:
    """All results of one model."""

    def __init__(self, store, model, seeds):
        self.store, self.model, self.seeds, self.made = store, model, seeds, {}
        self.calibration = store.put("warpeace.txt", (data() / "text" / "warpeace.txt").read_bytes()[:CALIBRATION_BYTES])
        wikitext, _ = real_plan.texts()["WikiText-2"]
        self.measured = store.put("wikitext2.txt", wikitext.read_bytes()[:MEASURED_BYTES])

    def file(self, name):
        return self.store.path(f"{self.model.name}/{name}.safetensors")

    def calibrate(self, name, *more, place=None):
        return self.store.calibrated(f"{self.model.name}/{name}.signs.safetensors", place or self.model.place,
                                     (self.calibration, 0), self.model.window, *self.model.options, *more, samples=SAMPLES)

    def heads(self):
        """None if the time is over."""
        balance, moments = self.file("balance"), self.file("moments")
        done = self.calibrate("energies", "--balance", balance, "--feedback", moments, "--rank", "full")
        return done and Heads(balance, moments)

    def configuration(self, rule, bits, *rotation, more=""):
        text = (f"{more}macro: {{head_dim: {self.model.head_dim}, index_bits: {bits}}}\n"
                "quantizer: {kind: trellis, scale: unbiased}\nexact: {first: 1, last: 16}\n"
                f"rotation: {{{', '.join(rotation)}}}\n")
        return self.store.put(f"{self.model.name}/{rule}-{bits}-{len(rotation)}.yaml", text)

    def files(self, heads, rule):
        """(balance, center, feedback) of a rule; None if the time is over."""
        told = rule.replace(",", "").replace(" ", "-")
        powers = numpy.clip(numpy.rint(RULES[rule](heads)), LEAST, MOST).astype("i1")
        powers = numpy.concatenate((powers, powers), -1)
        balance = self.store.put(f"{self.model.name}/{told}.safetensors",
                                 tensor_files.packed({"balance": ("I8", powers.shape, powers.tobytes())}))
        center, feedback = self.file(f"{told}-center"), self.file(f"{told}-feedback")
        config = self.configuration(told, 3, f"balance: {balance}")
        done = self.calibrate(told, "--center", center, "--feedback", feedback, "--config", config)
        return done and (told, int((powers != 0).any(-1).sum()), balance, center, feedback)

    def measure(self, told, caches, place=None):
        """The JSON of each cache; None if the time is over."""
        return self.store.perplexities(f"{self.model.name}/{told}", place or self.model.place, (self.measured, 0),
                                       self.model.window, self.model.ids(WINDOWS, self.model.window), *self.model.options,
                                       "--no-noise", "--seeds", self.seeds, caches=caches)

    def caches(self, told, ways, center, feedback, *rotation, more=""):
        """Of each (bits, encoder)."""
        for bits, encoder in ways:
            config = self.configuration(told, bits, *rotation, f"center: {center}", more=more)
            yield keys(f"axelram:config={config}" + (f",encoder=feedback:{feedback}" if encoder != ENCODERS[0] else ""))

    def costs(self, heads, rule):
        """(balanced heads, {(bits, encoder): JSON}); None if the time is over."""
        files = self.files(heads, rule)
        if not files:
            return None
        told, balanced, balance, center, feedback = files
        ways = [(bits, encoder) for bits in BITS for encoder in ENCODERS]
        found = self.measure(told, list(self.caches(told, ways, center, feedback, f"balance: {balance}")))
        return found and (balanced, dict(zip(ways, found)))

    def folded(self, told, lambdas):
        """[JSON] by BITS of the model whose weights have the factors; None if the time is over."""
        source = self.store.file(f"{self.model.name}/converted", "convert", self.model.place)
        factors = self.store.put(f"{self.model.name}/{told}-lambdas.safetensors",
                                 tensor_files.packed({"lambdas": ("F32", lambdas.shape, lambdas.tobytes())}))
        place = source and self.store.file(f"{self.model.name}/{told}", "fold", source, "--balance", factors)
        center, feedback = self.file(f"{told}-center"), self.file(f"{told}-feedback")
        if not place or not self.calibrate(told, "--center", center, "--feedback", feedback, "--config",
                                           self.configuration(told, 3), place=place):
            return None
        ways = [(bits, ENCODERS[1]) for bits in BITS]
        return self.measure(told, list(self.caches(told, ways, center, feedback)), place)

    def beside_folded(self, heads):
        """{row: [JSON] by BITS}: the same factors in the macro and in the weights, with feedback."""
        files, logs = self.files(heads, OF_FOLDED), RULES[OF_FOLDED](heads)
        if not files:
            return {}
        told, _, balance, center, feedback = files
        ways = [(bits, ENCODERS[1]) for bits in BITS]
        macro = lambda name, more: self.measure(
            f"beside-folded-{name}",
            list(self.caches(f"{told}-{name}", ways, center, feedback, f"balance: {balance}", more=more)))
        powers = numpy.exp2(numpy.clip(numpy.rint(logs), LEAST, MOST)).astype("f4")
        rows = {"powers of two, in the macro": macro("macro", ""),
                "powers of two, in the macro, widest words": macro("widest", WIDEST),
                "powers of two, in the weights": self.folded("powers", powers),
                "factors, in the weights": self.folded("factors", numpy.exp2(logs).astype("f4"))}
        return {row: found for row, found in rows.items() if found}

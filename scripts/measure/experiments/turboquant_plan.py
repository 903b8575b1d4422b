"""The measurements of `perplexity_turboquant`: QJL in three projections, and channels split by two rules."""
from . import quantizer_plan
from .quantizer_plan import NEWEST
from .real_plan import keys

models = quantizer_plan.models  # the same ones

BITS = (2, 3, 4)
MEASURED_FIRST = (3, 2, 4)
# Sub-vectors of the macro's splits, and the bits of the published ones, without norms.
SPLITS = ("4/2", "3/1", "3/2", "4/3")
PUBLISHED_BITS = (2.5, 3.5)
RULES = ("scores", "magnitude")
TOLD = f"first and newest {NEWEST} exact"
EXACT = f",exact_tokens=1,exact_newest={NEWEST}"


class Campaign(quantizer_plan.Campaign):
    """All results of one model on one text; `stress`: of the model with strong pairs of channels; `known`: rows that
    are not measured again."""

    def __init__(self, store, name, text, stress=False, known=()):
        super().__init__(store, name, text)
        self.known = known
        self.place = self.stressed() if stress else self.model.place
        self.state = "stressed" if stress else "as-it-is"

    def files(self):
        """{center, centers, scores, magnitude}: the center for the macro and for the double-precision cache, and the
        channels by both rules. None if the time is over."""
        if not self.place:
            return None
        found = {}
        for rule in RULES:
            folder = f"{self.name}/{self.state}-{rule}"
            made = {kind: self.store.path(f"{folder}/{kind}.safetensors") for kind in ("center", "centers", "channels")}
            # One block of positions has as many as a window, so that its center is that of all positions.
            if not self.calibrate(f"{folder}/signs.safetensors", self.place, "--center", made["center"],
                                  "--centers", made["centers"], "--block", self.model.window,
                                  "--channels", made["channels"], "--by", rule):
                return None
            found |= {"center": made["center"], "centers": made["centers"], rule: made["channels"]}
        return found

    def split(self, bits, kind="mse", channels=None, center=None):
        """A macro of two sub-vectors, unbiased. bits: "4/2"; channels: of sub-vector 0."""
        high, low = bits.split("/")
        text = (f"macro: {{head_dim: {self.model.head_dim}, max_keys: 8192}}\n"
                f"quantizer: {{kind: {kind}, scale: unbiased}}\nsplit: {{bits: [{high}, {low}], channels: {channels}}}\n")
        if center:
            text += f"rotation: {{center: {center}}}\n"
        told = "centered" if center else "plain"
        path = self.store.put(f"{self.name}/{self.state}-split-{high}{low}-{kind}-{channels.parent.name}-{told}.yaml", text)
        return f"axelram:config={path}"

    def costs(self, table, ways):
        """{row: [JSON]} of (row, cache), without rows that are known or for which there was no time."""
        found = {name: self.measure(f"{self.state}/{table}-{name}", [keys(cache)], "--seeds", self.model.seeds, place=self.place)
                 for name, cache in ways if name not in self.known}
        return {name: runs for name, runs in found.items() if runs}


def published(bits, files, center, **settings):
    """The algorithm of the paper in double precision, with the macro's rotation."""
    text = f"turboquant:bits={bits},rotation=hadamard"
    for key, value in settings.items():
        text += f",{key}={value}"
    return text + (f",centers={files['centers']}" if center else "")


def qjl_ways(campaign, bits, files):
    """[(row, cache)] of one number of bits: the codebook alone, then QJL."""
    ways = [(f"{bits} bits, codebook, plain", campaign.configuration(bits, "mse", "norm")),
            (f"{bits} bits, codebook, unbiased", campaign.configuration(bits))]
    for told, center, exact in (("", False, ""), (", center", True, ""), (f", center, {TOLD}", True, EXACT)):
        macro = campaign.configuration(bits, "prod", "norm", center=files["center"] if center else None)
        ways.append((f"{bits} bits, QJL Hadamard{told}", macro + exact))
        for projection in ("orthogonal", "gaussian"):
            cache = published(bits, files, center, kind="prod", projection=projection)
            ways.append((f"{bits} bits, QJL {projection}{told}", cache + exact))
    ways.append((f"{bits} bits, codebook, unbiased, center, {TOLD}",
                 campaign.configuration(bits, center=files["center"], first=1, last=NEWEST)))
    return ways


def table_1(campaign):
    """(rows in order, {row: [JSON]}): QJL beside codebooks of the same bits."""
    files, ways = campaign.files(), {}
    if not files:
        return [], {}
    ways = {bits: qjl_ways(campaign, bits, files) for bits in BITS}
    found = campaign.costs("1", [way for bits in MEASURED_FIRST for way in ways[bits]])
    return [name for bits in BITS for name, _ in ways[bits]], found


def table_2(campaign):
    """(rows in order, {row: [JSON]}): channels split by both rules; the paper's macro first."""
    files = campaign.files()
    if not files:
        return [], {}
    ways = [("3 bits, codebook, plain", campaign.configuration(3, "mse", "norm"))]
    for bits in SPLITS:
        told = f"split {bits} by scores, unbiased"
        ways.append((f"{told}, center, {TOLD}, trellis",
                     campaign.split(bits, "trellis", files["scores"], files["center"]) + EXACT))
        ways += [(f"split {bits} by {rule}, unbiased", campaign.split(bits, channels=files[rule])) for rule in RULES]
        ways.append((f"{told}, center", campaign.split(bits, channels=files["scores"], center=files["center"])))
    for bits in PUBLISHED_BITS:
        ways += [(f"{bits} bits as published, split by {rule}", published(bits, files, False, split=files[rule]))
                 for rule in RULES]
    return [name for name, _ in ways], campaign.costs("2", ways)

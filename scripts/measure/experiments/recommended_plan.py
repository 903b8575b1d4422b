"""The measurements of `recommended`: what `tune` finds for every pretrained model, beside what others would do."""
import hashlib

from . import models as all_models
from . import real_plan
from .common import ROOT, data
from .real_plan import keys, values

CALIBRATION_BYTES, SAMPLES = 24576, 16
WINDOWS, LONG_WINDOW, LONG_WINDOWS = 4, 2048, 2
BITS = (3, 2)
LONG = ("3 bits, keys, plain", "3 bits, keys, KIVI", "3 bits, keys, tuned")
SOURCES = "golden/keys"


def models():
    return all_models.of("recommended")


def source_code():
    """Sources of the macro's keys in C++, one text."""
    return b"".join(path.read_bytes() for path in sorted((ROOT / SOURCES).rglob("*.cpp")))


def digest_of_source():
    return hashlib.sha256(source_code()).hexdigest()


class Campaign(real_plan.Campaign):
    """All results of one model on one text."""

    def __init__(self, store, model, text):
        super().__init__(store, model, text, WINDOWS)
        self.calibration = store.put("warpeace.txt", (data() / "text" / "warpeace.txt").read_bytes()[:CALIBRATION_BYTES])

    def place_of_text(self):
        if self.text != all_models.SOURCE_CODE:
            return super().place_of_text()
        return self.store.put(f"source-{digest_of_source()[:16]}.txt", source_code()), 0

    def tuned(self, part, bits):
        """None if the time is over."""
        folder = self.store.file(f"{self.model.name}/tuned-{part}-{bits}", "tune", self.model.place, self.calibration,
                                 "--part", part, "--bits", bits, *self.model.options)
        return folder and f"tuned:{folder}"

    def former(self, bits):
        """What was recommended before there were exponents: one center and an encoder with feedback of rank 1."""
        folder = self.model.name
        center, feedback = (self.store.path(f"{folder}/former-{name}.safetensors") for name in ("center", "feedback"))
        if not self.store.calibrated(f"{folder}/former.signs.safetensors", self.model.place, (self.calibration, 0), 256,
                                     *self.model.options, "--center", center, "--feedback", feedback, samples=SAMPLES):
            return None
        path = self.store.put(f"{folder}/former-{bits}.yaml",
                              f"macro: {{head_dim: {self.model.head_dim}, index_bits: {bits}, max_keys: 8192}}\n"
                              "quantizer: {kind: trellis, scale: unbiased}\nexact: {first: 1, last: 16}\n"
                              f"rotation: {{center: {center.name}}}\n")
        return keys(f"axelram:config={path},encoder=feedback:{feedback}")

    def caches(self):
        """{row: cache or None}."""
        rows = {"4 bits, keys, plain": keys(self.plain(4))}
        for bits in BITS:
            rows |= {f"{bits} bits, keys, plain": keys(self.plain(bits)),
                     f"{bits} bits, keys, one center and feedback 1": self.former(bits),
                     f"{bits} bits, keys, KIVI": keys(f"kivi:bits={bits}"),
                     f"{bits} bits, keys, tuned": self.tuned("keys", bits)}
        rows |= {"3 bits, keys and values, plain": self.plain(3), "3 bits, keys and values, KIVI": "kivi:bits=3",
                 "3 bits, keys and values, tuned": self.tuned("both", 3),
                 "3 bits, values, plain": values(self.plain(3)), "4 bits, keys, INT4 with zero points": keys("int4:mode=asymmetric"),
                 "4 bits, keys and values, INT4 with zero points": "int4:mode=asymmetric"}
        return rows

    def costs_of(self, name, caches, window, windows):
        """{row: JSON} of the caches that could be measured. name: of their results."""
        found = {row: self.measure(f"{name}-{row}", [cache], "--no-noise", length=window, windows=windows)
                 for row, cache in caches.items()}
        return {row: one[0] for row, one in found.items() if one}

    def costs(self):
        """{row: JSON} in windows of 256."""
        return self.costs_of(self.model.window, self.caches(), self.model.window, self.windows)

    def long(self):
        """{row: JSON} in windows of 2048, and of the same ids in windows of 256, if the model sees as many."""
        if self.model.longest < LONG_WINDOW:
            return {}
        caches = {row: cache for row, cache in self.caches().items() if row in LONG}
        rows = {}
        for name, window in (("same-ids", self.model.window), (LONG_WINDOW, LONG_WINDOW)):
            found = self.costs_of(name, caches, window, LONG_WINDOWS * LONG_WINDOW // window)
            rows |= {f"{row}, windows of {window}": one for row, one in found.items()}
        return rows

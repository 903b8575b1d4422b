"""SPEC of a tiered store, and its plan: which tier each token is in."""
import re
from dataclasses import dataclass

NUMBERS = {"kivi": 0, "nested": 1, "squat": 2, "kvquant": 3, "axelram": 4}
POWERS = [2 ** i for i in range(3, 9)]
SIZES = range(2 ** 30)
TIERED = {"hot": (64, SIZES[1:]), "warm": (448, SIZES), "step": (32, SIZES[1:]), "sink": (0, SIZES), "group": (32, POWERS),
          "value_group": (32, POWERS), "rope": ("post", ["post", "pre"]),
          "warm_store": ("kivi4", ["kivi4", "kivi3", "axelram4", "axelram3"]),
          "archive_store": ("kivi2", [name + str(b) for name in NUMBERS if name != "nested" for b in (2, 3, 4)] + ["auto"]),
          "calibration": ("", None), "qnorm": (0, [0, 1]), "config": ("", None)}
KIVI = {name: TIERED[name] for name in ("hot", "step", "sink", "group", "value_group", "rope")} | {"bits": (4, [2, 3, 4])}
AUTO = ((2048, "kivi2"), (8192, "squat2"), (None, "kvquant3"))  # by the n at which a block moves


@dataclass
class Store:
    """Kind and bits of a store."""
    name: str
    bits: int
    number: int

    def code(self):
        return self.bits + 16 * self.number


def store(name, bits=None):
    match = re.fullmatch(r"([a-z]+)(\d?)", name)
    return Store(match[1], bits or int(match[2]), NUMBERS[match[1]])


class Side:
    """Settings of the keys or of the values of a store."""
    def __init__(self, text, keys):
        name, _, rest = text.partition(":")
        if name not in ("kivi", "tiered"):
            raise ValueError(f"cache {name!r}: must be kivi or tiered")
        table, given = {"kivi": KIVI, "tiered": TIERED}[name], {}
        for entry in rest.split(",") if rest else []:
            key, equals, value = entry.partition("=")
            if not equals or key not in table or key in given:
                raise ValueError(f"{name}: {entry!r}: the keys are {', '.join(table)}, each once, as key=value")
            number = isinstance(table[key][0], int)
            given[key] = int(value) if number and re.fullmatch(r"\d+", value) else value
            if number != isinstance(given[key], int) or table[key][1] is not None and given[key] not in table[key][1]:
                raise ValueError(f"{name}: {key}: {value!r} is not valid")
        settings = {key: default for key, (default, _) in TIERED.items()} | given
        if name == "kivi":
            settings |= {"warm": 0, "archive_store": f"kivi{given.get('bits', 4)}"}
        self.keys, self.settings = keys, settings
        self.hot, self.warm, self.step, self.sink = (settings[key] for key in ("hot", "warm", "step", "sink"))
        self.rope, self.value_group = settings["rope"], settings["value_group"]
        self.unit = settings["group"] if keys else 1  # tokens that are coded together
        self.archive, self.before = settings["archive_store"], settings["warm_store"]
        self.check()

    def check(self):
        if self.step % self.unit:
            raise ValueError(f"group {self.unit} does not divide step {self.step}")
        if self.archive == "auto" and self.rope != "pre":
            raise ValueError("archive_store auto needs rope=pre")
        used = "".join(self.stores())
        for key, has_effect in (("warm_store", self.warm), ("calibration", "squat" in used or "kvquant" in used),
                                ("qnorm", "kvquant" in used), ("config", "axelram" in used),
                                ("value_group", "kivi" in used or "squat" in used)):
            if not has_effect and self.settings[key] != TIERED[key][0]:
                raise ValueError(f"{key} has no effect")
        if self.keys and self.rope == "pre" and any(name.startswith("axelram") for name in self.stores()):
            raise ValueError("keys of axelram need rope=post")

    def stores(self):
        """Names of the stores in use."""
        archive = [name for _, name in AUTO] if self.archive == "auto" else [self.archive]
        return ([self.before] if self.warm else []) + archive

    def bounds(self, n):
        """-> (w, a): tokens [0, sink) are FP16, [sink, a) archive, [a, w) warm, [w, n) hot."""
        def end(newer):
            return self.sink + max(0, n - self.sink - newer) // self.step * self.step

        return end(self.hot), end(self.hot + self.warm)

    def archived_at(self, token):
        """The n at which a token's block moves into the archive."""
        steps = (token - self.sink) // self.step + 1
        return self.sink + self.hot + self.warm + steps * self.step

    def archive_of(self, token):
        """The store of a token that has moved into the archive."""
        if self.archive != "auto":
            return store(self.archive)
        return store(next(name for end, name in AUTO if end is None or self.archived_at(token) < end))

    def size(self, kind, d, outliers):
        """Bytes of a key block or of a value in a store; `outliers`: exact elements of a row of KVQuant."""
        codes = d * kind.bits // 8
        if kind.name == "kvquant":
            return self.unit * (codes + 3 * outliers + (0 if self.keys else 4))
        if kind.name == "axelram":
            return self.unit * (codes + 2)
        return d * self.unit * kind.bits // 8 + (4 * d if self.keys else 4 * d // self.value_group)


def parse(spec, d):
    """-> the sides of keys and of values."""
    texts = spec, spec
    if spec.startswith("keys="):
        texts = spec[5:].split(";")
        if len(texts) != 2 or not texts[1].startswith("values="):
            raise ValueError(f"{spec!r}: must be keys=...;values=...")
        texts = texts[0], texts[1][7:]
    sides = [Side(text, keys) for text, keys in zip(texts, (True, False))]
    if spec.startswith("keys="):
        for side, key in zip(sides, ("value_group", "group")):
            if side.settings[key] != TIERED[key][0]:
                raise ValueError(f"{key} has no effect on these rows alone")
    if sides[1].value_group > d:
        raise ValueError(f"value_group {sides[1].value_group} exceeds d = {d}")
    return sides

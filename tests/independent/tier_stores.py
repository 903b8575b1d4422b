"""Blocks of a store: what is kept of G keys or of one value, and what they decode to."""
from dataclasses import dataclass, field
from functools import cache

import config
import kivi
import nuq
import tier_spec
from attention import binary_scale
from floats import norm_parts
from halves import UNIT, single_bits, singles, widened
from macro import Macro
from tier_calibration import Calibration
from vectors import rotate


@dataclass
class Row:
    """A key or value as a query meets it: FP32 numbers, and A of each channel."""
    decoded: list
    extents: list
    record: object = None  # of a macro

    def bits(self):
        return single_bits(self.decoded)


@dataclass
class Block:
    code: int  # bits + 16 · kind
    data: bytes
    rows: list
    groups: list = field(default_factory=list)  # of KIVI


def plain(raw):
    """An FP16 row."""
    decoded = widened(raw)
    return Row(decoded, [abs(x) for x in decoded])


class Constants:
    """What a store needs besides its rows: each is read when a store asks for it."""
    def __init__(self, side, d, layer, head):
        self.side, self.d, self.layer, self.head = side, d, layer, head

    @cache
    def calibration(self):
        path = self.side.settings["calibration"]
        if not path:
            raise ValueError("squat and kvquant need calibration=FILE")
        return Calibration(path, self.d, self.layer, self.head, self.side.rope)

    @cache
    def feedback(self):
        return self.calibration().feedback()

    @cache
    def ranges(self):
        return self.calibration().ranges()

    @cache
    def book(self, bits):
        return self.calibration().book("key" if self.side.keys else "value", bits, self.side.settings["qnorm"])

    @cache
    def macro(self, bits):
        path = self.side.settings["config"]
        if not path:
            raise ValueError("axelram needs config=FILE")
        c = config.load(path) | {"index_bits": bits, "layer": self.layer, "head": self.head}
        default = {"kind": "mse", "scale": "norm", "code": "none", "element_format": "fp16", "head_dim": self.d}
        wrong = [key for key, value in default.items() if c[key] != value]
        if wrong or c["channels"] or c["first"] + c["last"] or c["centroid_bits"] > 8:
            raise ValueError(f"{path}: {', '.join(wrong) or 'split, exact or centroid_bits'}: not for tiers")
        macro = Macro(c)
        if not self.side.keys:
            macro.center = macro.balance = None
        return macro

    def load(self):
        """Reads and checks the constants of all stores in use."""
        for kind in map(tier_spec.store, self.side.stores()):
            if kind.name == "axelram":
                self.macro(kind.bits)
            if kind.name == "kvquant":
                self.book(kind.bits)
            if self.side.keys and kind.name in ("squat", "kvquant"):
                self.feedback() if kind.name == "squat" else self.ranges()

    def size(self, kind):
        exact = self.calibration().exact if kind.name == "kvquant" else 0
        return self.side.size(kind, self.d, exact)


def of_groups(kind, groups, keys, nested=False):
    """KIVI's block of the groups of channels of keys, or of the groups of one value."""
    step, bits = (5, 4) if nested else (1, kind.bits)
    decoded = [kivi.values(group, step) for group in groups]
    extents = [group.extent(bits) * UNIT for group in groups]
    if keys:
        rows = [Row(list(row), extents) for row in zip(*decoded)]
    else:
        rows = [Row([x for row in decoded for x in row], [a for row, a in zip(decoded, extents) for _ in row])]
    return Block(kind.code(), kivi.stored(groups, kind.bits), rows, groups)


def demoted(block, keys):
    """The block of 4 bits as the nested one of 2 bits."""
    return of_groups(tier_spec.store("nested", 2), [group.demoted() for group in block.groups], keys, nested=True)


def of_record(macro, record):
    """A row that is a record of a macro."""
    (part,), d = record.parts, macro.d
    significand, exponent = binary_scale(macro.score_scale(), 24)
    sigma, epsilon = norm_parts(part.norm)
    turned = rotate(macro.paths[0].column(part), [1] * d)
    scale = 2.0 ** (exponent + epsilon)
    x = [s * v * sigma * significand * scale for s, v in zip(macro.paths[0].signs, turned)]
    if macro.center:
        x = [v + c for v, c in zip(x, widened(macro.center))]
    if macro.balance:
        x = [v * 2.0 ** power for v, power in zip(x, macro.balance)]
    decoded = singles(x)
    norm = sum(v * v for v in decoded) ** 0.5
    return Row(decoded, [norm] * d, record)


def code(raws, kind, constants):
    """FP16 rows -> their block in a store."""
    side = constants.side
    if kind.name in ("kivi", "squat"):
        if not side.keys:
            return of_groups(tier_spec.store("kivi", kind.bits), [kivi.code(x, kind.bits) for x in
                                                                  kivi.groups_of(raws[0], side.value_group)], False)
        channels = kivi.channels_of(raws)
        if kind.name == "squat":
            return of_groups(kind, constants.feedback().code(channels, kind.bits), True)
        return of_groups(kind, [kivi.code(x, kind.bits) for x in channels], True)
    if kind.name == "kvquant":
        book, exact = constants.book(kind.bits), constants.calibration().exact
        rows = [nuq.key(raw, *constants.ranges(), book, exact) if side.keys else nuq.value(raw, book, exact) for raw in raws]
        return Block(kind.code(), b"".join(row.stored(kind.bits) for row in rows), [Row(row.decoded, row.extents) for row in rows])
    macro = constants.macro(kind.bits)
    records = [macro.write(raw) for raw in raws]
    return Block(kind.code(), b"".join(map(macro.pack, records)), [of_record(macro, record) for record in records])

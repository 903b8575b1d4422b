#!/usr/bin/env python3
"""Likelihoods of a tiny language model whose keys and values are stored in few bits, of `axelram perplexity` and of a pass of
one's own: the inner-product quantizer, splits of 2.5 and 3.5 bits, exact tokens, bit errors whose erasures are repaired, and
tiers whose constants `axelram calibrate` makes of keys before their rotation.

check_model.py AXELRAM MODEL [--only TEXT] [--slow]

MODEL is a directory that language_model.py reads, with expected.safetensors: `tokens` I32 [texts, ids]. Its heads have 32
elements. Every likelihood is within LIMIT nats. What a case costs on average, beside floats, is printed: LIMIT is far below.
Exit codes: 0 equal, 1 different."""
import argparse
import pathlib
import struct
import sys
import tempfile
from dataclasses import dataclass
from random import Random

import config
import safetensors
from check_calibration import sliding
from language_model import LanguageModel
from macro import Macro
from model_stores import Errors, Floats, Records, Tiers
from program import run
from residual import Prod
from safetensors import Tensor
from split import Split

LAYERS, HEADS, DIM, SPAN = 2, 2, 32, 8
LIMIT = 2e-3  # an element beside a boundary may round to the other side
CLOSE = 1e-5  # of floats


@dataclass
class Case:
    """Records of the macro of a configuration, or, with `store`, tiers."""
    name: str
    yaml: str = ""
    ber: float = 0.0
    store: str = ""
    rope: str = "pre"
    slow: bool = False


def split(bits, more=""):
    return f"quantizer: {{scale: unbiased{more}}}\nsplit: {{bits: {bits}, channels: channels.safetensors}}\n"


CODE = "ecc: {code: %s, erasure: %s}\n"
CASES = [
    Case("3 bits", "macro: {head_dim: 32}\n"),
    Case("prod, 2 bits", "macro: {head_dim: 32, index_bits: 2}\nquantizer: {kind: prod}\n"),
    Case("prod, 3 bits", "macro: {head_dim: 32}\nquantizer: {kind: prod}\n"),
    Case("prod, 4 bits", "macro: {head_dim: 32, index_bits: 4}\nquantizer: {kind: prod}\n", slow=True),
    Case("2.5 bits", "macro: {head_dim: 32}\n" + split([3, 2])),
    Case("3.5 bits", "macro: {head_dim: 32}\n" + split([4, 3])),
    Case("2.5 bits, trellis", "macro: {head_dim: 32}\n" + split([3, 2], ", kind: trellis"), slow=True),
    Case("3.5 bits, trellis", "macro: {head_dim: 32}\n" + split([4, 3], ", kind: trellis"), slow=True),
    Case("2.5 bits, center", "macro: {head_dim: 32}\nrotation: {center: channels.safetensors}\n" + split([4, 1])),
    Case("exact tokens", "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\nexact: {first: 2, last: 5}\n"),
    Case("erasures", "macro: {head_dim: 32}\n" + CODE % ("hamming84", "interpolate"), 0.03),
    Case("erasures, prod", "macro: {head_dim: 32}\nquantizer: {kind: prod}\n" + CODE % ("hamming84", "interpolate"), 0.03),
    Case("erasures, split", "macro: {head_dim: 32}\n" + split([3, 2]) + CODE % ("golay24", "interpolate"), 0.08),
    Case("erasures, exact tokens", "macro: {head_dim: 32}\nquantizer: {scale: unbiased}\nexact: {first: 1, last: 3}\n"
         + CODE % ("hamming84", "interpolate"), 0.03),
    Case("erasures as zero", "macro: {head_dim: 32}\n" + CODE % ("golay24", "zero"), 0.08, slow=True),
    Case("squat2, before rotation", store="squat2"),
    Case("kvquant2, before rotation", store="kvquant2"),
    Case("kivi2, before rotation", store="kivi2", slow=True),
    Case("kvquant3, levels, before rotation", store="kvquant3,qnorm=1", slow=True),
    Case("squat3, after rotation", store="squat3", rope="post", slow=True),
]
# Of a model whose queries do not see all tokens, what depends on its other tokens.
SLIDING = {"erasures, exact tokens", "squat2, before rotation", "erasures as zero", "kivi2, before rotation",
           "kvquant3, levels, before rotation"}


def constants(path):
    random = Random(3)
    high = [channel for _ in range(LAYERS * HEADS) for channel in sorted(random.sample(range(DIM), DIM // 2))]
    center = [random.getrandbits(1) << 15 | random.randint(0x2800, 0x3800) for _ in range(LAYERS * HEADS * DIM)]
    safetensors.write(str(path), {"high": Tensor.pack("I32", [LAYERS, HEADS, DIM // 2], high),
                                  "center": Tensor.pack("F16", [LAYERS, HEADS, DIM], center)}, {})


def theirs(axelram, model, folder, cache):
    """-> the likelihoods of all texts, one after the other."""
    out = folder / "nll.safetensors"
    run(axelram, "perplexity", model, model / "expected.safetensors", "--cache", cache, "--baseline", "f32", "--no-noise",
        "--nll", out, "--force")
    tensor = safetensors.read(str(out))[0]["nll"]
    code, size = ("d", 8) if tensor.dtype == "F64" else ("f", 4)
    return struct.unpack(f"<{len(tensor.data) // size}{code}", tensor.data)


def mine(model, texts, store_of):
    """store_of(window) -> store_of(layer, head)."""
    return [x for window, ids in enumerate(texts) for x in model.likelihoods(ids, store_of(window))]


def records(path, case):
    """-> (`--cache`, its stores)."""
    path.write_text(case.yaml)
    c = config.load(str(path))
    kind = Prod if c["kind"] == "prod" else Split if c["channels"] else Macro

    def of_window(window):
        errors = Errors(case.ber, 42, window) if case.ber else None
        return lambda layer, head: Records(c, kind, layer, head, errors)

    return f"axelram:config={path}" + (f",ber={case.ber},fault_seed=42" if case.ber else ""), of_window


def tiers(axelram, folder, path, model, case):
    made = folder / f"{case.rope}.tiers"
    run(axelram, "calibrate", path, path / "expected.safetensors", "--tiers", made, "--samples", 1, "--window", 24, "--rope", case.rope,
        "--squat-channels", 8, "--squat-rank", 6, "--outliers", 0.1, "--force")
    keys = "group=8" if case.store.startswith("kvquant") else "group=8,value_group=8"
    if not case.store.startswith("kivi"):
        keys += f",calibration={made}"
    spec = f"tiered:hot=4,warm=0,step=8,rope={case.rope},archive_store={case.store},{keys}"
    return spec, lambda window: lambda layer, head: Tiers(spec, model, layer, head)


class Check:
    """The cases of one model."""
    def __init__(self, axelram, path, folder):
        self.axelram, self.path, self.folder, self.failures = axelram, path, folder, []
        self.model = LanguageModel(path)
        self.texts = safetensors.read(str(path / "expected.safetensors"))[0]["tokens"].rows()
        self.floats = mine(self.model, self.texts, lambda window: lambda layer, head: Floats())
        self.compare("floats", self.floats, "f32", CLOSE)

    def compare(self, name, own, cache, limit):
        other = theirs(self.axelram, self.path, self.folder, cache)
        off = [abs(x - y) for x, y in zip(own, other)]
        cost = sum(abs(x - y) for x, y in zip(own, self.floats)) / len(own)
        print(f"{self.path.name}, {name}: within {max(off):.1e}, {cost:.1e} from floats on average", flush=True)
        if len(own) != len(other) or not max(off) <= limit:
            place = off.index(max(off))
            self.failures.append(f"{self.path.name}, {name}: prediction {place} is {other[place]}, to be {own[place]}")

    def case(self, case):
        made = (tiers(self.axelram, self.folder, self.path, self.model, case) if case.store
                else records(self.folder / "config.yaml", case))
        self.compare(case.name, mine(self.model, self.texts, made[1]), made[0], LIMIT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axelram")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--slow", action="store_true")
    a = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        constants(folder / "channels.safetensors")
        for path in (a.model, sliding(a.model, SPAN, folder)):
            check = Check(a.axelram, path, folder)
            for case in CASES:
                if case.slow == a.slow and a.only in case.name and (path == a.model or case.name in SLIDING):
                    check.case(case)
            failures += check.failures
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

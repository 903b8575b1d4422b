"""Random bit errors, and the macros and traces that meet them: a random configuration with a code, and for each token flips of
its codewords."""
import json
import os
from random import Random

import contract
import ecc
import effects
import parameters
import safetensors
from attention_macro import AttentionMacro
from command_rows import CommandMaker
from config import ALL_DEFAULTS
from faulty_memory import EVERY_READ, NEXT_READ, OFF
from floats import DTYPE
from rows import Maker
from safetensors import Tensor
from segments import COLUMNS

# Errors in a word that no decoder puts right. Words of Hsiao codes hold several elements, and parts of them.
LEAST = {"hamming74": 2, "hamming84": 2, "golay24": 4, "hsiao_13_8": 2, "hsiao_22_16": 2, "hsiao_39_32": 2, "hsiao_72_64": 2}


class FaultMaker:
    def __init__(self, code, bits, random):
        self.random, self.code, self.n = random, code, ecc.CODES[code][0]
        self.words, self.bytes = ecc.words(code, bits), ecc.size(code, bits)
        self.norms = range((bits - 16) // ecc.CODES[code][1], self.words)  # words of the last norm
        # The same words of many tokens, so that neighbours are erased, too.
        self.hot = random.sample(range(self.words), random.randint(1, self.words))

    def hit(self, words, weights):
        """-> a mask with as many errors as one of the weights in each of these words."""
        return sum(1 << self.n * word + bit for word in words
                   for bit in self.random.sample(range(self.n), self.random.choice(weights)))

    def some(self):
        return [word for word in range(self.words) if self.random.random() < self.random.choice([0.1, 0.5])]

    def mask(self):
        least = LEAST[self.code]
        kinds = [lambda: 0, lambda: 0,
                 lambda: self.hit(range(self.words), range(least)),  # corrected
                 lambda: self.hit(self.some(), [least]),
                 lambda: self.hit(self.hot, [least]),
                 lambda: self.hit(range(self.words), [least]),  # nothing is left
                 lambda: self.hit(self.norms, [least]),
                 lambda: self.hit(self.some(), range(self.n + 1)),
                 lambda: self.hit(self.some(), [1]) | self.hit(self.hot, [least])]
        return self.random.choice(kinds)()

    def tensor(self, masks):
        return Tensor.pack("U8", [len(masks), self.bytes], b"".join(mask.to_bytes(self.bytes, "little") for mask in masks))


def configuration(seed, file, kind, hardware):
    """-> (the sections of a configuration with a code, the tensors of its calibration file)."""
    random = Random(f"faults {seed}")
    sections, tensors = parameters.draw(seed, file, two_parts=kind == "two-parts", attention=kind == "attention")
    sections["rotation"].pop("balance", None)  # the hardware applies no exponents
    if hardware:
        d = sections["macro"]["head_dim"] = 32
        sections["macro"]["max_keys"] = random.choice([5, 20, 48])
        sections["microarchitecture"] = {lanes: random.choice([d, d // 4]) for lanes in ("key_lanes", "read_lanes")}
        if "attention" in sections:
            sections["attention"]["group"] = random.choice([1, 2])
        tensors = parameters.calibration(random, d, sections["macro"]["element_format"])
    code = random.choice(["hamming84", "golay24", *LEAST])
    erasure = random.choice(["interpolate", "interpolate", "interpolate", "zero", "keep"])
    if sections["quantizer"].get("kind") == "trellis":
        erasure = "keep"  # several levels depend on an index
    sections["ecc"] = {"code": code, "erasure": erasure, "stages": random.randrange(3)}
    return effects.without_idle(sections, ALL_DEFAULTS), tensors


def vectors(macro, random, tokens, queries, attention):
    """-> the tensors of a trace; the rows on the edges of the contract are the business of other checks."""
    maker = Maker(macro.d, macro.form, random)
    kinds = [maker.gaussian, maker.gaussian, maker.outliers, maker.gaussian, maker.spread, maker.gaussian, maker.mixed, maker.zeros]

    def tensor(count):
        rows = [kinds[i % len(kinds)]() for i in range(count)]
        return Tensor.pack(DTYPE[macro.form], [count, macro.d], [raw for row in rows for raw in row])

    result = {"keys": tensor(tokens), "queries": tensor(queries)}
    if attention:
        rows = CommandMaker(macro, random).make(tokens, queries // macro.group)
        result["values"] = tensor(tokens)
        result["commands"] = Tensor.pack("I32", [len(rows), COLUMNS], [number for row in rows for number in row])
    return result


def write(folder, seed, kind, hardware=False):
    """Writes config.yaml and trace.safetensors -> whether reads write back what they correct."""
    sections, tensors = configuration(seed, "constants.safetensors", kind, hardware)
    safetensors.write(os.path.join(folder, "constants.safetensors"), tensors, {}, True)
    path = os.path.join(folder, "config.yaml")
    with open(path, "w") as file:
        json.dump(sections, file, indent=1)
    macro, random = contract.load(path), Random(seed)
    attention = isinstance(macro, AttentionMacro)
    makers = [FaultMaker(macro.code, macro.size(), random) for _ in range(2 if attention else 1)]
    tokens, groups = (48, 14) if attention else (min(16, macro.max_keys), 6)
    trace = vectors(macro, random, tokens, groups * macro.group if attention else groups, attention)
    for name, maker in zip(("key", "value"), makers):
        trace[f"{name}_masks"] = maker.tensor([maker.mask() for _ in range(tokens)])
    if attention:
        for name, maker in zip(("key", "value"), makers):
            trace[f"{name}_read_masks"] = maker.tensor([maker.mask() for _ in range(groups)])
        modes = [random.choice([OFF, OFF, OFF, NEXT_READ, EVERY_READ]) for _ in range(2 * groups)]
        trace["read_modes"] = Tensor.pack("I32", [groups, 2], modes)
    safetensors.write(os.path.join(folder, "trace.safetensors"), trace, {}, True)
    return random.random() < 0.5

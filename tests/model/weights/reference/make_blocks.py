#!/usr/bin/env python3
"""Makes blocks.safetensors: blocks of each GGUF type, and the floats that the package gguf makes of them.

To run it again: `pip install gguf safetensors`, then `python make_blocks.py`. `TYPE.data` U8 [bytes] are
blocks, `TYPE.values` F32 [values] what gguf.quants.dequantize returns. Blocks come from gguf's quantizer
where it has one; all types also have blocks of random bytes, whose scales are then set to zero, to
subnormal, to negative and to large numbers.
"""

import pathlib

import gguf
import numpy
from safetensors.numpy import save_file

TYPES = "F32 F16 BF16 Q8_0 Q4_0 Q4_1 Q5_0 Q5_1 Q4_K Q5_K Q6_K".split()
SCALES_AT = {  # byte offsets of the F16 scales in a block
    "Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2],
    "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
}  # fmt: skip
SCALES = [0.0, -0.0, 5.96e-8, -3.05e-5, 0.0123, -1.5, 311.0, 65504.0]
VALUES = 512


def quantized(type_, random):
    values = (random.standard_normal(VALUES) * 0.02).astype(numpy.float32)
    try:
        return gguf.quants.quantize(values, type_).view(numpy.uint8)
    except NotImplementedError:
        return numpy.zeros(0, numpy.uint8)


def random_blocks(name, type_, random):
    _, size = gguf.GGML_QUANT_SIZES[type_]
    blocks = random.integers(0, 256, (len(SCALES), size), dtype=numpy.uint8)
    for block, scale in enumerate(SCALES):
        for order, place in enumerate(SCALES_AT[name]):
            half = numpy.float16(scale if order == 0 else SCALES[-1 - block])
            blocks[block, place : place + 2] = numpy.frombuffer(half.tobytes(), numpy.uint8)
    return blocks.ravel()


def main():
    random = numpy.random.default_rng(20261123)
    tensors = {}
    for name in TYPES:
        type_ = gguf.GGMLQuantizationType[name]
        data = quantized(type_, random)
        if name in SCALES_AT:
            data = numpy.concatenate([data, random_blocks(name, type_, random)])
        tensors[name + ".data"] = data
        tensors[name + ".values"] = gguf.quants.dequantize(data, type_).astype(numpy.float32).ravel()
    save_file(tensors, pathlib.Path(__file__).with_name("blocks.safetensors"))


main()

"""FP16 numbers as integers in units of 2^-24, and lists of floats rounded to FP16 and FP32. Computed zeros are +0."""
import struct

from floats import significand, to_fp16

LARGEST = 65504.0
UNIT = 2.0 ** -24


def units_of(raw):
    """FP16 bits -> the multiple of 2^-24 that they are; infinities and NaN have none."""
    v, exponent = significand(raw, "fp16")
    return v << exponent + 14 if raw & 0x7C00 != 0x7C00 else None


UNITS = [units_of(raw) for raw in range(1 << 16)]


def half(n, exponent=-24):
    """FP16 bits of RNE(n · 2^exponent), saturated at 65504."""
    bits = to_fp16(abs(n), exponent)
    return bits | 0x8000 if n < 0 and bits else bits


def widened(row):
    """FP16 bits -> floats, -0 kept."""
    return list(struct.unpack(f"<{len(row)}e", struct.pack(f"<{len(row)}H", *row)))


def halves(values):
    """FP16 bits of the RNE of each float, saturated at 65504."""
    kept = [min(LARGEST, max(-LARGEST, x)) for x in values]
    rounded = struct.unpack(f"<{len(kept)}H", struct.pack(f"<{len(kept)}e", *kept))
    return [bits if bits & 0x7FFF else 0 for bits in rounded]


def singles(values):
    """FP32 RNE of each float, as floats."""
    return [x + 0.0 for x in struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}f", *values))]


def single_bits(values):
    """FP32 bits of floats that are FP32 numbers."""
    return struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))


def floats_of(bits):
    """FP32 bits -> floats."""
    return list(struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *bits)))


def packed(codes, bits):
    """Codes, the first at bit 0 -> bytes; the codes fill whole bytes."""
    assert len(codes) * bits % 8 == 0
    string = 0
    for code in reversed(codes):
        string = string << bits | code
    return string.to_bytes(len(codes) * bits // 8, "little")


def half_bytes(row):
    return struct.pack(f"<{len(row)}H", *row)

"""Value rows in floating point: v^, masters, and the keys of `band` (contract: one token, steps 2a and 2b; v^(y))."""
import math
import struct

LARGEST = 65504.0
ROOT_OF_TWO = struct.unpack("<f", struct.pack("<f", math.sqrt(2)))[0]


def single(x):
    """FP32 RNE of a double, as a float; -0 is kept."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def half(x):
    """FP16 RNE of a float, saturated at 65504; -0 is kept."""
    return struct.unpack("<e", struct.pack("<e", min(LARGEST, max(-LARGEST, x))))[0]


def half_bits(row):
    return list(struct.unpack(f"<{len(row)}H", struct.pack(f"<{len(row)}e", *row)))


def half_floats(raw):
    return list(struct.unpack(f"<{len(raw)}e", struct.pack(f"<{len(raw)}H", *raw)))


def input_bits(row):
    """FP16 RNE of each float: bits. Beyond 65504 an infinity, a NaN stays one (contract: inputs of a token)."""
    def bits(x):
        if math.isfinite(x) and abs(x) >= 65520:
            x = math.copysign(math.inf, x)
        return struct.unpack("<H", struct.pack("<e", x))[0]

    return [bits(x) for x in row]


def rebuilt(records, read):
    """v^ of a record as read: each product has at most 50 bits, exact in double before it is rounded to FP32."""
    (scale,) = struct.unpack("<f", struct.pack("<I", records.scale_bits))
    integers, epsilon = records.back(read)
    return [single(math.ldexp(scale * n, epsilon)) for n in integers]


def eta(blend, gate):
    return single(blend * gate / 65025)


def blended(old, new, weight, rounded):
    """old + weight·(new - old): each operation rounds to FP32, the result by `rounded` as well."""
    return [rounded(single(m + single(weight * single(v - m)))) for m, v in zip(old, new)]


def slower(d, pairing):
    """Channels of the slower half of the rotary pairs."""
    pairs = [(2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + d // 2) for i in range(d // 4, d // 2)]
    return {channel for pair in pairs for channel in pair}


def band_source(key, channels):
    """FP32 RNE(sqrt 2 · k_i) in the channels, 0 elsewhere."""
    return [single(ROOT_OF_TWO * x) if i in channels else 0.0 for i, x in enumerate(key)]

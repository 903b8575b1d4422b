"""Error-correcting codes: a string of bits, cut from bit 0, becomes codewords one after the other."""

GOLAY_B = """
110111000101 101110001011 011100010111 111000101101 110001011011 100010110111
000101101111 001011011101 010110111001 101101110001 011011100011 111111111110""".split()


def hamming74(d):
    d0, d1, d2, d3 = (d >> i & 1 for i in range(4))
    return d | (d0 ^ d1 ^ d3) << 4 | (d0 ^ d2 ^ d3) << 5 | (d1 ^ d2 ^ d3) << 6


def hamming84(d):
    c = hamming74(d)
    return c | (c.bit_count() & 1) << 7


def golay24(d):
    c = d
    for k in range(12):
        c |= (sum(d >> i & 1 and int(GOLAY_B[i][k]) for i in range(12)) & 1) << 12 + k
    return c


CODES = {"hamming74": (7, 4, hamming74), "hamming84": (8, 4, hamming84), "golay24": (24, 12, golay24)}


def words(name, bits):
    return -(-bits // CODES[name][1])


def size(name, bits):
    """Bytes of the codewords of `bits` bits."""
    return -(-words(name, bits) * CODES[name][0] // 8)


def encode(name, data):
    """bytes -> bytes."""
    n, k, code = CODES[name]
    string, result = int.from_bytes(data, "little"), 0
    for j in range(words(name, 8 * len(data))):
        result |= code(string >> k * j & (1 << k) - 1) << n * j
    return result.to_bytes(size(name, 8 * len(data)), "little")

"""Error-correcting codes: a string of bits, cut from bit 0, becomes codewords one after the other."""
from itertools import combinations

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


def lighter(columns, unused, first, loads):
    """Exchanges the first pair that makes the sum of squared loads smaller -> whether there was one."""
    for i in range(first, len(columns)):
        for j, other in enumerate(unused):
            changed = [load - (columns[i] >> b & 1) + (other >> b & 1) for b, load in enumerate(loads)]
            if sum(load * load for load in changed) < sum(load * load for load in loads):
                columns[i], unused[j], loads[:] = other, columns[i], changed
                return True
    return False


def hsiao_columns(n, k):
    """The columns of the data bits."""
    checks, columns = n - k, []
    for weight in range(3, checks + 1, 2):
        unused = sorted(sum(1 << b for b in bits) for bits in combinations(range(checks), weight))
        first, taken = len(columns), min(k - len(columns), len(unused))
        columns, unused = columns + unused[:taken], unused[taken:]
        loads = [sum(column >> b & 1 for column in columns) for b in range(checks)]
        while lighter(columns, unused, first, loads):
            pass
    return columns


def hsiao(n, k):
    columns = hsiao_columns(n, k)

    def encoded(d):
        check = 0
        for i, column in enumerate(columns):
            check ^= column if d >> i & 1 else 0
        return d | check << k

    return n, k, encoded


class Codes(dict):
    """(n, k, a function from data to a codeword) by name; Hsiao codes are made when they are asked for."""
    def __missing__(self, name):
        _, n, k = name.split("_")
        self[name] = hsiao(int(n), int(k))
        return self[name]


CODES = Codes({"hamming74": (7, 4, hamming74), "hamming84": (8, 4, hamming84), "golay24": (24, 12, golay24)})
FIXED = tuple(CODES)


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

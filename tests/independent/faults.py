"""What a fault does to a coded record: Philox masks, decoding, erasures."""
import ecc
from codebook import rne_shift

U32 = 2 ** 32 - 1


def philox(counter, key):
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = b >> 32 ^ c1 ^ k0, b & U32, a >> 32 ^ c3 ^ k1, a & U32
        k0, k1 = k0 + 0x9E3779B9 & U32, k1 + 0xBB67AE85 & U32
    return c0, c1, c2, c3


def mask(bits, p, seed, token, layer=0, head=0, value=False, trial=0):
    """-> integer; bit i set where stored bit i flips."""
    numerator, denominator = p.as_integer_ratio()
    threshold = (numerator << 32) // denominator
    site, result = layer * 2 ** 16 + head * 2 + value, 0
    for i in range(bits):
        word = philox((i // 4, token, site, trial), (seed & U32, seed >> 32))[i % 4]
        result |= (word < threshold) << i
    return result


def correctable(name):
    """Every error that the code puts right."""
    single = [1 << i for i in range(ecc.CODES[name][0])]
    errors = {0, *single}
    for _ in range(2 if name == "golay24" else 0):  # two and three hits
        errors |= {error ^ hit for error in errors for hit in single}
    return errors


CLEAN, CORRECTED, PARITY_ONLY, DETECTED = range(4)


class Decoder:
    def __init__(self, name):
        self.n, self.k, self.code = ecc.CODES[name]
        self.errors = {self.syndrome(error): error for error in correctable(name)}
        self.parity = 1 << 7 if name == "hamming84" else None  # the error in the overall parity bit

    def syndrome(self, word):
        return self.code(word & (1 << self.k) - 1) ^ word

    def correct(self, stored, bits):
        """Integer of stored bits -> (the same with every error put right, the status of each word)."""
        statuses = []
        for j in range(-(-bits // self.k)):
            error = self.errors.get(self.syndrome(stored >> self.n * j & (1 << self.n) - 1))
            statuses.append(DETECTED if error is None else CLEAN if not error
                            else PARITY_ONLY if error == self.parity else CORRECTED)
            stored ^= (error or 0) << self.n * j
        return stored, statuses

    def data(self, stored, bits):
        """-> the data bits of the codewords."""
        words = range(-(-bits // self.k))
        data = sum((stored >> self.n * j & (1 << self.k) - 1) << self.k * j for j in words)
        return data & (1 << bits) - 1

    def decode(self, stored, bits):
        """Integer of stored bits -> (data, list of whether each word is uncorrectable)."""
        corrected, statuses = self.correct(stored, bits)
        return self.data(corrected, bits), [status == DETECTED for status in statuses]


def norm_units(norm):
    """Value of a norm as read, in units of 2^-24."""
    field, fraction = norm >> 10 & 31, norm & 1023
    return 1024 + fraction << field - 1 if field else fraction


def mean_norm(a, b):
    twice = norm_units(a) + norm_units(b)  # in units of 2^-25
    shift = max(1, twice.bit_length() - 11)
    significand = rne_shift(twice, shift)
    return min((shift - 1 << 10) + significand, 0x7BFF)


INDEX, SIGN, NORM = range(3)


def repair(records, k, fields, policy):
    """[(data, lost words)] of consecutive tokens -> [data], erasures replaced; fields: (bits, what) from bit 0 on."""
    def element(t, first, width):
        """-> (value, whether it is erased), or None where there is no such token."""
        if not 0 <= t < len(records):
            return None
        data, lost = records[t]
        erased = any(lost[first // k:(first + width - 1) // k + 1])
        return data >> first & (1 << width) - 1, erased

    result = []
    for t, (data, _) in enumerate(records):
        first = 0
        for width, what in fields:
            value, erased = element(t, first, width)
            new = value
            if erased and what != SIGN and policy == "zero":
                new = 0 if what == NORM else 2 ** (width - 1)
            elif erased and what != SIGN and policy == "interpolate":
                near = [e[0] for e in (element(t - 1, first, width), element(t + 1, first, width)) if e and not e[1]]
                if len(near) == 2:
                    new = mean_norm(*near) if what == NORM else rne_shift(sum(near), 1)
                elif near:
                    new = near[0]
            data ^= (value ^ new) << first
            first += width
        result.append(data)
    return result


def one_part(i):
    """Fields of the records of memory i."""
    return [(2 + i // 2 % 3, INDEX)] * (32 << i % 2) + [(16, NORM)]


def two_parts(i):
    d = 32 << i // 2 % 2
    if i % 2 == 0:
        first, second = [(1 + i // 4 % 3, INDEX)] * d, [(1, SIGN)] * d
    else:
        high = 1 + i // 4 % 4
        first, second = [(high, INDEX)] * (d // 2), [(1 + i // 16 % high, INDEX)] * (d // 2)
    return first + second + [(16, NORM)] * 2


def digest(name, layout=one_part):
    """FNV-1a of the records read from faulty memories: tests/golden/key_store_independent_test.cpp makes the same."""
    decoder, result = Decoder(name), 0xCBF29CE484222325
    for i in range(60):
        fields, policy, records = layout(i), ("keep", "zero", "interpolate")[i % 3], []
        size = sum(bits for bits, _ in fields) // 8
        for t in range(1 + i % 5):
            words = [philox((j // 4, t, i, 99), (0, 0))[j % 4] for j in range(-(-size // 4))]
            record = b"".join(word.to_bytes(4, "little") for word in words)[:size]
            bits = ecc.words(name, 8 * size) * ecc.CODES[name][0]
            flips = mask(bits, 0.05, i * 0x100000001, t, i, 2 * i, bool(i % 2), i)
            stored = int.from_bytes(ecc.encode(name, record), "little") ^ flips
            records.append(decoder.decode(stored, 8 * size))
        for data in repair(records, decoder.k, fields, policy):
            for byte in data.to_bytes(size, "little"):
                result = (result ^ byte) * 0x100000001B3 & 2 ** 64 - 1
    return result

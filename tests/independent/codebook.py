"""Lloyd-Max codebooks to about 50 digits, and the ROM words B_j, C_j and kappa derived from them."""
from decimal import ROUND_HALF_EVEN, Decimal, getcontext
from functools import cache

getcontext().prec = 70
EPS = Decimal(10) ** -60


def pi():
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239)."""
    def atan_inverse(n):
        power, total, k = Decimal(1) / n, Decimal(0), 0
        while power > EPS / 100:
            total += (-power if k % 2 else power) / (2 * k + 1)
            power, k = power / (n * n), k + 1
        return total
    return 16 * atan_inverse(5) - 4 * atan_inverse(239)


class Gaussian:
    """N(0,1). density g (unnormalised), h(x) = integral of x·g over x..end, mass(x) = integral of g over 0..x."""
    def __init__(self):
        self.half = (pi() / 2).sqrt()

    def g(self, x):
        return (-x * x / 2).exp()

    h = g

    def mass(self, x):
        term = total = x * self.g(x)
        k = 0
        while term > EPS:
            term *= x * x / (2 * k + 3)
            total, k = total + term, k + 1
        return total


class Beta:
    """sqrt(d) times a coordinate of a uniform point on the sphere: density (1 - x²/d)^((d-3)/2)."""
    def __init__(self, d):
        self.d, self.half = Decimal(d), Decimal(d).sqrt() * pi() / 2  # times (d-3)!!/(d-2)!!
        for i in range(3, d, 2):
            self.half *= Decimal(i - 2) / (i - 1)

    def g(self, x):
        rest = 1 - x * x / self.d
        return rest ** (int(self.d) // 2 - 2) * rest.sqrt()

    def h(self, x):
        return self.g(x) * (1 - x * x / self.d) * self.d / (self.d - 1)

    def mass(self, x):  # x (1-z)^((d-1)/2) 2F1(1, d/2; 3/2; z), z = x²/d: positive terms only
        z = x * x / self.d
        term = total = x * self.g(x) * (1 - z)
        k = 0
        while term > EPS:
            term *= z * (self.d + 2 * k) / (2 * k + 3)
            total, k = total + term, k + 1
        return total


def lloyd_max(law, bits):
    """-> (centroids, boundaries) ascending. Solves the positive half: some Lloyd steps, then Newton."""
    n = 2 ** (bits - 1)
    x = [Decimal(3 * (2 * i + 1)) / (2 * n) for i in range(n)]
    step, count = Decimal(1), 0
    while step > Decimal(10) ** -50:
        inner = [(x[i] + x[i + 1]) / 2 for i in range(n - 1)]
        edges = [Decimal(0)] + inner
        g = [law.g(e) for e in inner]
        h = [law.h(e) for e in edges] + [Decimal(0)]
        mass = [law.mass(e) for e in edges] + [law.half]
        weight = [mass[i + 1] - mass[i] for i in range(n)]
        mean = [(h[i] - h[i + 1]) / weight[i] for i in range(n)]
        if count < 60:
            x = mean
        else:
            left = [Decimal(0)] + [g[i] * (mean[i + 1] - inner[i]) / weight[i + 1] / 2 for i in range(n - 1)]
            right = [g[i] * (inner[i] - mean[i]) / weight[i] / 2 for i in range(n - 1)] + [Decimal(0)]
            delta = tridiagonal([-v for v in left], [1 - p - q for p, q in zip(left, right)],
                                [-v for v in right], [a - b for a, b in zip(x, mean)])
            x, step = [a - b for a, b in zip(x, delta)], max(abs(v) for v in delta)
        count += 1
        assert count < 100 and x[0] > 0 and all(p < q for p, q in zip(x, x[1:]))
    centroids = [-v for v in reversed(x)] + x
    return centroids, [(p + q) / 2 for p, q in zip(centroids, centroids[1:])]


def tridiagonal(a, b, c, y):
    b, y = b[:], y[:]
    for i in range(1, len(b)):
        f = a[i] / b[i - 1]
        b[i], y[i] = b[i] - f * c[i - 1], y[i] - f * y[i - 1]
    for i in reversed(range(len(b))):
        y[i] = (y[i] - (c[i] * y[i + 1] if i + 1 < len(b) else 0)) / b[i]
    return y


def fixed(values, fraction_bits):
    """-> RNE(value · 2^fraction_bits) of each."""
    return [int((v * 2 ** fraction_bits).to_integral_value(ROUND_HALF_EVEN)) for v in values]


def centroid_words(gamma, centroid_bits):
    """-> (C, kappa) for antisymmetric ascending levels."""
    positive = gamma[len(gamma) // 2:]
    scale = 180  # ratios gamma_j / gamma_max as integers over 2^scale; the largest is exactly 1
    ratio = [int((v / positive[-1] * 2 ** scale).to_integral_value()) for v in positive]
    m = 2 ** (centroid_bits - 1) - 1

    def words(k):
        return [rne_shift(k * r, scale + 4) for r in ratio]

    def error(k):  # max_j |C_j / kappa - gamma_j| over gamma_max / 16, in units of 2^-(scale + 64)
        return (max(abs((c << scale + 4) - k * r) for c, r in zip(words(k), ratio)) << 64) // k

    errors = {k: error(k) for k in range(-(-48 * m // 5), 16 * m + 1)}
    least = min(errors.values())
    best = max(k for k, v in errors.items() if v * 10 ** 9 <= least * (10 ** 9 + 1))
    half = words(best)
    return [-c for c in reversed(half)] + half, Decimal(best) / 16 / positive[-1]


@cache
class Codebook:
    def __init__(self, kind, d, bits, fraction_bits, centroid_bits):
        self.gamma, self.beta = lloyd_max(Gaussian() if kind == "gaussian" else Beta(d), bits)
        self.B = fixed(self.beta, fraction_bits)
        self.C, self.kappa = centroid_words(self.gamma, centroid_bits)


def rne_shift(v, s):
    """RNE(v / 2^s) for integers, s of either sign."""
    if s <= 0:
        return v << -s
    q = v >> s
    rest, half = v - (q << s), 1 << s - 1
    return q + (rest > half or rest == half and q & 1)

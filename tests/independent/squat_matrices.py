"""Calibration of SQuat in FP64: feedback matrices from the second moments of queries."""
import math
from operator import mul


def inverse(matrix):
    """Gauss and Jordan, the largest pivot first."""
    n = len(matrix)
    rows = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        head = rows[i][i]
        rows[i] = [x / head for x in rows[i]]
        for k in range(n):
            if k != i and rows[k][i]:
                factor = rows[k][i]
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i])]
    return [row[n:] for row in rows]


def eigenpairs(matrix):
    """Jacobi's rotations of a symmetric matrix -> pairs (value, vector), the largest value first."""
    n, a = len(matrix), [list(row) for row in matrix]
    vectors = [[float(i == j) for j in range(n)] for i in range(n)]  # a row for each vector
    for _ in range(60):
        if sum(a[i][j] ** 2 for i in range(n) for j in range(i)) <= 1e-32 * sum(x * x for row in a for x in row):
            break
        for p in range(n):
            for q in range(p + 1, n):
                if not a[p][q]:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = math.copysign(1, theta) / (abs(theta) + math.hypot(theta, 1))
                c = 1 / math.hypot(t, 1)
                s = t * c
                for rows in (a, vectors):
                    rows[p], rows[q] = ([c * x - s * y for x, y in zip(rows[p], rows[q])],
                                        [s * x + c * y for x, y in zip(rows[p], rows[q])])
                for row in a:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    return sorted(((a[i][i], vectors[i]) for i in range(n)), reverse=True)


def weights(moment, rank, strength):
    """A = I + strength · Σ value · vector · vectorᵀ over the `rank` largest eigenpairs; all of them are the moment itself."""
    d = len(moment)
    if rank < d:
        kept = [(max(0.0, value), vector) for value, vector in eigenpairs(moment)[:rank]]
        moment = [[sum(value * v[i] * v[j] for value, v in kept) for j in range(d)] for i in range(d)]
    return [[float(i == j) + strength * moment[i][j] for j in range(d)] for i in range(d)]


def real(a, channels):
    """A -> the matrices M_1, M_2, ... as rows of floats."""
    found, p = [], inverse(a)
    for end in range(channels, len(a), channels):
        columns = [row[end - channels:] for row in inverse([row[:end] for row in p[:end]])]
        found.append([[sum(map(mul, row[:end], column)) for column in zip(*columns)] for row in p[end:]])
    return found


def integers(matrix):
    """M_s -> (exponent, its integers one row after the other)."""
    for exponent in range(-20, 1):
        rounded = [round(x * 2.0 ** -exponent) for row in matrix for x in row]
        if max(map(abs, rounded)) <= 32767:
            return exponent, rounded
    raise ValueError("a feedback matrix exceeds 32767")


def feedback(moment, channels, rank, strength):
    """-> (numbers, exponents) as a calibration file has them."""
    found = [integers(matrix) for matrix in real(weights(moment, rank, strength), channels)]
    return [v for _, numbers in found for v in numbers], [exponent for exponent, _ in found]

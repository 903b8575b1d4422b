"""The result of a program against the contract: bytes are equal, scores and outputs lie within their bounds."""
import math
import sys

import safetensors
import tiers
from halves import floats_of

SCORE, OUTPUT = 2.0 ** -17, 2.0 ** -14
LEAST = 2.0 ** -150  # half of the least FP32 number: below it no FP32 number is within the bounds


def beyond(found, exact, bound):
    return math.isnan(found) or abs(found - exact) > bound + LEAST


def scores(store, rows):
    """-> lines of the scores that break their bound, or are not +0 where the query does not see the token."""
    wrong = []
    for i, (row, exact) in enumerate(zip(rows, store.exact)):
        for t, bits in enumerate(row):
            (number,) = floats_of([bits])
            score, extent = exact[t] if t < len(exact) else (0.0, 0.0)
            if beyond(number, score, SCORE * extent) or t >= len(exact) and bits:
                wrong.append(f"[{i}, {t}]: {number!r}, exact {score!r}, bound {SCORE * extent!r}")
    return wrong


def outputs(store, rows, score_rows):
    """-> lines of the outputs that break their bound around the sum with the softmax of the program's own scores."""
    wrong = []
    for i, (row, own) in enumerate(zip(rows, score_rows)):
        seen = floats_of(own[:store.trace.query_tokens[i] + 1])
        if not all(map(math.isfinite, seen)):
            wrong.append(f"[{i}]: its scores are not finite")
            continue
        for c, (number, (exact, extent)) in enumerate(zip(floats_of(row), store.attended(i, seen))):
            if beyond(number, exact, OUTPUT * extent):
                wrong.append(f"[{i}, {c}]: {number!r}, exact {exact!r}, bound {OUTPUT * extent!r}")
    return wrong


def differing(name, expected, found):
    """-> a line if two tensors of the same type and shape hold other bytes."""
    x, y = expected.values(), found.values()
    where = [i for i in range(len(x)) if x[i] != y[i]]
    if not where:
        return []
    index, first = [], where[0]
    for extent in reversed(expected.shape):
        index.insert(0, first % extent)
        first //= extent
    return [f"{name}: {len(where)} of {len(x)} differ, first at {index}: {y[where[0]]}, must be {x[where[0]]}"]


def differences(store, tensors, metadata):
    """-> one line for each disagreement of a result with the contract."""
    expected, expected_metadata = store.tensors()
    lines = [] if list(tensors) == list(expected) else [f"tensors: {', '.join(tensors)}; must be {', '.join(expected)}"]
    for name in (name for name in expected if name in tensors):
        a, b = expected[name], tensors[name]
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            lines.append(f"{name}: {b.dtype} {b.shape}, must be {a.dtype} {a.shape}")
        elif name == "scores":
            wrong = scores(store, b.rows())
            lines += [f"scores: {len(wrong)} beyond their bounds, first {wrong[0]}"] if wrong else []
        elif name == "outputs":
            wrong = outputs(store, b.rows(), tensors["scores"].rows()) if "scores" in tensors else ["no scores"]
            lines += [f"outputs: {len(wrong)} beyond their bounds, first {wrong[0]}"] if wrong else []
        else:
            lines += differing(name, a, b)
    for key in sorted(set(expected_metadata) | set(metadata)):
        if metadata.get(key) != expected_metadata.get(key):
            lines.append(f"metadata {key}: {metadata.get(key)!r}, must be {expected_metadata.get(key)!r}")
    return lines


def main(spec, trace, result):
    lines = differences(tiers.run(spec, trace), *safetensors.read(result))
    print("\n".join(lines) if lines else "equal")
    return 1 if lines else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (TypeError, ValueError, KeyError, OSError) as error:
        print(f"tier_compare.py SPEC TRACE RESULT: {error}", file=sys.stderr)
        sys.exit(2)

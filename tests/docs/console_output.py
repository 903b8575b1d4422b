"""What a command prints beside what a page shows of it."""
import re

TIMED = re.compile(r"^seconds +|\d s\b|tokens/s")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
NOISY = ("nll", "perplexity", "delta")  # columns whose change with the CPU a column `noise` states
ANY = "..."


def plain(line):
    return re.sub(r"[\d.e+-]+", "N", line) if TIMED.search(line) else line


def cells(line):
    """Cells of a row of a table, whose columns are two spaces apart; the first may be empty in a heading."""
    return re.split(r" {2,}", line.rstrip())


def noise_of(rows, columns):
    """{name of a row: noise}, the largest of all for rows that state none."""
    place = columns.index("noise")
    found = {row[0]: float(row[place]) for row in rows if len(row) == len(columns) and NUMBER.fullmatch(row[place])}
    return found, max(found.values(), default=0.0)


def same_row(shown, printed, columns, noise):
    """Rows of equal names whose noisy columns differ by no more than the noise. Other columns may differ."""
    if shown[0] != printed[0] or len(shown) != len(printed):
        return False
    place = columns.index("perplexity")
    for name in NOISY:
        at = columns.index(name)
        bound = noise / float(shown[place]) if name == "nll" else noise
        if abs(float(shown[at]) - float(printed[at])) > bound:
            return False
    return True


def same_within_noise(shown, printed):
    """Two lists of lines, the figures of other instructions: tables with a column `noise` by it, other numbers by nothing."""
    if len(shown) != len(printed):
        return False
    columns, table = None, [cells(line) for line in shown]
    for index, (a, b) in enumerate(zip(table, [cells(line) for line in printed], strict=True)):
        if "noise" in a and "perplexity" in a:
            columns = a
            own, largest = noise_of(table[index + 1:], columns)
            if a != b:
                return False
        elif columns and len(a) == len(columns):
            if not same_row(a, b, columns, own.get(a[0], largest)):
                return False
        elif NUMBER.sub("N", shown[index]) != NUMBER.sub("N", printed[index]):
            columns = None
            if not shown[index].startswith("noise: "):  # it names the instructions
                return False
    return True


def pieces(lines):
    """Lists of lines between lines ANY."""
    found = [[]]
    for line in lines:
        if line == ANY:
            found.append([])
        else:
            found[-1].append(line)
    return found


def agree(shown, printed, exact=True):
    """Whether a page shows what was printed. Empty lines count for nothing."""
    shown = [plain(line) for line in shown if line]
    printed = [plain(line) for line in printed if line]
    if not exact:
        return same_within_noise(shown, printed)
    first, *rest = pieces(shown)
    if printed[:len(first)] != first or not rest and len(printed) != len(first):
        return False
    at = len(first)
    for index, piece in enumerate(rest):
        last = index == len(rest) - 1
        starts = [len(printed) - len(piece)] if last else range(at, len(printed) - len(piece) + 1)
        at = next((start + len(piece) for start in starts if start >= at and printed[start:start + len(piece)] == piece), None)
        if at is None:
            return False
    return True


# ---- Self-test

TABLE = ["        nll  perplexity   delta   noise  kl", "fp16    2.0     7.3890  0.0000       -   0", "seed 1  2.1     8.1662  0.7772  0.0100   1"]
CASES = (
    # shown, printed, exact, whether they agree
    (["a", "b"], ["a", "", "b"], True, True),
    (["a"], ["a", "b"], True, False),
    (["a", ANY], ["a", "b", "c"], True, True),
    (["a", ANY, "c"], ["a", "b", "c"], True, True),
    (["a", ANY, "c"], ["a", "c", "d"], True, False),
    ([ANY, "b", ANY, "d"], ["a", "b", "c", "d"], True, True),
    ([ANY, "d", ANY, "b"], ["a", "b", "c", "d"], True, False),
    (["2.1 s, 7 tokens/s"], ["3.4 s, 19 tokens/s"], True, True),
    (TABLE, TABLE, False, True),
    (TABLE, [line.replace("8.1662", "8.1750") for line in TABLE], False, True),
    (TABLE, [line.replace("8.1662", "8.1750") for line in TABLE], True, False),
    (TABLE, [line.replace("8.1662", "8.1800") for line in TABLE], False, False),
    (TABLE, [line.replace("7.3890", "7.4100") for line in TABLE], False, False),
    (TABLE, [line.replace("seed 1", "seed 2") for line in TABLE], False, False),
    (TABLE, TABLE[:2], False, False),
    (TABLE + ["over 3"], TABLE + ["over 4"], False, True),
    (TABLE + ["over 3"], TABLE + ["under 3"], False, False),
)


def self_test():
    """-> a line for each case that is judged wrongly."""
    return [f"{shown} and {printed}, exact {exact}: not {right}" for shown, printed, exact, right in CASES
            if agree(shown, printed, exact) != right]

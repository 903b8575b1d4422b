"""Texts of associative recall: pairs `#ab=xy;` in random letters, asked for as `?ab=xy;` later."""

import numpy

LETTERS = numpy.frombuffer(b"abcdefghijklmnopqrstuvwxyz", numpy.uint8)
SIZE = 7  # bytes of a pair and of a question
ANSWER = 4  # its first byte of two


def letters(generator, count):
    return LETTERS[generator.integers(0, 26, count)]


def different(generator, count, alphabet=26):
    """Keys or values of two letters of the first `alphabet`, no two the same."""
    chosen = generator.choice(alphabet**2, count, replace=False)
    return LETTERS[numpy.stack([chosen // alphabet, chosen % alphabet], 1)]


def write(text, place, mark, key, value):
    text[place : place + SIZE] = [mark, *key, ord("="), *value, ord(";")]


def pairs_of(generator, count, twins, alphabet=26):
    """Keys and values; with twins the first two keys have one value."""
    keys, values = different(generator, count, alphabet), different(generator, count)
    if twins:
        values[1] = values[0]
    return keys, values


def training(generator, length, pairs, questions, alphabet=26):
    """A text and the places of the first bytes of its answers: pairs in the first 70 %, most often
    near the beginning, each question behind its pair at any distance that fits. A short text has
    fewer of both. A question holds its answer, for the next one to find: with no more questions
    than pairs each pair is asked for at most once."""
    cells = length // SIZE
    pairs = min(pairs, cells // 3)
    questions = min(questions, cells - pairs - 1)
    text = letters(generator, length)
    keys, values = pairs_of(generator, pairs, generator.random() < 0.25, alphabet)
    span = max(pairs, int(cells * 0.7 * generator.random() ** 2))  # short ones have far questions
    planted = generator.choice(min(span, cells - questions), pairs, replace=False)
    shift = int(generator.integers(0, length - cells * SIZE + 1))
    for pair, cell in enumerate(planted):
        write(text, shift + cell * SIZE, ord("#"), keys[pair], values[pair])
    free = numpy.setdiff1d(numpy.arange(planted.min() + 1, cells), planted)
    asked, answerable = [], numpy.ones(pairs, bool)
    for cell in sorted(generator.permutation(free)[:questions]):
        known = numpy.flatnonzero((planted < cell) & answerable)
        if len(known) == 0:
            continue
        pair = generator.choice(known)
        answerable[pair] = questions > pairs
        write(text, shift + cell * SIZE, ord("?"), keys[pair], values[pair])
        asked.append(shift + cell * SIZE + ANSWER)
    return text, numpy.array(asked)


def asked_at(generator, distance, length, pairs=4, twins=False):
    """A text that ends with one question, `distance` bytes behind its pair; the other pairs are
    anywhere before the question."""
    text = letters(generator, length)
    keys, values = pairs_of(generator, pairs, twins)
    question = length - SIZE
    places = [question - distance]
    while len(places) < pairs:
        place = int(generator.integers(0, question - SIZE))
        if all(abs(place - other) >= SIZE for other in places):
            places.append(place)
    for pair, place in enumerate(places):
        write(text, place, ord("#"), keys[pair], values[pair])
    write(text, question, ord("?"), keys[0], values[0])
    return text, question + ANSWER

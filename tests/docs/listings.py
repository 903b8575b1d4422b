#!/usr/bin/env python3
"""Listings of the papers, run: docs/claims.md cites an entry by its number.

A line is true if the statement of docs/claims.md on that claim holds. Exit code 1 if a line is false.
"""
import os
import pathlib
import pickle
import sys
import tempfile

import checks


def build_needle_prompt(needle, haystack, depth_pct, target_tokens):
    """references.md#turboquant-corrections, section 8.1."""
    words = haystack.split()
    insert_word = int(len(words) * depth_pct / 100.0)
    insert_word = max(0, min(insert_word, len(words)))
    words_with_needle = words[:insert_word] + needle.split() + words[insert_word:]
    trimmed = " ".join(words_with_needle)
    return trimmed


HAYSTACK = " ".join(f"w{i}" for i in range(200))


def needle_is_at_its_depth():
    places = [build_needle_prompt("here it is", HAYSTACK, depth, 100).split().index("here") for depth in (0, 25, 50, 100)]
    return places == [0, 50, 100, 200]


def needle_prompt_ignores_its_length():
    prompts = {build_needle_prompt("here it is", HAYSTACK, 50, tokens) for tokens in (10, 100, 100000)}
    return [len(prompt.split()) for prompt in prompts] == [203]


class Start:
    """A process that writes codebooks as section 4.3 lists it: to one temporary name, then renamed."""

    def __init__(self, path):
        self.path, self.file = path, None

    def begin(self):
        self.file = open(self.path + ".tmp", "wb")

    def write(self, codebooks):
        pickle.dump(codebooks, self.file)
        self.file.close()

    def replace(self):
        os.replace(self.path + ".tmp", self.path)


def loads(path):
    try:
        return pickle.loads(pathlib.Path(path).read_bytes())
    except (EOFError, pickle.UnpicklingError):
        return None


def rename_is_atomic_for_one_start():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "codebooks")
        for codebooks in ("old", "new"):
            start = Start(path)
            start.begin()
            before = loads(path) if os.path.exists(path) else None
            start.write(codebooks)
            start.replace()
        return before == "old" and loads(path) == "new"


def two_starts_race():
    """The second opens the file that the first then renames: readers find half a file, and the second finds none."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "codebooks")
        first, second = Start(path), Start(path)
        first.begin()
        first.write("codebooks")
        second.begin()
        first.replace()
        torn = loads(path) is None
        second.write("codebooks")
        try:
            second.replace()
        except FileNotFoundError:
            return torn
        return False


CHECKS = {
    "T37": needle_is_at_its_depth() and needle_prompt_ignores_its_length(),
    "T52": rename_is_atomic_for_one_start() and two_starts_race(),
}


if __name__ == "__main__":
    sys.exit(checks.report(CHECKS))

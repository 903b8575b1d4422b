#!/usr/bin/env python3
"""Requires that paths of the repository that Markdown pages name in code spans exist.

paths.py [--root DIR]     checks the tree at DIR (default: the tree that holds this script)
paths.py --self-test      plants faults in temporary trees and demands that each is found

A path is a code span that begins with a folder of the root and a slash: `golden/keys/norm/{ref,simd}.cpp`, `configs/*.yaml`.
Every word in braces counts, a pattern must match something. NAME stands for what a reader chooses. Records
name what was there when they were made and are left out, as are pages named by docs/ and their name (citations.py).
Prints one line per failure and what it found. Exit codes: 0 all exist, 1 something does not, 2 bad usage.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import sys
import tempfile

import citations

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SPAN = re.compile(r"(?<!`)`([\w.]+/[\w./{},*-]*)`")
PAGE = re.compile(r"docs/[\w-]+\.md")


def expanded(path):
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    return [one for word in found[1].split(",") for one in expanded(path[:found.start()] + word + path[found.end():])]


def check(root):
    """-> (failures, paths found)."""
    files = citations.tracked(root)
    known = {str(place) for file in files for place in (pathlib.PurePosixPath(file), *pathlib.PurePosixPath(file).parents)}
    failures, count = [], 0
    for page in files:
        if not page.endswith(".md") or "/measurements/" in page:
            continue
        for number, line in citations.markdown_lines(pathlib.Path(root, page).read_text()):
            for span in SPAN.findall(line):
                if span.split("/")[0] not in known or "NAME" in span or PAGE.fullmatch(span):
                    continue
                for path in expanded(span.rstrip("/")):
                    count += 1
                    if path not in known and not ("*" in path and fnmatch.filter(known, path)):
                        failures.append(f"{page}:{number}: no {path}")
    return failures, count


# ---- Self-test

GOOD = {
    "src/a/ref.cpp": "", "src/a/simd.cpp": "", "scripts/README.md": "`src/a/`, `src/a/{ref,simd}.cpp`, `src/*/ref.cpp`\n",
    "docs/evidence/measurements/old.md": "`src/gone`\n",
    "README.md": "`src/NAME.cpp`, `scripts/README.md`, `out/x`, `docs" + "/a.md`\n```\n`src/fenced`\n```\n",
}
# Text of scripts/README.md, its replacement, the failure that must be found.
PLANTED = (("src/a/`", "src/b/`", "no src/b"), ("{ref,simd}", "{ref,avx2}", "no src/a/avx2.cpp"),
           ("src/*/ref", "src/*/portable", "no src/*/portable.cpp"))


def failures_of(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            place = pathlib.Path(root, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return check(root)


def self_test():
    wrong = []
    failures, count = failures_of(GOOD)
    if failures or count != 5:
        wrong.append(f"the faultless tree: {failures}, {count} paths")
    page = "scripts/README.md"
    for old, new, expected in PLANTED:
        failures, _ = failures_of({**GOOD, page: GOOD[page].replace(old, new)})
        if failures != [f"{page}:1: {expected}"]:
            wrong.append(f"{old!r} -> {new!r}: {failures}")
    print(*wrong, f"{len(PLANTED)} planted faults, {len(wrong)} wrong", sep="\n")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=os.fspath(ROOT))
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return 0 if self_test() else 1
    failures, count = check(arguments.root)
    print(*failures, f"{count} paths, {len(failures)} failures", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Requires that paths of the repository that Markdown pages name in code spans exist.

paths.py [--root DIR]     checks the tree at DIR (default: the tree that holds this script)
paths.py --self-test      plants faults in temporary trees and demands that each is found

A path is a code span that begins with a folder of the root and a slash: `golden/keys/norm/{ref,simd}.cpp`, `configs/*.yaml`.
Every word in braces counts, a pattern must match something. NAME stands for what a reader chooses. Records
name what was there when they were made and are left out, as are pages named by docs/ and their name (citations.py).
Prints one line per failure and what it found. Exit codes: 0 all exist, 1 something does not, 2 bad usage.
"""
import fnmatch
import pathlib
import re
import sys

import citations  # which finds scripts/docs
import checker

SPAN = re.compile(r"(?<!`)`([\w.]+/[\w./{},*-]*)`")
PAGE = re.compile(r"docs/[\w-]+\.md")


def expanded(path):
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    return [one for word in found[1].split(",") for one in expanded(path[:found.start()] + word + path[found.end():])]


def check(root):
    """-> (failures, (paths found,))."""
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
    return failures, (count,)


# ---- Self-test

GOOD = {
    "src/a/ref.cpp": "", "src/a/simd.cpp": "", "scripts/README.md": "`src/a/`, `src/a/{ref,simd}.cpp`, `src/*/ref.cpp`\n",
    "docs/evidence/measurements/old.md": "`src/gone`\n",
    "README.md": "`src/NAME.cpp`, `scripts/README.md`, `out/x`, `docs" + "/a.md`\n```\n`src/fenced`\n```\n",
}
# Text of scripts/README.md, its replacement, the failure that must be found.
PLANTED = (("src/a/`", "src/b/`", "no src/b"), ("{ref,simd}", "{ref,avx2}", "no src/a/avx2.cpp"),
           ("src/*/ref", "src/*/portable", "no src/*/portable.cpp"))


def self_test():
    page = "scripts/README.md"
    planted = [(page, old, new, f"{page}:1: {failure}") for old, new, failure in PLANTED]
    return checker.self_test(check, GOOD, (5,), planted)


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} paths"))

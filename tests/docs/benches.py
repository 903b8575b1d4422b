#!/usr/bin/env python3
"""Checks the table "RTL without a bench of its own" of docs/reference/units.md.

benches.py [--root DIR]   each module of rtl/ is below a bench, or in one row of the table; none is both
benches.py --self-test    plants faults in the table and demands that each is found

A bench is a test in tests/sim that instantiates modules, and the code unit that the generator makes for tests/codes.
Exit codes: 0 holds, 1 does not.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = "docs/reference/units.md"
CODE_UNIT = {"axelram_encoder", "axelram_word_decoder"}
NO_SUBJECTS = ("example", "generator")  # folders of rtl/ without hand-written modules
INSTANCE = re.compile(r"\n +(axelram_\w+) (?:#\(|u_\w+ \()")


def below_benches(root, modules):
    """Modules that a bench instantiates, and what these instantiate."""
    found, seen = set(CODE_UNIT), set()
    for test in (root / "tests/sim").glob("*_test.cpp"):
        found |= set(INSTANCE.findall(test.read_text(encoding="utf-8")))
    while found - seen:
        name = (found - seen).pop()
        seen.add(name)
        found |= set(INSTANCE.findall(modules.get(name, "")))
    return found


def problems(root, page):
    modules = {path.stem: path.read_text(encoding="utf-8") for path in (root / "rtl").glob("*/axelram_*.sv")
               if path.parent.name not in NO_SUBJECTS}
    benched = below_benches(root, modules)
    rows = page[page.index('id="rtl-without-a-bench"'):].splitlines()
    listed = ["axelram_" + name for row in rows if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    for name in sorted(set(modules) - benched - set(listed)):
        yield f"{name} has no bench, and no row"
    for name in sorted(set(listed)):
        if name not in modules:
            yield f"{name} has a row, and is no module of rtl/"
        elif name in benched:
            yield f"{name} has a row, and is below a bench"
        elif listed.count(name) > 1:
            yield f"{name} has {listed.count(name)} rows"


def self_test(root, page):
    planted = (("a module left out", page.replace(" `square_root`", ""), "axelram_square_root has no bench"),
               ("a module below a bench", page.replace("`sizes`", "`sizes` `divide`"), "axelram_divide has a row, and is below"),
               ("a module that is not there", page.replace("`sizes`", "`sizes` `nothing`"), "axelram_nothing has a row, and is no"),
               ("a module twice", page.replace("`sizes`", "`sizes` `align`"), "axelram_align has 2 rows"))
    missed = [what for what, text, wanted in planted
              if not any(problem.startswith(wanted) for problem in problems(root, text))]
    print(*missed, f"{len(planted)} faults planted, {len(missed)} missed", sep="\n")
    return len(missed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    page = (arguments.root / PAGE).read_text(encoding="utf-8")
    if arguments.self_test:
        return 1 if self_test(arguments.root, page) else 0
    found = list(problems(arguments.root, page))
    print(*found, f"{len(found)} problems", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

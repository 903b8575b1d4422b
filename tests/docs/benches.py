#!/usr/bin/env python3
"""Checks the table "RTL without a bench of its own" of docs/reference/units.md.

benches.py [--root DIR]   each module of rtl/ is below a bench, or in one row of the table; none is both
benches.py --self-test    plants faults in the table and demands that each is found

A bench is a test in tests/sim that instantiates modules, and the code unit that the generator makes for tests/codes.
Exit codes: 0 holds, 1 does not.
"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker

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


def check(root):
    """-> (failures, (modules, rows))."""
    page = (root / PAGE).read_text(encoding="utf-8")
    modules = {path.stem: path.read_text(encoding="utf-8") for path in (root / "rtl").glob("*/axelram_*.sv")
               if path.parent.name not in NO_SUBJECTS}
    benched = below_benches(root, modules)
    rows = page[page.index('id="rtl-without-a-bench"'):].splitlines()
    listed = ["axelram_" + name for row in rows if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    failures = [f"{name} has no bench, and no row" for name in sorted(set(modules) - benched - set(listed))]
    for name in sorted(set(listed)):
        if name not in modules:
            failures.append(f"{name} has a row, and is no module of rtl/")
        elif name in benched:
            failures.append(f"{name} has a row, and is below a bench")
        elif listed.count(name) > 1:
            failures.append(f"{name} has {listed.count(name)} rows")
    return failures, (len(modules), len(listed))


# ---- Self-test

GOOD = {
    PAGE: '<a id="rtl-without-a-bench"></a>\n\n| module | why |\n|---|---|\n| `alone` `other` | small |\n',
    "rtl/read/axelram_top.sv": "module axelram_top;\n  axelram_inner u_inner (.a_i);\n",
    "tests/sim/top_test.cpp": "module bench;\n  axelram_top #(\n",
    **{f"rtl/read/axelram_{name}.sv": "" for name in ("inner", "alone", "other", "encoder")},
}
# Text of the page, its replacement, the failure that must be found.
PLANTED = (
    (" `other`", "", "axelram_other has no bench, and no row"),
    ("`other`", "`other` `inner`", "axelram_inner has a row, and is below a bench"),
    ("`other`", "`other` `encoder`", "axelram_encoder has a row, and is below a bench"),
    ("`other`", "`other` `nothing`", "axelram_nothing has a row, and is no module of rtl/"),
    ("`other`", "`other` `alone`", "axelram_alone has 2 rows"),
)


def self_test():
    return checker.self_test(check, GOOD, (5, 2), [(PAGE, *fault) for fault in PLANTED])


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} modules, {} in rows"))

#!/usr/bin/env python3
"""Resolves the evidence of docs/claims.md, the ledger of the papers' claims.

claims.py [--root DIR]     checks the tree at DIR (default: the tree that holds this script)
claims.py --self-test      plants faults in temporary trees and demands that each is found

A claim is a table row: number, claim, state, evidence. Numbers count from 1 under a letter for each document. States are
those of the document's own table. A claim with one of the states of NEEDS_EVIDENCE links a document or names a test:
a Markdown link, whose file and anchor must exist, or `FILE: "NAME"`, where FILE has a test case, or an entry of
a Python table, with that name. The table of counts must agree with the rows.

Prints one line per failure and what it resolved. Exit codes: 0 all resolve, 1 something does not, 2 bad usage.
"""
import collections
import re
import sys

import citations  # which finds scripts/docs
import evidence
import checker
import pages

LEDGER = "docs/evidence/claims.md"
STATES = ("reproduced", "holds with a footnote", "does not hold", "not on our models", "not tested yet", "not testable here")
NEEDS_EVIDENCE = STATES[:4]
ROW = re.compile(r"\| ([A-Z])(\d+) \| (.+?) \| ([^|]+) \| (.*?) ?\|$")
COUNTS = re.compile(r"\| (?:\[[^]]+\]\(#([\w-]+)\)|all) \|((?: \d+ \|){7})$")


class Ledger:
    def __init__(self, root):
        self.root, self.failures, self.resolved = root, [], 0
        self.tests, self.anchors = evidence.Tests(root), {}
        self.counts = collections.defaultdict(collections.Counter)  # by anchor of the document
        self.printed = {}

    def fail(self, line, text):
        self.failures.append(f"{LEDGER}:{line}: {text}")

    def check_rows(self):
        anchor, last = "", ("", 0)
        for number, line in enumerate((self.root / LEDGER).read_text().splitlines(), 1):
            found = pages.EXPLICIT_ID.search(line)
            if found:
                anchor = found[1]
            if row := ROW.match(line):
                letter, count = row[1], int(row[2])
                if (letter, count) not in ((last[0], last[1] + 1), (letter if letter != last[0] else "", 1)):
                    self.fail(number, f"{letter}{count} follows {last[0]}{last[1]}")
                last = (letter, count)
                self.counts[anchor][row[4]] += 1
                self.check_row(number, row[4], row[5])
            elif row := COUNTS.match(line):
                self.printed[row[1]] = (number, [int(count) for count in re.findall(r"\d+", row[2])])
            elif re.match(r"\| [A-Z]\d+ \|", line):
                self.fail(number, "is no row of four columns")
        self.check_counts()

    def check_row(self, line, state, text):
        if state not in STATES:
            self.fail(line, f"unknown state '{state}'")
        tests, links = evidence.TEST.findall(text), citations.INLINE_LINK.findall(pages.CODE_SPAN.sub("", text))
        if state in NEEDS_EVIDENCE and not tests and not links:
            self.fail(line, f"'{state}' without evidence")
        if text.count("`") != 2 * len(tests):
            self.fail(line, "a code span that names no test")
        failures, resolved = self.tests.check(text)
        self.resolved += resolved
        for failure in failures:
            self.fail(line, failure)
        for target in links:
            name, _, fragment = target.partition("#")
            path = (self.root / LEDGER).parent / name if name else self.root / LEDGER
            if path not in self.anchors:
                self.anchors[path] = pages.anchors_of(path.read_text())[0] if path.is_file() else None
            if self.anchors[path] is None or fragment and fragment not in self.anchors[path]:
                self.fail(line, f"dead link '{target}'")
            else:
                self.resolved += 1

    def check_counts(self):
        rows = dict(self.counts)
        rows[None] = sum(self.counts.values(), collections.Counter())
        for anchor, states in rows.items():
            line, printed = self.printed.get(anchor, (1, None))
            counted = [sum(states.values())] + [states[state] for state in STATES]
            if printed != counted:
                self.fail(line, f"counts of {anchor or 'all'} are {printed}, counted {counted}")


def check(root):
    """-> (failures, (claims, pieces of evidence that resolve))."""
    ledger = Ledger(root)
    ledger.check_rows()
    return ledger.failures, (sum(states.total() for states in ledger.counts.values()), ledger.resolved)


# ---- Self-test

GOOD = """# Claims

| [P](#p) | 2 | 1 | 0 | 0 | 0 | 1 | 0 |
| all | 2 | 1 | 0 | 0 | 0 | 1 | 0 |

<a id="p"></a>
## P

| P1 | first | reproduced | [a](a.md#one), `tests/a_test.cpp: "some "case" here"`, `tests/b.py: "P1"`: note |
| P2 | second | not tested yet | |
"""
FILES = {"docs/evidence/a.md": "# One\n", "tests/b.py": 'CHECKS = {\n    "P1": True,\n}\n',
         "tests/a_test.cpp": 'TEST_CASE(\n    "some \\"case\\" "\n    "here" * needs) {\n'}
# Text of GOOD, its replacement, the failure that must be found.
PLANTED = (
    ("a.md#one", "a.md#two", "9: dead link 'a.md#two'"),
    ("(a.md", "(b.md", "9: dead link 'b.md#one'"),
    ("a_test.cpp:", "c_test.cpp:", "9: no file tests/c_test.cpp"),
    ('case" here', 'case" there', """9: tests/a_test.cpp has no test 'some "case" there'"""),
    ('"P1"', '"P2"', "9: tests/b.py has no test 'P2'"),
    ("first | reproduced", "first | certain", "9: unknown state 'certain'"),
    ("not tested yet", "does not hold", "10: 'does not hold' without evidence"),
    ("| P2", "| P3", "10: P3 follows P1"),
    ("| P2", "| P1", "10: P1 follows P1"),
    ("second |", "", "10: is no row of four columns"),
    (": note", ": `note`", "9: a code span that names no test"),
    ("| all | 2 | 1", "| all | 3 | 2", "4: counts of all are [3, 2, 0, 0, 0, 1, 0], counted [2, 1, 0, 0, 0, 1, 0]"),
)


def self_test():
    planted = [(LEDGER, old, new, f"{LEDGER}:{failure}") for old, new, failure in PLANTED]
    return checker.self_test(check, {**FILES, LEDGER: GOOD}, (2, 3), planted, alone=False)


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} claims, {} pieces of evidence resolved"))

#!/usr/bin/env python3
"""Resolves the footnotes of the pages, and checks the form of docs/findings.md.

footnotes.py [--root DIR]     checks README and the pages of the tree at DIR (default: the tree that holds this script)
footnotes.py --self-test      plants faults in temporary trees and demands that each is found

`[^name]` refers to the line `[^name]: ...` of the page. Each footnote is defined once and referred to; a test that it
names as `FILE: "NAME"` exists. rows.py compares figures with the records that a footnote cites, citations.py resolves links.

A finding begins with `**claim** *Verdict.*`, one of VERDICTS, and ends before the next finding or heading. It refers to a
footnote with evidence, a test or a link, or holds a table or a plot that scripts/docs make. A line of it with a figure, a
number with a point or a percent sign, refers to a footnote.

Prints one line per failure and what it resolved. Exit codes: 0 all resolve, 1 something does not, 2 bad usage.
"""
import re
import sys

import citations  # which finds scripts/docs
import evidence
import rows
import checker
from pages import HEADING, footnotes_of, markdown_lines

FINDINGS = "docs/evidence/findings.md"
VERDICTS = ("Holds", "Holds with a footnote", "Does not hold", "Not on our models", "Undecided", "Cannot be checked", "Ours")
CLAIM = re.compile(r"^\*\*.+?\*\*")
FINDING = re.compile(r"\*\*.+?\*\* \*(.+?)\.\*")
MADE = ("<!-- table: ", "<!-- plot: ")  # by scripts/docs


class Page:
    def __init__(self, tests, name, text):
        self.name, self.failures, self.resolved = name, [], 0
        self.notes, self.lines = {}, list(markdown_lines(text))
        for number, note, content in footnotes_of(text):
            if note in self.notes:
                self.fail(number, f"footnote '{note}' is defined twice")
            self.notes[note] = (number, content)
            failures, resolved = tests.check(content)
            self.resolved += resolved
            for failure in failures:
                self.fail(number, failure)
        self.numbers = {number for number, _ in self.notes.values()}
        self.check_marks()

    def fail(self, number, text):
        self.failures.append(f"{self.name}:{number}: {text}")

    def check_marks(self):
        marks = {}
        for number, line in self.lines:
            for note in () if number in self.numbers else rows.MARK.findall(line):
                marks.setdefault(note, number)
        for note, number in marks.items():
            if note not in self.notes:
                self.fail(number, f"no footnote '{note}'")
        for note, (number, _) in self.notes.items():
            if note not in marks:
                self.fail(number, f"footnote '{note}' is not referred to")
        self.resolved += len(marks)

    def is_evidence(self, note):
        content = self.notes.get(note, (0, ""))[1]
        return bool(evidence.TEST.search(content) or citations.INLINE_LINK.search(content))

    def check_findings(self):
        """-> number of findings."""
        count, begin, proven, comment = 0, None, False, False
        for number, line in [*self.lines, (0, "# end")]:
            starts = line.startswith("**")
            if starts or HEADING.match(line):
                if begin and not proven:
                    self.fail(begin, "a finding without evidence")
                begin, proven = number if starts else None, False
            if starts:
                count += 1
                verdict = FINDING.match(line)
                if not verdict or verdict[1] not in VERDICTS:
                    self.fail(number, f"no verdict of {', '.join(VERDICTS)}")
            if begin and number not in self.numbers:
                marks = rows.MARK.findall(line)
                proven = proven or line.startswith(MADE) or any(map(self.is_evidence, marks))
                comment = "-->" not in line if comment or line.startswith("<!--") else False
                if rows.figures_of(CLAIM.sub("", line)) and not marks and not line.startswith("|") and not comment:
                    self.fail(number, "a figure without a footnote")
        return count


def check(root):
    """-> (failures, (findings, what was resolved))."""
    tests, failures, resolved, findings = evidence.Tests(root), [], 0, 0
    for path in (*root.glob("README.md"), *sorted(root.glob("docs/*/*.md"))):
        page = Page(tests, path.relative_to(root), path.read_text())
        if str(page.name) == FINDINGS:
            findings = page.check_findings()
        failures += page.failures
        resolved += page.resolved
    return failures, (findings, resolved)


# ---- Self-test

GOOD = {
    FINDINGS: "# F\n\n**One of 0.1.** *Holds.* It is 0.5.[^one]\nA side remark.[^two]\n\n**Two.** *Ours.*\n\n"
              "<!-- table: r.md#sw1 / a / b 0.8\nlevel: 0.8\n| | x\n| y\n-->\n\n| | x |\n|---|---:|\n| y | 0.7 |\n\n## Next\n\n0.9 is no finding.\n\n"
              "[^one]: `tests/a_test.cpp: \"first\", \"second\"`\n[^two]: Words, and 0.6.\n",
    "docs/use/a.md": "# A\n\nA note.[^note]\n\n[^note]: [F](../evidence/findings.md)\n",
    "tests/a_test.cpp": 'TEST_CASE("first") {\nTEST_CASE("sec" "ond" * needs) {\n',
}
# Text of the findings, its replacement, the failure that must be found.
PLANTED = (
    ("*Holds.*", "*Certain.*", ":3: no verdict of " + ", ".join(VERDICTS)),
    ("**Two.** *Ours.*", "**Two.**", ":6: no verdict of " + ", ".join(VERDICTS)),
    ("0.5.[^one]", "0.5.", ":3: a figure without a footnote"),
    ("0.5.[^one]", "half.", ":3: a finding without evidence"),
    ("0.5.[^one]", "0.5.[^three]", ":3: no footnote 'three'"),
    ("<!-- table: r.md#sw1 / a / b 0.8\nlevel: 0.8\n| | x\n| y\n-->\n", "", ":6: a finding without evidence"),
    ("A side remark.[^two]", "A side remark.", ":23: footnote 'two' is not referred to"),
    ("[^two]: W", "[^one]: W", ":23: footnote 'one' is defined twice"),
    ("\"second\"", "\"third\"", ":22: tests/a_test.cpp has no test 'third'"),
    ("a_test.cpp", "b_test.cpp", ":22: no file tests/b_test.cpp"),
)


def self_test():
    planted = [(FINDINGS, old, new, FINDINGS + failure) for old, new, failure in PLANTED]
    return checker.self_test(check, GOOD, (2, 5), planted, alone=False)


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} findings, {} footnotes and tests resolved"))

#!/usr/bin/env python3
"""Compares quoted figures with the rows of the record that they are from.

rows.py [--root DIR]     checks README and the pages of the tree at DIR (default: the tree that holds this script)
rows.py --self-test      plants faults in temporary trees and demands that each is found

A citation is a link to a table of a record of docs/evidence/measurements, and the names of its rows in quotes:
`[SW1](measurements/real_models.md#sw1) "2 bits, keys, plain", "2 bits, keys, centered"`. A name is the first cell
of the row. It stands in the line of the figures, or in a footnote that the line refers to. Every figure with a point or
a percent sign in a line with citations is one of these rows, its sign aside; of several in a list the last may carry the
percent sign. A table whose rows are not named is no evidence of a figure.

Prints one line per failure and what it compared. Exit codes: 0 all agree, 1 something does not, 2 bad usage.
"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker
from pages import footnotes_of, markdown_lines, tables_of

FOLDER = "docs/evidence/measurements/"
LINK = re.compile(r"\[[^]]+\]\([\w./]*measurements/([\w-]+\.md#[\w-]+)\)((?:,? \"[^\"]+\")*)")
NAME = re.compile(r"\"([^\"]+)\"")
FIGURE = re.compile(r"\d+(?:\.\d+(?: ?%)?| ?%)")
MARK = re.compile(r"\[\^([\w-]+)\]")


def figures_of(text):
    return {found.replace(" ", "") for found in FIGURE.findall(text)}


class Rows:
    """{first cell: figures of all rows with it} of each table of the records, read when one is cited."""

    def __init__(self, root):
        self.root, self.records = root, {}

    def of(self, anchor):
        name, _, anchor = anchor.partition("#")
        if name not in self.records:
            path = self.root / FOLDER / name
            self.records[name] = tables_of(path.read_text()) if path.is_file() else {}
        rows = {}
        for _, body in self.records[name].get(anchor, ()):
            for cells in body:
                rows.setdefault(cells[0], set()).update(figures_of(" ".join(cells[1:])))
        return rows


class Page:
    def __init__(self, rows, name, text):
        self.rows, self.name, self.failures, self.compared = rows, name, [], 0
        notes = {number: name for number, name, _ in footnotes_of(text)}
        cited = {name: self.cited(number, text) for number, name, text in footnotes_of(text)}
        for number, line in markdown_lines(text):
            citations = [] if number in notes else self.cited(number, line)
            for name in MARK.findall(line):  # in a definition, its own name
                citations += cited.get(name, ())
            if citations:
                self.compare(number, LINK.sub("", line), citations)

    def fail(self, number, text):
        self.failures.append(f"{self.name}:{number}: {text}")

    def cited(self, number, text):
        """[(table, figures of the rows that the text names)]."""
        citations = []
        for anchor, names in LINK.findall(text):
            known, rows = set(), self.rows.of(anchor)
            for name in NAME.findall(names):
                if name not in rows:
                    self.fail(number, f"{anchor} has no row '{name}'")
                known |= rows.get(name, set())
            citations.append((anchor, known if names else None))
        return citations

    def compare(self, number, line, citations):
        figures = figures_of(line)
        if figures and any(known is None for _, known in citations):
            self.fail(number, "a table is cited without a row")
        known = set().union(*(known for _, known in citations if known))
        known |= {figure.rstrip("%") for figure in known}
        for figure in sorted(figures):
            self.compared += 1
            if figure not in known:
                self.fail(number, f"{figure} is in no row that the line cites")


def check(root):
    """-> (failures, (figures compared,))."""
    rows, failures, compared = Rows(root), [], 0
    for path in (*root.glob("README.md"), *sorted(root.glob("docs/*/*.md"))):
        page = Page(rows, path.relative_to(root), path.read_text())
        failures += page.failures
        compared += page.compared
    return failures, (compared,)


# ---- Self-test

PAGE = "docs/evidence/findings.md"
RECORDS = (FOLDER + "r.md", FOLDER + "q-1.md")
GOOD = {
    RECORDS[0]: "# R\n\n<a id=\"sw1\"></a>\n### SW1: keys\n\n| | KL | % |\n| --- | --- | --- |\n| 2 bits, plain | 0.905 | +164.1 % |\n"
                "| 3 bits | 0.2 | 7 % |\n",
    RECORDS[1]: "# Q\n\n## Better keys\n\n| | KL |\n| --- | --- |\n| 2 bits, best | 0.027 ± 0.0016 |\n",
    PAGE: "Keys cost 0.905 and 164.1 % ([SW1](measurements/r.md#sw1) \"2 bits, plain\").\n\n"
          "Nothing is cited: 5.5 %.\n"
          "Better ones cost 0.027.[^q]\n"
          "No figure, and [a table](measurements/r.md#sw1).\n\n"
          "[^q]: [Q](measurements/q-1.md#better-keys) \"2 bits, best\", with 0.0016.\n",
}
# File, its text, the replacement, the failure that must be found.
PLANTED = (
    (PAGE, "0.905", "0.906", ":1: 0.906 is in no row that the line cites"),
    (PAGE, "164.1 %", "164.2 and 7 %", ":1: 164.2 is in no row that the line cites"),
    (PAGE, "164.1 %", "164 %", ":1: 164% is in no row that the line cites"),
    (PAGE, "\"2 bits, plain\"", "\"3 bits\"", ":1: 0.905 is in no row that the line cites"),
    (PAGE, "2 bits, plain", "2 bits", ":1: r.md#sw1 has no row '2 bits'"),
    (PAGE, "md#sw1", "md#sw2", ":1: r.md#sw2 has no row '2 bits, plain'"),
    (PAGE, " \"2 bits, plain\"", "", ":1: a table is cited without a row"),
    (PAGE, "No figure", "0.2", ":5: a table is cited without a row"),
    (PAGE, "0.027", "0.028", ":4: 0.028 is in no row that the line cites"),
    (PAGE, "q-1.md", "r.md", ":7: r.md#better-keys has no row '2 bits, best'"),
    (PAGE, " \"2 bits, best\"", "", ":4: a table is cited without a row"),
    (PAGE, "with 0.0016", "with 0.0017", ":7: 0.0017 is in no row that the line cites"),
    (RECORDS[1], "0.027", "0.028", ":4: 0.027 is in no row that the line cites"),
    (RECORDS[0], "0.905", "0.915", ":1: 0.905 is in no row that the line cites"),
    (RECORDS[0], "<a id", "\n## SS\n<a no", ":1: r.md#sw1 has no row '2 bits, plain'"),
)


def self_test():
    planted = [(file, old, new, PAGE + failure) for file, old, new, failure in PLANTED]
    return checker.self_test(check, GOOD, (4,), planted, alone=False)


if __name__ == "__main__":
    sys.exit(checker.main(__doc__, check, self_test, "{} figures compared"))

#!/usr/bin/env python3
"""Compares quoted figures of pretrained models with the rows of their record.

rows.py [--root DIR]     checks README and the pages of the tree at DIR (default: the tree that holds this script)
rows.py --self-test      plants faults in temporary trees and demands that each is found

A citation is a link to a table of a record of docs/evidence/measurements, and the names of its rows in quotes:
`[SW1](measurements/real_models.md#sw1) "2 bits, keys, plain", "2 bits, keys, centered"`. A name is the first cell
of the row. Every figure with a point or a percent sign in a line with citations is one of these rows, its sign aside;
of several in a list the last may carry the percent sign.

Prints one line per failure and what it compared. Exit codes: 0 all agree, 1 something does not, 2 bad usage.
"""
import argparse
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = "docs/evidence/measurements/"
RECORDS = tuple(FOLDER + name for name in ("real_models.md", "quantizers.md", "turboquant.md", "silicon.md", "tiers.md"))
PAGE = "docs/evidence/findings.md"  # of the self-test
NAMES = "|".join(pathlib.Path(record).stem for record in RECORDS)
CITATION = re.compile(rf"\[[^]]+\]\([\w./]*measurements/((?:{NAMES})\.md#\w+)\)((?:,? \"[^\"]+\")+)")
LINK = re.compile(rf"measurements/(?:{NAMES})\.md#(\w+)\)")
NAME = re.compile(r"\"([^\"]+)\"")
FIGURE = re.compile(r"\d+(?:\.\d+(?: ?%)?| ?%)")
ANCHOR = re.compile(r"<a id=\"(\w+)\"></a>")


def tables_of(record, name):
    """{name#anchor: {first cell: figures of all rows with it}}."""
    tables, rows = {}, {}
    for line in record.splitlines():
        if found := ANCHOR.match(line):
            rows = tables.setdefault(f"{name}#{found[1]}", {})
        elif line.startswith("## "):
            rows = {}
        elif line.startswith("| "):
            cells = [cell.strip() for cell in line.strip().strip("|").split(" |")]
            rows.setdefault(cells[0], set()).update(figures_of(" ".join(cells[1:])))
    return tables


def figures_of(text):
    return {found.replace(" ", "") for found in FIGURE.findall(text)}


def check(root):
    """(failures, figures compared)."""
    tables = {}
    for record in RECORDS:
        tables |= tables_of((root / record).read_text(), pathlib.Path(record).name)
    failures, compared = [], 0
    for path in (*root.glob("README.md"), *sorted(root.glob("docs/*/*.md"))):
        page = path.relative_to(root)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            known = set()
            citations = CITATION.findall(line)
            if len(citations) != len(LINK.findall(line)):
                failures.append(f"{page}:{number}: a table is cited without a row")
            for anchor, names in citations:
                for name in NAME.findall(names):
                    if name in tables.get(anchor, ()):
                        known |= tables[anchor][name] | {figure.rstrip("%") for figure in tables[anchor][name]}
                    else:
                        failures.append(f"{page}:{number}: {anchor} has no row '{name}'")
            if not citations:
                continue
            for figure in sorted(figures_of(CITATION.sub("", line))):
                compared += 1
                if figure not in known:
                    failures.append(f"{page}:{number}: {figure} is in no row that the line cites")
    return failures, compared


# ---- Self-test

GOOD = {
    RECORDS[0]: "# R\n\n<a id=\"sw1\"></a>\n### SW1: keys\n\n| | KL | % |\n| --- | --- | --- |\n| 2 bits, plain | 0.905 | +164.1 % |\n"
            "| 3 bits | 0.2 | 7 % |\n",
    RECORDS[1]: "# Q\n\n<a id=\"sw1\"></a>\n### SW1: better keys\n\n| | KL |\n| --- | --- |\n| 2 bits, best | 0.027 ± 0.0016 |\n",
    RECORDS[2]: "# T\n\n<a id=\"tsw1\"></a>\n### TSW1: signs\n\n| | KL |\n| --- | --- |\n| 3 bits, QJL | 0.37 |\n",
    RECORDS[3]: "# S\n",
    RECORDS[4]: "# T\n",
    PAGE: "Keys cost 0.905 and 164.1 % ([SW1](measurements/real_models.md#sw1) \"2 bits, plain\").\n\n"
          "Nothing is cited: 5.5 %.\n"
          "Better ones cost 0.027 ([SW1](measurements/quantizers.md#sw1) \"2 bits, best\").\n"
          "QJL costs 0.37 ([TSW1](measurements/turboquant.md#tsw1) \"3 bits, QJL\").\n",
}
# Page, its text, the replacement, the failure that must be found.
PLANTED = (
    (PAGE, "0.905", "0.906", ":1: 0.906 is in no row that the line cites"),
    (PAGE, "164.1 %", "164.2 and 7 %", ":1: 164.2 is in no row that the line cites"),
    (PAGE, "164.1 %", "164 %", ":1: 164% is in no row that the line cites"),
    (PAGE, "\"2 bits, plain\"", "\"3 bits\"", ":1: 0.905 is in no row that the line cites"),
    (PAGE, "2 bits, plain", "2 bits", ":1: real_models.md#sw1 has no row '2 bits'"),
    (PAGE, "md#sw1", "md#sw2", ":1: real_models.md#sw2 has no row '2 bits, plain'"),
    (PAGE, " \"2 bits, plain\"", "", ":1: a table is cited without a row"),
    (PAGE, "quantizers.md", "real_models.md", ":4: real_models.md#sw1 has no row '2 bits, best'"),
    (RECORDS[1], "0.027", "0.028", ":4: 0.027 is in no row that the line cites"),
    (RECORDS[2], "0.37", "0.38", ":5: 0.37 is in no row that the line cites"),
    (RECORDS[0], "0.905", "0.915", ":1: 0.905 is in no row that the line cites"),
    (RECORDS[0], "<a id", "\n## SS\n<a no", ":1: real_models.md#sw1 has no row '2 bits, plain'"),
)


def self_test():
    wrong = 0
    for page, old, new, expected in (("", "", "", None), *PLANTED):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in GOOD.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace(old, new, 1) if name == page else text)
            failures, compared = check(pathlib.Path(folder))
        if (failures or compared != 4) if expected is None else PAGE + expected not in failures:
            wrong += 1
            print(f"self-test: {old!r} -> {new!r}: found {failures}, {compared} compared")
    print(f"{len(PLANTED)} planted faults, {wrong} wrong")
    return wrong == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return 0 if self_test() else 1
    failures, compared = check(arguments.root)
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"{compared} figures compared, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

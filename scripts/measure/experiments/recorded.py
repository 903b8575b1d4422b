"""Rows and provenances of an earlier record, so that a campaign goes on from it where its results are not at hand."""
import re
import sys

from .common import ROOT

sys.path.append(str(ROOT / "scripts" / "docs"))
from pages import slug, tables_of

MEASURED = re.compile(r"Measured on .*?\.(?= Measured on |$)")


def blocks_of(report):
    parts = {}
    for part in report.split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        blocks = re.split(r'\n(?=<a id=")', "\n" + body)[1:]
        parts[heading] = {re.match(r'<a id="(.*?)"', block)[1]: "\n" + block.rstrip() + "\n" for block in blocks}
    return parts


class Recorded:
    """docs/evidence/measurements/NAME as it is; without `used`, empty. A row that the campaign measures is taken from it instead."""

    def __init__(self, name, used=True):
        path = ROOT / "docs" / "evidence" / "measurements" / name
        self.text = path.read_text() if used and path.exists() else ""

    def provenances(self):
        return MEASURED.findall(self.text.split("\n\n", 2)[1].replace("\n", " ")) if self.text else []

    def blocks(self):
        """{heading of a part: {anchor: its table with its title}}."""
        return blocks_of(self.text)

    def rows_below(self, heading):
        """{row: its cells} of the table below a heading."""
        return self.rows(slug(heading))

    def rows(self, anchor):
        """{row: its cells} of the table below `anchor`."""
        tables = tables_of(self.text).get(anchor, [])
        return {cells[0]: cells for _, rows in tables[:1] for cells in rows}

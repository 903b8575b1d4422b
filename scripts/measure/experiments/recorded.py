"""Rows and provenances of an earlier record, so that a campaign goes on from it where its results are not at hand."""
import re

from .common import ROOT

MEASURED = re.compile(r"Measured on .*?\.(?= Measured on |$)")


class Recorded:
    """docs/evidence/measurements/NAME as it is; without `used`, empty. A row that the campaign measures is taken from it instead."""

    def __init__(self, name, used=True):
        path = ROOT / "docs" / "evidence" / "measurements" / name
        self.text = path.read_text() if used and path.exists() else ""

    def provenances(self):
        return MEASURED.findall(self.text.split("\n\n", 2)[1].replace("\n", " ")) if self.text else []

    def rows(self, anchor):
        """{row: its cells} of the table below `anchor`."""
        found = {}
        _, _, below = self.text.partition(f'<a id="{anchor}"></a>\n')
        below = below.partition("| --- |")[2].partition("\n")[2]  # behind the head
        for line in below.split("\n"):
            if not line.startswith("| "):
                break
            cells = line[2:-2].split(" | ")
            found[cells[0]] = cells
        return found

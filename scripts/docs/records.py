"""Figures of the records, by the addresses that comments of pages give.

An address is record and anchor, row, column: `real_models.md#sw1 / 2 bits, keys, plain / KL, mean`. A row is named by
its first cell, or by its first cells with ` & ` between them. Where tables behind an anchor have equal rows and columns,
the first cell of the table's header stands before the row. `KL, mean` is the part before the ± of a column
`KL, mean ± std`, and a column `worst#2` is the second of its name.

A line of a comment is made of cells: `| label: name=value; name=value | ...`. An address holds names in braces, which
the values of column, row and first column replace, in this order. A value may hold names itself; one with a semicolon is
in double quotes; `-` leaves out what it is part of.
"""
import re

from pages import tables_of

LABEL = re.compile(r"(.*?)(?:: ((?:\w+=).*))?$")
VALUE = re.compile(r"(\w+)=(\"[^\"]*\"|[^;]*)")


class Fault(Exception):
    pass


class Records:
    """The tables of the records below docs, read when a figure of them is asked for."""

    def __init__(self, root):
        self.paths = {path.name: path for path in sorted(root.glob("docs/**/measurements/*.md"))}
        self.tables = {}

    def of(self, name):
        if name not in self.tables:
            if name not in self.paths:
                raise Fault(f"no record {name}")
            self.tables[name] = tables_of(self.paths[name].read_text())
        return self.tables[name]

    def figure(self, address):
        """The cell at `record.md#anchor / [header /] row / column`."""
        parts = address.split(" / ")
        name, _, anchor = parts[0].partition("#")
        if len(parts) not in (3, 4) or not anchor:
            raise Fault(f"'{address}' is no address of a figure")
        header, row, column = ([None] + parts[1:])[-3:]
        names = row.split(" & ")
        found = [cell for head, rows in self.of(name).get(anchor, ()) if header in (None, head[0])
                 for cells in rows if cells[:len(names)] == names for cell in self.cell(head, cells, column)]
        if len(found) != 1:
            raise Fault(f"{'no' if not found else 'more than one'} figure at '{address}'")
        return found[0]

    @staticmethod
    def cell(head, cells, column):
        column, _, count = column.partition("#")
        for name, shorten in ((column, False), (f"{column} ±", True)):
            places = [place for place, text in enumerate(head) if place and (text == name or shorten and text.startswith(name))]
            if len(places) >= int(count or 1):
                text = cells[places[int(count or 1) - 1]]
                return [text.split(" ±")[0] if shorten else text]
        return []


def label_of(cell):
    """'2 bits: bits=2; of="..."' -> ('2 bits', {'bits': '2', 'of': '...'})."""
    label, values = LABEL.match(cell.strip()).groups()
    return label, {name: value.strip().strip('"') for name, value in VALUE.findall(values or "")}


def filled(template, values):
    """The template with its names replaced, also those in values, or None if one is left out."""
    for name in re.findall(r"\{(\w+)\}", template):
        if name not in values:
            raise Fault(f"'{{{name}}}' has no value in '{template}'")
        value = filled(values[name], {other: text for other, text in values.items() if other != name})
        if value is None or value == "-":
            return None
        template = template.replace(f"{{{name}}}", value)
    return template


def comment_rows(lines):
    """Lines of a comment that begin with a bar -> rows of (label, values)."""
    return [[label_of(cell) for cell in line.strip().strip("|").split(" | ")] for line in lines.splitlines()
            if line.startswith("|")]


def values_of(head, row, place):
    """Values of the cell of a row below a column."""
    return {**head[0][1], **row[0][1], **head[place][1]}


def pages(root):
    return [path for path in (root / "README.md", *sorted(root.glob("docs/**/*.md")))
            if path.exists() and path.parent.name != "measurements"]

"""Lists of parameters, ports and connections: one a line, aligned.

A connection that only passes a name on, `.a_i` or `.Bits(Bits)`, shares its line with its neighbours of that kind. An
instance of few connections that fits stands on one line; so does the head of one with few parameters.
"""
from typing import NamedTuple

from tokens import SyntaxProblem, closing
from wrap import WIDTH, broken, flowed

FEW = 3  # connections or parameters that may stand on the line of their instance


class Entry(NamedTuple):
    above: list  # comments and blank lines in front of it
    parts: list  # tokens
    beside: str  # comment on its line


def entries(inside):
    """The entries of a list: tokens between its brackets, split at commas outside of inner brackets."""
    found, above, parts, depth = [], [], [], 0
    lines = 1  # line ends since the last token that is no space
    for token in inside:
        if token.kind == "space":
            lines += token.text.count("\n")
            if token.text.count("\n") > 1 and not parts and (found or above):
                above.append("")
            continue
        if token.kind == "directive" or token.kind == "block":
            raise SyntaxProblem(f"{token.text} inside of a list")
        if token.kind == "comment":
            if lines == 0 and parts:
                found.append(Entry(above, parts, token.text))
                above, parts = [], []
            elif lines == 0 and found and not above:
                found[-1] = found[-1]._replace(beside=token.text)
            elif parts:
                raise SyntaxProblem(f"{token.text} inside of an entry")
            else:
                above.append(token.text)
            lines = 0
            continue
        lines = 0
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == "," and depth == 0:
            if parts:
                found.append(Entry(above, parts, ""))
                above, parts = [], []
        else:
            parts.append(token)
    if parts:
        found.append(Entry(above, parts, ""))
    elif [line for line in above if line]:
        raise SyntaxProblem("a comment behind the last entry of a list")
    return found


def joined(parts, text):
    """The text of tokens as it is written, with one space for each gap."""
    return " ".join(text[parts[0].start:parts[-1].end].split()) if parts else ""


def laid_out(rows, indent):
    """Lines of rows (entry, text): commas, comments beside and above."""
    lines = []
    for index, (entry, text) in enumerate(rows):
        text = " " * indent + text + ("" if index == len(rows) - 1 else ",")
        for comment in entry.above:
            lines += flowed([" " * indent + comment]) if comment else [""]
        if entry.beside and len(f"{text}  {entry.beside}") <= WIDTH:
            lines.append(f"{text}  {entry.beside}")
            continue
        if entry.beside:
            lines += flowed([" " * indent + entry.beside])
        lines += broken(text, True)
    return lines


def columns(rows, widest):
    """Texts of rows of cells, aligned in columns. Behind a cell wider than `widest` nothing is aligned; what is empty in
    all rows takes no column."""
    widths = [max((len(row[column]) for row in rows if len(row[column]) <= widest), default=0)
              for column in range(len(rows[0]))]
    texts = []
    for row in rows:
        aligned, cells = True, []
        for cell, width in zip(row, widths):
            aligned = aligned and len(cell) <= widest
            cells += [cell.ljust(width) if aligned else cell] if cell or aligned and width else []
        texts.append(" ".join(cells).rstrip())
    return texts


def range_cell(parts, text, width):
    """The ranges of a declaration, the first one `width` wide: its bounds on the right."""
    if not parts:
        return ""
    written = joined(parts, text)
    bounds = written[1:].lstrip()
    return "[" + bounds.rjust(width - 1)


def declaration(entry, text):
    """Cells of a port: direction and type, sign, ranges, name and what follows."""
    parts = list(entry.parts)
    kind = []
    while parts[0].text in ("input", "output", "inout", "wire", "var", "logic", "bit", "int"):
        kind.append(parts.pop(0).text)
    sign = parts.pop(0).text if parts[0].text in ("signed", "unsigned") else ""
    first = 0
    while parts[first].text == "[":
        first = closing(parts, first) + 1
    direction = kind[0].ljust(6)
    return [" ".join([direction, *kind[1:]]), sign, parts[:first], joined(parts[first:], text)]


def port_lines(inside, text, indent):
    rows = entries(inside)
    cells = [declaration(entry, text) for entry in rows]
    width = max(len(joined(cell[2], text)) for cell in cells)
    for cell in cells:
        cell[2] = range_cell(cell[2], text, width)
    return laid_out(list(zip(rows, columns(cells, WIDTH))), indent)


def parameter_lines(inside, text, indent):
    """Cells: parameter or localparam and type, name, value."""
    rows = entries(inside)
    cells = []
    for entry in rows:
        sign = next(index for index, part in enumerate(entry.parts) if part.text == "=")
        cells.append([joined(entry.parts[:sign - 1], text), entry.parts[sign - 1].text,
                      "= " + joined(entry.parts[sign + 1:], text)])
    return laid_out(list(zip(rows, columns(cells, 24))), indent)


def header_lines(module, parameters, ports, text):
    """The header of a module, which may have no ports or no parameters."""
    lines = [f"{module} #(", *parameter_lines(parameters, text, 4), ") ("] if parameters else [f"{module} ("]
    if ports is None:
        return [*lines[:-1], ");"]
    return [*lines, *port_lines(ports, text, 4), ");"]


class Connection(NamedTuple):
    entry: Entry
    name: str
    value: str  # with brackets; empty: as the name

    @property
    def passes_on(self):
        return self.value in ("", f"({self.name})") and not self.entry.beside

    @property
    def text(self):
        return f".{self.name}{self.value}"


def connections(inside, text):
    found = []
    for entry in entries(inside):
        if entry.parts[0].text != ".":
            raise SyntaxProblem(f"{joined(entry.parts, text)}: a connection without a name")
        found.append(Connection(entry, entry.parts[1].text, joined(entry.parts[2:], text)))
    return found


def connection_lines(listed, indent):
    alone = [one for one in listed if not one.passes_on]
    width = max((len(one.name) for one in alone), default=0)
    rows = []
    for one in listed:
        previous = rows[-1] if rows else None
        if one.passes_on and previous and previous[2] and not one.entry.above \
                and indent + len(f"{previous[1]}, {one.text},") <= WIDTH:
            rows[-1] = (previous[0], f"{previous[1]}, {one.text}", True)
        elif one.passes_on:
            rows.append((one.entry, one.text, True))
        else:
            rows.append((one.entry, f".{one.name.ljust(width)}{one.value}", False))
    return laid_out([row[:2] for row in rows], indent)


def plain(listed):
    """Connections as they stand on one line, or nothing if there are too many of them, or comments."""
    simple = len(listed) <= FEW and not any(one.entry.above or one.entry.beside for one in listed)
    return ", ".join(one.text for one in listed) if simple else None


def instance_lines(module, name, parameters, ports, indent):
    """An instance; `parameters` and `ports` are lists of connections."""
    head = " " * indent + module
    one_line = plain(parameters)
    if parameters and one_line is not None and len(f"{head} #({one_line}) {name} (") <= WIDTH:
        head += f" #({one_line}) {name} ("
        lines = []
    elif parameters:
        lines = [f"{head} #(", *connection_lines(parameters, indent + 4)]
        head = f"{' ' * indent}) {name} ("
    else:
        lines = []
        head += f" {name} ("
    one_line = plain(ports)
    if not lines and one_line is not None and len(f"{head}{one_line});") <= WIDTH:
        return [f"{head}{one_line});"]
    return [*lines, head, *connection_lines(ports, indent + 4), " " * indent + ");"]

"""Figures, matrices and tables as HTML. A narrow screen shows a row as a block: see style.css."""
from numbers_of_page import MARKS, escaped, mark, marked, number, rich, spaced, unit

ENDS = ("_in_hardware", "_in_netlist")


def cell(content, kind="", label=""):
    attributes = (f' class="{kind}"' if kind else "") + (f' data-label="{escaped(label)}"' if label else "")
    return f"<td{attributes}>{content}</td>"


def value_of(figure):
    exact = figure["value"]
    title = f' title="{escaped(repr(exact))}"' if isinstance(exact, float) else ""
    return f"<span{title}>{number(exact)}</span>"


def head_of(columns):
    cells = "".join(f'<th scope="col"{f" class={kind}" if kind else ""}>{escaped(title)}</th>' for title, kind in columns)
    return f"<thead><tr>{cells}</tr></thead>"


def netlist_cell(figure):
    """What the netlist has, and whether it differs from the closed form."""
    counted = figure.get("netlist")
    if counted is None or counted["value"] is None:
        reason = f' title="{escaped(counted["note"])}"' if counted else ""
        return cell(f'<span class="none"{reason}>n/a</span> {mark("n/a")}', "number side uncounted", "netlist")
    differs = counted["value"] != figure["value"]
    sign = ' <abbr class="differs" title="differs from the closed form">≠</abbr>' if differs else ""
    return cell(f'<span title="{escaped(counted["note"])}">{number(counted["value"])}</span>{sign} '
                f'{mark(counted["method"])}', "number side", "netlist")


def figures(part):
    rows = part["figures"]
    paper = any(figure["paper"] is not None for figure in rows)
    columns = [("figure", "name"), ("value", "number"), ("unit", "unit"), ("", "method")]
    columns += [("netlist", "number side")] if part["netlist"] else []
    columns += [("paper", "number side")] if paper else []
    columns += [("note", "note")]
    body = []
    for figure in rows:
        none = figure["value"] is None
        name = spaced(figure["name"], ENDS)
        cells = [f'<th scope="row"><span title="{escaped(figure["name"])}">{escaped(name)}</span></th>',
                 cell(value_of(figure), "number none" if none else "number"), cell(escaped(unit(figure["unit"])), "unit"),
                 cell(mark(figure["method"]), "method")]
        if part["netlist"]:
            cells.append(netlist_cell(figure))
        if paper:
            cells.append(cell(number(figure["paper"]) if figure["paper"] is not None else "", "number side", "paper"))
        cells.append(cell(rich(figure["note"]), "note"))
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f'<table class="figures">{head_of(columns)}<tbody>{"".join(body)}</tbody></table>'


def common(figures_of_column, key):
    """The value of a key that all figures of a column share, or None."""
    values = {figure[key] for figure in figures_of_column}
    return values.pop() if len(values) == 1 else None


def matrix(part):
    """A mark that all figures of a column share stands at its head."""
    heads, marks = [f'<th scope="col">{escaped(part["what"])}</th>'], []
    for place, column in enumerate(part["columns"]):
        of_column = [row["figures"][place] for row in part["rows"]]
        units, method = common(of_column, "unit"), common(of_column, "method")
        named = units in column.split() or not units
        heads.append(f'<th scope="col" class="number">{marked(column + ("" if named else ", " + unit(units)), method)}</th>')
        marks.append("" if method else None)
    body = []
    for row in part["rows"]:
        cells = [f'<th scope="row">{escaped(row["name"])}</th>']
        for figure, column, shared in zip(row["figures"], part["columns"], marks):
            none = figure["value"] is None
            content = f'<span{" class=none" if none else ""} title="{escaped(figure["note"])}">{number(figure["value"])}</span>'
            own = mark(figure["method"]) if shared is None else f'<span class="if-narrow">{mark(figure["method"])}</span>'
            cells.append(cell(f'<span class="together">{content} {own}</span>', "number", column))
        body.append(f"<tr>{''.join(cells)}</tr>")
    return f'<table class="matrix"><thead><tr>{"".join(heads)}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def plain_cell(text, column):
    if column["title"] == "method" and text in MARKS:
        return f"{mark(text)} {escaped(text)}"
    if text in ("default", "absent", "set"):
        return f'<span class="state state-{text}">{text}</span>'
    return f"<code>{escaped(text)}</code>" if column["code"] and text else rich(text)


def table(part):
    kinds = ["number" if column["number"] else "code" if column["code"] else "" for column in part["columns"]]
    titled = any(column["title"] for column in part["columns"])
    head = head_of([(column["title"], kind) for column, kind in zip(part["columns"], kinds)]) if titled else ""
    body = []
    for row in part["rows"]:
        absent = ' class="by-default"' if "default" in row or "absent" in row else ""
        cells = []
        for position, (text, column, kind) in enumerate(zip(row, part["columns"], kinds)):
            content = plain_cell(text, column)
            cells.append(f'<th scope="row"{f" class={kind}" if kind else ""}>{content}</th>' if position == 0
                         else cell(content, kind, column["title"] if text else ""))
        body.append(f"<tr{absent}>{''.join(cells)}</tr>")
    compact = " compact" if all(column["number"] for column in part["columns"][1:]) else ""
    return f'<table class="plain columns-{len(kinds)}{compact}">{head}<tbody>{"".join(body)}</tbody></table>'


def highlight(one):
    figure = one["figure"]
    shown = unit(figure["unit"], figure["value"])
    words = "" if shown in ("ratio", "fraction", "mean square") else shown
    return (f'<div><dd>{value_of(figure)}<span class="unit">{"" if words == "×" else " "}{escaped(words)}</span></dd>'
            f'<dt>{marked(one["label"], figure["method"])}</dt></div>')

"""Markdown pages: anchors, tables, footnotes."""
import re

EXPLICIT_ID = re.compile(r"<[A-Za-z][^<>]*?\s(?:id|name)\s*=\s*[\"']([^\"']+)[\"']")
FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
DEFINITION = re.compile(r"\[\^([\w-]+)\]: (.*)$")
RULE = re.compile(r"\|(?: ?:?-+:? ?\|)+")


def markdown_lines(text):
    """-> (line number, line) outside fenced code."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if not fence and match:
            fence = match.group(1)
        elif fence:
            closes = match and match.group(1)[0] == fence[0] and len(match.group(1)) >= len(fence)
            if closes and line.strip() == match.group(1):
                fence = ""
        else:
            yield number, line


def slug(heading):
    """GitHub's: markup and punctuation dropped, lower case, a hyphen for each space."""
    heading = re.sub(r"<[^<>]*>", "", heading)
    heading = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def anchors_by_line(text):
    """-> (line number, its anchors, whether they are explicit ids) of each line that has any, headings included."""
    seen = {}
    for number, line in markdown_lines(text):
        explicit = EXPLICIT_ID.findall(CODE_SPAN.sub("", line))
        heading = HEADING.match(line)
        if explicit:
            yield number, explicit, True
        if heading:
            name = slug(heading.group(1))
            count = seen.get(name, 0)
            seen[name] = count + 1
            yield number, [f"{name}-{count}" if count else name], False


def anchors_of(text):
    """-> (anchors, [(line, id)] of explicit ids that occur twice)."""
    explicit, slugs, twice = set(), set(), []
    for number, names, by_id in anchors_by_line(text):
        for name in names:
            if by_id and name in explicit:
                twice.append((number, name))
            (explicit if by_id else slugs).add(name)
    return explicit | slugs, twice


def cells_of(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def tables_of(text):
    """{anchor: [(header cells, rows of cells)]}: the tables behind an anchor, up to the next heading. Anchors without text
    between them have the same tables."""
    anchors = {}
    for number, names, _ in anchors_by_line(text):
        anchors.setdefault(number, []).extend(names)
    tables, names, begun, table = {}, [], False, None
    for number, line in markdown_lines(text):
        if number in anchors:
            if begun:
                names, begun = [], False
            names += anchors[number]
            table = None
        elif line.startswith("|"):
            begun = True
            if table is None:
                table = (cells_of(line), [])
                for name in names:
                    tables.setdefault(name, []).append(table)
            elif not RULE.fullmatch(line.strip()):
                table[1].append(cells_of(line))
        else:
            table = None
            begun = begun or bool(line.strip())
    return tables


def footnotes_of(text):
    """(line number, name, text) of each footnote that the page defines."""
    for number, line in markdown_lines(text):
        found = DEFINITION.match(line)
        if found:
            yield number, found[1], found[2]

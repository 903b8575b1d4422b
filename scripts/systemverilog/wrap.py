"""Lines that are too long: where code and comments are broken."""
import re
from typing import NamedTuple

from tokens import tokens

WIDTH = 100
# A line is broken behind the token of the lowest rank; each bracket around it adds DEPTH.
DEPTH = 12
RANKS = {"|->": 0, ",": 1, "?": 2, ":": 2, "||": 3, "&&": 4, "=": 5, "<=": 5, "|": 6, "^": 6, "&": 6,
         "==": 7, "!=": 7, "<": 7, ">": 7, ">=": 7, "+": 8, "-": 8, "<<": 9, ">>": 9, "*": 10, "/": 10,
         "(": 26, "{": 26}


class Place(NamedTuple):
    rank: int
    column: int  # behind the token
    indent: int  # of the rest, further than the line; a macro call continues behind its bracket
    statement: bool  # the rest is a statement of its own


def places(line, starts):
    """Where a line of code, without its indentation, may be broken."""
    parts = [token for token in tokens(line) if token.kind != "space"]
    around = []  # open brackets, each with what is in front
    for index, token in enumerate(parts[:-1]):
        before = parts[index - 1].text if index else ""
        if token.text in ("(", "[", "{"):
            around.append((token.text, before))
        elif token.text in (")", "]", "}") and around:
            head = around.pop()
            if not around and starts and head[1] in ("if", "@"):
                yield Place(0, token.end, 2, True)
        if token.text not in RANKS:
            continue
        macro = parts[0].text if parts[0].text.startswith("`AXELRAM_") else ""
        of_one_operand = token.text in "+-&|^" and (before in RANKS or not before)
        of_a_label = token.text == ":" and not any(part.text == "?" for part in parts[:index])
        if of_one_operand or of_a_label or macro and index == 1:
            continue
        depth = len(around) - (token.text in "({") + any(bracket == "[" for bracket, _ in around)
        further = len(macro) + 1 if macro and around else 4
        yield Place(RANKS[token.text] + DEPTH * depth, token.end, further if starts else 0, False)


def broken(line, starts):
    """The lines that a long line of code becomes; `starts`: it is the first of its statement."""
    lines = []
    while len(line) > WIDTH:
        indent = len(line) - len(line.lstrip())
        text = line.lstrip()

        def cost(place):
            rest = len(text[place.column:].lstrip()) + indent + place.indent
            short = place.column < len(text) // 3
            return place.rank + DEPTH * (rest > WIDTH and short), place.column * (1 if place.statement else -1)

        fitting = [place for place in places(text, starts) if indent + place.column <= WIDTH]
        if not fitting:
            break
        best = min(fitting, key=cost)
        lines.append(line[:indent + best.column])
        line = " " * (indent + best.indent) + text[best.column:].lstrip()
        starts = best.statement
    return lines + [line]


def flowed(lines):
    """Lines of one comment, none too long: the rest of a line goes to the next one of its sentence. Lines with an
    indentation of their own stay as they are."""
    done, carried = [], ""
    for index, line in enumerate(lines):
        start, text = re.fullmatch(r"( *//+ ?)(.*)", line).groups()
        text = f"{carried} {text}" if carried else text
        carried = ""
        while len(start + text) > WIDTH and text[0] != " " and " " in text[:WIDTH + 1 - len(start)]:
            cut = text.rindex(" ", 1, WIDTH + 1 - len(start))
            done.append((start + text[:cut]).rstrip())
            text = text[cut:].strip()
            following = lines[index + 1] if index + 1 < len(lines) else ""
            continues = re.match(r"[a-z(`]" if text[-1] in ".:;" else r"[\w(`+]", following[len(start):])
            if following.startswith(start) and continues:
                carried, text = text, None
                break
        if text is not None:
            done.append((start + text).rstrip())
    return done

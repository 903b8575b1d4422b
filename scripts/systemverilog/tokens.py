"""Tokens of SystemVerilog, as far as a formatter needs them."""
import re
from typing import NamedTuple

# A directive that takes its line is one token, with the lines that it continues on.
TOKEN = re.compile(r"""
    (?P<space>[ \t\n]+)
  | (?P<comment>//[^\n]*)
  | (?P<block>/\*.*?\*/)
  | (?P<directive>`(?:include|default_nettype|define|undef|ifdef|ifndef|elsif|else|endif|timescale)\b
      (?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<number>\d*'[sS]?[bBoOdDhH][0-9a-fA-FxXzZ_?]+|'[01xz]|\d[\d_]*(?:\.\d+)?)
  | (?P<name>[A-Za-z_$][\w$]*|`\w+)
  | (?P<sign>\|->|\|=>|<<<=?|>>>=?|===|!==|\+:|-:|::|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=
      |~[&|^]|\*\*|[-+*/%&|^~!<>=?:;,.\#@(){}\[\]'])
""", re.X | re.S)


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


class SyntaxProblem(Exception):
    """A text that the formatter does not understand."""


def tokens(text):
    """All tokens of a text, spaces and comments too."""
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            line = text.count("\n", 0, at) + 1
            raise SyntaxProblem(f"line {line}: unknown text {text[at:at + 20]!r}")
        found.append(Token(match.lastgroup, match[0], at))
        at = match.end()
    return found


def code(text):
    """What a compiler reads: the tokens without spaces and comments."""
    return [re.sub(r"\s+", " ", token.text) for token in tokens(text)
            if token.kind not in ("space", "comment")]


def prose(text):
    """The words of the comments, in alphabetical order: a comment may move to the line above."""
    return sorted(word for token in tokens(text) if token.kind == "comment"
                  for word in token.text.lstrip("/").split())


def closing(parts, opening):
    """Index of the bracket that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(parts)):
        if parts[index].text in ("(", "[", "{"):
            depth += 1
        elif parts[index].text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return index
    raise SyntaxProblem("a bracket is not closed")

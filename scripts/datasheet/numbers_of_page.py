"""Numbers, names and marks as the page shows them."""
import html
import re

# The mark of each method. Letters, so that colour is not needed.
MARKS = {"counted": "C", "measured": "M", "estimated": "E", "n/a": "–"}
MEANINGS = {"counted": "counted: computed from the configuration", "measured": "measured on data",
            "estimated": "estimated by a model", "n/a": "not available"}
NARROW_SPACE = "\u202f"


def escaped(text):
    return html.escape(str(text), quote=True)


def rich(text):
    """Text with `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped(text))


UNITS = {"x": "×", "um^2": "µm²", "um2": "µm²", "mm^2": "mm²", "mm2": "mm²", "uW": "µW"}


def unit(text, value=None):
    """A unit in the characters of print; of one thing, if the value is 1."""
    return UNITS.get(text, "cycle" if text == "cycles" and value == 1 else text)


def number(value):
    """Four significant digits of a fraction; thousands of whole numbers apart."""
    if value is None:
        return "n/a"
    if isinstance(value, float) and not value.is_integer():
        text = f"{value:.4g}"
        if "e" not in text:
            return text
        digits, exponent = text.split("e")
        return f"{digits}·10{superscript(int(exponent))}"
    text = f"{int(value):,}"
    return text.replace(",", NARROW_SPACE) if abs(value) >= 10000 else text.replace(",", "")


def superscript(exponent):
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def spaced(name, ends=()):
    """The name of a line as words, without an end that its heading states."""
    for end in ends:
        if name.endswith(end):
            name = name[: -len(end)]
    return name.replace("_", " ")


def capital(text):
    return text[:1].upper() + text[1:]


def mark(method):
    if not method:
        return ""
    return (f'<abbr class="mark mark-{"none" if method == "n/a" else method}" title="{escaped(MEANINGS[method])}">'
            f"{MARKS[method]}</abbr>")


def marked(text, method):
    """A text with its mark, which stays on the line of the last word."""
    start, _, last = text.rpartition(" ")
    before = escaped(start) + " " if start else ""
    return f'{before}<span class="together">{escaped(last)} {mark(method)}</span>' if method else escaped(text)

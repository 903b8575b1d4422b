"""What all drawings share: a canvas in pixels, colours that follow the page, and SVG for use inside HTML."""
import io
import re

import matplotlib
from matplotlib.figure import Figure

from numbers_of_page import escaped

matplotlib.use("svg")

# Colours stand for CSS properties of the page, so that they follow its light and dark scheme.
INK, MUTED, LINE, PAPER, SOFT = "#010101", "#010102", "#010103", "#010104", "#010105"
BLUE, RUST, GREEN, SAND = "#010106", "#010107", "#010108", "#010109"
PROPERTIES = {INK: "currentColor", MUTED: "var(--muted)", LINE: "var(--line)", PAPER: "var(--paper)",
              SOFT: "var(--soft)", BLUE: "var(--blue)", RUST: "var(--rust)", GREEN: "var(--green)",
              SAND: "var(--sand)"}
SIZE = 10.5  # pixels, of usual text


def settings():
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({
        "svg.hashsalt": "axelram", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": SIZE,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": MUTED, "axes.linewidth": 0.8,
        "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
        "xtick.labelsize": SIZE - 0.5, "ytick.labelsize": SIZE - 0.5, "axes.labelsize": SIZE,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "grid.color": LINE, "grid.linewidth": 0.7, "lines.linewidth": 1.6, "legend.frameon": False,
        "legend.fontsize": SIZE, "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none"})


def plain(text):
    """Text without mathematical notation."""
    return str(text).replace("$", r"\$")


def canvas(width, height):
    """Axes that fill a figure of that many pixels, the origin in the top left corner."""
    figure = Figure(figsize=(width / 72, height / 72))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return figure, axes


def chart(width, height):
    """Axes for a chart of that many pixels, with room for their labels."""
    figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
    return figure, figure.add_subplot()


def text_width(text, size=SIZE):
    """Pixels of a text in DejaVu Sans, which is wider than the fonts of most systems."""
    return 0.6 * size * len(text)


def svg(figure, name, title, description):
    """The figure as an element of the page. `name` makes its ids different from those of other drawings."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg"):]
    width, height = (float(value) for value in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups())
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(url\(#|href="#)', rf"\1{name}-", text)
    text = text.replace("xlink:href", "href")
    # Fonts are those of the page; the size and the weight stay.
    text = re.sub(r"font: (?:(bold|\d+) )?([\d.]+)px [^;\"]+", font, text)
    for colour, name_of_property in PROPERTIES.items():
        text = text.replace(colour, name_of_property)
    head = (f'<svg viewBox="0 0 {width:g} {height:g}" style="max-width:{width:g}px" role="img" '
            f'aria-labelledby="{name}-title {name}-text"><title id="{name}-title">{escaped(title)}</title>'
            f'<desc id="{name}-text">{escaped(description)}</desc>')
    text = re.sub(r"<svg[^>]*>", lambda _: head, text, count=1)
    return re.sub(r"\n\s*", "\n", text).strip()


def font(found):
    weight = {"bold": "600"}.get(found[1], found[1])
    return f"font-size: {found[2]}px" + (f"; font-weight: {weight}" if weight else "")

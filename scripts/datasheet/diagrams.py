"""Diagrams as figures of the page, by their kind. Some have a form for narrow screens beside the wide one."""
import blocks
import charts
import treemap
import waves
from drawing import svg
from numbers_of_page import escaped, marked

WIDE, NARROW = 860, 350  # pixels
# Of each kind a function (part, width, whether it is for a narrow screen) -> figure.
DRAW = {"blocks": blocks.draw, "timing": waves.draw, "histogram": charts.histogram, "levels": charts.levels,
        "curves": charts.curves, "bars": charts.bars, "areas": treemap.draw}
SCROLLED = ("timing",)  # a narrow screen shows them wide, and scrolls


def diagram(part, name):
    kind = part["kind"]
    draw = DRAW[kind]
    wide = svg(draw(part, WIDE, False), name, part["title"], part["text"])
    if kind in SCROLLED:
        drawing = f'<div class="scroll"><div class="wide-always" tabindex="0">{wide}</div></div>'
    else:
        narrow = svg(draw(part, NARROW, True), name + "-narrow", part["title"], part["text"])
        drawing = f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'
    return (f'<figure class="{kind}"><h3>{marked(part["title"], part["method"])}</h3>'
            f'{drawing}<figcaption>{escaped(part["text"])}</figcaption></figure>')

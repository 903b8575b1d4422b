"""Draws routed layouts at one scale: cells, and above them the wires of each layer."""
import io

from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from PIL import Image  # a part of matplotlib's installation

# The colours of Okabe and Ito are different for the colour-blind too.
LAYERS = {"metal1": "#0072b2", "metal2": "#d55e00", "metal3": "#009e73", "metal4": "#cc79a7", "metal5": "#e69f00",
          "metal6": "#56b4e9"}
REGISTERS = ("DFFPOSX1", "DFFNEGX1", "DFFSR")
GAP = 30  # um between layouts


def corners(x0, y0, x1, y1):
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]


def draw(layouts, cells, path, dots_per_um=2.2):
    """`layouts`: list of (title, Layout), side by side. The same layouts and matplotlib give the same bytes."""
    widths = [layout.die[2] - layout.die[0] for _, layout in layouts]
    height = max(layout.die[3] - layout.die[1] for _, layout in layouts) + 20
    width = sum(widths) + GAP * (len(layouts) + 1)
    figure = Figure(figsize=(width / 100, (height + 40) / 100), dpi=100 * dots_per_um)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(-40, height)
    axes.axis("off")
    left = GAP
    for (title, layout), inside in zip(layouts, widths):
        dx, dy = left - layout.die[0], -layout.die[1]
        boxes = {False: [], True: []}  # by whether it is a register
        for name, x, y, _ in layout.components.values():
            if name != "FILL":
                cell = cells[name]
                boxes[name in REGISTERS].append(corners(x + dx, y + dy, x + dx + cell.width, y + dy + cell.height))
        for register, colour in ((False, "#eeeeee"), (True, "#bbbbbb")):
            axes.add_collection(PolyCollection(boxes[register], facecolors=colour, edgecolors="#999999", linewidths=0.1,
                                               antialiased=False))
        for layer, colour in LAYERS.items():
            wires = [corners(x0 + dx, y0 + dy, x1 + dx, y1 + dy) for net in layout.nets.values()
                     for metal, x0, y0, x1, y1 in net.shapes if metal == layer]
            axes.add_collection(PolyCollection(wires, facecolors=colour, edgecolors="none", antialiased=False))
        axes.text(left, height - 2, title, fontsize=7, va="top")
        left += inside + GAP
    bar = 100
    axes.plot([GAP, GAP + bar], [-12, -12], color="black", linewidth=1)
    axes.text(GAP, -18, f"{bar} um", fontsize=7, va="top")
    for index, (layer, colour) in enumerate([("cell", "#eeeeee"), ("register", "#bbbbbb"), *LAYERS.items()]):
        x = GAP + 140 + 90 * index
        axes.add_collection(PolyCollection([corners(x, -20, x + 12, -8)], facecolors=colour, edgecolors="#999999", linewidths=0.2))
        axes.text(x + 16, -14, layer, fontsize=7, va="center")
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png")
    Image.open(drawn).convert("RGB").quantize(32, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)

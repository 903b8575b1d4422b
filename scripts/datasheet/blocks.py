"""The block diagram. Units have their places in a grid; those that a macro lacks leave theirs empty.

Wide: rotation in row 0, writing in rows 1 and 2, queries in row 3, scores in row 4. Narrow: one chain below another.
"""
from matplotlib.patches import FancyBboxPatch, Polygon

from drawing import BLUE, GREEN, INK, MUTED, PAPER, RUST, SAND, SOFT, canvas, plain, text_width

FLOWS = {"both": INK, "key": GREEN, "query": RUST, "constant": MUTED}
PLACES = {  # row, column
    "align_rom": (-1, 1), "sign_rom": (-1, 2),
    "stream": (0, 0), "align": (0, 1), "signs": (0, 2), "hadamard": (0, 3), "delay": (0, 4),
    "norm": (1, 2), "residual": (1, 3),
    "store": (3, 0), "encoder": (2, 1), "record": (2, 2), "scale": (2, 3), "quantizer": (2, 4),
    "copies": (3, 2), "table": (3, 3), "rounding": (3, 4), "scores": (3, 5),
    "decoder": (4, 1), "levels": (4, 2), "lookups": (4, 3), "score": (4, 4), "fifo": (4, 5)}
WIDTH, HEIGHT, PITCH, ROW = 106, 48, 150, 86
LABELLED_LEFT = (("signs", "norm"), ("norm", "record"), ("table", "lookups"))  # other arrows are on their right
CHAINS = (("Keys and queries", ("stream", "align", "signs", "hadamard", "delay")),
          ("Keys", ("norm", "quantizer", "residual", "scale", "record", "encoder", "store")),
          ("Queries", ("rounding", "copies", "table")),
          ("Scores", ("decoder", "levels", "lookups", "score", "fifo", "scores")))


def box(axes, block, x, y, width, height):
    """A block around (x, y), with a second outline behind it if there are two instances."""
    edge = {"port": MUTED, "memory": SAND, "unit": BLUE}[block["kind"]]
    for shift in ((4, -4), (0, 0)) if block["instances"] > 1 else ((0, 0),):
        axes.add_patch(FancyBboxPatch(
            (x - width / 2 + shift[0], y - height / 2 + shift[1]), width, height,
            boxstyle=f"round,pad=0,rounding_size={height / 2 if block['kind'] == 'port' else 4}",
            facecolor=PAPER if block["kind"] == "port" else SOFT, edgecolor=edge, linewidth=1.2))
    lines = block["lines"]
    top = y - 6.2 * len(lines)
    axes.text(x, top, plain(block["name"]), ha="center", va="center", fontsize=11, weight="bold")
    for number, line in enumerate(lines, 1):
        axes.text(x, top + 12.6 * number, plain(line), ha="center", va="center", fontsize=9.2, color=MUTED)


def arrow(axes, points, flow):
    """A line along the points, with a head at the last one."""
    (x0, y0), (x1, y1) = points[-2], points[-1]
    length = max(abs(x1 - x0), abs(y1 - y0))
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    colour = FLOWS[flow]
    line = points[:-1] + [(x1 - 5 * dx, y1 - 5 * dy)]
    axes.plot(*zip(*line), color=colour, linewidth=1.3, linestyle=(0, (3, 2.5)) if flow == "constant" else "-",
              solid_joinstyle="round")
    axes.add_patch(Polygon([(x1, y1), (x1 - 6 * dx + 3.2 * dy, y1 - 6 * dy - 3.2 * dx),
                            (x1 - 6 * dx - 3.2 * dy, y1 - 6 * dy + 3.2 * dx)], facecolor=colour, edgecolor="none", zorder=5))


def label(axes, x, y, text, ha="center", va="bottom"):
    axes.text(x, y, plain(text), ha=ha, va=va, fontsize=9, color=INK)


class Wide:
    def __init__(self, part, width):
        self.blocks = {block["id"]: block for block in part["blocks"]}
        self.first = -1 if any(PLACES[name][0] < 0 for name in self.blocks) else 0
        self.figure, self.axes = canvas(width, self.row(4) + HEIGHT / 2 + 3)
        for link in part["links"]:
            self.link(link)
        for name, block in self.blocks.items():
            height = HEIGHT + 2 * ROW if name == "store" else 34 if PLACES[name][0] < 0 else HEIGHT
            box(self.axes, block, *self.centre(name), WIDTH, height)

    def row(self, row):
        top = 62 if self.first < 0 else 6  # of row 0
        return 20 if row < 0 else top + HEIGHT / 2 + ROW * row

    def column(self, column):
        return PITCH * column + WIDTH / 2 + 2

    def centre(self, name):
        row, column = PLACES[name]
        return self.column(column), self.row(row)

    def link(self, link):
        ends = (link["from"], link["to"])
        route = getattr(self, "_".join(("from", *ends)), None)
        if route:
            return route(link)
        (_, column0), (_, column1) = PLACES[ends[0]], PLACES[ends[1]]
        if column0 == column1:
            return self.vertical(link)
        return self.horizontal(link)

    def horizontal(self, link):
        (x0, y), (x1, to_y) = self.centre(link["from"]), self.centre(link["to"])
        y = to_y if link["from"] == "store" else y  # the store is as high as three rows
        side = 1 if x1 > x0 else -1
        start, end = x0 + side * WIDTH / 2, x1 - side * WIDTH / 2
        arrow(self.axes, [(start, y), (end, y)], link["flow"])
        text, middle = link["label"], (start + end) / 2
        if text_width(text, 8.2) > abs(end - start) and ", " in text:  # on both sides of the arrow
            text, rest = text.split(", ", 1)
            label(self.axes, middle, y + 5, rest, va="top")
        label(self.axes, middle, y - 4, text)

    def vertical(self, link):
        x, y0 = self.centre(link["from"])
        _, y1 = self.centre(link["to"])
        half = HEIGHT / 2
        down = y1 > y0
        first = 17 if PLACES[link["from"]][0] < 0 else half
        last = half + ROW if link["to"] == "store" else half
        start, end = (y0 + first, y1 - last) if down else (y0 - half, y1 + half)
        arrow(self.axes, [(x, start), (x, end)], link["flow"])
        left = (link["from"], link["to"]) in LABELLED_LEFT
        if link["label"]:
            label(self.axes, x - 6 if left else x + 6, (start + end) / 2, link["label"], "right" if left else "left", "center")

    def channel(self, row):
        """The middle between a row and the next."""
        return (self.row(row) + self.row(row + 1)) / 2

    def from_norm_quantizer(self, link):
        (x0, y0), (x1, y1), y = self.centre("norm"), self.centre("quantizer"), self.channel(1)
        end = [(x1 - 26, y1 - HEIGHT / 2)]
        if "residual" in self.blocks:  # it stands in the way
            arrow(self.axes, [(x0 + 34, y0 + HEIGHT / 2), (x0 + 34, y), (x1 - 26, y), *end], link["flow"])
            return label(self.axes, x0 + 42, y - 3, link["label"], "left")
        arrow(self.axes, [(x0 + WIDTH / 2, y0), (x1 - 26, y0), *end], link["flow"])
        return label(self.axes, (x0 + WIDTH / 2 + x1 - 26) / 2, y0 - 4, link["label"])

    def from_delay_residual(self, link):
        (x0, _), (x1, y) = self.centre("delay"), self.centre("residual")
        arrow(self.axes, [(x0, y), (x1 + WIDTH / 2, y)], link["flow"])
        label(self.axes, (x0 + x1 + WIDTH / 2) / 2, y - 4, link["label"])

    def from_residual_signs(self, link):
        (x0, y0), (x1, y1), y = self.centre("residual"), self.centre("signs"), self.channel(0)
        arrow(self.axes, [(x0, y0 - HEIGHT / 2), (x0, y), (x1 + 26, y), (x1 + 26, y1 + HEIGHT / 2)], link["flow"])
        label(self.axes, x0 + 6, y + 3, link["label"].split(",")[0], "left")

    def from_stream_encoder(self, link):
        (x0, y0), (x1, y1), y = self.centre("stream"), self.centre("encoder"), self.row(1)
        arrow(self.axes, [(x0, y0 + HEIGHT / 2), (x0, y), (x1, y), (x1, y1 - HEIGHT / 2)], link["flow"])
        for number, line in enumerate(link["label"].split(": ")):
            label(self.axes, x0 + 6, y - 18 + 13 * number, line, "left")

    def from_stream_store(self, link):
        x, y0 = self.centre("stream")
        end = self.centre("store")[1] - HEIGHT / 2 - ROW
        arrow(self.axes, [(x, y0 + HEIGHT / 2), (x, end)], link["flow"])
        for number, line in enumerate(link["label"].split(": ")):
            label(self.axes, x + 6, (y0 + HEIGHT / 2 + end) / 2 + 13 * number, line, "left")

    def from_delay_rounding(self, link):
        (x0, y0), (x1, y1) = self.centre("delay"), self.centre("rounding")
        bus = x0 + PITCH / 2
        arrow(self.axes, [(x0 + WIDTH / 2, y0), (bus, y0), (bus, y1), (x1 + WIDTH / 2, y1)], link["flow"])
        label(self.axes, bus + 5, (y0 + y1) / 2, link["label"], "left", "center")

    def from_rounding_copies(self, link):
        (x0, y0), (x1, y1), y = self.centre("rounding"), self.centre("copies"), self.channel(2)
        arrow(self.axes, [(x0, y0 - HEIGHT / 2), (x0, y), (x1, y), (x1, y1 - HEIGHT / 2)], link["flow"])
        label(self.axes, (x0 + x1) / 2, y - 3, link["label"])

    def from_table_score(self, link):
        (x0, y0), (x1, y1), y = self.centre("table"), self.centre("score"), self.channel(3)
        arrow(self.axes, [(x0 + 36, y0 + HEIGHT / 2), (x0 + 36, y), (x1, y), (x1, y1 - HEIGHT / 2)], link["flow"])
        label(self.axes, (x0 + 36 + x1) / 2 + 4, y - 3, link["label"])


def narrow(part, width):
    present = {block["id"]: block for block in part["blocks"]}
    chains = [(title, [name for name in chain if name in present]) for title, chain in CHAINS]
    pitch, height, wide = 66, 46, 148
    total = sum(26 + pitch * len(chain) for _, chain in chains)
    figure, axes = canvas(width, total)
    x, y = wide / 2 + 6, 0
    for title, chain in chains:
        axes.text(2, y + 14, title, fontsize=11, weight="bold", color=MUTED, va="center")
        y += 26
        before = None
        for name in chain:
            centre = y + height / 2 + 4
            others = [link for link in part["links"] if link["to"] == name and link["from"] != before]
            for link in part["links"]:
                if link["to"] == name and link["from"] == before:
                    arrow(axes, [(x, centre - pitch + height / 2), (x, centre - height / 2)], link["flow"])
                    label(axes, x + 7, centre - pitch / 2, link["label"], "left", "center")
            box(axes, present[name], x, centre, wide, height)
            for number, link in enumerate(others):
                at = centre + 13 * (number - (len(others) - 1) / 2)
                said = ": ".join(text for text in (present[link["from"]]["name"], link["label"]) if text)
                if text_width(said, 8.4) > width - x - wide / 2 - 22:  # the label says it by itself
                    said = link["label"]
                axes.text(x + wide / 2 + 22, at, plain(said), fontsize=9.2, va="center", color=INK)
                arrow(axes, [(x + wide / 2 + 18, at), (x + wide / 2 + 3, at)], link["flow"])
            before = name
            y += pitch
    return figure


def draw(part, width, for_narrow):
    return narrow(part, width) if for_narrow else Wide(part, width).figure

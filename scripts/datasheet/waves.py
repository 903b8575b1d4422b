"""Timing diagrams: cycles in which nothing changes are left out, with a gap in their place."""
from matplotlib.patches import Polygon, Rectangle

from drawing import BLUE, INK, LINE, MUTED, PAPER, SOFT, canvas, plain, text_width

LEFT, TOP, ROW, HIGH = 138, 26, 26, 15  # pixels: names, cycles, a signal, its swing


class Axis:
    """Places of cycles and gaps. A cycle is as wide as the texts that stand in it alone, and all share the rest."""

    def __init__(self, part, width):
        shown = {0, part["cycles"] - 1}
        for signal in part["signals"]:
            for first, last, _ in signal["spans"]:
                shown |= {max(first - 1, 0), first, last, min(last + 1, part["cycles"] - 1)}
        self.slots = []  # a cycle, or None for a gap
        for cycle in sorted(shown):
            before = self.slots[-1] if self.slots else -1
            if cycle == before + 2:
                self.slots.append(cycle - 1)
            elif cycle > before + 1:
                self.slots.append(None)
            self.slots.append(cycle)
        needed = [text_width(str(slot), 8) + 3 if slot is not None else 14 for slot in self.slots]
        for signal in part["signals"]:
            for first, last, value in signal["spans"]:
                if first == last and not signal["bit"]:
                    place = self.slots.index(first)
                    needed[place] = max(needed[place], text_width(value, 9) + 9)
        spare = (width - LEFT - 6 - sum(needed)) / len(self.slots)
        self.edges = [LEFT]
        for one in needed:
            self.edges.append(self.edges[-1] + one + spare)

    def left(self, cycle):
        """Where a cycle begins; the cycle behind the last one, where that ends."""
        return self.edges[self.slots.index(cycle) if cycle in self.slots else -1]

    def right(self, cycle):
        return self.edges[self.slots.index(cycle) + 1]


def heads(axes, axis, bottom):
    for slot, x, end in zip(axis.slots, axis.edges, axis.edges[1:]):
        if slot is None:
            axes.add_patch(Rectangle((x, TOP - 4), end - x, bottom - TOP + 4, facecolor=SOFT, edgecolor="none"))
        else:
            axes.plot((x, x), (TOP - 4, bottom), color=LINE, linewidth=0.7)
        axes.text((x + end) / 2, TOP - 13, "…" if slot is None else str(slot), ha="center", va="center", fontsize=9.2,
                  color=MUTED)
    axes.text(LEFT - 10, TOP - 13, "cycle", ha="right", va="center", fontsize=9.2, color=MUTED)


def joined(spans):
    """Spans of a bit, those that follow one another as one."""
    longer = []
    for first, last, _ in spans:
        if longer and longer[-1][1] == first - 1:
            longer[-1] = (longer[-1][0], last)
        else:
            longer.append((first, last))
    return longer


def bit(axes, axis, signal, middle, end):
    """High and low level, with the high time shaded."""
    low, high = middle + HIGH / 2, middle - HIGH / 2
    points = [(LEFT, low)]
    for first, last in joined(signal["spans"]):
        start, stop = axis.left(first), axis.right(last)
        axes.add_patch(Rectangle((start, high), stop - start, HIGH, facecolor=BLUE, edgecolor="none", alpha=0.16))
        points += [(start, low), (start, high), (stop, high), (stop, low)]
    points.append((end, low))
    axes.plot(*zip(*points), color=BLUE, linewidth=1.3, solid_joinstyle="miter")


def bus(axes, axis, signal, middle):
    """Values in hexagons; a line where there is none."""
    axes.plot((LEFT, axis.edges[-1]), (middle, middle), color=MUTED, linewidth=0.7)
    for first, last, value in signal["spans"]:
        start, stop = axis.left(first), axis.right(last)
        tip, half = 3.5, HIGH / 2
        axes.add_patch(Polygon([(start, middle), (start + tip, middle - half), (stop - tip, middle - half), (stop, middle),
                                (stop - tip, middle + half), (start + tip, middle + half)],
                               facecolor=PAPER, edgecolor=INK, linewidth=1, zorder=3))
        axes.text((start + stop) / 2, middle, plain(value), ha="center", va="center", fontsize=9.2, zorder=4)


def period(axes, axis, one, y, end):
    start, stop = axis.left(one["from"]), axis.left(one["to"])
    for x in (start, stop):
        axes.plot((x, x), (y - 5, y + 5), color=MUTED, linewidth=0.9)
    axes.plot((start, stop), (y, y), color=MUTED, linewidth=0.9)
    wide = text_width(one["text"], 8.6)
    x = min(max((start + stop) / 2, LEFT + wide / 2), end - wide / 2)
    axes.text(x, y + 11, plain(one["text"]), ha="center", va="center", fontsize=9.2)


def draw(part, width, _):
    axis = Axis(part, width)
    bottom = TOP + ROW * len(part["signals"])
    figure, axes = canvas(width, bottom + 24 * len(part["periods"]) + 6)
    end = axis.edges[-1]
    heads(axes, axis, bottom)
    for number, signal in enumerate(part["signals"]):
        middle = TOP + ROW * number + ROW / 2
        axes.text(LEFT - 10, middle, signal["name"], ha="right", va="center", fontsize=10, family="monospace")
        if signal["bit"]:
            bit(axes, axis, signal, middle, end)
        else:
            bus(axes, axis, signal, middle)
    for number, one in enumerate(part["periods"]):
        period(axes, axis, one, bottom + 8 + 24 * number, end)
    return figure

"""Shares of a whole as areas: a bar for two or three, a squarified treemap for more.

The layout is that of Bruls, Huizing and van Wijk, "Squarified treemaps" (2000).
"""
from matplotlib.patches import Rectangle

from drawing import BLUE, GREEN, INK, MUTED, PAPER, RUST, SAND, canvas, plain, text_width
from numbers_of_page import number

COLOURS = (BLUE, GREEN, SAND, RUST)


def worst(row, side):
    """The largest ratio of sides among rectangles of these areas along one side."""
    total = sum(row)
    return max(max(side * side * area / total ** 2, total ** 2 / (side * side * area)) for area in row)


def squarified(areas, x, y, width, height):
    """Rectangles (x, y, width, height) of descending areas that fill the given one."""
    places = []
    while areas:
        side = min(width, height)
        count = 1
        while count < len(areas) and worst(areas[: count + 1], side) <= worst(areas[:count], side):
            count += 1
        row, areas = areas[:count], areas[count:]
        depth = sum(row) / side
        at = 0
        for area in row:
            length = area / depth
            places.append((x, y + at, depth, length) if width >= height else (x + at, y, length, depth))
            at += length
        if width >= height:
            x, width = x + depth, width - depth
        else:
            y, height = y + depth, height - depth
    return places


def texts(axes, share, whole, place):
    """The name, if it fits, and then value and share, if they do."""
    x, y, width, height = place
    value, part = number(share["value"]), f"{100 * share['value'] / whole:.3g} %"
    names = wrapped(share["name"], width - 10)
    if not names or 13 * len(names) > height - 3:
        return
    figures = [f"{value}, {part}"] if text_width(f"{value}, {part}", 9) < width - 10 else [value, part]
    fits = all(text_width(line, 9) < width - 10 for line in figures) and 13 * (len(names) + len(figures)) < height - 3
    for row, line in enumerate(names + (figures if fits else [])):
        named = row < len(names)
        axes.text(x + 6, y + min(12, height / 2) + 13 * row, plain(line), va="center", fontsize=9.6 if named else 9.2,
                  color=INK if named else MUTED)


def wrapped(name, width):
    """The lines of a name, or none if a word is too wide."""
    lines = [""]
    for word in name.split():
        if text_width(word, 9.4) > width:
            return []
        longer = f"{lines[-1]} {word}".strip()
        lines = lines[:-1] + [longer] if text_width(longer, 9.4) < width else lines + [word]
    return lines


def draw(part, width, narrow):
    shares = sorted((share for share in part["shares"] if share["value"] > 0), key=lambda share: -share["value"])
    whole = sum(share["value"] for share in shares)
    height = 58 if len(shares) <= 3 else 400 if narrow else 300
    figure, axes = canvas(width, height)
    scale = width * height / whole
    places = squarified([share["value"] * scale for share in shares], 0, 0, width, height) if len(shares) > 3 else \
        bar([share["value"] / whole * width for share in shares], height)
    for number_of_share, (share, place) in enumerate(zip(shares, places)):
        x, y, wide, high = place
        axes.add_patch(Rectangle((x, y), wide, high, facecolor=COLOURS[number_of_share % len(COLOURS)], alpha=0.26,
                                 edgecolor="none"))
        axes.add_patch(Rectangle((x, y), wide, high, facecolor="none", edgecolor=PAPER, linewidth=2))
        texts(axes, share, whole, place)
    return figure


def bar(widths, height):
    places, x = [], 0
    for width in widths:
        places.append((x, 0, width, height))
        x += width
    return places

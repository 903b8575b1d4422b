"""Histogram, levels, curves and bars."""
import math

from matplotlib.ticker import FuncFormatter, MaxNLocator

from drawing import BLUE, MUTED, RUST, SIZE, chart, plain
from numbers_of_page import number, spaced, superscript

DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)))
COLOURS = (MUTED, BLUE, RUST)


def histogram(part, width, narrow):
    """Relative frequency of each bin, with the normal distribution of theory."""
    figure, axes = chart(width, 250 if narrow else 300)
    bins, pairs = part["counts"], part["pairs"]
    places = [(index - len(bins) / 2) * part["width"] for index in range(len(bins) + 1)]
    density = [count / pairs / part["width"] for count in bins]
    axes.stairs(density, places, fill=True, color=BLUE, alpha=0.35)
    axes.stairs(density, places, color=BLUE, linewidth=1, label="measured")
    if part["theory"]:
        sigma = part["theory"]
        x = [places[0] + (places[-1] - places[0]) * i / 200 for i in range(201)]
        axes.plot(x, [math.exp(-v * v / (2 * sigma * sigma)) / (sigma * math.sqrt(2 * math.pi)) for v in x],
                  color=RUST, linestyle=(0, (5, 2)), label="theory")
    axes.set_xlabel("error / (|q| |k| / √d)")
    axes.set_ylabel("density")
    axes.set_xlim(places[0], places[-1])
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5 if narrow else 9, steps=[1, 2, 2.5, 5, 10]))
    axes.legend(loc="upper right")
    return figure


def log_axis(axes, which):
    side = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}scale")("log")
    side.set_minor_formatter(FuncFormatter(lambda *_: ""))
    side.set_major_formatter(FuncFormatter(lambda value, _: f"10{superscript(round(math.log10(value)))}"))


def levels(part, width, narrow):
    """A row for each figure, on a logarithmic axis; its value stands beside its mark."""
    rows = sorted(part["figures"], key=lambda figure: figure["value"])
    figure, axes = chart(width, 40 + 30 * len(rows) if not narrow else 40 + 44 * len(rows))
    log_axis(axes, "x")
    for place, row in enumerate(rows):
        measured = row["method"] == "measured"
        axes.plot([row["value"]], [place], marker="o" if measured else "D", markersize=7,
                  color=BLUE if measured else RUST, linestyle="none")
        axes.annotate(number(row["value"]), (row["value"], place), xytext=(9, 0), textcoords="offset points", va="center")
        if narrow:
            axes.annotate(plain(spaced(row["name"])), (0, place), xycoords=("axes fraction", "data"), xytext=(0, 13),
                          textcoords="offset points", va="center", fontsize=SIZE - 0.5)
    low, high = rows[0]["value"], rows[-1]["value"]
    axes.set_xlim(low / 1.25, high * (1.9 if narrow else 1.35))
    axes.set_ylim(-0.6, len(rows) - 0.3)
    axes.set_yticks(range(len(rows)), ["" if narrow else plain(spaced(row["name"])) for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:.3g}" if low / 1.25 <= value <= high * 1.3 and
                                                 str(value).strip("0.")[:1] in "125" else ""))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
    axes.tick_params(axis="x", which="minor", labelsize=SIZE - 0.5)
    axes.set_xlabel("mean square (◆ counted, ● measured)")
    axes.grid(axis="x", which="both")
    return figure


def curves(part, width, narrow):
    figure, axes = chart(width, 300 if narrow else 340)
    log_axis(axes, "x")
    log_axis(axes, "y")
    for series, dashes, colour in zip(part["series"], DASHES, COLOURS):
        if series["points"]:
            axes.plot(*zip(*series["points"]), linestyle=dashes, color=colour, label=plain(series["name"]))
    axes.set_ylim(1e-15, 2)
    axes.set_xlabel(plain(part["x"]))
    axes.set_ylabel("part of the " + plain(part["y"]))
    axes.legend(loc="lower right", fontsize=SIZE - 0.5)
    return figure


def bars(part, width, narrow):
    """A bar for each share, the largest first."""
    rows = sorted(part["shares"], key=lambda share: share["value"])
    figure, axes = chart(width, 50 + 26 * len(rows))
    axes.barh(range(len(rows)), [row["value"] for row in rows], height=0.62, color=BLUE, alpha=0.7)
    for place, row in enumerate(rows):
        axes.annotate(number(row["value"]), (row["value"], place), xytext=(5, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(rows)), [plain(row["name"]) for row in rows])
    axes.set_xlim(0, rows[-1]["value"] * (1.3 if narrow else 1.15))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=3 if narrow else 7))
    axes.set_xlabel(plain(part["unit"]))
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    return figure

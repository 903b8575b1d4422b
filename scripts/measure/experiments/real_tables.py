"""The tables of `real_models` in Markdown, from the results of real_plan."""
import random
import statistics

from . import real_plan as plan
from .common import mean_interval, spearman, table
from .protections import PROTECTIONS, counter_tables, counters, verdicts
from .real_scores import BITS as SCORE_BITS
from .tensors import tensors

RESAMPLES = 10_000
BUCKETS = (1, 64, 256, 512, 1024, 2048, 4096, 8192)


def by_window(runs):
    """(predictions, mean KL over all runs) of each window."""
    seeds = [seed for run in runs for seed in run["per_seed"]]
    return [(windows[0]["tokens"], statistics.mean(window["kl"] for window in windows))
            for windows in zip(*(seed["windows"] for seed in seeds))]


def bootstrap(windows):
    """95 % interval of the mean over predictions, by drawing windows (references.md#bootstrap)."""
    generator, means = random.Random(1), []
    for _ in range(RESAMPLES):
        drawn = generator.choices(windows, k=len(windows))
        means.append(sum(n * kl for n, kl in drawn) / sum(n for n, _ in drawn))
    means.sort()
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def number(value):
    """Three digits that count."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def some(kind, n):
    return f"{n} {kind}" + ("s" if n > 1 else "")


def percent(seed, base):
    return 100 * seed["delta"] / base


def cost_row(name, runs):
    """KL over seeds, its worst, its interval over windows; the change of perplexity in percent."""
    seeds = [seed for run in runs for seed in run["per_seed"]]
    kls = [seed["kl"] for seed in seeds]
    base = runs[0]["baseline"]["perplexity"]
    changes = [percent(seed, base) for seed in seeds]
    low, high = bootstrap(by_window(runs))
    noises = [100 * run["delta_noise"] / base for run in runs if run["delta_noise"] is not None]
    spread = f" ± {number(statistics.stdev(kls))}" if len(kls) > 1 else ""
    return [name, number(statistics.mean(kls)) + spread, number(max(kls)) if len(kls) > 1 else "",
            f"{number(low)} .. {number(high)}", f"{statistics.mean(changes):+.1f} %",
            f"{max(changes):+.1f} %" if len(changes) > 1 else "", f"{noises[0]:.1f}" if noises else ""]


COST_HEAD = ["", "KL, mean ± std", "worst", "95 % over windows", "perplexity", "worst", "noise"]


def markdown_1(rows):
    """Costs; and of rows with sign patterns the change of perplexity by each."""
    by_pattern = {name: [seed["delta"] for run in runs for seed in run["per_seed"]]
                  for name, runs in rows.items() if "keys, " in name}
    patterns = range(1, max(map(len, by_pattern.values()), default=0) + 1)
    base = next(iter(rows.values()))[0]["baseline"]["perplexity"]
    return (table(COST_HEAD, [cost_row(name, runs) for name, runs in rows.items()])
            + f"Change of perplexity by sign pattern; that of the FP16 cache is {base:.2f}:\n\n"
            + table(["sign pattern", *map(str, patterns)],
                    [[name, *(f"{delta:+.1f}" for delta in deltas)] for name, deltas in by_pattern.items()]))


def markdown_6(rows):
    return table(["candidates", "seconds"], [[candidates, f"{seconds:.1f}"] for candidates, seconds in rows.items()])


def layers_table(rows, bits, whole):
    """The layers by their cost alone."""
    layers = rows[f"layers {bits}"]
    kls = [run["kl"] for run in layers]
    order = sorted(range(len(kls)), key=lambda layer: -kls[layer])
    text = f"One layer at a time has keys of {bits} bits, the others FP16:\n\n"
    shown = order[:10]
    text += table([f"layer, {bits} bits", *map(str, shown), "sum of all", "all at once"],
                  [[f"KL, {bits} bits", *(number(kls[layer]) for layer in shown), number(sum(kls)),
                    number(whole) if whole else ""]])
    heads = rows.get(f"heads {bits}")
    if heads:
        count = len(heads) // min(plan.WORST_LAYERS, len(layers))
        names = [f"{layer}.{head}" for layer in order[:plan.WORST_LAYERS] for head in range(count)]
        text += table([f"layer.head, {bits} bits", *names],
                      [[f"KL of a head, {bits} bits", *(number(run["kl"]) for run in heads)]])
    return text


def markdown_2(rows):
    text = ""
    for bits in (2, 3):
        exact = {way: rows.get(f"exact {bits} {way}") for way in ("plain", "centered")}
        if f"layers {bits}" in rows:
            text += layers_table(rows, bits, exact["plain"][0]["kl"] if exact["plain"] else None)
        if not all(exact.values()):
            continue
        ways = ["nothing exact"]
        ways += [f"first {some('token', n) if n > 1 else 'token'} exact" for n in plan.EXACT_TOKENS]
        ways += [f"largest {some('channel', n) if n > 1 else 'channel'} exact" for n in plan.EXACT_CHANNELS]
        ways.append("first token and 4 channels exact")
        start = exact["plain"][0]["kl"]
        share = lambda run: f"{number(run['kl'])} ({100 * (1 - run['kl'] / start):.0f} %)"
        text += table([f"keys of {bits} bits: KL (share of the plain cost removed)", "plain", "centered"],
                      [[f"{bits} bits, {way}", share(plain), share(centered)]
                       for way, plain, centered in zip(ways, exact["plain"], exact["centered"])])
    if "scores" in rows:
        text += markdown_scores(rows["scores"], [run["kl"] for run in rows[f"layers {SCORE_BITS}"]]
                                if f"layers {SCORE_BITS}" in rows else None)
    return text


CORRELATED = (("norm", "norm"), ("mean key's share", "mean_key"), ("largest channel", "top_1"),
              ("error of scores", "error"), ("error less its mean", "error_less_mean"))


def markdown_scores(layers, costs):
    """layers: real_scores.by_layer; costs: KL of each layer alone, or None."""
    norms = [layer["norm"] for layer in layers]
    lines = []
    for number_of, layer in enumerate(layers):
        lines.append([f"layer {number_of}", number(layer["norm"]), f"{100 * layer['mean_key']:.0f} %", number(layer["first_key"]),
                      f"{100 * layer['top_1']:.0f} %", f"{100 * layer['top_4']:.0f} %",
                      f"{100 * layer['change']:.0f} %", f"{100 * layer['midpoint']:.0f} %", number(layer["error"]),
                      number(layer["error_less_mean"]), number(costs[number_of]) if costs else ""])
    head = ["layer", "norm of keys", "mean key's share", "first key's norm", "largest channel", "largest 4",
            "change to the next key", "midpoint's error", "error of scores", "less its mean", "KL of the layer alone"]
    text = ("By layer. Shares of the keys' energy; of channels, less the mean key. Norm of the first key as a multiple of "
            "the mean norm. Change to the next key, and distance from the midpoint of both neighbours: medians, as shares "
            f"of a key's norm. Errors: root mean square of the errors of scores / sqrt(d) at {SCORE_BITS} bits over keys "
            "and queries, also less the mean over the keys of each query, which softmax does not see.\n\n")
    summary = [["norm ratio, the paper's predictor", f"{max(norms) / min(norms):.2f}"]]
    for name, key in (("smallest change to the next key", "change"), ("smallest error of a midpoint", "midpoint")):
        summary.append([name, f"{100 * min(layer[key] for layer in layers):.0f} %"])
    if costs:
        summary += [[f"rank correlation of the KL of a layer alone with its {name}",
                     f"{spearman([layer[key] for layer in layers], costs):+.2f}"]
                    for name, key in CORRELATED]
    return text + table(head, lines) + table(["over layers", ""], summary)


def over_seeds(values):
    """Mean and half the width of its 95 % interval; of one value, itself."""
    mean, half = mean_interval(values)
    return number(mean) + (f" ± {number(half)}" if half else "")


def markdown_3(rows):
    """± is half the 95 % interval of the mean over seeds."""
    rates = (0, *plan.RATES)
    text = f"± is half the 95 % interval of the mean over {plan.FAULT_SEEDS} seeds.\n\n"
    if len(rows) < len(rates) * len(PROTECTIONS):
        return ""
    for title, key, factor in (("KL", "kl", 1), ("perplexity", "perplexity", 1), ("top-5, %", "top5", 100)):
        cell = lambda run: over_seeds([factor * seed[key] for seed in run["per_seed"]])
        text += table([f"INT4 keys and values: {title}", *(f"p = {rate:g}" for rate in rates)],
                      [[f"{title}, {name}", *(cell(rows[name, rate]) for rate in rates)] for name, _, _ in PROTECTIONS])
    distinct = counters(rows)
    tests, hold = verdicts(distinct)
    return (text + counter_tables(distinct, plan.RATES) + f"{len(tests)} counters against their closed forms: "
            + ("all hold" if hold else "NOT ALL HOLD") + f" at 1 % in all; least p-value "
            f"{min(tests, key=lambda test: float(test[5]))[5]}.\n")


def markdown_4(rows):
    texts = sorted({text for text, _, _ in rows})
    return table(["KL with a center of", *(f"{bits} bits, {some('window', n)}" for bits in (2, 3)
                                           for n in plan.CALIBRATION_WINDOWS)],
                 [[text, *(number(rows[text, n, bits]["kl"]) for bits in (2, 3) for n in plan.CALIBRATION_WINDOWS)]
                  for text in texts])


def by_position(path, length):
    """Mean divergence of the predictions in each bucket of positions; None beyond the window."""
    kl = tensors(path)[0]["kl"].tolist()
    means = []
    for low, high in zip(BUCKETS, BUCKETS[1:]):
        some = [value for i, value in enumerate(kl) if low <= i % (length - 1) + 1 < high]
        means.append(statistics.mean(some) if some else None)
    return means


def markdown_5(rows):
    names = [f"{low}..{high - 1}" for low, high in zip(BUCKETS, BUCKETS[1:])]
    lines = []
    for (length, way), (run, path) in rows.items():
        base = run["baseline"]["perplexity"]
        lines.append([f"{length}, {way}", f"{base:.2f}", f"{percent(run['per_seed'][0], base):+.1f} %",
                      number(run["kl"]), *("" if value is None else number(value)
                                           for value in by_position(path, length))])
    return table(["window, keys of 3 bits", "FP16", "perplexity", "KL", *(f"KL at {name}" for name in names)], lines)


MARKDOWN = {"1": markdown_1, "2": markdown_2, "3": markdown_3, "4": markdown_4, "5": markdown_5, "6": markdown_6}
TITLES = {
    "1": "keys, values, signs and centers",
    "2": "where it hurts",
    "3": "INT4 under bit errors",
    "4": "centers of one text on another",
    "5": "long contexts",
    "6": "time of Algorithm 1",
}

"""Protections of INT4 caches that the scripts compare, and the counters of their codes."""
from . import closed_forms
from .common import fail, table

# Name, specification, code whose closed form holds.
PROTECTIONS = (
    ("none", "int4", None),
    ("Hamming(7,4)", "int4:code=hamming74", "hamming74"),
    ("Hamming(8,4)", "int4:code=hamming84", "hamming84"),
    ("H(8,4) + zero", "int4:code=hamming84,erasure=zero", "hamming84"),
    ("H(8,4) + interpolation", "int4:code=hamming84,erasure=interpolate", "hamming84"),
    ("Golay(24,12)", "int4:code=golay24", "golay24"),
)


def with_keys(cache, keys):
    """A cache specification with more keys, such as "ber=0.01"; the same without any."""
    return cache + (("," if ":" in cache else ":") + keys if keys else "")


COUNTERS = ("words", "corrected", "parity_only", "detected", "miscorrected")


def counter(run, key):
    return sum(seed[side][key] for seed in run["per_seed"] for side in ("keys", "values"))


def counters(runs):
    """{(code, rate): the run that stands for all with these masks}; fails if such runs count differently."""
    distinct = {}
    for (name, rate), run in runs.items():
        code = next(code for other, _, code in PROTECTIONS if other == name)
        if code and distinct.setdefault((code, rate), run) is not run:
            if any(counter(run, key) != counter(distinct[code, rate], key) for key in COUNTERS):
                fail(f"{name}, p = {rate:g}: counters differ from those of another run with the same masks", 1)
    return distinct


def counter_tables(distinct, rates):
    """Tables 7 and 8 of the ECC paper (references.md#ecc-kv-cache), and what these leave out."""
    text = ""
    for title, key in (("Words corrected, wrong ones included (table 7)", "corrected"),
                       ("Words detected (table 8)", "detected"),
                       ("Words miscorrected: wrong and not detected", "miscorrected")):
        text += table([title, *(f"p = {rate:g}" for rate in rates)],
                      [[f"{key}, {code}", *(f"{counter(distinct[code, rate], key):,}" for rate in rates)]
                       for code in dict.fromkeys(code for code, _ in distinct)])
    return text


def verdicts(distinct):
    """Rows of counters beside their closed forms, and whether all hold (Bonferroni at 1 % for the whole table)."""
    tests = []
    for (code, rate), run in distinct.items():
        words = counter(run, "words")
        for key, probability in closed_forms.rates(code, rate).items():
            events = counter(run, key)
            tests.append((code, rate, key, events, words * probability,
                          closed_forms.p_value(events, words, probability)))
    level = 0.01 / len(tests)
    rows = [[code, f"{rate:g}", key, f"{events:,}", f"{expected:,.1f}", f"{p:.2g}", "yes" if p >= level else "NO"]
            for code, rate, key, events, expected, p in tests if rate]
    return rows, all(p >= level for *_, p in tests)

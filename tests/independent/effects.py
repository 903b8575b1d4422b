"""Keys that have no effect beside others: such a key is rejected, unless it holds its default."""


def idle(of):
    """of(section, key): the value of a key, given or not -> names of the keys without an effect."""
    trellis, code = of("quantizer", "kind") == "trellis", of("ecc", "code")
    bank, summaries = of("memory", "exact") > of("memory", "sinks"), of("memory", "summary") != 0
    rules = (
        (of("split", "bits"), "macro.index_bits"),
        (trellis, "numerics.codebook"),
        (not trellis, "quantizer.states"),
        (not of("exact", "first") and not of("exact", "last"), "exact.bits"),
        (not of("attention", None), "store.segments store.rotations store.rotation_memory"),
        (of("microarchitecture", "score_lane") == "multiplier",
         "microarchitecture.table_multipliers microarchitecture.table_storage"),
        (code in ("none", "hamming74"), "ecc.erasure"),  # a perfect code has no word that it cannot correct
        (code != "golay24", "ecc.decoder"),
        (code == "none", "ecc.stages ecc.scrub_interval"),
        (not bank, "memory.match memory.gate_exact memory.evict"),
        (not summaries, "memory.gate_summary memory.blend memory.summary_key"),
        (not bank and not summaries, "memory.novel"),
    )
    return [name for holds, names in rules if holds for name in names.split()]


def found(given, defaults):
    """given: {section: {key: value}} -> [(section, key)] of what is given without an effect and without its default."""
    def of(section, key):
        if key is None:
            return section in given
        return given.get(section, {}).get(key, defaults[section][key])

    defaults = dict(defaults, memory=dict(defaults["memory"], match=max(0.9, of("memory", "novel"))))
    pairs = [tuple(name.split(".")) for name in idle(of)]
    return [(section, key) for section, key in pairs if of(section, key) != defaults[section][key]]


def without_idle(given, defaults):
    """The same sections without such keys."""
    while gone := found(given, defaults):  # a default may depend on what is gone
        given = {section: {key: value for key, value in entries.items() if (section, key) not in gone}
                 for section, entries in given.items()}
    return given

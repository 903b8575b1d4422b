"""Cases under limits, with signals, in odd environments, and with odd arguments."""

import dataclasses
import random
import resource
import signal

import commands
from process import Case

MIB = 1 << 20
# Beyond the limit of memory or of files, any command ends with 3; of processor time, by the system's signal.
LIMITS = {
    "memory": (resource.RLIMIT_AS, [mib * MIB for mib in (8, 40, 80, 120, 200, 400, 1024, 2500)]),
    "file": (resource.RLIMIT_FSIZE, (0, 1, 512, 1024, 4096, 20000)),
    "files": (resource.RLIMIT_NOFILE, (3, 4, 5, 6, 8, 12)),
    "stack": (resource.RLIMIT_STACK, (64 << 10, 256 << 10, MIB)),
    "processes": (resource.RLIMIT_NPROC, (0, 1, 4)),
}
NOT_STARTED = frozenset({signal.SIGKILL, signal.SIGSEGV})  # the loader's own deaths


def of_program(case, size):
    """The case for a program of `size` bytes: with some 40 MiB beside them the loader starts it, or ends with 127."""
    limit = case.limits.get(resource.RLIMIT_AS)
    if limit is None or limit > 40 * MIB + size:
        return case
    return dataclasses.replace(case, deaths=case.deaths | NOT_STARTED)


THREADS = ["--threads", "8"]  # more than LIMITS has processes: some of the threads start


def threaded(command):
    return command.name in ("faults", "sweep", "perplexity", "calibrate", "capture") or command is commands.RATIO


def all_outputs(command):
    return command.line(options=[word for option, name in command.outputs if option for word in (option, name)])


def limits():
    for command in commands.EVERY:
        names = tuple(one for name in command.names() for one in command.beside(name))
        for kind, (limit, values) in LIMITS.items():
            if command.hardware and kind == "processes":
                continue  # the other user has no compiled model
            for value in values:
                start = kind == "files" and value <= 4 or kind == "stack" and value <= 256 << 10
                # The libraries of a program with kernels for a GPU take some 700 MiB.
                codes = {0, 3, 127} if start or kind == "memory" else {0, 3}
                threads = THREADS if kind == "processes" and threaded(command) else []
                yield command.case(
                    "limit", f"{kind}/{value}", all_outputs(command) + threads, codes=codes,
                    outputs=names, partial=names, limits={limit: value},
                    deaths=NOT_STARTED if start else frozenset(), unprivileged=kind == "processes")
        if command.long:
            yield command.case(
                "limit", "time", command.lasting(), codes=(), limits={resource.RLIMIT_CPU: 1},
                deaths=frozenset({signal.SIGXCPU, signal.SIGKILL}), seconds=30, hardware=False, slow=True)


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)


def signals(seed):
    """At a time that depends on the seed: mostly while files are read or written, sometimes in the middle of the work."""
    draw = random.Random(f"{seed}/signals")
    for command in commands.EVERY:
        names = tuple(one for name in command.names() for one in (name, *command.kept(name)))
        engine = command.hardware
        for number in SIGNALS:
            for repeat in range(6):
                long = bool(command.long) and repeat % 2 == 1
                delay = draw.uniform(0, 3 if engine else 1) if long or engine else draw.expovariate(60)
                line = command.lasting() if long else all_outputs(command)
                # PIPE is ignored: the command goes on, and a long one would not end.
                if number == signal.SIGPIPE and (long or engine):
                    continue
                fresh = {"AXELRAM_CACHE": "cache"} if engine and repeat % 2 == 0 else {}
                yield command.case(
                    "signal", f"{number.name}/{commands.EVERY.index(command)}.{repeat}", line, codes={0},
                    outputs=(*names, "cache", "waves.gtkw"), environment=fresh, signal=(number, delay),
                    hardware=False, slow=engine or long)


ENVIRONMENTS = {
    "no-home": {"HOME": None, "XDG_CACHE_HOME": None, "AXELRAM_CACHE": None},
    "home-missing": {"HOME": "/nonexistent"},
    "home-file": {"HOME": "text.txt"},
    "home-relative": {"HOME": "."},
    "tmp-missing": {"TMPDIR": "/nonexistent"},
    "tmp-unwritable": {"TMPDIR": "/proc"},
    "tmp-file": {"TMPDIR": "text.txt"},
    "cache-file": {"AXELRAM_CACHE": "text.txt"},
    "cache-proc": {"AXELRAM_CACHE": "/proc/none"},
    "cache-relative": {"XDG_CACHE_HOME": "cache", "AXELRAM_CACHE": None},
    "turkish": {"LC_ALL": "tr_TR.UTF-8"},
    "german": {"LC_ALL": "de_DE.UTF-8"},
    "c": {"LC_ALL": "C"},
    "locale-none": {"LC_ALL": "xx_YY.none"},
    "preload-none": {"LC_ALL": "xx_YY.UTF-8", "LD_PRELOAD": "/nonexistent/none.so"},
    "locale-long": {"LANG": "x" * 10000},
    "path-none": {"PATH": "/nonexistent"},
    "path-unset": {"PATH": None},
    "simd-unknown": {"AXELRAM_SIMD": "quantum"},
    "simd-empty": {"AXELRAM_SIMD": ""},
    "simd-control": {"AXELRAM_SIMD": "\x1b[31m"},
    "share-missing": {"AXELRAM_SHARE": "/nonexistent"},
    "share-long": {"AXELRAM_SHARE": "s" * 5000},
    "columns": {"COLUMNS": "-1", "TERM": "\x1b"},
    "zone": {"TZ": "Nowhere/None"},
    "huge": {"FILLER": "f" * 100000},
    "icu": {"ICU_DATA": "/nonexistent"},
    "ranks": {"OMPI_COMM_WORLD_RANK": "x", "OMPI_COMM_WORLD_SIZE": "-1"},
}


def environments():
    for command in (*commands.COMMANDS, commands.RTL):
        engine = command is commands.RTL
        names = command.names()
        for kind, changes in ENVIRONMENTS.items():
            at = commands.EVERY.index(command)
            yield Case(
                f"environment/{'engine' if engine else command.name}/{at}/{kind}",
                all_outputs(command), codes=frozenset({0, 2, 3}), partial=(".cache",),
                outputs=(*names, ".", ".cache", "waves.gtkw"), environment=changes, slow=engine)


def streams():
    for command in commands.COMMANDS:
        names = command.names()
        for kind in ("full", "closed", "broken"):
            # Who stops reading ends the program in silence.
            left = kind == "broken"
            yield command.case(
                "stream", f"{kind}/{commands.EVERY.index(command)}", all_outputs(command), codes={0} if left else {0, 3},
                deaths=frozenset({signal.SIGPIPE}) if left else frozenset(), mentions=("standard output",), outputs=names,
                partial=names, stdout=kind)


VALUES = (
    "", *"-1 0 1 x 1.5 1e400 -1e400 nan inf 0x10 010".split(), " 1", "1 ",
    *"+1 ٣ 18446744073709551615 18446744073709551616".split(), "9" * 400, "a" * 100000, "\x1b[31m",
    *"1,,2 1,1 5-1 1-99999999999999 %s%s%n -- a=b".split(), b"\xff",
)
VALID = {"0", "1", "18446744073709551615"}  # of numbers, so that work begins
NAMING = {"-o", "--json", "--nll", "--dump", "--center", "--channels", "--waves"}  # an output
OPTIONS = {
    commands.RUN: "--engine --stalls --seed --json --waves -o",
    commands.GENERATE: "-o --observe",
    commands.REPORT: "--json",
    commands.FAULTS: "--ber --burst --upset-rate --stuck --code --erasure --trials --codewords --width --score-trials --seed --threads --engine --json --plot --dump --replay",
    commands.PERPLEXITY: "--tokenizer --skip --threads --cache --window --stride --tokens --baseline --seeds --engine --device --json --nll --plot",
    commands.NEEDLE: "--tokenizer --skip --threads --cache --lengths --depths --trials --seed --engine --json",
    commands.CALIBRATE: "--center --channels --split --by --config --bits --codebook --candidates --samples --window --seed --json --threads --skip",
    commands.CALIBRATE_TIERS: "--rope --outliers --squat-channels --squat-rank --squat-strength --fisher",
    commands.CAPTURE: "--layer --head --tokens --window --queries --format --skip --threads",
    commands.STRESS: "--layers --pairs --scale --gain --bias --bias-channels --text --norm-ratio --tokenizer --threads --seed --json",
    commands.CONVERT: "-o --json",
    commands.LIST: "--json --names",
    commands.VERIFY: "--seed --vectors",
}
MANY = 100000


def arguments():
    for command, options in OPTIONS.items():
        for option in options.split():
            for index, value in enumerate(VALUES):
                # Values that are valid start work or name outputs: what they make is theirs.
                if command is commands.VERIFY and option in ("--seed", "--vectors") and value in VALID:
                    continue
                line = list(command.line())
                if option in line:
                    del line[line.index(option) : line.index(option) + 2]
                named = (value,) if value and option in NAMING else ()
                yield command.case(
                    "argument", f"{option}/{index}", [*line, option, value], codes={0, 2, 3},
                    outputs=(*command.written(), *named), seconds=20, memory=2 << 30,
                    hardware=False, slow=False)
        line = command.line()
        written = command.written()
        for kind, words in {
            "unknown": [*line, "--unknown"],
            "unknown-control": [*line, "--\x1b[31m"],
            "unknown-bytes": [*line, b"--\xff\xfe"],
            "unknown-long": [*line, "--" + "o" * 100000],
            "more": [*line, "more", "words"],
            "many": [*line, *["x"] * MANY],
            "empty": [*line, ""],
            "repeated": [*line, *line[1:]],
            "none": line[:1],
            "help-and-more": [*line, "--help", "--unknown"],
            "no-value": [*line, options.split()[0]],
            "command": [command.name.upper(), *line[1:]],
            "command-twice": [command.name, *line],
        }.items():
            yield Case(f"words/{command.label}/{kind}", words, codes=frozenset({0, 2}), outputs=written)
    for kind, words in {
        "none": [],
        "empty": [""],
        "dash": ["-"],
        "dashes": ["--"],
        "control": ["\x1b[31m"],
        "bytes": [b"\xff"],
        "long": ["c" * 100000],
        "path": ["../../bin/sh"],
        "version": ["--version", "x"],
        "many": ["x"] * MANY,
        "at": ["@text.txt"],
        "config": ["--config", "text.txt"],
    }.items():
        yield Case(f"words/-/{kind}", words, codes=frozenset({0, 2}))


def cases(seed):
    for part in (limits(), signals(seed), environments(), streams(), arguments()):
        yield from part

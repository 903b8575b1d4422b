#!/usr/bin/env python3
"""Checks the structure of the source tree.

house.py arrows|sizes|words|skips|labels [--root DIR] [--build DIR]
house.py --self-test     plants a violation of each rule in a temporary tree and demands that it is found

  arrows   includes and DEPENDS of libraries follow the arrows of ALLOWED; below golden a file's name says its library;
           includes of rooms follow ROOMS
  sizes    no source file outside tests exceeds 300 lines, but for wiring: modules that only instantiate and connect,
           without a process or a function; the median exceeds 60; no folder of a component of ROOMS has more than 25
  words    comments and documents avoid WORDS and paths of one machine
  skips    no test case reports that it cannot run and passes: it is marked as in tests/needs.hpp
  labels   every test of the build has a label that tiers select by

Exit codes: 0 holds, 1 violated, 2 bad usage.
"""
import argparse
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker

# Component: the components that it may use besides itself. Components that are missing use nothing.
REFERENCE = {"golden"}
UNITS = REFERENCE | {"fast"}
GOLDEN = UNITS | {"golden/files"}
HARDWARE = GOLDEN | {"golden/run", "rtl"}
EVERYTHING = HARDWARE | {"sim", "report", "faults", "model", "kernels", "engines", "commands"}
ALLOWED = {
    "golden/c": UNITS,
    "golden/files": UNITS,
    "golden/run": REFERENCE | {"golden/files"},
    "golden": set(),  # the reference; after the folders below golden that are no subjects
    "fast": REFERENCE,
    "rtl": GOLDEN,
    "sim": HARDWARE - {"fast"},
    "report": HARDWARE | {"sim"},
    "kernels": UNITS,
    "faults": GOLDEN,
    "model": GOLDEN | {"kernels"},
    "engines/cuda": UNITS | {"golden/files", "golden/run", "kernels", "model", "engines"},
    "engines": EVERYTHING - {"engines", "commands", "report"},
    "commands": EVERYTHING - {"commands"},
    "cli": EVERYTHING,
}
# Component: its rooms in the order of their dependencies. Each may use those of the lines above its own.
ROOMS = {
    "golden": ({"parameters"}, {"numbers"}, {"simd"}, {"keys"}, {"codes"}, {"tiers"}, {"scores"}, {"rows"}, {"attention"},
               {"macro"}, {"memory"}, {"files"}, {"c", "run"}),
    "golden/files": ({"disk"}, {"documents", "tensors"}, {"calibration", "liberty"}, {"sram"}, {"config"},
                     {"traces", "results"}, {"tiers", "state"}),
    "sim": ({"tools"}, {"cycles", "rtl/model"}, {"rtl/driver"}, {"rtl/attention"}, {"verify/macro"}, {"verify/attention"},
            {"verify/run"}),
    "model/caches": ({"specification"}, {"rows"}, {"baselines", "rotated"}, {"memory", "tiers"}, {"cache"}),
    "report": ({"lines"}, {"accuracy", "cells", "netlist", "sram"}, {"activity", "counts"}, {"token"}, {"macro"}),
}
SOURCES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".inl"}
SIZED = SOURCES | {".py", ".sv", ".svh"}
LONGEST, LEAST_MEDIAN, MOST_FILES = 300, 60, 25
WORDS = (r"\bnobody\b", r"\blet go\b", r"\bwas meant\?", r"\brefused\b", r"\bsidecar\b", r"\b(this|each|every|a|per) room\b")
MACHINE_PATHS = r"(?<![\w.$}])/(?:home|root|work|Users)/\w"
KINDS = {"unit", "sim", "formal", "gpu"}


def files(root, suffixes):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root,
                            capture_output=True, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [
        str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    return [root / name for name in names if pathlib.Path(name).suffix in suffixes and (root / name).is_file()]


def texts(root, suffixes):
    """(path below root, text) of the files with these endings."""
    for path in files(root, suffixes):
        yield path.relative_to(root).as_posix(), path.read_text(errors="replace")


def includes(text):
    """(line number, file) of what a source includes."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line):
            yield number, found[1]


def component(name):
    found = next((known for known in ALLOWED if name == known or name.startswith(known + "/")), None)
    return "fast" if found == "golden" and is_fast(pathlib.PurePosixPath(name)) else found


def is_fast(path):
    """Whether a file of a subject of golden is of the library fast; golden/CMakeLists.txt has the rule for sources.
    Public headers: fast.hpp and fast_*.hpp. In a unit's folder: all but ref*.*. In simd: all."""
    subject = path.parts[1:]
    if subject[:1] == ("simd",) or "include" in subject[:2]:
        return subject[0] == "simd" or path.stem.startswith("fast")
    return len(subject) == 3 and not re.fullmatch("ref(_.*)?", path.stem)


def public_headers(root):
    """{text of an include: component} for the headers below an include directory."""
    headers = {}
    for path in files(root, {".hpp", ".h"}):
        name = path.relative_to(root).as_posix()
        if component(name) and "/include/" in name:
            headers[name.split("/include/", 1)[1]] = component(name)
    return headers


def include_arrows(root):
    headers = public_headers(root)
    for name, text in texts(root, SOURCES):
        source = component(name)
        for number, header in includes(text) if source else ():
            beside = (root / name).parent.joinpath(header).resolve()
            target = headers.get(header)
            if target is None and beside.is_relative_to(root.resolve()):
                target = component(beside.relative_to(root.resolve()).as_posix()) if beside.exists() else None
            if target is None and not header.startswith("axelram/"):
                beneath = "golden/" if source in UNITS and "/" in header else ""
                target = component(beneath + header)
            if target and target != source and target not in ALLOWED[source]:
                yield f"{name}:{number}: {source} includes {header} of {target}"


def library_arrows(root):
    text = {path: re.sub(r"#.*", "", path.read_text()) for path in root.rglob("CMakeLists.txt")
            if component(path.relative_to(root).as_posix())}
    call = re.compile(r"axelram_add_library\(\s*(\w+)([^)]*)\)")
    owner = {found[1]: found[1] if found[1] in ALLOWED else component(path.relative_to(root).as_posix())
             for path in text for found in call.finditer(text[path])}
    for path in text:
        for found in call.finditer(text[path]):
            depends = re.search(r"DEPENDS\s+([\w\s]+?)(?=\s+(?:PUBLIC|PRIVATE|PACKAGES|SOURCES|INCLUDE|STANDARD)\b|$)", found[2])
            for library in [*(depends[1].split() if depends else []), *re.findall(r"axelram::(\w+)", found[2])]:
                source, target = owner[found[1]], owner.get(library)
                if target and target != source and target not in ALLOWED[source]:
                    yield f"{path.relative_to(root)}: library {found[1]} of {source} depends on {library} of {target}"


def room_arrows(root):
    """Includes of a room of ROOMS that name a room of its own line or of a line below it."""
    for owner, lines in ROOMS.items():
        rank = {room: place for place, line in enumerate(lines) for room in line}

        def room_of(name, rank=rank):
            return next((room for room in rank if name.startswith(room + "/")), None)

        sources = {name.removeprefix(owner + "/"): text for name, text in texts(root, SOURCES)
                   if name.startswith(owner + "/")}
        public = {name.split("/include/", 1)[1]: room_of(name) for name in sources if "/include/" in name}
        for name, text in sources.items():
            room = room_of(name)
            if room is None:
                yield f"{owner}/{name}: no room of ROOMS"
                continue
            for number, header in includes(text):
                used = public.get(header, room_of(header))
                if used in rank and used != room and rank[used] >= rank[room]:
                    yield f"{owner}/{name}:{number}: room {room} includes {header} of {used}"


def check_arrows(root):
    yield from include_arrows(root)
    yield from room_arrows(root)
    yield from library_arrows(root)


def is_wiring(path):
    """A SystemVerilog module that has instances, nets and assignments alone."""
    code = re.sub(r"//.*", "", path.read_text(errors="replace")) if path.suffix == ".sv" else "function"
    return not re.search(r"\b(always\w*|initial|function|task)\b", code)


def check_sizes(root):
    lines = {name: len(text.splitlines()) for name, text in texts(root, SIZED) if not name.startswith("tests/")}
    yield from (f"{name}: {count} lines, at most {LONGEST}" for name, count in lines.items()
                if count > LONGEST and not is_wiring(root / name))
    if lines and statistics.median(lines.values()) <= LEAST_MEDIAN:
        yield f"the median is {statistics.median(lines.values()):g} lines, to be above {LEAST_MEDIAN}"
    folders = collections.Counter(str(pathlib.PurePosixPath(name).parent) for name in lines)
    yield from (f"{folder}: {count} files, at most {MOST_FILES}" for folder, count in folders.items()
                if count > MOST_FILES and any(f"{folder}/".startswith(f"{owner}/") for owner in ROOMS))


def prose(name, text):
    """(line number, text) of comments, or of every line of a document."""
    for number, line in enumerate(text.splitlines(), 1):
        if name.endswith(".md"):
            yield number, line
        elif comment := re.search(r"(?:^|\s)(?://+|#)\s(.*)", line):
            yield number, comment[1]


def check_words(root):
    for name, text in texts(root, SOURCES | {".md", ".py", ".sv", ".txt", ".cmake", ".yaml"}):
        for number, line in prose(name, text) if not name.endswith("/house.py") else ():
            plain = re.sub(r"`[^`]*`", "", line)  # a name in code font is no word
            for found in filter(None, (re.search(word, plain, re.IGNORECASE) for word in WORDS)):
                yield f"{name}:{number}: '{found[0]}'"
            if re.search(MACHINE_PATHS, line):
                yield f"{name}:{number}: a path of one machine"


def check_skips(root):
    """A message right before a return, in tests; whatever the message holds."""
    silent = re.compile(r"\b(?:MESSAGE|INFO)\((?:[^;\"]|\"(?:[^\"\\\\]|\\\\.)*\")*\)\s*;\s*(?:return\b|continue\b)")
    for name, text in texts(root, SOURCES):
        for found in silent.finditer(text) if name.startswith("tests/") else ():
            yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}: a skip that passes; see tests/needs.hpp"


def check_labels(root, build):
    text = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True).stdout
    for test in json.loads(text[text.index("{"):])["tests"]:
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        if len(KINDS & set(labels)) != 1 or set(labels) - KINDS - {"short", "slow", "models"} or {"short", "slow"} <= set(labels):
            yield f"test {test['name']} has labels {labels}: one of {', '.join(sorted(KINDS))}, and short or slow or neither, and models or not"


CHECKS = {"arrows": check_arrows, "sizes": check_sizes, "words": check_words, "skips": check_skips}
# Check, file, text that violates it. {} in the name of a file: MOST_FILES + 1 of them.
PLANTED = (
    ("arrows", "golden/keys/a.cpp", '#include "axelram/sim/engine.hpp"\n'),
    ("arrows", "golden/keys/a.cpp", '#include "axelram/fast_a.hpp"\n'),
    ("arrows", "golden/keys/include/axelram/a.hpp", '#include "axelram/fast_a.hpp"\n'),
    ("arrows", "golden/keys/a/ref_more.cpp", '#include "steps.hpp"\n'),
    ("arrows", "golden/keys/a/ref.hpp", '#include "simd/vector.hpp"\n'),
    ("arrows", "golden/keys/a/simd.cpp", '#include "axelram/sim/engine.hpp"\n'),
    ("arrows", "model/a.cpp", '#include "axelram/sim/engine.hpp"\n'),
    ("arrows", "golden/CMakeLists.txt", "axelram_add_library(golden DEPENDS fast)\naxelram_add_library(fast)\n"),
    ("arrows", "golden/CMakeLists.txt", "axelram_add_library(fast PRIVATE axelram::sim)\n"),
    ("arrows", "golden/files/disk/a.cpp", '#include "config/table.hpp"\n'),
    ("arrows", "golden/files/sram/a.cpp", '#include "axelram/files/config.hpp"\n'),
    ("arrows", "golden/files/a.cpp", "int x;\n"),
    ("arrows", "sim/rtl/model/a.cpp", '#include "axelram/sim/engine.hpp"\n'),
    ("arrows", "sim/rtl/driver/a.hpp", '#include "verify/macro/a.hpp"\n'),
    ("arrows", "engines/cuda/a.cpp", '#include "axelram/sim/engine.hpp"\n'),
    ("sizes", "sim/cycles/long.cpp", "int x;\n" * 301),
    ("sizes", "report/macro/many{}.cpp", "int x;\n" * 80),
    ("sizes", "rtl/top/long.sv", "always_comb a = b;\n" + "assign a = b;\n" * 300),
    ("words", "sim/cycles/a.hpp", "// Open where nobody looks.\n"),
    ("skips", "tests/cli/a_test.cpp", 'if (none) {\n  MESSAGE("no tool; (nothing) is tested");\n  return;\n}\n'),
    ("skips", "tests/cli/b_test.cpp", 'if (none) { MESSAGE("none: " << tool("x")); continue; }\n'),
    ("words", "docs/a.md", "It is in /home/someone/axelram.\n"),
)


GOOD = {
    "sim/rtl/driver/include/axelram/sim/engine.hpp": "// An engine.\n" + "int x;\n" * 80,
    "golden/keys/include/axelram/fast_a.hpp": '#include "axelram/a.hpp"\n' + "int y;\n" * 80,
    "golden/keys/a/steps.hpp": '#include "axelram/fast_a.hpp"\n' + "int z;\n" * 80,
    "golden/files/config/include/axelram/files/config.hpp": "// Keys.\n" + "int x;\n" * 80,
    "rtl/top/wiring.sv": "// It is not always wiring.\n" + "unit u_unit (.a_i);\n" * 301,
    "sim/CMakeLists.txt": "axelram_add_library(sim DEPENDS rtl)\n",
}


def self_test():
    missed = 0
    for check, name, text in PLANTED:
        bad = [name.format(i) for i in range(MOST_FILES + 1)] if "{}" in name else [name]
        with checker.tree(GOOD | dict.fromkeys(bad, text)) as root:
            found = list(CHECKS[check](root))
            (root / bad[-1]).unlink()
            if not found or list(CHECKS[check](root)):
                print(f"{check}: a violation in {name} was {'reported without cause' if found else 'not found'}")
                missed += 1
    print(f"{len(PLANTED)} violations planted, {missed} missed")
    return missed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", nargs="?", choices=(*CHECKS, "labels"))
    parser.add_argument("--root", type=pathlib.Path, default=checker.ROOT)
    parser.add_argument("--build", default="build")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return 0 if self_test() else 1
    if arguments.check is None:
        parser.error("name a check")
    problems = list(check_labels(arguments.root, arguments.build) if arguments.check == "labels"
                    else CHECKS[arguments.check](arguments.root))
    print(*problems, f"{len(problems)} violations", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

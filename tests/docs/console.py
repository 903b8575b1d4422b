#!/usr/bin/env python3
"""Runs the commands of fenced blocks of the kind `console` and compares what they print with what the page shows.

console.py PROGRAM PAGE...     each page in a folder of its own, with links to what the repository holds
console.py PROGRAM --slow      every page, its slow blocks too
console.py --check             a page shows no output of a command outside of such a block
console.py --self-test         plants faults in pages and demands that each is found

A line behind `$ ` is a command; it goes on behind a backslash, and behind `<<END` up to a line END. The lines below it, up to the next command, are what it
prints; without such lines its output is not compared. A line `...` stands for any lines. Every command must succeed, and all of a page share one shell.
Numbers in lines of seconds and of a speed may differ. The line `<!-- console WORD... -->` in front of a block says more of it:

    slow              it runs with --slow alone
    needs=NAME,...    it runs if they are there: `data` is $AXELRAM_DATA, whose texts lie in the folder then; `matplotlib`; others are pretrained models in
                      the cache
    simd=LEVEL        instructions that its figures are of. On a CPU without them numbers may differ by the noise that the output states

Exit codes: 0 all agree, 1 something does not, 2 bad usage, 77 all that ran agrees and something could not run.
"""
import argparse
import dataclasses
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker
import console_output

BLOCK = re.compile(r"(?:^<!-- console (.*?) -->\n)?^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLAIN = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = {"avx2": "avx2", "avx512": "avx512bw"}
MARK = "== console =="


@dataclasses.dataclass
class Command:
    text: str
    shown: list
    simd: str = ""


def goes_on(command):
    opened = re.search(r"<<(\w+)$", command, re.MULTILINE)
    return command.endswith("\\") or opened is not None and not command.endswith(f"\n{opened[1]}")


def commands_in(body, simd=""):
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], [], simd))
        elif found and not found[-1].shown and goes_on(found[-1].text):
            found[-1].text += f"\n{line}"
        elif found:
            found[-1].shown.append(line.rstrip())
        else:
            raise ValueError(f"'{line}' stands behind no command")
    return found


def cached_model(name):
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return any((cache / "axelram/models" / name).glob("*.gguf"))


def is_there(need):
    if need == "data":
        return bool(os.environ.get("AXELRAM_DATA"))
    return importlib.util.find_spec(need) is not None if need == "matplotlib" else cached_model(need)


def commands_of(text, slow):
    """-> commands of all blocks that can run, and a line for each that cannot."""
    commands, left_out = [], []
    for words, body in BLOCK.findall(text):
        settings = dict(word.partition("=")[::2] for word in words.split())
        if "slow" in settings and not slow:
            continue
        found = commands_in(body, settings.get("simd", ""))
        missing = [need for need in settings.get("needs", "").split(",") if need and not is_there(need)]
        if missing:
            left_out.append(f"'{found[0].text.splitlines()[0]}' needs {', '.join(missing)}")
        else:
            commands += found
    return commands, left_out


def has_instructions(level):
    try:
        return FLAGS[level] in pathlib.Path("/proc/cpuinfo").read_text().split()
    except OSError:
        return False


def run(commands, folder, path):
    """-> [(exit code, lines printed)], of the commands that ran."""
    script = ""
    for command in commands:
        level = command.simd if command.simd and has_instructions(command.simd) else ""
        script += f"{f'export AXELRAM_SIMD={level}' if level else 'unset AXELRAM_SIMD'}\n"
        script += f"{command.text}\nprintf '\\n%s %d\\n' '{MARK}' $?\n"
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
    parts = re.split(rf"\n{MARK} (\d+)\n", done.stdout)
    pairs = zip(parts[1::2], parts[0::2], strict=False)
    return [(int(code), [line.rstrip() for line in text.splitlines()]) for code, text in pairs], done.stderr


def link_files(folder):
    for name in ("LICENSE", "README.md", "configs", "models", "sweeps", "traces"):
        (folder / name).symlink_to(checker.ROOT / name)
    if is_there("data"):
        for text in pathlib.Path(os.environ["AXELRAM_DATA"], "text").glob("*"):
            (folder / text.name).symlink_to(text.resolve())


def failures_of(text, path, slow=False):
    """-> (failures, number of commands, lines for what was left out)."""
    commands, left_out = commands_of(text, slow)
    with checker.tree({}) as folder:
        link_files(folder)
        results, errors = run(commands, folder, path)
    failures = [] if len(results) == len(commands) else [f"the shell ended in '{commands[len(results)].text}'"]
    for command, (code, printed) in zip(commands, results, strict=False):
        exact = not command.simd or has_instructions(command.simd)
        if code != 0:
            failures.append(f"'{command.text}' ends with {code}: {errors.strip().splitlines()[-1:]}")
        elif command.shown and not console_output.agree(command.shown, printed, exact):
            failures.append("\n".join([f"'{command.text}' prints", *printed, "and the page shows", *command.shown]))
    return failures, len(commands), left_out


def pages():
    return [checker.ROOT / "README.md", *sorted((checker.ROOT / "docs").rglob("*.md"))]


def output_elsewhere(text):
    """Commands whose output stands in a block of another kind, where nothing compares it."""
    for kind, body in PLAIN.findall(text):
        if kind != "console" and body.startswith("$ "):
            yield from (command.text.splitlines()[0] for command in commands_in(body) if command.shown)


def check():
    failures = [f"{page}: '{command}' shows output outside of a block of the kind console"
                for page in pages() for command in output_elsewhere(page.read_text())]
    print(*failures, f"{len(pages())} pages, {len(failures)} failures", sep="\n")
    return not failures


# ---- Self-test

GOOD = ("$ one\n```console\n$ x=3\n$ cat >y <<END\nz\nEND\n$ echo a$x \\\n    b\na3 b\n$ echo seconds 1.5\nseconds 2.25\n$ test -e LICENSE\n```\n"
        "```console\n$ printf 'a  b\\nc  1\\nd  2\\n'\na  b\n...\nd  2\n```\n"
        "<!-- console slow -->\n```console\n$ false\n```\n<!-- console needs=nothing-of-this-name -->\n```console\n$ false\n```\n")
# Text of GOOD, its replacement, a part of the failure that must be found.
PLANTED = (
    ("\na3 b", "\na4 b", "'echo a$x \\\n    b' prints"),
    ("seconds 2.25", "seconds more", "prints"),
    ("test -e LICENSE", "test -e NOTHING", "ends with 1"),
    ("\nEND\n", "\n", "the shell ended in 'cat"),
    ("x=3", "exit 0", "the shell ended in 'exit 0'"),
    ("echo a$x", "nothing", "ends with 127"),
    ("\nd  2\n```", "\nd  3\n```", "prints"),
    ("\n...\n", "\n", "prints"),
    ("console slow", "console fast", "'false' ends with 1"),
    ("console needs=nothing-of-this-name", "console needs=", "'false' ends with 1"),
)


def self_test():
    wrong = []
    for old, new, expected in (("", "", None), *PLANTED):
        failures, count, left_out = failures_of(GOOD.replace(old, new), "/")
        if (failures or (count, len(left_out)) != (6, 1)) if expected is None else not any(expected in failure for failure in failures):
            wrong.append(f"{old!r} -> {new!r}: {failures}")
    elsewhere = [*output_elsewhere("```\n$ a\nb\n```\n```console\n$ c\nd\n```\n```\n$ e\n$ f \\\n  g\n```\n")]
    if elsewhere != ["a"]:
        wrong.append(f"output elsewhere: {elsewhere}")
    wrong += console_output.self_test()
    print(*wrong, f"{len(PLANTED)} planted faults, {len(wrong)} wrong", sep="\n")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.self_test or arguments.check:
        return 0 if (self_test if arguments.self_test else check)() else 1
    if arguments.program is None or not (arguments.pages or arguments.slow):
        parser.error("PROGRAM and PAGE are required")
    wrong = missing = 0
    for page in arguments.pages or [page for page in pages() if BLOCK.search(page.read_text())]:
        failures, count, left_out = failures_of(page.read_text(), arguments.program.resolve().parent, arguments.slow)
        print(*(f"{page}: {failure}" for failure in failures), *(f"{page}: not run: {line}" for line in left_out),
              f"{page}: {count} commands, {len(failures)} failures", sep="\n")
        wrong += len(failures) or not (count or left_out)
        missing += len(left_out)
    return 1 if wrong else 77 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs the commands of fenced blocks of the kind `console` and compares what they print with what the page shows.

console.py PROGRAM PAGE...     each page in a folder of its own, with links to what the repository holds
console.py --self-test         plants faults in pages and demands that each is found

A line behind `$ ` is a command; it goes on behind a backslash, and behind `<<END` up to a line END. The lines below it, up to the next command, are what it
prints; without such lines its output is not compared. Every command must succeed, and all of a page share one shell.
Numbers in lines of seconds and of a speed may differ. Exit codes: 0 all agree, 1 something does not, 2 bad usage.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts/docs"))
import checker

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMED = re.compile(r"^seconds +|\d s\b|tokens/s")
MARK = "== console =="


def goes_on(command):
    opened = re.search(r"<<(\w+)$", command, re.MULTILINE)
    return command.endswith("\\") or opened is not None and not command.endswith(f"\n{opened[1]}")


def commands_of(text):
    """-> [(command, lines shown)]."""
    found = []
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found and not found[-1][1] and goes_on(found[-1][0]):
                found[-1] = (f"{found[-1][0]}\n{line}", [])
            elif found:
                found[-1][1].append(line.rstrip())
            else:
                raise ValueError(f"'{line}' stands behind no command")
    return found


def plain(line):
    return re.sub(r"[\d.e+-]+", "N", line) if TIMED.search(line) else line


def run(commands, folder, path):
    """-> [(exit code, lines printed)], of the commands that ran."""
    script = "".join(f"{command}\nprintf '\\n%s %d\\n' '{MARK}' $?\n" for command, _ in commands)
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
    parts = re.split(rf"\n{MARK} (\d+)\n", done.stdout)
    pairs = zip(parts[1::2], parts[0::2], strict=False)
    return [(int(code), [line.rstrip() for line in text.splitlines()]) for code, text in pairs], done.stderr


def failures_of(text, path):
    commands = commands_of(text)
    with checker.tree({}) as folder:
        for name in ("LICENSE", "README.md", "configs", "models", "sweeps", "traces"):
            (folder / name).symlink_to(checker.ROOT / name)
        results, errors = run(commands, folder, path)
    failures = [] if len(results) == len(commands) else [f"the shell ended in '{commands[len(results)][0]}'"]
    for (command, shown), (code, printed) in zip(commands, results, strict=False):
        if code != 0:
            failures.append(f"'{command}' ends with {code}: {errors.strip().splitlines()[-1:]}")
        elif shown and [plain(line) for line in shown if line] != [plain(line) for line in printed if line]:
            failures.append("\n".join([f"'{command}' prints", *printed, "and the page shows", *shown]))
    return failures, len(commands)


# ---- Self-test

GOOD = "$ one\n```console\n$ x=3\n$ cat >y <<END\nz\nEND\n$ echo a$x \\\n    b\na3 b\n$ echo seconds 1.5\nseconds 2.25\n$ test -e LICENSE\n```\n"
# Text of GOOD, its replacement, a part of the failure that must be found.
PLANTED = (
    ("\na3 b", "\na4 b", "'echo a$x \\\n    b' prints"),
    ("seconds 2.25", "seconds more", "prints"),
    ("test -e LICENSE", "test -e NOTHING", "ends with 1"),
    ("\nEND\n", "\n", "the shell ended in 'cat"),
    ("x=3", "exit 0", "the shell ended in 'exit 0'"),
    ("echo a$x", "nothing", "ends with 127"),
)


def self_test():
    wrong = []
    for old, new, expected in (("", "", None), *PLANTED):
        failures, count = failures_of(GOOD.replace(old, new), "/")
        if (failures or count != 5) if expected is None else not any(expected in failure for failure in failures):
            wrong.append(f"{old!r} -> {new!r}: {failures}")
    print(*wrong, f"{len(PLANTED)} planted faults, {len(wrong)} wrong", sep="\n")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.self_test:
        return 0 if self_test() else 1
    if not arguments.pages:
        parser.error("PROGRAM and PAGE are required")
    wrong = 0
    for page in arguments.pages:
        failures, count = failures_of(page.read_text(), arguments.program.resolve().parent)
        print(*(f"{page}: {failure}" for failure in failures), f"{page}: {count} commands, {len(failures)} failures", sep="\n")
        wrong += len(failures) or not count
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

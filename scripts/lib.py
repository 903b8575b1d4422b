"""What the Python scripts share, as the shell scripts share lib.sh."""
import importlib.util
import os
import pathlib
import subprocess
import sys

import tools

ROOT = pathlib.Path(__file__).resolve().parents[1]
RECORDS = ROOT / "docs" / "evidence" / "measurements"
SCRIPT = os.path.relpath(os.path.realpath(sys.argv[0]), ROOT)
DEBIAN_PYTHON = "/usr/bin/python3"  # the one that the package python3-matplotlib serves, with numpy


def with_package(name):
    """Restarts the script with Debian's Python if this one has no such package."""
    debian = os.path.realpath(sys.executable) == os.path.realpath(DEBIAN_PYTHON)
    if importlib.util.find_spec(name) is None and not debian:
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])


def fail(message, code=3):
    """One line; 3 (the environment lacks something) by default."""
    print(f"{SCRIPT}: {message}", file=sys.stderr)
    sys.exit(code)


def shell(line):
    """What a line of Bash prints, with the functions of lib.sh."""
    done = subprocess.run(["bash", "-c", f"source scripts/lib.sh; {line}", ROOT / SCRIPT], cwd=ROOT,
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(f"'{line}' ends with {done.returncode}", done.returncode)
    return done.stdout


def commit(root=ROOT):
    """The commit of a tree, short; "" without Git."""
    try:
        return tools.call(["git", "rev-parse", "--short", "HEAD"], cwd=root).strip()
    except tools.ToolError:
        return ""


def program_commit():
    """The commit that the program was built from, short, "+" behind it if files differed; "" if it does not say."""
    said = tools.ask([program(), "--version"]).partition("commit ")[2].strip()
    return said[:8] + "+" * said.endswith("+")


def program():
    """$AXELRAM, or the program, built if it is missing or out of date."""
    if "AXELRAM" not in os.environ:
        os.environ["AXELRAM"] = shell("need axelram_program >&2; echo $AXELRAM").strip()
    return os.environ["AXELRAM"]


def record(name, text):
    """Writes docs/evidence/measurements/NAME."""
    (RECORDS / name).write_text(text, encoding="utf-8")
    print(f"recorded: {(RECORDS / name).relative_to(ROOT)}")


def show(name, text, recorded):
    """Prints a page, or writes it as a record."""
    if recorded:
        record(name, text)
    else:
        print(text)

"""Calls of programs of others, as sim/tools calls them in C++: both streams apart, in the locale C, without input, the
exit code first. A version that is too old is named, and so is a program that prints nothing where it has to."""
import dataclasses
import functools
import os
import re
import shutil
import signal
import subprocess

LOADER = "ERROR: ld.so: "  # a library that is to be preloaded is missing
ERROR = re.compile(r"%Error|rror: |ERROR: ")


class ToolError(RuntimeError):
    """One line: a program is missing, is too old, fails, or prints nothing."""


@dataclasses.dataclass(frozen=True)
class Tool:
    name: str  # on the PATH
    title: str  # in front of its version
    option: str  # prints its version
    least: str  # the lowest version that serves
    package: str  # of Debian 12, where it serves
    home: str  # has the latest version


TOOLS = {tool.name: tool for tool in (
    Tool("verilator", "Verilator", "--version", "5.006", "verilator", "https://verilator.org"),
    Tool("yosys", "Yosys", "-V", "0.23", "yosys", "https://github.com/YosysHQ/oss-cad-suite-build"),
    Tool("sta", "OpenSTA", "-version", "2.0", "opensta", "https://github.com/The-OpenROAD-Project/OpenSTA"),
)}
# Packages that scripts/setup installs, by program.
PACKAGES = {"git": "git", "ctest": "cmake", "iverilog": "iverilog", "vvp": "iverilog", "graywolf": "graywolf",
            "qrouter": "qrouter", "magic": "magic", "gtkwave": "gtkwave", **{name: tool.package for name, tool in TOOLS.items()}}


def environment():
    return {**os.environ, "LC_ALL": "C"}


def lines_of(text):
    return [line for line in text.splitlines() if line.strip() and not line.startswith(LOADER)]


def last_words(done):
    """The last line of standard error, else of standard output; "" if there is none."""
    return next((lines[-1] for lines in (lines_of(done.stderr), lines_of(done.stdout)) if lines), "")


def complaint(done):
    """The first line that reports an error, else the last words; "" if there are none."""
    lines = [line for stream in (done.stderr, done.stdout) for line in lines_of(stream) if ERROR.search(line)]
    return lines[0] if lines else last_words(done)


def absent(name):
    """The error that there is no such program, with what helps."""
    if "/" in name:
        return ToolError(f"{name} does not exist; scripts/build makes programs of the project, scripts/setup installs others")
    package = PACKAGES.get(name)
    advice = f"run scripts/setup or apt-get install {package}" if package else "install it, or put it on the PATH"
    return ToolError(f"{name} is not installed; {advice}")


def end(command, **options):
    """How a program ends, with both streams; options as of subprocess.run."""
    command = [str(word) for word in command]
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, errors="replace", env=environment(),
                              **({} if "input" in options else {"stdin": subprocess.DEVNULL}), **options)
    except FileNotFoundError as error:
        if error.filename != command[0]:
            raise
        raise absent(command[0]) from None


def failure(done):
    """How a program failed: its exit code with what it complains of, or the signal that ended it. Its output then tells how
    far it was, and not why it ended: only standard error is quoted."""
    if done.returncode > 0:
        return f"failed with status {done.returncode}: {complaint(done) or 'it printed nothing'}"
    said = complaint(subprocess.CompletedProcess(done.args, done.returncode, "", done.stderr))
    return f"was ended by signal {-done.returncode} ({signal.strsignal(-done.returncode)}){said and f': {said}'}"


def check(done, name, subject=""):
    if done.returncode != 0:
        raise ToolError(f"{name}{subject and f' on {subject}'} {failure(done)}")


def call(command, subject="", **options):
    """Standard output of a program that succeeds. `subject`: what it works on."""
    if command[0] in TOOLS:
        version(command[0])
    done = end(command, **options)
    check(done, os.path.basename(str(command[0])), subject)
    return done.stdout


def ask(command, subject="", **options):
    """call() of a program that prints something whenever it has worked."""
    printed = call(command, subject, **options)
    if not printed.strip():
        raise ToolError(f"{command[0]} printed nothing{subject and f' on {subject}'}")
    return printed


def number_in(printed, title):
    """The number of a version: behind the title, else at the beginning of a line; "" if there is none."""
    found = re.search(rf"{title} (\d+(?:\.\d+)*)", printed) or re.search(r"^(\d+(?:\.\d+)*)", printed, re.M)
    return found[1] if found else ""


def serves(number, least):
    """Whether a version is `least` or a later one, or no number."""
    parts = [[int(part) for part in text.split(".")] for text in (number, least) if text]
    return len(parts) < 2 or parts[0] >= parts[1]


@functools.cache
def version_at(name, path):
    tool = TOOLS[name]
    done = end([path, tool.option])
    check(done, f"{name} {tool.option}")
    if not done.stdout.strip():
        raise ToolError(f"{name} {tool.option} printed nothing; see that {path} is {tool.title}")
    number = number_in(done.stdout, tool.title)
    if not serves(number, tool.least):
        raise ToolError(f"{tool.title} {number}; {tool.least} or later is needed, such as that of Debian 12 or {tool.home}, "
                        f"in front of {os.path.dirname(path)} on the PATH")  # installed: how to get another one helps
    return f"{tool.title} {number}" if number else lines_of(done.stdout)[0]


def version(name):
    """Title and version of a program of TOOLS, such as "Yosys 0.23"."""
    path = shutil.which(name)
    if path is None:
        raise absent(name)
    return version_at(name, path)

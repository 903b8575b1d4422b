"""The benchmarks of bench/: built, run, and their lines."""
import re
import subprocess
import sys

from .common import ROOT

LINE = re.compile(r"(.{52}) (.{26}) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)  (HOLDS|DOES NOT HOLD|reported only)$")


def lines(text):
    """(claim, working set, (baseline, ours, ratio, bar, verdict)) of what a benchmark prints, in ns."""
    for match in filter(None, map(LINE.match, text.splitlines())):
        name, place, *numbers, verdict = (part.strip() for part in match.groups())
        yield name, place, (*map(float, numbers), verdict)


def claims(bench):
    """{claim: (working set, baseline, ours, ratio, bar, verdict)} of a benchmark that is built; none on a CPU without its
    level."""
    done = subprocess.run([ROOT / "build" / "bench" / bench], capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: a bar does not hold
        sys.exit(f"{bench} ends with {done.returncode}: {done.stderr.strip()}")
    return {name: (place, *figures) for name, place, figures in lines(done.stdout)}

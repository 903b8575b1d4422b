"""Shared by the measurement scripts: arguments, texts, tables in Markdown."""
import argparse
import datetime
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
import tools
from lib import (ROOT, commit, fail, program, program_commit, record, shell, show,  # noqa: F401, for the scripts
                 with_package)

BUNDLED = ROOT / "models" / "byte-llama-d128"
BUNDLED_NAME = "models/byte-llama-d128"  # as MODEL of the program
# Student's t, 97.5 %, by degrees of freedom.
T_975 = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 6: 2.4469, 7: 2.3646, 8: 2.3060, 9: 2.2622}


def student(freedom):
    """The 97.5 % quantile of Student's t; the expansion of Cornish and Fisher beyond the table."""
    if freedom in T_975:
        return T_975[freedom]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def argument_parser(description):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="write the record")
    return parser


def recorded(description):
    """Whether --record, the only argument, is given."""
    return argument_parser(description).parse_args().record


def data():
    """The folder with texts and models that the project does not contain; see docs/perplexity.md."""
    folder = os.environ.get("AXELRAM_DATA")
    if not folder or not pathlib.Path(folder, "text").is_dir():
        fail("AXELRAM_DATA names no folder with text/; docs/perplexity.md says what belongs there")
    return pathlib.Path(folder).resolve()


def trained():
    """The folder of models that scripts/models trained, or None; see docs/bounded-memory.md#training."""
    folder = os.environ.get("AXELRAM_TRAINED")
    return pathlib.Path(folder).resolve() if folder and pathlib.Path(folder).is_dir() else None


def held_out():
    """Name, file and bytes to skip of the texts that no model here was trained on."""
    shakespeare = data() / "text" / "shakespeare.txt"
    wikitext = data() / "text" / "wikitext2-raw-test.txt"
    return [("WikiText-2 raw test", wikitext, 0),
            ("Shakespeare, last 10 %", shakespeare, int(shakespeare.stat().st_size * 0.9))]


def run(*arguments):
    """One command of the program; the script ends with its message if it fails."""
    command = [program(), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        fail(f"{' '.join(command)}: {done.stderr.strip()}", done.returncode)
    return done.stdout


def perplexity(model, text, skip, cache, *more):
    """The JSON of `axelram perplexity`."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "perplexity.json")
        run("perplexity", model, text, "--skip", skip, "--cache", cache, "--json", path, *more)
        return json.loads(path.read_text())


def mean_noise(runs):
    """Noise of the mean delta of runs with equally many seeds each (docs/perplexity.md, Noise of delta)."""
    return math.sqrt(sum(run["delta_noise"] ** 2 for run in runs)) / len(runs)


def noise_note(run):
    """Says what the noise in a table is; the same for all runs on a machine."""
    noise = run["noise"]
    return (f"Noise: 95 % of the changes of the mean delta from {noise['simd']} to {noise['compared_with']} instructions; "
            "a difference that is not larger is no finding.")


def mean_interval(values):
    """Mean and half the width of its 95 % interval by Student's t."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return mean, student(len(values) - 1) * deviation / math.sqrt(len(values))


def ranks(values):
    """Ranks from 0; equal values share the mean of theirs."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) - 1) / 2 for value in values]


def spearman(a, b):
    """The correlation of ranks; not a number if all of one are equal."""
    try:
        return statistics.correlation(ranks(a), ranks(b))
    except statistics.StatisticsError:
        return math.nan


def table(head, rows, left=1):
    """A table in Markdown, the first columns to the left."""
    lines = [head, ["---"] * left + ["---:"] * (len(head) - left), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines) + "\n"


def provenance(on_gpu=False):
    """Date, commit of the program and machine, for the head of a record. Likelihoods depend on the level of the
    instructions. $AXELRAM_REVISION names the commit of a copy without Git."""
    revision = os.environ.get("AXELRAM_REVISION") or program_commit() or commit()
    about = dict(line.split(":", 1) for line in open("/proc/cpuinfo") if ":" in line)
    about = {key.strip(): value.strip() for key, value in about.items()}
    flags = about.get("flags", "").split()
    level = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    gpu = ""
    if on_gpu:
        named = tools.ask(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"])
        gpu = ", models on one " + named.splitlines()[0]
    return (f"Measured on {datetime.date.today()} at commit {revision}, {os.cpu_count()} cores of "
            f"{about.get('model name', '?')} with {level}{gpu}.")

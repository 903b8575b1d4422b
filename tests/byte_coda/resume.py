#!/usr/bin/env python3
"""A training that is stopped and resumed gives the weights of one that never stops.

resume.py LIBRARY

train_byte_coda, phase 1, phase 2 and the arm without differential attention, and train_recall: 30 steps at
once, and 13 steps, then 17 more in a fresh process. model.safetensors must be equal byte for byte. One thread.
A state of other options is refused, and so are bad arguments, with one line each.
Exit codes: 0 equal, 1 different, 77 without PyTorch.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import with_torch

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "models"
STEPS, STOP = 30, 13
failures = []


def run(script, *arguments):
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, SCRIPTS / script, *map(str, arguments)],
        env={**os.environ, **one},
        capture_output=True,
        text=True,
    )


def works(script, *arguments):
    done = run(script, *arguments)
    if done.returncode:
        failures.append(f"{script} {arguments}: {done.stderr}")
    return done.stdout


def refused(part, script, *arguments, code=2):
    done = run(script, *arguments)
    if done.returncode != code or part not in done.stderr:
        failures.append(f"{script} {arguments}: {done.returncode} {done.stderr!r}, to have {part!r}")
    elif done.stderr.startswith(f"{script}: ") and done.stderr.count("\n") != 1:
        failures.append(f"{script} {arguments}: more than a line: {done.stderr!r}")


def compare(folder, name, script, *arguments):
    """The folder of the training that never stops."""
    whole, parts = folder / f"{name}-whole", folder / f"{name}-parts"
    options = [*arguments, "--steps", STEPS, "--threads", 1]
    works(script, whole, *options)
    works(script, parts, *options, "--stop-after", STOP)
    state = folder / f"{name}-parts.training"
    if parts.exists() or not state.exists():
        failures.append(f"{name}: a stopped training has a state and no checkpoint")
    refused(f"{state}: a training with steps {STEPS}, not 31", script, parts, *options, "--steps", 31)
    if f"goes on from step {STOP}" not in works(script, parts, *options):
        failures.append(f"{name}: does not go on from its state")
    if state.exists():
        failures.append(f"{name}: the state is left behind")
    one, other = (path / "model.safetensors" for path in (whole, parts))
    if not (one.exists() and other.exists() and one.read_bytes() == other.read_bytes()):
        failures.append(f"{name}: the weights differ")
    return whole


def main(library):
    with_torch.ensure()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "text").write_bytes(bytes(32 + i * i % 89 for i in range(4000)))
        texts = ["--text", folder / "text:0.9", "--context", 48, "--held-out-bytes", 96]
        start = folder / "start"
        make(start)
        coda = [*texts, "--library", library]
        first = compare(folder, "first", "train_byte_coda", "--from", start, "--phase", 1, *coda)
        second = ["--phase", 2, *coda, "--memory", "window=8,exact=4,summary=4"]
        last = compare(folder, "second", "train_byte_coda", "--from", first, *second)
        config = json.loads((last / "config.json").read_text())
        if config.get("coda", {}).get("memory") != "window=8,exact=4,summary=4":
            failures.append(f"config.json of phase 2: {config}")
        compare(folder, "plain", "train_byte_coda", "--from", start, *second, "--no-differential")
        compare(folder, "recall", "train_recall", "--context", 144, "--tests", 2, "--coda")

        out = folder / "out"
        phase = ["--from", first, "--steps", 1, *coda, "--phase"]
        refused("no such folder", "train_byte_coda", folder / "none" / "out", *phase, 1)
        refused("--force writes over", "train_byte_coda", first, *phase, 1)
        refused("No such file", "train_byte_coda", out, *phase, 1, "--from", folder / "none")
        refused("no theta; run phase 1", "train_byte_coda", out, *phase, 2, "--from", start)
        refused("has no place", "train_byte_coda", out, *phase, 1, "--no-differential")
        refused("'banks=3'; known keys are window", "train_byte_coda", out, *phase, 2, "--memory", "banks=3")
        refused("'x' is no number", "train_byte_coda", out, *phase, 2, "--memory", "window=x")
        refused("memory.window is 0", "train_byte_coda", out, *phase, 2, "--memory", "window=0")
        refused("build the target axelram_c", "train_byte_coda", out, *phase, 2, "--library", folder / "none")
        refused("phase 1 has none", "train_byte_coda", out, *phase, 1, "--memory", "window=8")
        refused("--context 64: from 142 to 1024", "train_recall", out, "--context", 64)
        refused("only with --from", "train_recall", out, "--memory", "window=8")
    print("\n".join(failures) or f"stopped after {STOP} of {STEPS} steps, resumed: equal")
    return 1 if failures else 0


def make(path):
    """A small Llama with random weights."""
    sys.path.insert(0, str(SCRIPTS))
    import torch
    from byte_coda import checkpoint
    from byte_coda.model import ByteCoda, Shape

    torch.manual_seed(3)
    sizes = {"hidden": 32, "layers": 2, "heads": 2, "kv_heads": 1, "head_dim": 32, "ffn": 48}
    checkpoint.save(ByteCoda(Shape(**sizes)), path, None, {})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

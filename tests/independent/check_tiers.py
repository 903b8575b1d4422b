#!/usr/bin/env python3
"""Compares `axelram run --cache`, engines golden and fast, with the tiered cache as the contract states it.

check_tiers.py AXELRAM [--slow | --drawn FIRST LAST | --rejected] [--only TEXT] [--keep FOLDER]

  (none)      the stores of STANDARD in tier_cases.py
  --slow      those of SLOW
  --drawn     stores that the seeds FIRST to LAST draw
  --rejected  input that exits with code 2, one line and no file
  --only      cases whose name contains TEXT alone
  --keep      leaves the files of cases that differ in FOLDER

Exit codes: 0 equal, 1 different, 2 bad usage."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import safetensors
import tier_cases
import tier_compare
import tier_files
import tier_wrong
import tiers


ENGINES = ("golden", "fast")


def command(axelram, spec, folder, *options):
    return [axelram, "run", "--cache", spec, f"{folder}/trace.safetensors", "-o", f"{folder}/result.safetensors", *options]


def differences(axelram, case, folder):
    """-> one line for each disagreement."""
    spec, lines = tier_files.write(folder, case.seed, case.spec, case.d, case.tokens, case.queries, case.g, case.outliers), []
    store = tiers.run(spec, f"{folder}/trace.safetensors")
    for engine in ENGINES:
        done = subprocess.run(command(axelram, spec, folder, "--engine", engine, "--force"), capture_output=True, text=True)
        if done.returncode:
            lines.append(f"{engine}: exit code {done.returncode}: {(done.stderr or done.stdout).strip()}")
            continue
        found = tier_compare.differences(store, *safetensors.read(f"{folder}/result.safetensors"))
        lines += [f"{engine}: {line}" for line in found]
    return lines


def check(axelram, cases, keep):
    wrong = 0
    for case in cases:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            lines = differences(axelram, case, folder)
            if lines and keep:
                shutil.copytree(folder, os.path.join(keep, case.name.replace(" ", "-")), dirs_exist_ok=True)
        print(f"{'differs' if lines else 'equal'}: {case.name}: {case.spec}, d = {case.d} ({time.monotonic() - start:.1f} s)", flush=True)
        for line in lines:
            print(f"  {line}", flush=True)
        wrong += bool(lines)
    return wrong


def rejected(axelram, only):
    """-> how many wrong inputs are accepted, or rejected otherwise than by exit code 2, one line and no file."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/result.safetensors"
        for name, spec, *options in tier_wrong.wrong_inputs(folder):
            if only not in name:
                continue
            done = subprocess.run(command(axelram, spec, folder, *options), capture_output=True, text=True)
            text, written = (done.stderr or done.stdout).strip(), os.path.exists(path)
            right = (0, True) if name.startswith(tier_wrong.RIGHT) else (2, False)
            holds = (done.returncode, written) == right and (right[1] or len(done.stderr.strip().splitlines()) == 1)
            print(f"{'as expected' if holds else 'differs'}: {name}: exit code {done.returncode}{', a file' * written}: {text}", flush=True)
            wrong += not holds
            if written:
                os.unlink(path)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axelram")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--slow", action="store_true")
    mode.add_argument("--drawn", nargs=2, type=int, metavar=("FIRST", "LAST"))
    mode.add_argument("--rejected", action="store_true")
    a = parser.parse_args()
    if a.rejected:
        return 1 if rejected(a.axelram, a.only) else 0
    if a.drawn:
        cases = [tier_cases.drawn(seed) for seed in range(a.drawn[0], a.drawn[1] + 1)]
    else:
        cases = tier_cases.SLOW if a.slow else tier_cases.STANDARD
    cases = [case for case in cases if a.only in case.name]
    wrong = check(a.axelram, cases, a.keep)
    print(f"{len(cases) - wrong} of {len(cases)} equal")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

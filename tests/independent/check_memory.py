#!/usr/bin/env python3
"""Compares `axelram run` of a macro with a bounded memory with the memory as the contract states it, byte for byte.

check_memory.py AXELRAM [--drawn FIRST LAST | --rejected] [--engine NAME...] [--only TEXT] [--keep FOLDER]

  (none)      the macros of STANDARD in memory_cases.py
  --drawn     macros that the seeds FIRST to LAST draw
  --rejected  input that exits with code 2, one line and no file
  --engine    golden and fast without it
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

import contract
import memory_cases
import memory_traces
import memory_wrong
import safetensors


def command(axelram, config, trace, folder, *options):
    return [axelram, "run", config, trace, "-o", f"{folder}/result.safetensors", *options]


def prepare(folder, case):
    """Writes configuration, trace and what the contract makes of it -> (configuration, trace)."""
    config, trace = memory_cases.write(folder, case), f"{folder}/trace.safetensors"
    macro = contract.load(config)
    safetensors.write(trace, *memory_traces.make(macro, case.seed, case.tokens, case.queries, case.initial), True)
    safetensors.write(f"{folder}/independent.safetensors", *macro.run(*macro.load(trace)), True)
    return config, trace


def differences(axelram, engines, case, folder):
    """-> one line for each disagreement."""
    files, lines = prepare(folder, case), []
    paths = [f"{folder}/{name}.safetensors" for name in ("result", "independent")]
    for engine in engines:
        done = subprocess.run(command(axelram, *files, folder, "--engine", engine, "--force"), capture_output=True, text=True)
        if done.returncode:
            lines.append(f"{engine}: exit code {done.returncode}: {(done.stderr or done.stdout).strip()}")
            continue
        found = safetensors.differences(*paths)
        contents = []
        for path in paths:
            with open(path, "rb") as file:
                contents.append(file.read())
        if not found and contents[0] != contents[1]:
            found = ["the bytes of the header differ"]
        lines += [f"{engine}: {line}" for line in found]
    return lines


def check(axelram, engines, cases, keep):
    wrong = 0
    for case in cases:
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            lines = differences(axelram, engines, case, folder)
            if lines and keep:
                shutil.copytree(folder, os.path.join(keep, case.name.replace(" ", "-")), dirs_exist_ok=True)
        print(f"{'differs' if lines else 'equal'}: {case.name}: {case.memory} ({time.monotonic() - start:.1f} s)", flush=True)
        for line in lines:
            print(f"  {line}", flush=True)
        wrong += bool(lines)
    return wrong


def rejected(axelram, engine, only):
    """-> how many wrong inputs are accepted, or rejected otherwise than by exit code 2, one line and no file."""
    wrong, count = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/result.safetensors"
        for name, config, trace in memory_wrong.wrong_inputs(folder):
            if only not in name:
                continue
            done = subprocess.run(command(axelram, config, trace, folder, "--engine", engine), capture_output=True, text=True)
            text, written = (done.stderr or done.stdout).strip(), os.path.exists(path)
            right = (0, True) if name.startswith(memory_wrong.RIGHT) else (2, False)
            holds = (done.returncode, written) == right and (right[1] or len(done.stderr.strip().splitlines()) == 1)
            print(f"{'as expected' if holds else 'differs'}: {name}: exit code {done.returncode}{', a file' * written}: {text}", flush=True)
            wrong, count = wrong + (not holds), count + 1
            if written:
                os.unlink(path)
    print(f"{count - wrong} of {count} as expected")
    return wrong or not count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axelram")
    parser.add_argument("--engine", action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--drawn", nargs=2, type=int, metavar=("FIRST", "LAST"))
    mode.add_argument("--rejected", action="store_true")
    a = parser.parse_args()
    engines = a.engine or ["golden", "fast"]
    if a.rejected:
        return 1 if rejected(a.axelram, engines[0], a.only) else 0
    if a.drawn:
        cases = [memory_cases.drawn(seed) for seed in range(a.drawn[0], a.drawn[1] + 1)]
    else:
        cases = memory_cases.STANDARD
    cases = [case for case in cases if a.only in case.name]
    wrong = check(a.axelram, engines, cases, a.keep)
    print(f"{len(cases) - wrong} of {len(cases)} equal")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Macros with wrong bits in their memories: golden, fast and, on request, the RTL write what this implementation writes, and
count the words that it counts.

check_faults.py FAULTY_RUN FIRST LAST [--kind scores|two-parts|attention] [--engine NAME...] [--keep FOLDER]
"""
import argparse
import os
import subprocess
import sys
import tempfile

import config
import fault_rows
import safetensors
from attention_macro import AttentionMacro
from contract import load
from faults import CORRECTED, DETECTED, PARITY_ONLY
from faulty_memory import FaultyAttention, FaultyMacro, FaultyProd, FaultySplit
from residual import Prod
from split import Split

FAULTY = {AttentionMacro: FaultyAttention, Prod: FaultyProd, Split: FaultySplit}


def expected(configuration, trace, output, write_back):
    """Writes the result -> the words by status, and the records written back."""
    clean, (tensors, _) = load(configuration), safetensors.read(trace)
    macro = FAULTY.get(type(clean), FaultyMacro)(config.load(configuration), tensors, write_back)
    safetensors.write(output, *macro.run(*clean.load(trace)), True)
    return [sum(memory.counts[name] for memory in macro.memories)
            for name in (CORRECTED, PARITY_ONLY, DETECTED, "written back")]


def check(program, folder, seed, kind, engines):
    """-> the counts; ends the check with a difference."""
    write_back = fault_rows.write(folder, seed, kind, "rtl" in engines)
    configuration, trace, own, theirs = (os.path.join(folder, name) for name in (
        "config.yaml", "trace.safetensors", "independent.safetensors", "engine.safetensors"))
    counts = expected(configuration, trace, own, write_back)
    for engine in engines:
        command = [program, configuration, trace, theirs, engine] + ["--write-back"] * write_back
        done = subprocess.run(command, capture_output=True, text=True)
        what = f"{kind}, seed {seed}, {engine}"
        if done.returncode:
            sys.exit(f"{what}: {done.stderr.strip()}")
        lines = safetensors.differences(theirs, own)
        if list(map(int, done.stdout.split())) != counts:
            lines.append(f"words corrected, parity only, detected, records written back: {done.stdout.split()} != {counts}")
        with open(theirs, "rb") as one, open(own, "rb") as other:
            if not lines and one.read() != other.read():
                lines.append("the same tensors in other bytes")
        if lines:
            with open(configuration) as file:
                print(file.read())
            sys.exit(f"{what}{', write-back' * write_back}: " + "\n".join(lines))
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--kind", choices=("scores", "two-parts", "attention"), default="attention")
    parser.add_argument("--engine", nargs="+", default=["golden", "fast"])
    parser.add_argument("--keep")
    a = parser.parse_args()
    total = [0] * 4
    with tempfile.TemporaryDirectory() as scratch:
        folder = a.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for seed in range(a.first, a.last + 1):
            total = [x + y for x, y in zip(total, check(a.program, folder, seed, a.kind, a.engine))]
    print(f"equal: {total[0]} words corrected, {total[1]} parity only, {total[2]} detected, {total[3]} records written back")
    return 0 if total[2] and (total[3] or a.kind != "attention") else 1


if __name__ == "__main__":
    sys.exit(main())

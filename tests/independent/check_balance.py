#!/usr/bin/env python3
"""Vectors through BALANCE: golden, fast and this implementation write the same bytes.

check_balance.py AXELRAM FIRST VECTORS [--keep FOLDER]

Configurations that the seeds from FIRST on draw, all of them with exponents: of records of one part, of two parts and of
attentions in turn, with adversarial traces, until they hold VECTORS keys and queries. The last line is
`equal: N keys and N queries of N configurations`. Exit codes: 0 equal, 1 different.
"""
import argparse
import json
import os
import sys
import tempfile

import contract
import parameters
import program
import safetensors
import traces
from selfcheck_balance import KINDS

KEYS, QUERIES = 100, 16  # of a trace; a commanded one has a few queries more
FILES = ("config.yaml", "trace", "independent", "engine")


def check(axelram, folder, seed, kind):
    """-> the numbers of keys and queries; ends the check with a difference."""
    config, trace, own, theirs = (os.path.join(folder, name) for name in FILES)
    sections, tensors = parameters.draw(seed, "calibration", balanced=True, **KINDS[kind])
    sections["macro"]["max_keys"] = max(sections["macro"]["max_keys"], KEYS)
    safetensors.write(os.path.join(folder, "calibration"), tensors, {}, True)
    with open(config, "w") as file:
        json.dump(sections, file, indent=1)
    macro = contract.load(config)
    made, metadata = traces.make(macro, seed, KEYS, QUERIES)
    safetensors.write(trace, made, metadata, True)
    safetensors.write(own, *macro.run(*macro.load(trace)), True)
    for engine in ("golden", "fast"):
        program.run(axelram, "run", config, trace, "-o", theirs, "--force", "--engine", engine)
        with open(theirs, "rb") as one, open(own, "rb") as other:
            if one.read() != other.read():
                lines = safetensors.differences(theirs, own) or ["the same tensors in other bytes"]
                sys.exit(f"{kind}, seed {seed}, {engine}: " + "\n".join([*lines, json.dumps(sections)]))
    return [made[name].shape[0] for name in ("keys", "queries")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("axelram")
    parser.add_argument("first", type=int)
    parser.add_argument("vectors", type=int)
    parser.add_argument("--keep")
    a = parser.parse_args()
    total, seed, kinds = [0, 0], a.first, list(KINDS)
    with tempfile.TemporaryDirectory() as scratch:
        folder = a.keep or scratch
        os.makedirs(folder, exist_ok=True)
        while sum(total) < a.vectors:
            total = [x + y for x, y in zip(total, check(a.axelram, folder, seed, kinds[seed % len(kinds)]))]
            seed += 1
    print(f"equal: {total[0]} keys and {total[1]} queries of {seed - a.first} configurations")
    return 0


if __name__ == "__main__":
    sys.exit(main())

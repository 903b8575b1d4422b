#!/usr/bin/env python3
"""The bit contract in plain Python, from the written specification alone: a second opinion on every other engine.

contract.py CONFIG TRACE -o OUT.safetensors [--force]
contract.py --compare A.safetensors B.safetensors [--tolerance REL]
contract.py --random CONFIG -o TRACE --seed N --keys T --queries Q [--force]
contract.py --draw -o CONFIG --seed N [--two-parts | --attention] [--hardware] [--force]
"""
import argparse
import sys

import config
import parameters
import safetensors
import traces
from attention_macro import AttentionMacro
from macro import Macro
from memory_macro import MemoryMacro
from residual import Prod
from split import Split


def load(path):
    """-> the macro of a configuration."""
    c = config.load(path)
    kind = MemoryMacro if c["bounded"] else AttentionMacro if c["attention"] else Split if c["channels"] else Prod if c["kind"] == "prod" else Macro
    return kind(c)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("-o", "--output")
    parser.add_argument("--force", action="store_true")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--compare", action="store_true")
    mode.add_argument("--random", action="store_true")
    mode.add_argument("--draw", action="store_true")
    parser.add_argument("--tolerance", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    drawn = parser.add_mutually_exclusive_group()
    drawn.add_argument("--two-parts", action="store_true", help="draw records of two parts alone")
    drawn.add_argument("--attention", action="store_true", help="draw macros with attention alone")
    parser.add_argument("--hardware", action="store_true", help="draw what changes the hardware alone, too")
    parser.add_argument("--keys", type=int, default=64)
    parser.add_argument("--queries", type=int, default=64)
    a = parser.parse_args()
    if len(a.files) != (0 if a.draw else 1 if a.random else 2) or a.compare == bool(a.output):
        parser.error("see the usage above: wrong number of files, or -o missing or out of place")
    try:
        if a.compare:
            lines = safetensors.differences(*a.files, a.tolerance)
            print("\n".join(lines) if lines else "equal")
            return 1 if lines else 0
        if a.draw:
            parameters.write(a.output, a.seed, a.two_parts, a.attention, a.hardware, a.force)
            return 0
        macro = load(a.files[0])
        if a.random:
            result = traces.make(macro, a.seed, a.keys, a.queries)
        else:
            result = macro.run(*macro.load(a.files[1]))
        safetensors.write(a.output, *result, a.force)
        return 0
    except (ValueError, KeyError, OSError) as error:
        print(f"contract.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

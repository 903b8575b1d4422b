#!/usr/bin/env python3
"""Elaborates SystemVerilog with slang, a front end that keeps to IEEE 1800 where simulators are lenient.

strict.py ARGUMENT...   arguments of slang, such as: -f axelram.f --top NAME_top -D AXELRAM_SVA
strict.py --self-test   plants what the standard forbids and demands that each is found

Each warning that slang gives by itself is an error. Exit codes: 0 none, 1 some, 2 bad usage, 3 no pyslang."""
import pathlib
import shlex
import subprocess
import sys
import tempfile

try:
    from pyslang import driver as slang
except ImportError:
    print("strict.py: no pyslang; scripts/setup installs it, scripts/lint finds it", file=sys.stderr)
    sys.exit(3)

CLEAN = """`default_nettype none
module used #(parameter int Bits = 2) (input wire logic [Bits-1:0] a_i, output logic signed [Bits-1:0] b_o);
  logic [Bits-1:0] held;
  assign held = a_i;
  assign b_o = $signed(held);
endmodule
module top (input wire logic [1:0] a_i, output logic signed [1:0] b_o);
  used u_used (.a_i, .b_o);
endmodule
"""
# What is planted, the text that it replaces, and what slang says.
PLANTED = [
    ("a net above its declaration", "logic [Bits-1:0] held;\n  assign held = a_i;",
     "assign held = a_i;\n  logic [Bits-1:0] held;", "used before its declaration"),
    ("a select outside of its vector", "$signed(held)", "$signed({held[Bits], held[0]})", "cannot refer to element"),
    ("a time scale of one module alone", "module top", "`timescale 1ns / 1ps\nmodule top", "time scale"),
    ("a signed port that meets an unsigned one by name", "output logic signed [1:0]", "output logic [1:0]",
     "inequivalent type"),
    ("an output without a connection", ".a_i, .b_o", ".a_i", "has no connection"),
    ("an identifier that is not declared", "assign held", "assign held_", "undeclared identifier"),
]


def elaborate(arguments):
    """-> whether slang reports nothing. It prints what it reports."""
    driver = slang.Driver()
    driver.addStandardArgs()
    return (driver.parseCommandLine(shlex.join(["slang", "-Werror", *arguments])) and driver.processOptions()
            and driver.parseAllSources() and driver.runFullCompilation(True))


def self_test():
    """-> lines of what was not as it must be."""
    wrong = []
    for name, before, after, message in [("nothing", "", "", ""), *PLANTED]:
        text = CLEAN.replace(before, after, 1) if before else CLEAN
        assert before == after or text != CLEAN, name
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "planted.sv")
            path.write_text(text, encoding="utf-8")
            run = subprocess.run([sys.executable, __file__, str(path), "--top", "top"], capture_output=True, text=True)
        said = run.stdout + run.stderr
        if run.returncode != (1 if message else 0) or message not in said:
            wrong.append(f"{name}: exit {run.returncode}, {said.strip() or 'nothing said'}")
    return wrong


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments == ["--self-test"]:
        wrong = self_test()
        print("\n".join(wrong) or f"{len(PLANTED)} planted faults found")
        return 1 if wrong else 0
    return 0 if elaborate(arguments) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Which constructs Verilator, Yosys and Icarus accept: the table of docs/rtl-style.md, tried.

Each construct reverses four bytes. Verilator elaborates it, Yosys proves that it equals flat vectors, Icarus simulates
it. Usage: language.py PAGE; without PAGE it prints the table. Exit: 0 the page has this table, 1 not, 77 no tool.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PORTS = "input wire logic [31:0] a_i, output logic [31:0] b_o"
LANES = "for (genvar i = 0; i < 4; i++) begin : g_lane\n    {}\n  end"
FLAT = LANES.format("assign b_o[i*8+:8] = a_i[(3-i)*8+:8];")


def module(body, before="", parameters=""):
    return f"{before}\nmodule tried {parameters}({PORTS});\n  {body}\nendmodule\n"


def package(text):
    return f"package sizes;\n  {text}\nendpackage"


# Construct, its text; "flat vectors" shows that the checks themselves work.
CONSTRUCTS = {
    "flat vectors with `[i*W+:W]`": module(FLAT),
    "an unpacked array inside a module": module(
        "logic [7:0] row[4];\n  " + LANES.format("assign row[i] = a_i[i*8+:8];\n  assign b_o[i*8+:8] = row[3-i];")),
    "functions of a package in a header, by `package::`": module(
        LANES.format("assign b_o[i*W+:W] = a_i[(3-i)*W+:W];"),
        package("function automatic int width(input int lanes);\n    width = 32 / lanes;\n  endfunction"),
        "#(localparam int W = sizes::width(4)) "),
    "a packed array": module(
        "logic [3:0][7:0] row, turned;\n  assign row = a_i;\n  assign b_o = turned;\n  "
        + LANES.format("assign turned[i] = row[3-i];")),
    "a packed array as a port": "module rows (input wire logic [3:0][7:0] row_i, output logic [3:0][7:0] row_o);\n  "
        + LANES.format("assign row_o[i] = row_i[3-i];") + "\nendmodule\n"
        + module("rows u_rows (.row_i(a_i), .row_o(b_o));"),
    "an array of a named packed type": module(
        "typedef logic [7:0] word_t;\n  word_t [3:0] row, turned;\n  assign row = a_i;\n  assign b_o = turned;\n  "
        + LANES.format("assign turned[i] = row[3-i];")),
    "a packed array in a packed structure": module(
        "typedef struct packed {logic [3:0][7:0] of;} row_t;\n  row_t row, turned;\n  assign row = a_i;\n"
        "  assign b_o = turned;\n  " + LANES.format("assign turned.of[i] = row.of[3-i];")),
    "an unpacked array as a port":
        "module rows (input wire logic [7:0] row_i[4], output logic [7:0] row_o[4]);\n  "
        + LANES.format("assign row_o[i] = row_i[3-i];") + "\nendmodule\n"
        + module("logic [7:0] row[4], turned[4];\n  rows u_rows (.row_i(row), .row_o(turned));\n  "
                 + LANES.format("assign row[i] = a_i[i*8+:8];\n    assign b_o[i*8+:8] = turned[i];")),
    "a structure as a parameter": module(
        LANES.format("assign b_o[i*8+:8] = a_i[(P.lanes-1-i)*8+:8];"),
        package("typedef struct packed {logic [31:0] lanes; logic [31:0] width;} shape_t;"),
        "#(parameter sizes::shape_t P = {32'd4, 32'd8}) "),
    "a vector as a parameter, taken apart by functions of a package": module(
        LANES.format("assign b_o[i*8+:8] = a_i[(sizes::lanes(P)-1-i)*8+:8];"),
        package("function automatic int lanes(input bit [63:0] shape);\n    lanes = 32'(shape >> 32);\n  endfunction"),
        "#(parameter bit [63:0] P = {32'd4, 32'd8}) "),
    "`import` of a package": module(
        "import sizes::*;\n  " + LANES.format("assign b_o[i*W+:W] = a_i[(3-i)*W+:W];"), package("localparam int W = 8;")),
    "`return` in a function": module(
        "function automatic logic [7:0] at(input logic [31:0] row, input int i);\n    return row[i*8+:8];\n"
        "  endfunction\n  " + LANES.format("assign b_o[i*8+:8] = at(a_i, 3 - i);")),
    "an assignment pattern `'{}`": module(
        "logic [7:0] row[4];\n  assign row = '{a_i[7:0], a_i[15:8], a_i[23:16], a_i[31:24]};\n  "
        + LANES.format("assign b_o[i*8+:8] = row[3-i];")),
}
BENCH = f"""
module flat ({PORTS});
  {FLAT}
endmodule
module both ({PORTS}, output logic same);
  logic [31:0] right;
  flat u_flat (.a_i(a_i), .b_o(right));
  tried u_tried (.a_i(a_i), .b_o(b_o));
  assign same = b_o == right;
endmodule
"""
TEST = """
module test;
  logic [31:0] a, b;
  logic same;
  both u_both (.a_i(a), .b_o(b), .same(same));
  initial begin
    a = 32'h12345678;
    #1 if (same === 1'b1) $display("equal");
  end
endmodule
"""
OPTIONS = ("-Wno-DECLFILENAME", "-Wno-MULTITOP", "-Wno-UNUSEDSIGNAL")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def verdicts(text, folder):
    """What each tool makes of a construct: `accepts it`, `rejects it`, or `other values`."""
    source = folder / "source.sv"
    source.write_text(text + BENCH, encoding="utf-8")
    test = folder / "test.sv"
    test.write_text(text + BENCH + TEST, encoding="utf-8")
    taken, _ = run("verilator", "--lint-only", "-Wall", *OPTIONS, "--top-module", "both", str(source))
    yield "rejects it" if taken else "accepts it"
    read = f"read_verilog -sv {source}; hierarchy -check -top both; proc"
    failed, _ = run("yosys", "-q", "-p", read)
    proven, _ = run("yosys", "-q", "-p", f"{read}; flatten; opt; sat -verify -prove same 1")
    yield "rejects it" if failed else "other values" if proven else "accepts it"
    failed, _ = run("iverilog", "-g2012", "-s", "test", "-o", str(folder / "test"), str(test))
    yield "rejects it" if failed else "accepts it" if "equal" in run("vvp", str(folder / "test"))[1] else "other values"


def table():
    lines = ["| construct | Verilator 5.006 | Yosys 0.23 | Icarus 11 |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in CONSTRUCTS.items():
            lines.append(" | ".join([f"| {name}", *verdicts(text, pathlib.Path(folder))]) + " |")
    return "\n".join(lines) + "\n"


def main():
    if not all(shutil.which(tool) for tool in ("verilator", "yosys", "iverilog")):
        return 77
    tried = table()
    if len(sys.argv) == 1 or tried not in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"):
        print(tried, end="")
        return len(sys.argv) - 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Latches of a design in cells of a library: Yosys's dfflibmap maps flip-flops alone."""
import re

# The levels of the library's latch and of the design's may differ.
TECHMAP = """module \\$_DLATCH_{same}_ (input E, input D, output Q);
  {name} _TECHMAP_REPLACE_ (.{enable}(E), .{data}(D), .{output}(Q));
endmodule
module \\$_DLATCH_{other}_ (input E, input D, output Q);
  wire enable;
  \\$_NOT_ inverter (.A(E), .Y(enable));
  {name} _TECHMAP_REPLACE_ (.{enable}(enable), .{data}(D), .{output}(Q));
endmodule
"""


def techmap(library):
    """Verilog that techmap takes for latches."""
    latch = library["latch"]
    if latch is None:  # of a design without latches
        return ""
    same, other = ("P", "N") if latch["high"] else ("N", "P")
    return TECHMAP.format(same=same, other=other, **latch)


def instances(verilog, library):
    """Names of the latches in a mapped module."""
    kinds = "|".join(map(re.escape, library["latches"])) or "(?!)"
    return re.findall(rf"^(?:{kinds}) \\?(\S+?) ?\(\.", verilog, re.M)

/// Clock gate: clk_o is high in the high phase of the cycle behind one with en_i, and low
/// otherwise.
///
/// The enable passes a latch while clk_i is low, so that clk_o has neither a glitch nor a short
/// pulse whenever en_i changes after the rising edge. A foundry's own clock gate may take the place
/// of this module.
`include "axelram_macros.svh"
`default_nettype none

module axelram_clock_gate (
    input  wire logic clk_i,
    input  wire logic en_i,
    output logic      clk_o
);
  logic enable_q;
  always_latch if (!clk_i) enable_q = en_i;
  assign clk_o = enable_q & clk_i;
endmodule

`default_nettype wire

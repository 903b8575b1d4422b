/// Clock of a pipeline that stands while the pipeline is empty (axelram_clock_gate).
///
/// clk_o has the rising edge that ends a cycle with valid_i, and those of Cycles cycles behind it.
/// running_o is high in the cycles that these edges end. The reset counts as such a cycle: it finds
/// a clock, and what registers without a reset hold leaves the pipeline.
`include "axelram_macros.svh"
`default_nettype none

module axelram_pipeline_clock #(
    parameter int Cycles = 32
) (
    input  wire logic clk_i,
    input  wire logic rst_ni,
    input  wire logic valid_i,
    output logic      running_o,
    output logic      clk_o
);
  `AXELRAM_REQUIRE(cycles_at_least_1, Cycles >= 1)

  localparam int CountBits = $clog2(Cycles + 1);
  logic [CountBits-1:0] left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= CountBits'(Cycles);
    else if (valid_i) left_q <= CountBits'(Cycles);
    else if (left_q != '0) left_q <= left_q - 1'b1;
  end
  assign running_o = valid_i || left_q != '0;

  axelram_clock_gate u_gate (.clk_i, .en_i(running_o), .clk_o);
endmodule

`default_nettype wire

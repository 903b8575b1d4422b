/// Sum of Lanes FP32 numbers: log2(Lanes) levels of axelram_float_add, neighbours first.
///
/// Latency: 4 * log2(Lanes) cycles. Throughput: a sum per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_float_tree #(
    parameter int  Lanes  = 128,
    localparam int Levels = $clog2(Lanes)
) (
    input  wire logic                clk_i,
    input  wire logic                rst_ni,
    input  wire logic                valid_i,
    input  wire logic [Lanes*32-1:0] data_i,
    output logic                     valid_o,
    output logic      [        31:0] sum_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two, Lanes >= 2 && (Lanes & (Lanes - 1)) == 0)

  for (genvar l = 0; l < Levels; l++) begin : g_level
    localparam int Nodes = Lanes >> (l + 1);
    logic [2*Nodes*32-1:0] terms;
    logic [Nodes*32-1:0] sums;
    logic [Nodes-1:0] valid;
    logic level_valid;
    if (l == 0) begin : g_in
      assign terms = data_i;
      assign level_valid = valid_i;
    end else begin : g_in
      assign terms = g_level[l-1].sums;
      assign level_valid = g_level[l-1].valid[0];
    end
    for (genvar i = 0; i < Nodes; i++) begin : g_node
      axelram_float_add u_add (
          .clk_i, .rst_ni,
          .valid_i(level_valid),
          .a_i    (terms[2*i*32+:32]),
          .b_i    (terms[(2*i+1)*32+:32]),
          .valid_o(valid[i]),
          .sum_o  (sums[i*32+:32])
      );
    end
    if (Nodes > 1) begin : g_same  // all nodes of a level are valid at the same time
      logic unused;
      assign unused = ^valid[Nodes-1:1];
    end
  end
  assign sum_o = g_level[Levels-1].sums;
  assign valid_o = g_level[Levels-1].valid[0];
endmodule

`default_nettype wire

/// Sum of Lanes signed terms: log2(Lanes) levels of two-input adders, Lanes - 1 in all (the 127
/// adders of references.md#axelram, figure 2), one register per level.
///
/// Widths: InBits in, InBits + log2(Lanes) out: exact. Latency: log2(Lanes) cycles (0 for one
/// lane). Throughput: a sum per cycle. valid_i enables the levels one after the other.
`include "axelram_macros.svh"
`default_nettype none

module axelram_adder_tree #(
    parameter int  Lanes   = 128,
    parameter int  InBits  = 16,
    localparam int Levels  = $clog2(Lanes),
    localparam int OutBits = InBits + Levels
) (
    input  wire logic                    clk_i,
    input  wire logic                    rst_ni,
    input  wire logic                    valid_i,
    input  wire logic [Lanes*InBits-1:0] data_i,
    output logic                         valid_o,
    output logic      [     OutBits-1:0] sum_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two, Lanes >= 1 && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(in_bits_at_least_1, InBits >= 1)

  // valid_at[l]: the terms of level l are valid.
  logic [Levels:0] valid_at;
  assign valid_o = valid_at[Levels];
  if (Levels == 0) begin : g_valid
    assign valid_at = valid_i;
  end else begin : g_valid
    logic [Levels-1:0] valid_q;
    assign valid_at = {valid_q, valid_i};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= valid_at[Levels-1:0];
    end
  end

  for (genvar l = 0; l < Levels; l++) begin : g_level
    localparam int Bits = InBits + l;
    for (genvar i = 0; i < (Lanes >> (l + 1)); i++) begin : g_node
      logic signed [Bits-1:0] a, b;
      if (l == 0) begin : g_in
        assign a = $signed(data_i[2*i*InBits+:InBits]);
        assign b = $signed(data_i[(2*i+1)*InBits+:InBits]);
      end else begin : g_in
        assign a = g_level[l-1].g_node[2*i].sum_q;
        assign b = g_level[l-1].g_node[2*i+1].sum_q;
      end
      logic signed [Bits:0] sum_q;
      always_ff @(posedge clk_i) if (valid_at[l]) sum_q <= a + b;
    end
  end

  if (Levels == 0) begin : g_out
    assign sum_o = data_i;
    logic unused;
    assign unused = clk_i ^ rst_ni;
  end else begin : g_out
    assign sum_o = g_level[Levels-1].g_node[0].sum_q;
  end
endmodule

`default_nettype wire

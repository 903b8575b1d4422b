/// Score of a key by floats: Lanes products of FP16 numbers and their sum in FP32. The query is
/// held in registers, from load_i until the next one.
///
/// Latency of a key: 2 + 4 * log2(Lanes) cycles. Throughput: a key per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_half_dot #(
    parameter int Lanes = 128
) (
    input  wire logic                clk_i,
    input  wire logic                rst_ni,
    input  wire logic                load_i,
    input  wire logic [Lanes*16-1:0] query_i,
    input  wire logic                valid_i,
    input  wire logic [Lanes*16-1:0] key_i,
    output logic                     valid_o,
    output logic      [        31:0] score_o
);
  logic [Lanes*16-1:0] query_q;
  always_ff @(posedge clk_i) if (load_i) query_q <= query_i;

  logic [Lanes*32-1:0] products;
  logic [Lanes-1:0] valid;
  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    axelram_half_product u_product (
        .clk_i, .rst_ni, .valid_i,
        .a_i      (query_q[16*i+:16]),
        .b_i      (key_i[16*i+:16]),
        .valid_o  (valid[i]),
        .product_o(products[32*i+:32])
    );
  end
  axelram_float_tree #(.Lanes(Lanes)) u_tree (
      .clk_i, .rst_ni,
      .valid_i(valid[0]),
      .data_i (products),
      .valid_o,
      .sum_o  (score_o)
  );
  logic unused;
  assign unused = ^valid[Lanes-1:1];
endmodule

`default_nettype wire

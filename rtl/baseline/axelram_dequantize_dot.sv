/// Score of a record by floats: each index selects an FP16 centroid of a ROM, the dot product with
/// the query is that of axelram_half_dot, and the norm of the record scales it. A record has Lanes
/// indices of IndexBits bits, lane 0 first, and the norm above them.
///
/// Centroids: 2^IndexBits FP16 numbers, that of index 0 lowest. Latency of a record: 6 + 4 *
/// log2(Lanes) cycles. Throughput: a record per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_dequantize_dot #(
    parameter int  Lanes      = 128,
    parameter int  IndexBits  = 3,
    parameter logic [(16<<IndexBits)-1:0] Centroids = '0,
    localparam int RecordBits = Lanes * IndexBits + 16
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic                  load_i,
    input  wire logic [  Lanes*16-1:0] query_i,
    input  wire logic                  valid_i,
    input  wire logic [RecordBits-1:0] record_i,
    output logic                       valid_o,
    output logic      [          31:0] score_o
);
  `AXELRAM_REQUIRE(index_bits_in_range, IndexBits >= 1 && IndexBits <= 8)

  // A register behind the ROM, so that its delay is not that of the multipliers.
  logic valid_q;
  logic [Lanes*16-1:0] key_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end
  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    logic [IndexBits-1:0] index;
    assign index = record_i[IndexBits*i+:IndexBits];
    always_ff @(posedge clk_i) if (valid_i) key_q[16*i+:16] <= Centroids[16*index+:16];
  end

  logic dot_valid, unused;
  logic [31:0] dot;
  logic [15:0] norm;
  axelram_half_dot #(.Lanes(Lanes)) u_dot (
      .clk_i, .rst_ni, .load_i, .query_i,
      .valid_i(valid_q),
      .key_i  (key_q),
      .valid_o(dot_valid),
      .score_o(dot)
  );
  axelram_pipeline #(.Bits(16), .Depth(3 + 4 * $clog2(Lanes))) u_norm (
      .clk_i, .rst_ni, .valid_i,
      .data_i (record_i[RecordBits-1-:16]),
      .valid_o(unused),
      .data_o (norm)
  );
  axelram_float_scale u_scale (
      .clk_i, .rst_ni,
      .valid_i  (dot_valid),
      .value_i  (dot),
      .norm_i   (norm),
      .valid_o,
      .product_o(score_o)
  );
endmodule

`default_nettype wire

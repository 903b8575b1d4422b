/// Logit of a score (bit-contract.md#logit): z = RNE(score * scale * 2^12), a binary logarithm in
/// units of 2^-12. A magnitude above 2^26 - 1 becomes it and raises saturated_o.
///
/// score_i: finite FP32; the sign of a zero does not matter. The softmax scale is scale_i *
/// 2^scale_exponent_i, a register of the parent. One multiplication of 24 x 16 bits.
/// Latency: 3 cycles (multiply, shift, round). Throughput: a score per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_logit #(
    parameter int TagBits = 1
) (
    input  wire logic                      clk_i,
    input  wire logic                      rst_ni,
    input  wire logic        [       15:0] scale_i,
    input  wire logic signed [        7:0] scale_exponent_i,
    input  wire logic                      valid_i,
    input  wire logic        [TagBits-1:0] tag_i,
    input  wire logic        [       31:0] score_i,
    output logic                           valid_o,
    output logic             [TagBits-1:0] tag_o,
    output logic      signed [       26:0] logit_o,
    output logic                           saturated_o
);
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  localparam int ProductBits = 40;
  localparam int Up = 26;  // a nonzero product that moves farther up saturates
  localparam int Down = 41;  // a product that moves farther down is below one half
  localparam int WideBits = ProductBits + Up;
  localparam int AmountBits = $clog2(Up + Down + 1);

  // |score| = significand * 2^(field - 150), so that the product moves up by field - 138 +
  // exponent.
  logic [7:0] field;
  logic [23:0] significand;
  assign field = (score_i[30:23] == '0) ? 8'd1 : score_i[30:23];
  assign significand = {score_i[30:23] != '0, score_i[22:0]};

  logic product_valid_q, product_sign_q;
  logic [TagBits-1:0] product_tag_q;
  logic [ProductBits-1:0] product_q;
  logic signed [9:0] up_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) product_valid_q <= 1'b0;
    else product_valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      product_tag_q <= tag_i;
      product_sign_q <= score_i[31];
      product_q <= ProductBits'(significand) * ProductBits'(scale_i);
      up_q <= $signed({2'b00, field}) + 10'(scale_exponent_i) - 10'sd138;
    end

  // From Up places above, the product moves down by `amount`.
  logic [AmountBits-1:0] amount;
  always_comb
    if (up_q > 10'(Up)) amount = '0;
    else if (up_q < -(10'(Down))) amount = AmountBits'(Up + Down);
    else amount = AmountBits'(10'(Up) - up_q);
  logic [WideBits+Down-1:0] placed;
  assign placed = {product_q, (Up + Down)'(0)} >> amount;

  logic placed_valid_q, placed_sign_q, beyond_q, round_q;
  logic [TagBits-1:0] placed_tag_q;
  logic [25:0] placed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) placed_valid_q <= 1'b0;
    else placed_valid_q <= product_valid_q;
  end
  always_ff @(posedge clk_i)
    if (product_valid_q) begin
      placed_tag_q <= product_tag_q;
      placed_sign_q <= product_sign_q;
      placed_q <= placed[Down+:26];
      beyond_q <= placed[WideBits+Down-1:Down+26] != '0 || (up_q > 10'(Up) && product_q != '0);
      round_q <= placed[Down-1] && (placed[Down] || placed[Down-2:0] != '0);
    end

  logic saturated;
  logic [25:0] magnitude;
  assign saturated = beyond_q || (round_q && placed_q == '1);
  assign magnitude = saturated ? '1 : placed_q + 26'(round_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= placed_valid_q;
  end
  always_ff @(posedge clk_i)
    if (placed_valid_q) begin
      tag_o <= placed_tag_q;
      logit_o <= placed_sign_q ? -(27'(magnitude)) : 27'(magnitude);
      saturated_o <= saturated;
    end

  `AXELRAM_ASSERT(score_finite, valid_i |-> score_i[30:23] != '1)
  `AXELRAM_ASSERT(logit_in_symmetric_range, valid_o |-> logit_o != {1'b1, 26'd0})
  `AXELRAM_COVER(logit_saturated, valid_o && saturated_o)
  `AXELRAM_COVER(logit_zero, valid_o && logit_o == '0)
endmodule

`default_nettype wire

/// Power of two of a logit (bit-contract.md#power-of-two): 2^(z / 2^12) = mantissa * 2^(ceiling -
/// 16), to a relative -1.3e-5..+3.1e-5:
///   ceiling = ceil(z / 2^12); below = ceiling * 2^12 - z;
///   mantissa = (base[below >> 6] - slope[below >> 6] * (below AND 63) + 128) >> 8.
///
/// mantissa_o: 32774..65536. Latency: 3 cycles (split, multiply, round). Throughput: a logit per
/// cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_power_of_two #(
    parameter int TagBits = 1
) (
    input  wire logic                      clk_i,
    input  wire logic                      rst_ni,
    input  wire logic                      valid_i,
    input  wire logic        [TagBits-1:0] tag_i,
    input  wire logic signed [       26:0] logit_i,
    output logic                           valid_o,
    output logic             [TagBits-1:0] tag_o,
    output logic      signed [       15:0] ceiling_o,
    output logic             [       16:0] mantissa_o
);
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  logic split_valid_q;
  logic [TagBits-1:0] split_tag_q;
  logic signed [15:0] split_ceiling_q;
  logic [11:0] below_q;
  logic signed [27:0] up;
  assign up = 28'(logit_i) + 28'sd4095;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) split_valid_q <= 1'b0;
    else split_valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      split_tag_q <= tag_i;
      split_ceiling_q <= up[27:12];
      below_q <= -logit_i[11:0];
    end

  logic [24:0] base;
  logic [11:0] slope;
  axelram_power_rom u_rom (.row_i(below_q[11:6]), .base_o(base), .slope_o(slope));

  logic product_valid_q;
  logic [TagBits-1:0] product_tag_q;
  logic signed [15:0] product_ceiling_q;
  logic [24:0] base_q;
  logic [17:0] product_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) product_valid_q <= 1'b0;
    else product_valid_q <= split_valid_q;
  end
  always_ff @(posedge clk_i)
    if (split_valid_q) begin
      product_tag_q <= split_tag_q;
      product_ceiling_q <= split_ceiling_q;
      base_q <= base;
      product_q <= 18'(slope) * 18'(below_q[5:0]);
    end

  logic [24:0] rounded;
  assign rounded = base_q - 25'(product_q) + 25'd128;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= product_valid_q;
  end
  always_ff @(posedge clk_i)
    if (product_valid_q) begin
      tag_o <= product_tag_q;
      ceiling_o <= product_ceiling_q;
      mantissa_o <= rounded[24:8];
    end
  logic unused;
  assign unused = &{1'b0, rounded[7:0], up[11:0]};

  `AXELRAM_ASSERT(mantissa_in_range, valid_o |-> mantissa_o >= 17'd32774 && mantissa_o <= 17'd65536)
endmodule

`default_nettype wire

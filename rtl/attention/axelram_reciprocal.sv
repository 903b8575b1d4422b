/// Reciprocal of a denominator (bit-contract.md#reciprocal): R = floor(K * 2^24 / D), with the 24
/// leading bits D of L and the significand K of the value scale.
///
/// value_scale_i: K, 24 bits, its top bit 1; a constant. length_o: bits of L, 32 or more; 0 and R =
/// 0 for L = 0.
/// One restoring division, a bit per cycle: a denominator every 27 cycles.
/// Latency: 27 cycles (normalise, cut, divide). R and length_o hold until those of the next one.
`include "axelram_macros.svh"
`default_nettype none

module axelram_reciprocal #(
    parameter int  DenominatorBits = 45,
    localparam int LengthBits      = $clog2(DenominatorBits + 1)
) (
    input  wire logic                       clk_i,
    input  wire logic                       rst_ni,
    input  wire logic [               23:0] value_scale_i,
    input  wire logic                       valid_i,
    input  wire logic [DenominatorBits-1:0] denominator_i,
    output logic                            valid_o,
    output logic      [               24:0] reciprocal_o,
    output logic      [     LengthBits-1:0] length_o
);
  `AXELRAM_REQUIRE(denominator_bits_in_33_to_57, DenominatorBits >= 33 && DenominatorBits <= 57)

  logic [DenominatorBits-1:0] normal;
  logic [LengthBits-1:0] zeros;
  always_comb begin
    normal = denominator_i;
    zeros  = '0;
    for (int s = LengthBits - 1; s >= 0; s--)
      if ((1 << s) < DenominatorBits && (normal >> (DenominatorBits - (1 << s))) == '0) begin
        normal = normal << (1 << s);
        zeros[s] = 1'b1;
      end
  end

  logic normal_valid_q, cut_valid_q, none;
  logic [DenominatorBits-1:0] normal_q;
  logic [LengthBits-1:0] zeros_q, length_q;
  logic [23:0] dividend_q, divisor_q;
  assign none = !normal_q[DenominatorBits-1];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      normal_valid_q <= 1'b0;
      cut_valid_q <= 1'b0;
    end else begin
      normal_valid_q <= valid_i;
      cut_valid_q <= normal_valid_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      normal_q <= normal;
      zeros_q  <= zeros;
    end
    if (normal_valid_q) begin
      dividend_q <= none ? '0 : value_scale_i;
      divisor_q <= {1'b1, normal_q[DenominatorBits-2-:23]};
      length_q <= none ? '0 : LengthBits'(DenominatorBits) - zeros_q;
    end
  end

  logic unused;
  axelram_divide #(
      .Bits        (24),
      .QuotientBits(25),
      .TagBits     (LengthBits),
      .Pipelined   (1'b0)
  ) u_divide (
      .clk_i, .rst_ni,
      .valid_i   (cut_valid_q),
      .tag_i     (length_q),
      .dividend_i(dividend_q),
      .divisor_i (divisor_q),
      .valid_o,
      .tag_o     (length_o),
      .quotient_o(reciprocal_o),
      .sticky_o  (unused)
  );

  `AXELRAM_ASSERT(denominator_zero_or_above_2_31, valid_i |->
                  denominator_i == '0 || (denominator_i >> 31) != '0)
  `AXELRAM_COVER(reciprocal_of_no_token, valid_o && reciprocal_o == '0)
endmodule

`default_nettype wire

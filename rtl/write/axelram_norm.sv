/// Norm extraction: S = sum of m_i^2, N = round(sqrt(S)), norm = FP16(N * 2^e)
/// (bit-contract.md#write-2, bit-contract.md#write-3). Rounded = 0 leaves the norm out:
/// axelram_scale makes another. exponent_i: biased; with FieldBits > ExpBits, signed.
///
/// Latency from the last row: 2 + log2(Lanes) cycles to sum_o, 1 + RootBits more to root_o, 3 more
/// to norm_o. Root and norm hold until those of the next vector.
`include "axelram_macros.svh"
`default_nettype none

module axelram_norm #(
    parameter int  Lanes     = 128,
    parameter int  Rows      = 1,
    parameter int  Bits      = 16,
    parameter int  ExpBits   = 5,
    parameter int  SigBits   = 16,
    parameter bit  Rounded   = 1'b1,
    parameter int  FieldBits = ExpBits,
    localparam int SumBits   = 2 * (Bits - 1) + $clog2(Lanes) + $clog2(Rows),
    localparam int RootBits  = (SumBits + 1) / 2
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic                  valid_i,
    input  wire logic                  last_i,
    input  wire logic [ FieldBits-1:0] exponent_i,
    input  wire logic [Lanes*Bits-1:0] data_i,
    output logic                       sum_valid_o,
    output logic      [ FieldBits-1:0] sum_exponent_o,
    output logic      [   SumBits-1:0] sum_o,
    output logic      [  RootBits-1:0] root_o,
    output logic                       valid_o,
    output logic      [          15:0] norm_o,
    output logic                       saturated_o
);
  `AXELRAM_REQUIRE(bits_at_least_2, Bits >= 2)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(sig_bits_in_12_to_20, SigBits >= 12 && SigBits <= 20)
  `AXELRAM_REQUIRE(root_of_12_bits_or_more, RootBits >= 12)
  `AXELRAM_REQUIRE(field_bits_at_least_exp_bits, FieldBits >= ExpBits)

  axelram_square_sum #(
      .Lanes(Lanes), .Rows(Rows), .Bits(Bits),
      .ExpBits(FieldBits)
  ) u_square_sum (
      .clk_i, .rst_ni, .valid_i, .last_i, .exponent_i, .data_i,
      .valid_o   (sum_valid_o),
      .exponent_o(sum_exponent_o),
      .sum_o
  );

  // With few lanes the root finishes before the next vector, so one stage is enough.
  logic root_valid;
  logic [FieldBits-1:0] root_exponent;
  axelram_square_root #(
      .RootBits(RootBits),
      .TagBits  (FieldBits),
      .Pipelined(Rows < RootBits)
  ) u_square_root (
      .clk_i, .rst_ni,
      .valid_i (sum_valid_o),
      .tag_i   (sum_exponent_o),
      .square_i((2 * RootBits)'(sum_o)),
      .valid_o (root_valid),
      .tag_o   (root_exponent),
      .root_o
  );

  if (Rounded) begin : g_rounded
    // e = biased exponent - bias - (W - 2)
    localparam int Bias = (1 << (ExpBits - 1)) - 1;
    logic rounded_valid, rounded_saturated, unused_tag;
    logic [14:0] rounded;
    logic signed [FieldBits+1:0] exponent;
    if (FieldBits > ExpBits) begin : g_signed
      assign exponent = (FieldBits + 2)'($signed(root_exponent));
    end else begin : g_signed
      assign exponent = $signed((FieldBits + 2)'(root_exponent));
    end
    axelram_float_round #(
        .MagBits    (RootBits),
        .ExpBits    (FieldBits + 2),
        .OutExpBits (5),
        .OutFracBits(10)
    ) u_float_round (
        .clk_i, .rst_ni,
        .valid_i    (root_valid),
        .tag_i      (1'b0),
        .magnitude_i(root_o),
        .exponent_i (exponent - (FieldBits + 2)'(Bias + SigBits - 2)),
        .valid_o    (rounded_valid),
        .tag_o      (unused_tag),
        .float_o    (rounded),
        .saturated_o(rounded_saturated)
    );

    // A cycle more: the record takes the norm with the indices of its first row.
    axelram_pipeline #(.Bits(16), .Depth(1)) u_norm (
        .clk_i, .rst_ni,
        .valid_i(rounded_valid),
        .data_i ({rounded_saturated, rounded}),
        .valid_o,
        .data_o ({saturated_o, norm_o[14:0]})
    );
    assign norm_o[15] = 1'b0;
    logic unused;
    assign unused = unused_tag;

    `AXELRAM_ASSERT(norm_finite, valid_o |-> norm_o <= 16'h7bff)
    `AXELRAM_ASSERT(saturated_norm_is_largest, valid_o && saturated_o |-> norm_o == 16'h7bff)
    `AXELRAM_COVER(norm_zero, valid_o && norm_o == '0)
    `AXELRAM_COVER(norm_subnormal, valid_o && norm_o != '0 && norm_o < 16'h0400)
    `AXELRAM_COVER(norm_saturated, valid_o && saturated_o)
  end else begin : g_rounded
    assign valid_o = 1'b0;
    assign norm_o = '0;
    assign saturated_o = 1'b0;
    logic unused;
    assign unused = ^{root_valid, root_exponent};
  end
endmodule

`default_nettype wire

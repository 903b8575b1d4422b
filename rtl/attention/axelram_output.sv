/// Outputs of a query head (bit-contract.md#output-rounding): RNE(rotated_i * reciprocal * 2^x),
/// rounded once to FP16 or FP32, with x = value scale's exponent - length + 32 - maximum + shift -
/// FW + reference.
///
/// Scalars of a query belong to each of its rows. Lanes multiplications of InBits x 25 bits.
/// OutFracBits: 10 for FP16, 23 for FP32. saturated_o: an output of the row is the largest finite
/// value in place of a larger one. Exact zero is +0; what underflows keeps its sign.
/// Latency: 3 cycles (multiply, normalise, round). Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_output #(
    parameter int  Lanes         = 16,
    parameter int  InBits        = 23,
    parameter int  WeightBits    = 20,
    parameter int  ValueExponent = -36,
    parameter int  OutExpBits    = 5,
    parameter int  OutFracBits   = 10,
    parameter int  LengthBits    = 6,
    parameter int  ShiftBits     = 6,
    parameter int  TagBits       = 1,
    localparam int OutBits       = 1 + OutExpBits + OutFracBits
) (
    input  wire logic                            clk_i,
    input  wire logic                            rst_ni,
    input  wire logic        [             24:0] reciprocal_i,
    input  wire logic        [   LengthBits-1:0] length_i,
    input  wire logic signed [             15:0] maximum_i,
    input  wire logic signed [             15:0] reference_i,
    input  wire logic        [    ShiftBits-1:0] shift_i,
    input  wire logic                            valid_i,
    input  wire logic        [      TagBits-1:0] tag_i,
    input  wire logic        [ Lanes*InBits-1:0] rotated_i,
    output logic                                 valid_o,
    output logic             [      TagBits-1:0] tag_o,
    output logic                                 saturated_o,
    output logic             [Lanes*OutBits-1:0] output_o
);
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)
  `AXELRAM_REQUIRE(a_format,
                   (OutExpBits == 5 && OutFracBits == 10) || (OutExpBits == 8 && OutFracBits == 23))
  `AXELRAM_REQUIRE(in_bits_in_13_to_28, InBits >= 13 && InBits <= 28)
  `AXELRAM_REQUIRE(weight_bits_in_12_to_28, WeightBits >= 12 && WeightBits <= 28)
  `AXELRAM_REQUIRE(value_exponent_in_8_bits, ValueExponent >= -128 && ValueExponent <= 127)
  `AXELRAM_REQUIRE(lengths_and_shifts_of_8_bits,
                   LengthBits >= 1 && LengthBits <= 8 && ShiftBits >= 1 && ShiftBits <= 8)

  localparam int ExpBits = 18;
  localparam int MagBits = InBits - 1 + 25;

  logic signed [ExpBits-1:0] exponent, exponent_q;
  assign exponent = ExpBits'(ValueExponent + 32 - WeightBits) - ExpBits'(length_i) -
      ExpBits'(maximum_i) + ExpBits'(reference_i) + ExpBits'(shift_i);

  logic valid_q;
  logic [TagBits-1:0] tag_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      tag_q <= tag_i;
      exponent_q <= exponent;
    end

  logic [Lanes-1:0] valid, saturated;
  logic [Lanes*TagBits-1:0] tags;
  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    logic signed [InBits-1:0] rotated;
    logic [InBits-2:0] magnitude;
    logic sign_q;
    logic [MagBits-1:0] product_q;
    assign rotated = $signed(rotated_i[i*InBits+:InBits]);
    assign magnitude = (InBits - 1)'(rotated[InBits-1] ? -rotated : rotated);
    always_ff @(posedge clk_i)
      if (valid_i) begin
        sign_q <= rotated[InBits-1];
        product_q <= MagBits'(magnitude) * MagBits'(reciprocal_i);
      end
    axelram_float_round #(
        .MagBits(MagBits), .ExpBits(ExpBits), .OutExpBits(OutExpBits), .OutFracBits(OutFracBits),
        .TagBits(1 + TagBits)
    ) u_float_round (
        .clk_i, .rst_ni,
        .valid_i    (valid_q),
        .tag_i      ({sign_q, tag_q}),
        .magnitude_i(product_q),
        .exponent_i (exponent_q),
        .valid_o    (valid[i]),
        .tag_o      ({output_o[(i+1)*OutBits-1], tags[i*TagBits+:TagBits]}),
        .float_o    (output_o[i*OutBits+:OutBits-1]),
        .saturated_o(saturated[i])
    );

    `AXELRAM_ASSERT(rotated_has_a_magnitude, valid_i |-> rotated != {1'b1, (InBits - 1)'(0)})
  end
  assign valid_o = valid[0];
  assign tag_o = tags[TagBits-1:0];
  assign saturated_o = saturated != '0;
  logic unused;
  assign unused = (valid != '0) ^ (^tags);

  `AXELRAM_COVER(output_saturated, valid_o && saturated_o)
endmodule

`default_nettype wire

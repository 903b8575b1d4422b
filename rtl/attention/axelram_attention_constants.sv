/// Constants of a macro with attention that change between items: the row of signs and of the center, its largest
/// exponent field, and the softmax scale.
///
/// rotation_i: row of signs_i, center_i and CenterExponents (8 bits each), of Rotations. load_i: scale_i * 2^scale_exponent_i takes the place of Scale
/// * 2^ScaleExponent, which a reset brings back.
/// Latency: 0; a scale 1 cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_attention_constants #(
    parameter int HeadDim = 128,
    parameter int Rotations = 1,
    parameter int ExpBits = 5,
    parameter bit [Rotations*8-1:0] CenterExponents = {Rotations{8'd1}},
    parameter bit [15:0] Scale = 16'd52279,
    parameter int ScaleExponent = -31
) (
    input  wire logic                            clk_i,
    input  wire logic                            rst_ni,
    input  wire logic [                     7:0] rotation_i,
    input  wire logic [   Rotations*HeadDim-1:0] signs_i,
    input  wire logic [Rotations*HeadDim*16-1:0] center_i,
    output logic      [             HeadDim-1:0] signs_o,
    output logic      [          HeadDim*16-1:0] center_o,
    output logic      [             ExpBits-1:0] center_exponent_o,
    input  wire logic                            load_i,
    input  wire logic [                    15:0] scale_i,
    input  wire logic signed [              7:0] scale_exponent_i,
    output logic      [                    15:0] scale_o,
    output logic signed [                   7:0] scale_exponent_o
);
  `AXELRAM_REQUIRE(head_dim_at_least_1, HeadDim >= 1)
  `AXELRAM_REQUIRE(rotations_in_1_to_256, Rotations >= 1 && Rotations <= 256)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(scale_exponent_in_8_bits, ScaleExponent >= -128 && ScaleExponent <= 127)

  localparam int RotationBits = (Rotations > 1) ? $clog2(Rotations) : 1;
  logic [HeadDim-1:0] signs[Rotations];
  logic [HeadDim*16-1:0] centers[Rotations];
  logic [ExpBits-1:0] exponents[Rotations];
  for (genvar r = 0; r < Rotations; r++) begin : g_rotation
    assign signs[r] = signs_i[r*HeadDim+:HeadDim];
    assign centers[r] = center_i[r*HeadDim*16+:HeadDim*16];
    assign exponents[r] = ExpBits'(CenterExponents[r*8+:8]);
    `AXELRAM_REQUIRE(center_exponents_of_finite_numbers,
                     CenterExponents[r*8+:8] >= 8'd1 && 32'(CenterExponents[r*8+:8]) < (1 << ExpBits) - 1)
  end
  assign signs_o = signs[RotationBits'(rotation_i)];
  assign center_o = centers[RotationBits'(rotation_i)];
  assign center_exponent_o = exponents[RotationBits'(rotation_i)];
  logic unused;
  assign unused = ^rotation_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {scale_o, scale_exponent_o} <= {Scale, 8'(ScaleExponent)};
    else if (load_i) {scale_o, scale_exponent_o} <= {scale_i, scale_exponent_i};
  end
endmodule

`default_nettype wire

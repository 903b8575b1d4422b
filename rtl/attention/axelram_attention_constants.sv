/// Constants of a macro with attention that change between items: the row of signs, of exponents
/// (Balance) and of the center, its largest exponent field, and the softmax scale.
///
/// rotation_i: row of signs_i, balance_i, center_i and CenterExponents (8 bits each), of Rotations.
/// With RotationRam they are in axelram_rotation_memory, which rotation_load_i to rotation_center_i
/// load; read_i reads row read_rotation_i, which is rotation_i from the next cycle on. load_i:
/// scale_i * 2^scale_exponent_i takes the place of Scale * 2^ScaleExponent, which a reset brings
/// back.
/// Latency: 0; a scale 1 cycle. ready_o: as axelram_rotation_memory, or always.
`include "axelram_macros.svh"
`default_nettype none

module axelram_attention_constants #(
    parameter int        HeadDim         = 128,
    parameter int        KeyLanes        = 128,
    parameter int        Rotations       = 1,
    parameter bit        RotationRam     = 1'b0,
    parameter bit        Center          = 1'b0,
    parameter bit        Balance         = 1'b0,
    parameter int        ExpBits         = 5,
    parameter bit [Rotations*8-1:0] CenterExponents = {Rotations{8'd1}},
    parameter bit [15:0] Scale           = 16'd52279,
    parameter int        ScaleExponent   = -31
) (
    input  wire logic                                   clk_i,
    input  wire logic                                   rst_ni,
    output logic                                        ready_o,
    input  wire logic        [                     7:0] rotation_i,
    input  wire logic        [   Rotations*HeadDim-1:0] signs_i,
    input  wire logic        [ Rotations*HeadDim*4-1:0] balance_i,
    input  wire logic        [Rotations*HeadDim*16-1:0] center_i,
    output logic             [             HeadDim-1:0] signs_o,
    output logic             [           HeadDim*4-1:0] balance_o,
    output logic             [          HeadDim*16-1:0] center_o,
    output logic             [             ExpBits-1:0] center_exponent_o,
    input  wire logic                                   read_i,
    input  wire logic        [                     7:0] read_rotation_i,
    input  wire logic                                   rotation_load_i,
    input  wire logic        [                     7:0] rotation_row_i,
    input  wire logic        [            KeyLanes-1:0] rotation_signs_i,
    input  wire logic        [          KeyLanes*4-1:0] rotation_balance_i,
    input  wire logic        [         KeyLanes*16-1:0] rotation_center_i,
    input  wire logic                                   load_i,
    input  wire logic        [                    15:0] scale_i,
    input  wire logic signed [                     7:0] scale_exponent_i,
    output logic             [                    15:0] scale_o,
    output logic      signed [                     7:0] scale_exponent_o
);
  `AXELRAM_REQUIRE(rows_power_of_two,
                   KeyLanes >= 1 && HeadDim % KeyLanes == 0 &&
                   (HeadDim / KeyLanes & (HeadDim / KeyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(rotations_in_1_to_256, Rotations >= 1 && Rotations <= 256)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(scale_exponent_in_8_bits, ScaleExponent >= -128 && ScaleExponent <= 127)

  localparam int RotationBits = (Rotations > 1) ? $clog2(Rotations) : 1;
  if (RotationRam) begin : g_ram
    axelram_rotation_memory #(
        .HeadDim(HeadDim), .KeyLanes(KeyLanes), .Rotations(Rotations), .ExpBits(ExpBits),
        .Center(Center), .Balance(Balance)
    ) u_rotation_memory (
        .clk_i, .rst_ni, .ready_o, .signs_i, .balance_i, .center_i,
        .load_i       (rotation_load_i),
        .row_i        (rotation_row_i),
        .row_signs_i  (rotation_signs_i),
        .row_balance_i(rotation_balance_i),
        .row_center_i (rotation_center_i),
        .read_i,
        .rotation_i   (read_rotation_i),
        .signs_o, .balance_o, .center_o, .center_exponent_o
    );
    logic unused;
    assign unused = ^rotation_i;
  end else begin : g_rom
    logic [HeadDim-1:0] signs[Rotations];
    logic [HeadDim*4-1:0] balances[Rotations];
    logic [HeadDim*16-1:0] centers[Rotations];
    logic [ExpBits-1:0] exponents[Rotations];
    for (genvar r = 0; r < Rotations; r++) begin : g_rotation
      assign signs[r] = signs_i[r*HeadDim+:HeadDim];
      assign balances[r] = balance_i[r*HeadDim*4+:HeadDim*4];
      assign centers[r] = center_i[r*HeadDim*16+:HeadDim*16];
      assign exponents[r] = ExpBits'(CenterExponents[r*8+:8]);
    end
    assign signs_o = signs[RotationBits'(rotation_i)];
    assign balance_o = balances[RotationBits'(rotation_i)];
    assign center_o = centers[RotationBits'(rotation_i)];
    assign center_exponent_o = exponents[RotationBits'(rotation_i)];
    assign ready_o = 1'b1;
    logic unused;
    assign unused =
        ^{rotation_i, read_i, read_rotation_i, rotation_load_i, rotation_row_i, rotation_signs_i,
                      rotation_balance_i, rotation_center_i};
  end
  for (genvar r = 0; r < Rotations; r++) begin : g_exponent
    `AXELRAM_REQUIRE(center_exponents_of_finite_numbers,
                     CenterExponents[r*8+:8] >= 8'd1 &&
                     32'(CenterExponents[r*8+:8]) < (1 << ExpBits) - 1)
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {scale_o, scale_exponent_o} <= {Scale, 8'(ScaleExponent)};
    else if (load_i) {scale_o, scale_exponent_o} <= {scale_i, scale_exponent_i};
  end
endmodule

`default_nettype wire

/// Second pass of a vector through the Hadamard network of its first pass
/// (bit-contract.md#residual): what enters it, and what becomes of it.
///
///   key:    rows y, indices -> axelram_residual -> rho -> network -> z -> t_i, record
///   query:  rows u ----------------------------------> network -> z' -> query_rounding -> v
///
/// row_*_i: rotated rows, row_next_i announces those of a key's first pass; nearest_i: indices, one
/// cycle behind; first_*_i: norm and indices of the key as a record; rounded_*_i: u, then v.
/// signed_*_i: exponent of a row in front of the network. norm_i: norm of the vector that went
/// through the network last. back_*_o: a row for the network. Its exponent is that of the first
/// pass and the shift since; of a residual, less half of log2(HeadDim), as its norm needs.
/// Latency: axelram_residual; a rounded query returns in the same cycle. record_valid_o 2 cycles
/// after the last row of z.
`include "axelram_macros.svh"
`default_nettype none

module axelram_second_pass #(
    parameter int  HeadDim      = 128,
    parameter int  Lanes        = 128,
    parameter int  IndexBits    = 2,
    parameter int  AlignedBits  = 16,
    parameter int  NetBits      = 16,
    parameter int  RootBits     = 19,
    parameter int  FractionBits = 13,
    parameter int  QueryBits    = 8,
    parameter int  FieldBits    = 7,
    localparam int Upper        = 1 << (IndexBits - 1),
    localparam int RotatedBits  = NetBits + $clog2(HeadDim),
    localparam int ShiftBits    = $clog2(RotatedBits - QueryBits + 1),
    localparam int FirstBits    = HeadDim * IndexBits + 16,
    localparam int RecordBits   = FirstBits + HeadDim + 16
) (
    input  wire logic                         clk_i,
    input  wire logic                         rst_ni,
    input  wire logic [         Upper*20-1:0] words_i,
    input  wire logic                         signed_valid_i,
    input  wire logic                         signed_second_i,
    input  wire logic [        FieldBits-1:0] signed_exponent_i,
    input  wire logic [         RootBits-1:0] root_i,
    input  wire logic [                 15:0] norm_i,
    input  wire logic                         norm_saturated_i,
    input  wire logic                         row_next_i,
    input  wire logic                         row_valid_i,
    input  wire logic                         row_query_i,
    input  wire logic                         row_second_i,
    input  wire logic [Lanes*RotatedBits-1:0] row_i,
    input  wire logic [  Lanes*IndexBits-1:0] nearest_i,
    input  wire logic                         first_valid_i,
    input  wire logic [                  1:0] first_events_i,
    input  wire logic [        FirstBits-1:0] first_i,
    input  wire logic                         rounded_valid_i,
    input  wire logic [        ShiftBits-1:0] rounded_shift_i,  // with the row in front of it
    input  wire logic [  Lanes*QueryBits-1:0] rounded_i,
    output logic                              query_valid_o,
    output logic                              residual_valid_o,
    output logic                              back_valid_o,
    output logic                              back_query_o,
    output logic      [        FieldBits-1:0] back_exponent_o,
    output logic      [    Lanes*NetBits-1:0] back_o,
    output logic                              record_valid_o,
    output logic      [                  1:0] record_events_o,
    output logic      [       RecordBits-1:0] record_o
);
  `AXELRAM_REQUIRE(head_dim_power_of_two, HeadDim >= 4 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(field_bits_at_least_6, FieldBits >= 6)
  `AXELRAM_REQUIRE(network_takes_residuals_and_queries,
                   NetBits >= AlignedBits && NetBits >= QueryBits)

  localparam int RhoShiftBits = $clog2(RotatedBits + 1 - AlignedBits + 1);
  localparam int Half = $clog2(HeadDim) / 2;
  logic rho_valid;
  logic [RhoShiftBits-1:0] rho_shift;
  logic [Lanes*AlignedBits-1:0] rho;
  logic [HeadDim+15:0] second;
  logic [1:0] second_events;
  axelram_residual #(
      .HeadDim(HeadDim), .Lanes(Lanes),
      .Bits   (RotatedBits),
      .OutBits(AlignedBits),
      .RootBits(RootBits), .IndexBits(IndexBits), .FractionBits(FractionBits)
  ) u_residual (
      .clk_i, .rst_ni, .words_i, .root_i,
      .next_i         (row_next_i),
      .valid_i        (row_valid_i && !row_query_i && !row_second_i),
      .z_valid_i      (row_valid_i && !row_query_i && row_second_i),
      .data_i         (row_i),
      .indices_i      (nearest_i),
      .valid_o        (rho_valid),
      .shift_o        (rho_shift),
      .data_o         (rho),
      .norm_i, .norm_saturated_i, .record_valid_o,
      .record_events_o(second_events),
      .record_o       (second)
  );

  // ---- Record: indices, signs, norm, residual norm
  logic [1:0] first_events_q;
  always_ff @(posedge clk_i) if (first_valid_i) first_events_q <= first_events_i;
  assign record_events_o = second_events | first_events_q;
  assign record_o = {second[HeadDim+:16], first_i[FirstBits-1-:16], second[HeadDim-1:0],
                     first_i[FirstBits-17:0]};

  // ---- Rows for the network
  logic rounded_second_q;
  logic [FieldBits-1:0] field_q;
  logic [ShiftBits-1:0] rounded_shift_q;
  always_ff @(posedge clk_i) begin
    if (signed_valid_i && !signed_second_i) field_q <= signed_exponent_i;
    if (row_valid_i) begin
      rounded_second_q <= row_second_i;
      rounded_shift_q  <= rounded_shift_i;
    end
  end
  assign query_valid_o = rounded_valid_i && !rounded_second_q;
  assign residual_valid_o = rounded_valid_i && rounded_second_q;
  assign back_valid_o = rho_valid || query_valid_o;
  assign back_query_o = !rho_valid;
  assign back_exponent_o = field_q + (rho_valid ? FieldBits'(rho_shift) - FieldBits'(Half)
                                                : FieldBits'(rounded_shift_q));
  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    assign back_o[i*NetBits+:NetBits] = rho_valid
        ? NetBits'($signed(rho[i*AlignedBits+:AlignedBits]))
        : NetBits'($signed(rounded_i[i*QueryBits+:QueryBits]));
  end

  `AXELRAM_ASSERT(one_vector_returns, !(rho_valid && rounded_valid_i))
  `AXELRAM_COVER(residual_both_norms_saturated,
                 record_valid_o && second_events[0] && first_events_q[0])
endmodule

`default_nettype wire

/// Rotated queries, and with Exact keys, are rounded (bit-contract.md#read-1,
/// bit-contract.md#exact).
///
///   rows of queries -> axelram_query_rounding -> query
///   rows of keys    -> axelram_query_rounding -> copy
///
/// signed_*_i: rows in front of the network; rotated_*_i: behind it; row_*_i: behind the row delay.
/// Values: rows with second_i are no queries, but sums, and no keys, but values (axelram_rotate).
/// Group: queries that may follow each other directly, a power of two.
/// shift_o: sh of the late row. Latency: of axelram_query_rounding.
`include "axelram_macros.svh"
`default_nettype none

module axelram_query_path #(
    parameter int  HeadDim     = 128,
    parameter int  Lanes       = 128,
    parameter int  RotatedBits = 23,
    parameter int  QueryBits   = 8,
    parameter int  ExpBits     = 5,
    parameter int  SigBits     = 16,
    parameter int  FieldBits   = ExpBits,
    parameter int  RowDelay    = 24,
    parameter int  Group       = 1,
    parameter bit  Values      = 1'b0,
    parameter bit  Exact       = 1'b0,
    parameter int  CopyBits    = 16,
    localparam int Rows        = HeadDim / Lanes,
    localparam int ShiftBits   = $clog2(RotatedBits - QueryBits + 1)
) (
    input  wire logic                                clk_i,
    input  wire logic                                rst_ni,
    input  wire logic                                signed_valid_i,
    input  wire logic                                signed_last_i,
    input  wire logic                                signed_query_i,
    input  wire logic                                signed_second_i,
    input  wire logic        [        FieldBits-1:0] signed_exponent_i,
    input  wire logic                                rotated_valid_i,
    input  wire logic                                rotated_query_i,
    input  wire logic                                rotated_second_i,
    input  wire logic        [Lanes*RotatedBits-1:0] rotated_i,
    input  wire logic                                row_valid_i,
    input  wire logic                                row_query_i,
    input  wire logic                                row_second_i,
    input  wire logic        [Lanes*RotatedBits-1:0] row_i,
    output logic                                     query_valid_o,
    output logic                                     query_last_o,
    output logic             [        ShiftBits-1:0] shift_o,
    output logic             [  Lanes*QueryBits-1:0] query_o,
    output logic      signed [                 11:0] query_exponent_o,
    output logic                                     copy_valid_o,
    output logic                                     copy_last_o,
    output logic             [   Lanes*CopyBits-1:0] copy_o,
    output logic      signed [                 11:0] copy_exponent_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two_up_to_head_dim,
                   Lanes >= 1 && Lanes <= HeadDim && (Lanes & (Lanes - 1)) == 0)

  // Of a second pass a query is rounded once more; sums and values are not.
  logic signed_other, rotated_other, row_other;
  assign signed_other = Values && signed_second_i;
  assign rotated_other = Values && rotated_second_i;
  assign row_other = Values && row_second_i;
  axelram_query_rounding #(
      .Lanes(Lanes), .Rows(Rows),
      .Bits   (RotatedBits),
      .QueryBits(QueryBits), .ExpBits(ExpBits), .SigBits(SigBits),
      .Waiting(Group),
      .FieldBits(FieldBits)
  ) u_query_rounding (
      .clk_i, .rst_ni,
      .exponent_valid_i(signed_valid_i && signed_last_i && signed_query_i && !signed_other),
      .early_valid_i   (rotated_valid_i && rotated_query_i && !rotated_other),
      .exponent_i      (signed_exponent_i),
      .early_i         (rotated_i),
      .late_valid_i    (row_valid_i && row_query_i),
      .late_i          (row_i),
      .late_shift_o    (shift_o),
      .valid_o         (query_valid_o),
      .last_o          (query_last_o),
      .query_o,
      .exponent_o      (query_exponent_o)
  );

  if (Exact) begin : g_copy
    localparam int Waiting = (Rows + $clog2(HeadDim) + RowDelay) / Rows + 2;
    logic [$clog2(RotatedBits-CopyBits+1)-1:0] copy_shift;
    logic unused;
    assign unused = ^copy_shift;
    axelram_query_rounding #(
        .Lanes(Lanes), .Rows(Rows),
        .Bits     (RotatedBits),
        .QueryBits(CopyBits),
        .ExpBits(ExpBits), .SigBits(SigBits),
        .Waiting  (1 << $clog2(Waiting)),
        .FieldBits(FieldBits)
    ) u_copy_rounding (
        .clk_i, .rst_ni,
        .exponent_valid_i(signed_valid_i && signed_last_i && !signed_query_i && !signed_other),
        .early_valid_i   (rotated_valid_i && !rotated_query_i && !rotated_other),
        .exponent_i      (signed_exponent_i),
        .early_i         (rotated_i),
        .late_valid_i    (row_valid_i && !row_query_i && !row_other),
        .late_i          (row_i),
        .late_shift_o    (copy_shift),
        .valid_o         (copy_valid_o),
        .last_o          (copy_last_o),
        .query_o         (copy_o),
        .exponent_o      (copy_exponent_o)
    );
  end else begin : g_copy
    assign {copy_valid_o, copy_last_o, copy_o, copy_exponent_o} = '0;
    logic unused;
    assign unused = row_other;
  end
endmodule

`default_nettype wire

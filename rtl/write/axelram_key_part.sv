/// Record of a key, or of a part of its elements: norm, indices, packing (bit-contract.md#write-2
/// to bit-contract.md#write-5).
///
///   rows before the network -> norm -----------.
///   rows behind the delay --> indices -> record -> record
///
/// signed_*_i: rows before the network; row_*_i: rotated rows, announced two cycles ahead by
/// row_next_i. words_i, centroids_i: axelram_indices. record_o: the norm above the indices. root_o,
/// plain_*_o and nearest_*_o, rows of indices of a quantizer: for the residual of the key. With
/// Residual the norms of keys and of residuals alternate, and both indices and norm of a key come
/// with its first row.
/// Interval: cycles between two keys, at least. LatestBits: index bits of the part that takes
/// longest; without a trellis all parts take as long.
/// Latency from the first row at row_i: Rows + 1 cycles to record_valid_o; Unbiased log2(Lanes) +
/// LatestBits + 17 more, or with a trellis 2*HeadDim + IndexBits + log2(States) + 4.
`include "axelram_macros.svh"
`default_nettype none

module axelram_key_part #(
    parameter int  HeadDim      = 128,
    parameter int  Lanes        = 128,
    parameter int  IndexBits    = 3,
    parameter int  AlignedBits  = 16,
    parameter int  RotatedBits  = 23,
    parameter int  RootBits     = 19,
    parameter int  SigBits      = 16,
    parameter int  FractionBits = 13,
    parameter int  CentroidBits = 8,
    parameter int  ExpBits      = 5,
    parameter int  FieldBits    = ExpBits,
    parameter int  RowDelay     = 24,
    parameter int  Interval     = 1,
    parameter int  LatestBits   = IndexBits,
    parameter int  States       = 0,
    parameter bit  Unbiased     = 1'b0,
    localparam int Levels       = (States > 0) ? 2 << IndexBits : 1 << IndexBits,
    localparam int Words        = (States > 0) ? 1 << IndexBits : Levels - 1,
    localparam int RecordBits   = HeadDim * IndexBits + 16
) (
    input  wire logic                           clk_i,
    input  wire logic                           rst_ni,
    input  wire logic [           Words*20-1:0] words_i,
    input  wire logic [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                           signed_valid_i,
    input  wire logic                           signed_last_i,
    input  wire logic [          FieldBits-1:0] signed_exponent_i,
    input  wire logic [  Lanes*AlignedBits-1:0] signed_i,
    input  wire logic                           row_next_i,
    input  wire logic                           row_valid_i,
    input  wire logic [  Lanes*RotatedBits-1:0] row_i,
    output logic      [           RootBits-1:0] root_o,
    output logic      [                   15:0] plain_norm_o,
    output logic                                plain_saturated_o,
    output logic      [    Lanes*IndexBits-1:0] nearest_o,
    output logic                                record_valid_o,
    output logic      [                    1:0] record_events_o,
    output logic      [         RecordBits-1:0] record_o
);
  localparam int Rows = HeadDim / Lanes;
  localparam int SumBits = 2 * (AlignedBits - 1) + $clog2(HeadDim);
  localparam int CorrelationBits = AlignedBits + CentroidBits + (3 * $clog2(HeadDim) + 1) / 2 - 1;
  localparam int IndexLanes = (States > 0) ? 1 : Lanes;
  `AXELRAM_REQUIRE(root_of_half_the_square_sum, RootBits == (SumBits + 1) / 2)
  `AXELRAM_REQUIRE(latest_bits_from_index_bits, LatestBits >= IndexBits)

  logic sum_valid, plain_valid;
  logic [FieldBits-1:0] sum_exponent;
  logic [SumBits-1:0] sum;
  axelram_norm #(
      .Lanes(Lanes), .Rows(Rows),
      .Bits   (AlignedBits),
      .ExpBits(ExpBits), .SigBits(SigBits),
      .Rounded(!Unbiased),
      .FieldBits(FieldBits)
  ) u_norm (
      .clk_i, .rst_ni,
      .valid_i       (signed_valid_i),
      .last_i        (signed_last_i),
      .exponent_i    (signed_exponent_i),
      .data_i        (signed_i),
      .sum_valid_o   (sum_valid),
      .sum_exponent_o(sum_exponent),
      .sum_o         (sum),
      .root_o,
      .valid_o       (plain_valid),
      .norm_o        (plain_norm_o),
      .saturated_o   (plain_saturated_o)
  );

  logic correlation_valid, indices_valid, indices_first, indices_last;
  logic signed [CorrelationBits-1:0] correlation;
  logic [IndexLanes*IndexBits-1:0] indices;
  axelram_indices #(
      .HeadDim(HeadDim), .Lanes(Lanes),
      .Bits     (RotatedBits),
      .RootBits(RootBits), .IndexBits(IndexBits), .States(States), .FractionBits(FractionBits),
      .WordBits (CentroidBits),
      .CorrelationBits(CorrelationBits), .Unbiased(Unbiased),
      .NormDelay(16 + LatestBits - IndexBits)
  ) u_indices (
      .clk_i, .rst_ni, .words_i, .centroids_i,
      .root_i             (root_o),
      .next_i             (row_next_i),
      .valid_i            (row_valid_i),
      .data_i             (row_i),
      .nearest_o,
      .correlation_valid_o(correlation_valid),
      .correlation_o      (correlation),
      .valid_o            (indices_valid),
      .first_o            (indices_first),
      .last_o             (indices_last),
      .indices_o          (indices)
  );

  // Keys between their sum or plain norm and their record, at most.
  localparam int Way =
      Rows + $clog2(HeadDim) + RowDelay + ((States > 0) ? 2 * HeadDim + 12 : LatestBits - 1);
  logic norm_valid;
  logic [1:0] norm_events;
  logic [15:0] norm;
  axelram_record_norm #(
      .HeadDim(HeadDim), .Interval(Interval),
      .WordBits(CentroidBits),
      .SumBits(SumBits), .CorrelationBits(CorrelationBits), .ExpBits(ExpBits), .SigBits(SigBits),
      .FieldBits(FieldBits),
      .Waiting (1 << $clog2(Way / Interval + 1)),
      .Unbiased(Unbiased),
      .Late    ((States > 0) ? 0 : LatestBits - IndexBits),
      .Trellis (States > 0)
  ) u_record_norm (
      .clk_i, .rst_ni,
      .sum_valid_i        (sum_valid),
      .sum_exponent_i     (sum_exponent),
      .sum_i              (sum),
      .plain_valid_i      (plain_valid),
      .plain_norm_i       (plain_norm_o),
      .plain_saturated_i  (plain_saturated_o),
      .correlation_valid_i(correlation_valid),
      .correlation_i      (correlation),
      .valid_o            (norm_valid),
      .norm_o             (norm),
      .events_o           (norm_events),
      .taken_i            (indices_valid && indices_last)
  );
  logic unused;
  assign unused = norm_valid;

  axelram_record #(
      .HeadDim(HeadDim),
      .Lanes     (IndexLanes),
      .IndexBits(IndexBits),
      .LateNorm  (Unbiased || States > 0),
      .Descending(States > 0)
  ) u_record (
      .clk_i, .rst_ni,
      .valid_i  (indices_valid),
      .first_i  (indices_first),
      .last_i   (indices_last),
      .indices_i(indices),
      .norm_i   (norm),
      .events_i (norm_events),
      .valid_o  (record_valid_o),
      .events_o (record_events_o),
      .record_o
  );
endmodule

`default_nettype wire

/// Rotated keys become records (references.md#axelram, section III-A).
///
///   one part:       rows -> axelram_key_part -> record
///   Residual:       rows -> axelram_key_part, axelram_second_pass -> record of two parts
///   SplitBits > 0:  rows -> two axelram_key_part, of half of the lanes each -> record of two parts
///
/// signed_*_i: rows in front of the network; row_*_i: rows behind the row delay, announced by
/// row_next_*_i; rounded_*_i, back_*_o, query_valid_o and residual_valid_o: axelram_second_pass.
/// words_i, centroids_i: those of axelram_write_path. record_events_o: {scale_refused,
/// norm_saturated}; with SplitBits those of sub-vector 1 above.
/// Values: rows with *_second_i are values, and become records as well (axelram_rotate).
/// Latency from a key's first row at row_i: axelram_key_part, with Residual axelram_second_pass.
`include "axelram_macros.svh"
`default_nettype none

module axelram_key_path #(
    parameter int  HeadDim      = 128,
    parameter int  Lanes        = 128,
    parameter int  IndexBits    = 3,
    parameter int  SplitBits    = 0,
    parameter int  AlignedBits  = 16,
    parameter int  NetBits      = 16,
    parameter int  RotatedBits  = 23,
    parameter int  RootBits     = 19,
    parameter int  SigBits      = 16,
    parameter int  FractionBits = 13,
    parameter int  QueryBits    = 8,
    parameter int  CentroidBits = 8,
    parameter int  ExpBits      = 5,
    parameter int  FieldBits    = ExpBits,
    parameter int  RowDelay     = 24,
    parameter int  States       = 0,
    parameter bit  Unbiased     = 1'b0,
    parameter bit  Residual     = 1'b0,
    parameter bit  Values       = 1'b0,
    localparam int Levels       = axelram_sizes::levels(IndexBits, States),
    localparam int SplitLevels  = axelram_sizes::levels(SplitBits, States),
    localparam int Words        = axelram_sizes::words(IndexBits, SplitBits, Residual, States),
    localparam int ShiftBits    = $clog2(RotatedBits - QueryBits + 1),
    localparam int EventBits    = (SplitBits > 0) ? 4 : 2,
    localparam int RecordBits   =
        axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits)
) (
    input  wire logic                                         clk_i,
    input  wire logic                                         rst_ni,
    input  wire logic [                         Words*20-1:0] words_i,
    input  wire logic [(Levels+SplitLevels)*CentroidBits-1:0] centroids_i,
    input  wire logic                                         signed_valid_i,
    input  wire logic                                         signed_last_i,
    input  wire logic                                         signed_query_i,
    input  wire logic                                         signed_second_i,
    input  wire logic [                        FieldBits-1:0] signed_exponent_i,
    input  wire logic [                    Lanes*NetBits-1:0] signed_i,
    input  wire logic                                         row_next_i,
    input  wire logic                                         row_next_query_i,
    input  wire logic                                         row_next_second_i,
    input  wire logic                                         row_valid_i,
    input  wire logic                                         row_query_i,
    input  wire logic                                         row_second_i,
    input  wire logic [                Lanes*RotatedBits-1:0] row_i,
    input  wire logic                                         rounded_valid_i,
    input  wire logic [                        ShiftBits-1:0] rounded_shift_i,
    input  wire logic [                  Lanes*QueryBits-1:0] rounded_i,
    output logic                                              query_valid_o,
    output logic                                              residual_valid_o,
    output logic                                              back_valid_o,
    output logic                                              back_query_o,
    output logic      [                        FieldBits-1:0] back_exponent_o,
    output logic      [                    Lanes*NetBits-1:0] back_o,
    output logic                                              record_valid_o,
    output logic      [                        EventBits-1:0] record_events_o,
    output logic      [                       RecordBits-1:0] record_o
);
  localparam bit Split = SplitBits > 0;
  `AXELRAM_REQUIRE(split_bits_up_to_index_bits, SplitBits >= 0 && SplitBits <= IndexBits)

  localparam int PartDim = Split ? HeadDim / 2 : HeadDim;
  localparam int PartLanes = Split ? Lanes / 2 : Lanes;
  localparam int Rows = HeadDim / Lanes;
  localparam int Boundaries = axelram_sizes::boundaries(IndexBits, States);
  localparam int FirstBits = PartDim * IndexBits + 16;
  // Cycles between two keys, at least.
  localparam int RowInterval = Split ? 2 * Rows - 1 : Rows;
  localparam int Interval = (States > 0 && PartDim + 4 > RowInterval) ? PartDim + 4 : RowInterval;

  logic key_next, key_valid;
  assign key_next  = row_next_i && !row_next_query_i && (Values || !row_next_second_i);
  assign key_valid = row_valid_i && !row_query_i && (Values || !row_second_i);
  logic [Lanes*AlignedBits-1:0] signed_key;
  for (genvar i = 0; i < Lanes; i++) begin : g_key
    assign signed_key[i*AlignedBits+:AlignedBits] = signed_i[i*NetBits+:AlignedBits];
  end

  logic first_valid, plain_saturated;
  logic [1:0] first_events;
  logic [15:0] plain_norm;
  logic [RootBits-1:0] root;
  logic [PartLanes*IndexBits-1:0] nearest;
  logic [FirstBits-1:0] first;
  axelram_key_part #(
      .HeadDim(PartDim),
      .Lanes  (PartLanes),
      .IndexBits(IndexBits), .AlignedBits(AlignedBits), .RotatedBits(RotatedBits),
      .RootBits(RootBits), .SigBits(SigBits), .FractionBits(FractionBits),
      .CentroidBits(CentroidBits), .ExpBits(ExpBits), .FieldBits(FieldBits), .RowDelay(RowDelay),
      .Interval(Interval), .States(States), .Unbiased(Unbiased)
  ) u_part (
      .clk_i, .rst_ni,
      .words_i          (words_i[Boundaries*20-1:0]),
      .centroids_i      (centroids_i[Levels*CentroidBits-1:0]),
      .signed_valid_i   (signed_valid_i && !signed_query_i),
      .signed_last_i, .signed_exponent_i,
      .signed_i         (signed_key[PartLanes*AlignedBits-1:0]),
      .row_next_i       (key_next),
      .row_valid_i      (key_valid),
      .row_i            (row_i[PartLanes*RotatedBits-1:0]),
      .root_o           (root),
      .plain_norm_o     (plain_norm),
      .plain_saturated_o(plain_saturated),
      .nearest_o        (nearest),
      .record_valid_o   (first_valid),
      .record_events_o  (first_events),
      .record_o         (first)
  );

  if (Residual) begin : g_residual
    axelram_second_pass #(
        .HeadDim(HeadDim), .Lanes(Lanes), .IndexBits(IndexBits), .AlignedBits(AlignedBits),
        .NetBits(NetBits), .RootBits(RootBits), .FractionBits(FractionBits), .QueryBits(QueryBits),
        .FieldBits(FieldBits)
    ) u_second_pass (
        .clk_i, .rst_ni,
        .words_i         (words_i[Words*20-1:Boundaries*20]),
        .signed_valid_i, .signed_second_i, .signed_exponent_i,
        .root_i          (root),
        .norm_i          (plain_norm),
        .norm_saturated_i(plain_saturated),
        .row_next_i      (key_next),
        .row_valid_i, .row_query_i, .row_second_i, .row_i,
        .nearest_i       (nearest),
        .first_valid_i   (first_valid),
        .first_events_i  (first_events),
        .first_i         (first),
        .rounded_valid_i, .rounded_shift_i, .rounded_i, .query_valid_o, .residual_valid_o,
        .back_valid_o, .back_query_o, .back_exponent_o, .back_o, .record_valid_o, .record_events_o,
        .record_o
    );
    if (NetBits > AlignedBits) begin : g_wide  // queries alone have the upper bits
      logic unused;
      assign unused = ^signed_i;
    end
  end else begin : g_one_pass
    assign {back_valid_o, back_query_o, back_exponent_o, back_o, residual_valid_o} = '0;
    assign query_valid_o = rounded_valid_i;
    assign record_valid_o = first_valid;
    logic unused;
    assign unused = ^{root, plain_norm, plain_saturated, nearest, signed_second_i, rounded_shift_i,
                      rounded_i, signed_i};
  end

  // ---- Sub-vector 1. Without a trellis both records are there at once; with one the second, of as
  // many bits or fewer, is there earlier and holds.
  if (Split) begin : g_split
    localparam int SecondBits = PartDim * SplitBits + 16;
    logic second_valid, unused_saturated;
    logic [1:0] second_events;
    logic [15:0] unused_norm;
    logic [RootBits-1:0] unused_root;
    logic [PartLanes*SplitBits-1:0] unused_nearest;
    logic [SecondBits-1:0] second;
    axelram_key_part #(
        .HeadDim   (PartDim),
        .Lanes     (PartLanes),
        .IndexBits (SplitBits),
        .AlignedBits(AlignedBits), .RotatedBits(RotatedBits), .RootBits(RootBits),
        .SigBits(SigBits), .FractionBits(FractionBits), .CentroidBits(CentroidBits),
        .ExpBits(ExpBits), .FieldBits(FieldBits), .RowDelay(RowDelay), .Interval(Interval),
        .LatestBits(IndexBits),
        .States(States), .Unbiased(Unbiased)
    ) u_split_part (
        .clk_i, .rst_ni,
        .words_i          (words_i[Words*20-1:Boundaries*20]),
        .centroids_i      (centroids_i[(Levels+SplitLevels)*CentroidBits-1:Levels*CentroidBits]),
        .signed_valid_i   (signed_valid_i && !signed_query_i),
        .signed_last_i, .signed_exponent_i,
        .signed_i         (signed_key[Lanes*AlignedBits-1:PartLanes*AlignedBits]),
        .row_next_i       (key_next),
        .row_valid_i      (key_valid),
        .row_i            (row_i[Lanes*RotatedBits-1:PartLanes*RotatedBits]),
        .root_o           (unused_root),
        .plain_norm_o     (unused_norm),
        .plain_saturated_o(unused_saturated),
        .nearest_o        (unused_nearest),
        .record_valid_o   (second_valid),
        .record_events_o  (second_events),
        .record_o         (second)
    );
    assign record_events_o = {second_events, first_events};
    assign record_o = {second[SecondBits-1-:16], first[FirstBits-1-:16], second[SecondBits-17:0],
                       first[FirstBits-17:0]};
    logic first_zero, second_zero;
    assign first_zero  = first[FirstBits-1-:16] == '0;
    assign second_zero = second[SecondBits-1-:16] == '0;
    logic unused;
    assign unused =
        ^{unused_root, unused_norm, unused_saturated, unused_nearest, second_valid, first_zero,
                      second_zero};
    `AXELRAM_COVER(split_half_zero, first_valid && first_zero != second_zero)
    `AXELRAM_COVER(split_both_norms_saturated, first_valid && first_events[0] && second_events[0])
    `AXELRAM_ASSERT(both_parts_at_once, States > 0 || first_valid == second_valid)
  end else if (!Residual) begin : g_one_part
    assign record_events_o = first_events;
    assign record_o = first;
  end
endmodule

`default_nettype wire

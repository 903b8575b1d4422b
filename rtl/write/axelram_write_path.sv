/// Vectors become records or rotated queries on one circuit (references.md#axelram, sections III-A and
/// III-B, figure 2).
///
///   beat -> rotate -> indices -> record
///              |  '-> norm -^-------^
///              '-> query_rounding -> query, copy
///
/// Exact: a key is also rounded to CopyBits, as a query is. Unbiased: the norm is that of axelram_scale.
/// States > 0: the indices are those of axelram_trellis.
///
/// A vector is Rows = HeadDim/Lanes beats of Lanes elements, every beat accepted. ROM contents are
/// constant inputs: signs (bit i of element i), boundaries B_j or the upper half of the level words (20 bits
/// each), centroids C_j (CentroidBits each), center (16 bits each, raw floats).
/// Latency from the last beat, n = log2(HeadDim), L = 3 + Center + n + RowDelay + 2*Rows: the last row of a
/// query or copy L cycles; a record L + 1, Unbiased log2(Lanes) + IndexBits + 17 more, or with a trellis
/// L - Rows + 2*HeadDim + IndexBits + log2(States) + 4. Throughput: a beat per cycle; with a trellis the last beats of two
/// keys are HeadDim + 4 cycles apart.
`include "axelram_macros.svh"
`default_nettype none

module axelram_write_path #(
    parameter int HeadDim = 128,
    parameter int Lanes = 128,
    parameter int IndexBits = 3,
    parameter int SigBits = 16,
    parameter int FractionBits = 13,
    parameter int QueryBits = 8,
    parameter int CentroidBits = 8,
    parameter int ExpBits = 5,
    parameter int States = 0,
    parameter bit Unbiased = 1'b0,
    parameter bit Exact = 1'b0,
    parameter int CopyBits = 16,
    parameter bit Center = 1'b0,
    parameter int CenterExponent = 1,
    localparam int Rows = HeadDim / Lanes,
    localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int Levels = (States > 0) ? 2 << IndexBits : 1 << IndexBits,
    localparam int Boundaries = (States > 0) ? 1 << IndexBits : Levels - 1,
    localparam int RecordBits = HeadDim * IndexBits + 16
) (
    input  wire logic                              clk_i,
    input  wire logic                              rst_ni,
    input  wire logic        [        HeadDim-1:0] signs_i,
    input  wire logic        [  Boundaries*20-1:0] boundaries_i,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic        [     HeadDim*16-1:0] center_i,
    // Beats of a vector.
    input  wire logic                              valid_i,
    input  wire logic                              last_i,
    input  wire logic                              query_i,
    input  wire logic        [        RowBits-1:0] row_i,
    input  wire logic        [       Lanes*16-1:0] data_i,
    output logic                                   rejected_o,  // NaN or infinity: nothing follows
    output logic                                   rejected_query_o,
    // Record of a key; {scale_refused, norm_saturated: clamped to 65504}.
    output logic                                   record_valid_o,
    output logic             [                1:0] record_events_o,
    output logic             [     RecordBits-1:0] record_o,
    // Rows of a rotated query.
    output logic                                   query_valid_o,
    output logic                                   query_last_o,
    output logic             [Lanes*QueryBits-1:0] query_o,
    output logic signed      [               11:0] query_exponent_o,
    // Rows of the copy of a key, before its record.
    output logic                                   copy_valid_o,
    output logic                                   copy_last_o,
    output logic             [ Lanes*CopyBits-1:0] copy_o,
    output logic signed      [               11:0] copy_exponent_o
);
  localparam int AlignedBits = SigBits + 32'(Center);
  localparam int RotatedBits = AlignedBits + $clog2(HeadDim);
  localparam int SumBits = 2 * (AlignedBits - 1) + $clog2(HeadDim);
  localparam int RootBits = (SumBits + 1) / 2;
  localparam int RootDelay = RootBits + 5 - $clog2(Rows);
  localparam int RowDelay = (RootDelay > Rows + 2) ? RootDelay : Rows + 2;

  `AXELRAM_REQUIRE(head_dim_power_of_two_in_32_to_256,
                   HeadDim >= 32 && HeadDim <= 256 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(lanes_power_of_two_up_to_head_dim,
                   Lanes >= 1 && Lanes <= HeadDim && (Lanes & (Lanes - 1)) == 0)

  // ---- Align, center, rotate
  logic signed_valid, signed_last, signed_query, rotated_valid, rotated_query;
  logic row_next, row_next_query, row_valid, row_query;
  logic [ExpBits-1:0] signed_exponent;
  logic [Lanes*AlignedBits-1:0] signed_row;
  logic [Lanes*RotatedBits-1:0] rotated, row;

  axelram_rotate #(
      .HeadDim       (HeadDim),
      .Lanes         (Lanes),
      .ExpBits       (ExpBits),
      .SigBits       (SigBits),
      .Center        (Center),
      .CenterExponent(CenterExponent),
      .Delay         (RowDelay)
  ) u_rotate (
      .clk_i,
      .rst_ni,
      .signs_i,
      .center_i,
      .valid_i,
      .last_i,
      .query_i,
      .row_i,
      .data_i,
      .rejected_o,
      .rejected_query_o,
      .signed_valid_o   (signed_valid),
      .signed_last_o    (signed_last),
      .signed_query_o   (signed_query),
      .signed_exponent_o(signed_exponent),
      .signed_o         (signed_row),
      .rotated_valid_o  (rotated_valid),
      .rotated_query_o  (rotated_query),
      .rotated_o        (rotated),
      .next_o           (row_next),
      .next_query_o     (row_next_query),
      .valid_o          (row_valid),
      .query_o          (row_query),
      .data_o           (row)
  );

  // ---- Keys: norm, thresholds, indices, record
  logic sum_valid, plain_valid, plain_saturated;
  logic [ExpBits-1:0] sum_exponent;
  logic [SumBits-1:0] sum;
  logic [RootBits-1:0] root;
  logic [15:0] plain_norm;
  axelram_norm #(
      .Lanes  (Lanes),
      .Rows   (Rows),
      .Bits   (AlignedBits),
      .ExpBits(ExpBits),
      .SigBits(SigBits),
      .Rounded(!Unbiased)
  ) u_norm (
      .clk_i,
      .rst_ni,
      .valid_i       (signed_valid && !signed_query),
      .last_i        (signed_last),
      .exponent_i    (signed_exponent),
      .data_i        (signed_row),
      .sum_valid_o   (sum_valid),
      .sum_exponent_o(sum_exponent),
      .sum_o         (sum),
      .root_o        (root),
      .valid_o       (plain_valid),
      .norm_o        (plain_norm),
      .saturated_o   (plain_saturated)
  );

  localparam int CorrelationBits = AlignedBits + CentroidBits + (3 * $clog2(HeadDim) + 1) / 2 - 1;
  localparam int IndexLanes = (States > 0) ? 1 : Lanes;
  localparam int Interval = (States > 0) ? HeadDim + 4 : Rows;
  logic correlation_valid, indices_valid, indices_first, indices_last;
  logic signed [CorrelationBits-1:0] correlation;
  logic [IndexLanes*IndexBits-1:0] indices;
  axelram_indices #(
      .HeadDim        (HeadDim),
      .Lanes          (Lanes),
      .Bits           (RotatedBits),
      .RootBits       (RootBits),
      .IndexBits      (IndexBits),
      .States         (States),
      .FractionBits   (FractionBits),
      .WordBits       (CentroidBits),
      .CorrelationBits(CorrelationBits),
      .Unbiased       (Unbiased)
  ) u_indices (
      .clk_i,
      .rst_ni,
      .words_i            (boundaries_i),
      .centroids_i,
      .root_i             (root),
      .next_i             (row_next && !row_next_query),
      .valid_i            (row_valid && !row_query),
      .data_i             (row),
      .correlation_valid_o(correlation_valid),
      .correlation_o      (correlation),
      .valid_o            (indices_valid),
      .first_o            (indices_first),
      .last_o             (indices_last),
      .indices_o          (indices)
  );

  // Keys between their sum or plain norm and their record, at most.
  localparam int Way = Rows + $clog2(HeadDim) + RowDelay + ((States > 0) ? 2 * HeadDim + 12 : IndexBits - 1);
  logic norm_valid;
  logic [1:0] norm_events;
  logic [15:0] norm;
  axelram_record_norm #(
      .HeadDim        (HeadDim),
      .Interval       (Interval),
      .WordBits       (CentroidBits),
      .SumBits        (SumBits),
      .CorrelationBits(CorrelationBits),
      .ExpBits        (ExpBits),
      .SigBits        (SigBits),
      .Waiting        (1 << $clog2(Way / Interval + 1)),
      .Unbiased       (Unbiased),
      .Trellis        (States > 0)
  ) u_record_norm (
      .clk_i,
      .rst_ni,
      .sum_valid_i        (sum_valid),
      .sum_exponent_i     (sum_exponent),
      .sum_i              (sum),
      .plain_valid_i      (plain_valid),
      .plain_norm_i       (plain_norm),
      .plain_saturated_i  (plain_saturated),
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
      .HeadDim   (HeadDim),
      .Lanes     (IndexLanes),
      .IndexBits (IndexBits),
      .LateNorm  (Unbiased || States > 0),
      .Descending(States > 0)
  ) u_record (
      .clk_i,
      .rst_ni,
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

  // ---- Queries, and copies of keys
  axelram_query_rounding #(
      .Lanes    (Lanes),
      .Rows     (Rows),
      .Bits     (RotatedBits),
      .QueryBits(QueryBits),
      .ExpBits  (ExpBits),
      .SigBits  (SigBits)
  ) u_query_rounding (
      .clk_i,
      .rst_ni,
      .exponent_valid_i(signed_valid && signed_last && signed_query),
      .early_valid_i   (rotated_valid && rotated_query),
      .exponent_i      (signed_exponent),
      .early_i         (rotated),
      .late_valid_i    (row_valid && row_query),
      .late_i          (row),
      .valid_o         (query_valid_o),
      .last_o          (query_last_o),
      .query_o,
      .exponent_o      (query_exponent_o)
  );

  if (Exact) begin : g_copy
    localparam int Waiting = (Rows + $clog2(HeadDim) + RowDelay) / Rows + 2;
    axelram_query_rounding #(
        .Lanes    (Lanes),
        .Rows     (Rows),
        .Bits     (RotatedBits),
        .QueryBits(CopyBits),
        .ExpBits  (ExpBits),
        .SigBits  (SigBits),
        .Waiting  (1 << $clog2(Waiting))
    ) u_copy_rounding (
        .clk_i,
        .rst_ni,
        .exponent_valid_i(signed_valid && signed_last && !signed_query),
        .early_valid_i   (rotated_valid && !rotated_query),
        .exponent_i      (signed_exponent),
        .early_i         (rotated),
        .late_valid_i    (row_valid && !row_query),
        .late_i          (row),
        .valid_o         (copy_valid_o),
        .last_o          (copy_last_o),
        .query_o         (copy_o),
        .exponent_o      (copy_exponent_o)
    );
  end else begin : g_copy
    assign {copy_valid_o, copy_last_o, copy_o, copy_exponent_o} = '0;
  end

  `AXELRAM_KNOWN(valids_known, {rejected_o, record_valid_o, query_valid_o, copy_valid_o})
endmodule

`default_nettype wire

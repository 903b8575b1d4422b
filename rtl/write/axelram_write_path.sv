/// Vectors become records or rotated queries on one circuit (references.md#axelram, sections III-A and
/// III-B, figure 2).
///
///   beat -> rotate -> key_part ------> record
///           ^  '----> query_rounding -> query, copy
///           '- second_pass <-'
///
/// Exact: a key is also rounded to CopyBits, as a query is. Unbiased: the norm is that of axelram_scale.
/// States > 0: the indices are those of axelram_trellis. Residual: residuals of keys and rounded queries pass
/// the network once more (axelram_second_pass).
///
/// A vector is Rows = HeadDim/Lanes beats of Lanes elements, every beat accepted. ROM contents are
/// constant inputs: signs (bit i of element i; Residual: those of the second pass above them), boundaries B_j or the
/// upper half of the level words (20 bits each; Residual: that of the reconstruction words above them),
/// centroids C_j (CentroidBits each), center (16 bits each, raw floats).
/// Latency from the last beat, n = log2(HeadDim), L = 3 + Center + n + RowDelay + 2*Rows: the last row of a
/// query or copy L cycles; a record L + 1, Unbiased log2(Lanes) + IndexBits + 17 more, or with a trellis
/// L - Rows + 2*HeadDim + IndexBits + log2(States) + 4. Residual: a record n + RowDelay + 2*Rows + 5 later, the last
/// row v n + RowDelay + Rows + 1 after that of u.
/// Throughput: a beat per cycle; the last beats of two keys are HeadDim + 4 cycles apart with a trellis,
/// n + RowDelay + 3*Rows + 5 with Residual.
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
    parameter bit Residual = 1'b0,
    parameter bit Exact = 1'b0,
    parameter int CopyBits = 16,
    parameter bit Center = 1'b0,
    parameter int CenterExponent = 1,
    localparam int Rows = HeadDim / Lanes,
    localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int Levels = (States > 0) ? 2 << IndexBits : 1 << IndexBits,
    localparam int Boundaries = (States > 0) ? 1 << IndexBits : Levels - 1,
    localparam int Words = Boundaries + (Residual ? Levels / 2 : 0),
    localparam int Passes = Residual ? 2 : 1,
    localparam int RecordBits = HeadDim * (IndexBits + 32'(Residual)) + (Residual ? 32 : 16)
) (
    input  wire logic                              clk_i,
    input  wire logic                              rst_ni,
    input  wire logic        [ Passes*HeadDim-1:0] signs_i,
    input  wire logic        [       Words*20-1:0] boundaries_i,
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
    // Rows of a rotated query u; then, Residual, rows v of the query rotated twice.
    output logic                                   query_valid_o,
    output logic                                   residual_valid_o,
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
  localparam int NetBits = (Residual && QueryBits > AlignedBits) ? QueryBits : AlignedBits;
  localparam int RotatedBits = NetBits + $clog2(HeadDim);
  localparam int FieldBits = Residual ? ExpBits + 2 : ExpBits;
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
  logic signed_second, row_next_second, row_second, back_valid, back_query, rounded_valid;
  logic [FieldBits-1:0] signed_exponent, back_exponent;
  logic [Lanes*NetBits-1:0] signed_row, back;
  logic [Lanes*RotatedBits-1:0] rotated, row;

  axelram_rotate #(
      .HeadDim       (HeadDim),
      .Lanes         (Lanes),
      .ExpBits       (ExpBits),
      .SigBits       (SigBits),
      .Center        (Center),
      .CenterExponent(CenterExponent),
      .Delay         (RowDelay),
      .Residual      (Residual),
      .QueryBits     (QueryBits)
  ) u_rotate (
      .clk_i,
      .rst_ni,
      .signs_i, .center_i, .valid_i, .last_i, .query_i, .row_i, .data_i,
      .back_valid_i     (back_valid),
      .back_query_i     (back_query),
      .back_exponent_i  (back_exponent),
      .back_i           (back),
      .rejected_o,
      .rejected_query_o,
      .signed_valid_o   (signed_valid),
      .signed_last_o    (signed_last),
      .signed_query_o   (signed_query),
      .signed_second_o  (signed_second),
      .signed_exponent_o(signed_exponent),
      .signed_o         (signed_row),
      .rotated_valid_o  (rotated_valid),
      .rotated_query_o  (rotated_query),
      .rotated_o        (rotated),
      .next_o           (row_next),
      .next_query_o     (row_next_query),
      .next_second_o    (row_next_second),
      .valid_o          (row_valid),
      .query_o          (row_query),
      .second_o         (row_second),
      .data_o           (row)
  );

  // ---- Keys
  localparam int FirstBits = HeadDim * IndexBits + 16;
  logic key_next, first_valid, plain_saturated;
  assign key_next = row_next && !row_next_query && !row_next_second;
  logic [1:0] first_events;
  logic [15:0] plain_norm;
  logic [RootBits-1:0] root;
  logic [Lanes*IndexBits-1:0] nearest;
  logic [Lanes*AlignedBits-1:0] signed_key;
  logic [FirstBits-1:0] first;
  for (genvar i = 0; i < Lanes; i++) begin : g_key
    assign signed_key[i*AlignedBits+:AlignedBits] = signed_row[i*NetBits+:AlignedBits];
  end
  axelram_key_part #(
      .HeadDim     (HeadDim),
      .Lanes       (Lanes),
      .IndexBits   (IndexBits),
      .AlignedBits (AlignedBits),
      .RotatedBits (RotatedBits),
      .RootBits    (RootBits),
      .SigBits     (SigBits),
      .FractionBits(FractionBits),
      .CentroidBits(CentroidBits),
      .ExpBits     (ExpBits),
      .FieldBits   (FieldBits),
      .RowDelay    (RowDelay),
      .States      (States),
      .Unbiased    (Unbiased)
  ) u_part (
      .clk_i,
      .rst_ni,
      .words_i          (boundaries_i[Boundaries*20-1:0]),
      .centroids_i,
      .signed_valid_i   (signed_valid && !signed_query),
      .signed_last_i    (signed_last),
      .signed_exponent_i(signed_exponent),
      .signed_i         (signed_key),
      .row_next_i       (key_next),
      .row_valid_i      (row_valid && !row_query && !row_second),
      .row_i            (row),
      .root_o           (root),
      .plain_norm_o     (plain_norm),
      .plain_saturated_o(plain_saturated),
      .nearest_o        (nearest),
      .record_valid_o   (first_valid),
      .record_events_o  (first_events),
      .record_o         (first)
  );

  // ---- Second pass: the residual of a key, or a rounded query
  localparam int ShiftBits = $clog2(RotatedBits - QueryBits + 1);
  logic [ShiftBits-1:0] query_shift;
  if (Residual) begin : g_second_pass
    axelram_second_pass #(
        .HeadDim     (HeadDim),
        .Lanes       (Lanes),
        .IndexBits   (IndexBits),
        .AlignedBits (AlignedBits),
        .NetBits     (NetBits),
        .RootBits    (RootBits),
        .FractionBits(FractionBits),
        .QueryBits   (QueryBits),
        .FieldBits   (FieldBits)
    ) u_second_pass (
        .clk_i,
        .rst_ni,
        .words_i          (boundaries_i[Words*20-1:Boundaries*20]),
        .signed_valid_i   (signed_valid),
        .signed_second_i  (signed_second),
        .signed_exponent_i(signed_exponent),
        .root_i           (root),
        .norm_i           (plain_norm),
        .norm_saturated_i (plain_saturated),
        .row_next_i       (key_next),
        .row_valid_i      (row_valid),
        .row_query_i      (row_query),
        .row_second_i     (row_second),
        .row_i            (row),
        .nearest_i        (nearest),
        .first_valid_i    (first_valid),
        .first_events_i   (first_events),
        .first_i          (first),
        .rounded_valid_i  (rounded_valid),
        .rounded_shift_i  (query_shift),
        .rounded_i        (query_o),
        .query_valid_o, .residual_valid_o,
        .back_valid_o     (back_valid),
        .back_query_o     (back_query),
        .back_exponent_o  (back_exponent),
        .back_o           (back),
        .record_valid_o, .record_events_o, .record_o
    );
  end else begin : g_one_pass
    assign {back_valid, back_query, back_exponent, back, residual_valid_o} = '0;
    assign query_valid_o = rounded_valid;
    assign {record_valid_o, record_events_o, record_o} = {first_valid, first_events, first};
    logic unused;
    assign unused = ^{root, plain_norm, plain_saturated, nearest, query_shift, signed_second, row_second,
                      row_next_second};
  end

  // ---- Queries, and copies of keys
  axelram_query_rounding #(
      .Lanes    (Lanes),
      .Rows     (Rows),
      .Bits     (RotatedBits),
      .QueryBits(QueryBits),
      .ExpBits  (ExpBits),
      .SigBits  (SigBits),
      .FieldBits(FieldBits)
  ) u_query_rounding (
      .clk_i,
      .rst_ni,
      .exponent_valid_i(signed_valid && signed_last && signed_query),
      .early_valid_i   (rotated_valid && rotated_query),
      .exponent_i      (signed_exponent),
      .early_i         (rotated),
      .late_valid_i    (row_valid && row_query),
      .late_i          (row),
      .late_shift_o    (query_shift),
      .valid_o         (rounded_valid),
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
        .late_shift_o    (copy_shift),
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

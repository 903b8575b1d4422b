/// Vectors become records or rotated queries on one circuit (references.md#axelram, sections III-A
/// and III-B, figure 2).
///
///   beat -> rotate -> key_path ------> record
///           ^  '----> query_path -> query, copy
///           '-- key_path, query <-'
///
/// Exact: a key is also rounded to CopyBits, as a query is. Unbiased: the norm is that of
/// axelram_scale.
/// States > 0: the indices are those of axelram_trellis. Residual: residuals of keys and rounded
/// queries pass the network once more (axelram_second_pass). SplitBits > 0: sub-vector 0 has
/// IndexBits, sub-vector 1 SplitBits; a row has elements of both, lanes 0 to Lanes/2 - 1 those of
/// sub-vector 0 (axelram_rotate).
/// Values: vectors with value_i become records as keys do, without center and copy, and rows sums_i
/// of a query are rotated back, up to the signs: turned_o, log2(HeadDim) + Rows later
/// (bit-contract.md#attention-output). Group: queries that may follow each other directly.
///
/// A vector is Rows = HeadDim/Lanes beats of Lanes elements, every beat accepted. ROM contents are
/// constant inputs: signs (bit i of element i of the rows; Residual: those of the second pass above
/// them), boundaries B_j or the upper half of the level words (20 bits each; above them those of
/// sub-vector 1, or the upper half of the reconstruction words), centroids C_j (CentroidBits each;
/// those of sub-vector 1 above), center (16 bits each, raw floats, in the order of the rows; its
/// largest exponent field, 1 or more), with Balance exponents (4 bits each, signed, in the order of
/// a vector's channels; bit-contract.md#exponents).
/// Latency from the last beat, n = log2(HeadDim), SplitBits one less, L = 3 + Center + n + RowDelay
/// + 2*Rows: the last row of a query or copy L cycles; a record L + 1, Unbiased log2(Lanes) +
/// IndexBits + 17 more (of half of the lanes with SplitBits), or with a trellis L - Rows + 2*2^n +
/// IndexBits + log2(States) + 4. Residual: a record n + RowDelay + 2*Rows + 5 later, the last row v
/// n + RowDelay + Rows + 1 after that of u.
/// Throughput: a beat per cycle; cycles from the last beat of a key to that of the next vector: 2^n
/// + 4 with a trellis, n + RowDelay + 3*Rows + 5 with Residual, 2*Rows - 1 at least with SplitBits.
/// ClockGating: registers have a clock in cycles with a beat, and up to the record of a key behind
/// its last beat.
`include "axelram_macros.svh"
`default_nettype none

module axelram_write_path #(
    parameter int  HeadDim      = 128,
    parameter int  Lanes        = 128,
    parameter int  IndexBits    = 3,
    parameter int  SigBits      = 16,
    parameter int  FractionBits = 13,
    parameter int  QueryBits    = 8,
    parameter int  CentroidBits = 8,
    parameter int  ExpBits      = 5,
    parameter int  States       = 0,
    parameter bit  Unbiased     = 1'b0,
    parameter bit  Residual     = 1'b0,
    parameter bit  Values       = 1'b0,
    parameter int  Group        = 1,
    parameter int  SplitBits    = 0,
    parameter bit [HeadDim*8-1:0] Order = '0,
    parameter bit  Exact        = 1'b0,
    parameter int  CopyBits     = 16,
    parameter bit  Center       = 1'b0,
    parameter bit  Balance      = 1'b0,
    parameter bit  ClockGating  = 1'b0,
    localparam int Rows         = HeadDim / Lanes,
    localparam int RowBits      = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int Levels       =
        axelram_sizes::levels(IndexBits, States) + axelram_sizes::levels(SplitBits, States),
    localparam int Words        = axelram_sizes::words(IndexBits, SplitBits, Residual, States),
    localparam int Passes       = Residual ? 2 : 1,
    localparam int EventBits    = (SplitBits > 0) ? 4 : 2,
    localparam int RecordBits   =
        axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits),
    localparam int TurnedBits   = SigBits + $clog2(HeadDim)
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic        [     Passes*HeadDim-1:0] signs_i,
    input  wire logic        [           Words*20-1:0] boundaries_i,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic        [          HeadDim*4-1:0] balance_i,
    input  wire logic        [         HeadDim*16-1:0] center_i,
    input  wire logic        [            ExpBits-1:0] center_exponent_i,
    // Beats of a vector.
    input  wire logic                                  valid_i,
    input  wire logic                                  last_i,
    input  wire logic                                  query_i,
    input  wire logic                                  value_i,
    input  wire logic        [            RowBits-1:0] row_i,
    input  wire logic        [           Lanes*16-1:0] data_i,
    // Rows of sums.
    input  wire logic                                  sums_valid_i,
    input  wire logic        [      Lanes*SigBits-1:0] sums_i,
    output logic                                       turned_valid_o,
    output logic             [   Lanes*TurnedBits-1:0] turned_o,
    // NaN or infinity: nothing follows
    output logic                                       rejected_o,
    output logic                                       rejected_query_o,
    // Record of a key; {scale_refused, norm_saturated: clamped to 65504}.
    output logic                                       record_valid_o,
    output logic             [          EventBits-1:0] record_events_o,
    output logic             [         RecordBits-1:0] record_o,
    // Rows of a rotated query u; then, Residual, rows v of the query rotated twice.
    output logic                                       query_valid_o,
    output logic                                       residual_valid_o,
    output logic                                       query_last_o,
    output logic             [    Lanes*QueryBits-1:0] query_o,
    output logic      signed [                   11:0] query_exponent_o,
    // Rows of the copy of a key, before its record.
    output logic                                       copy_valid_o,
    output logic                                       copy_last_o,
    output logic             [     Lanes*CopyBits-1:0] copy_o,
    output logic      signed [                   11:0] copy_exponent_o
);
  localparam int AlignedBits = SigBits + 32'(Center);
  localparam int NetBits = (Residual && QueryBits > AlignedBits) ? QueryBits : AlignedBits;
  localparam int Size = axelram_sizes::log2_size(HeadDim, SplitBits);
  localparam int RotatedBits = NetBits + Size;
  localparam int FieldBits = (Residual || Balance) ? ExpBits + 2 : ExpBits;
  localparam int RootBits = axelram_sizes::root_bits(SigBits, Center, Size);
  localparam int RowDelay = axelram_sizes::row_delay(RootBits, Rows);

  `AXELRAM_REQUIRE(head_dim_power_of_two_in_32_to_256,
                   HeadDim >= 32 && HeadDim <= 256 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(lanes_power_of_two_up_to_head_dim,
                   Lanes >= 1 && Lanes <= HeadDim && (Lanes & (Lanes - 1)) == 0)

  // ---- Clock
  // A record is the last that leaves behind a beat; its valid flag falls a cycle later.
  localparam int QueryCycles = 3 + 32'(Center) + Size + RowDelay + 2 * Rows;
  localparam int ScaleCycles = Unbiased ?
      $clog2((SplitBits > 0) ? Lanes / 2 : Lanes) + IndexBits + 17 : 0;
  localparam int SecondCycles = Residual ? Size + RowDelay + 2 * Rows + 5 : 0;
  localparam int RecordCycles = (States > 0) ?
      QueryCycles - Rows + (2 << Size) + IndexBits + $clog2(States) + 4 :
      QueryCycles + 1 + ScaleCycles + SecondCycles;
  logic clk;
  if (ClockGating) begin : g_gated
    logic running, unused;
    assign unused = running;
    axelram_pipeline_clock #(.Cycles(RecordCycles)) u_clock (
        .clk_i, .rst_ni,
        .valid_i  (valid_i || sums_valid_i),
        .running_o(running),
        .clk_o    (clk)
    );
    `AXELRAM_ASSERT(nothing_leaves_without_a_clock,
                    !running |->
                    {rejected_o, record_valid_o, query_valid_o, residual_valid_o, copy_valid_o,
                    turned_valid_o} == '0)
    `AXELRAM_COVER(clock_stands, !running)
  end else begin : g_running
    assign clk = clk_i;
  end

  // ---- Align, center, rotate
  logic signed_valid, signed_last, signed_query, rotated_valid, rotated_query, rotated_second;
  logic row_next, row_next_query, row_valid, row_query;
  logic signed_second, row_next_second, row_second, back_valid, back_query, rounded_valid;
  logic [FieldBits-1:0] signed_exponent, back_exponent;
  logic [Lanes*NetBits-1:0] signed_row, back, sums;
  logic [Lanes*RotatedBits-1:0] rotated, row;

  axelram_rotate #(
      .HeadDim(HeadDim), .Lanes(Lanes), .ExpBits(ExpBits), .SigBits(SigBits), .Center(Center),
      .Balance(Balance),
      .Delay(RowDelay),
      .Residual(Residual), .Values(Values), .QueryBits(QueryBits),
      .Split(SplitBits > 0),
      .Order(Order)
  ) u_rotate (
      .clk_i            (clk),
      .rst_ni, .signs_i, .balance_i, .center_i, .center_exponent_i, .valid_i, .last_i, .query_i,
      .value_i, .row_i, .data_i,
      .back_valid_i     (Values ? sums_valid_i : back_valid),
      .back_query_i     (Values || back_query),
      .back_exponent_i  (back_exponent),
      .back_i           (Values ? sums : back),
      .rejected_o, .rejected_query_o,
      .signed_valid_o   (signed_valid),
      .signed_last_o    (signed_last),
      .signed_query_o   (signed_query),
      .signed_second_o  (signed_second),
      .signed_exponent_o(signed_exponent),
      .signed_o         (signed_row),
      .rotated_valid_o  (rotated_valid),
      .rotated_query_o  (rotated_query),
      .rotated_second_o (rotated_second),
      .rotated_o        (rotated),
      .next_o           (row_next),
      .next_query_o     (row_next_query),
      .next_second_o    (row_next_second),
      .valid_o          (row_valid),
      .query_o          (row_query),
      .second_o         (row_second),
      .data_o           (row)
  );

  // ---- Sums
  assign turned_valid_o = Values && rotated_valid && rotated_query && rotated_second;
  for (genvar i = 0; i < Lanes; i++) begin : g_sums
    assign sums[i*NetBits+:NetBits] = NetBits'($signed(sums_i[i*SigBits+:SigBits]));
    assign turned_o[i*TurnedBits+:TurnedBits] =
        TurnedBits'($signed(rotated[i*RotatedBits+:RotatedBits]));
  end

  // ---- Keys, and second passes
  localparam int ShiftBits = $clog2(RotatedBits - QueryBits + 1);
  logic [ShiftBits-1:0] query_shift;
  axelram_key_path #(
      .HeadDim(HeadDim), .Lanes(Lanes), .IndexBits(IndexBits), .SplitBits(SplitBits),
      .AlignedBits(AlignedBits), .NetBits(NetBits), .RotatedBits(RotatedBits), .RootBits(RootBits),
      .SigBits(SigBits), .FractionBits(FractionBits), .QueryBits(QueryBits),
      .CentroidBits(CentroidBits), .ExpBits(ExpBits), .FieldBits(FieldBits), .RowDelay(RowDelay),
      .States(States), .Unbiased(Unbiased), .Residual(Residual), .Values(Values)
  ) u_key_path (
      .clk_i            (clk),
      .rst_ni,
      .words_i          (boundaries_i),
      .centroids_i,
      .signed_valid_i   (signed_valid),
      .signed_last_i    (signed_last),
      .signed_query_i   (signed_query),
      .signed_second_i  (signed_second),
      .signed_exponent_i(signed_exponent),
      .signed_i         (signed_row),
      .row_next_i       (row_next),
      .row_next_query_i (row_next_query),
      .row_next_second_i(row_next_second),
      .row_valid_i      (row_valid),
      .row_query_i      (row_query),
      .row_second_i     (row_second),
      .row_i            (row),
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

  // ---- Queries, and copies of keys
  axelram_query_path #(
      .HeadDim(HeadDim), .Lanes(Lanes), .RotatedBits(RotatedBits), .QueryBits(QueryBits),
      .ExpBits(ExpBits), .SigBits(SigBits), .FieldBits(FieldBits), .RowDelay(RowDelay),
      .Group(Group), .Values(Values), .Exact(Exact), .CopyBits(CopyBits)
  ) u_query_path (
      .clk_i            (clk),
      .rst_ni,
      .signed_valid_i   (signed_valid),
      .signed_last_i    (signed_last),
      .signed_query_i   (signed_query),
      .signed_second_i  (signed_second),
      .signed_exponent_i(signed_exponent),
      .rotated_valid_i  (rotated_valid),
      .rotated_query_i  (rotated_query),
      .rotated_second_i (rotated_second),
      .rotated_i        (rotated),
      .row_valid_i      (row_valid),
      .row_query_i      (row_query),
      .row_second_i     (row_second),
      .row_i            (row),
      .query_valid_o    (rounded_valid),
      .query_last_o, .query_o, .query_exponent_o,
      .shift_o          (query_shift),
      .copy_valid_o, .copy_last_o, .copy_o, .copy_exponent_o
  );

  `AXELRAM_KNOWN(valids_known,
                 {rejected_o, record_valid_o, query_valid_o, copy_valid_o, turned_valid_o})
endmodule

`default_nettype wire

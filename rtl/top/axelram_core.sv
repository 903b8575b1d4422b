/// The arithmetic of the macro: vectors become records or a rotated query, and records become
/// scores under that query (references.md#axelram, figure 2). It holds no key but the copies of
/// exact tokens.
///
///   beats -> record_input -> record
///        '-> write_path ---> record      record -> read_path -> score
///              |   '--------- query -------------^   ^
///              '---- copy ------> exact -------------'
///
/// Beats, ROM contents and ClockGating: axelram_write_path, beat_* being its stream; beat_record_i:
/// of a record from outside (axelram_record_input). record_valid_o, record_o and rejected_o: a
/// key's record, or none. loaded_o: the last row of a query is in the table; build_i and built_o:
/// axelram_score_table; ScoreLane and Latches: axelram_lookup. lookup_*_i: row lookup_row_i of
/// read_record_i is looked up (axelram_read_path), and its score waits in a FIFO of Outstanding
/// places. clear_i to copy_ready_o, and read_i: axelram_exact. Latency: from the last beat to
/// record_valid_o or loaded_o as axelram_write_path, from the first row of a lookup to
/// score_valid_o as axelram_read_path, and 1.
`include "axelram_macros.svh"
`default_nettype none

module axelram_core #(
    parameter int        HeadDim        = 128,
    parameter int        KeyLanes       = 128,
    parameter int        ReadLanes      = 128,
    parameter int        ScoreLane      = 0,
    parameter bit        Latches        = 1'b0,
    parameter int        Multipliers    = 8,
    parameter int        IndexBits      = 3,
    parameter int        SigBits        = 16,
    parameter int        FractionBits   = 13,
    parameter int        QueryBits      = 8,
    parameter int        CentroidBits   = 8,
    parameter int        ExpBits        = 5,
    parameter int        MaxKeys        = 4096,
    parameter int        Outstanding    = 32,
    parameter int        States         = 0,
    parameter bit        Unbiased       = 1'b0,
    parameter bit        Residual       = 1'b0,
    parameter bit [31:0] ResidualScale  = 32'd1,
    parameter int        SplitBits      = 0,
    parameter bit [HeadDim*8-1:0] Order = '0,
    parameter int        ExactFirst     = 0,
    parameter int        ExactLast      = 0,
    parameter int        CopyBits       = 16,
    parameter bit        Center         = 1'b0,
    parameter int        CenterExponent = 1,
    parameter bit        Balance        = 1'b0,
    parameter bit        ClockGating    = 1'b0,
    localparam int       Levels         =
        axelram_sizes::levels(IndexBits, States) + axelram_sizes::levels(SplitBits, States),
    localparam int       Words          =
        axelram_sizes::words(IndexBits, SplitBits, Residual, States),
    localparam int       Passes         = Residual ? 2 : 1,
    localparam int       EventBits      = (SplitBits > 0) ? 4 : 2,
    localparam int       RecordBits     =
        axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits),
    localparam int       AddressBits    = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int       CountBits      = $clog2(MaxKeys + 1),
    localparam int       RowBits        = (HeadDim > KeyLanes) ? $clog2(HeadDim / KeyLanes) : 1,
    localparam int       ReadRowBits    = (HeadDim > ReadLanes) ? $clog2(HeadDim / ReadLanes) : 1
) (
    input  wire logic                           clk_i,
    input  wire logic                           rst_ni,
    // ROM contents, constant.
    input  wire logic [     Passes*HeadDim-1:0] signs_i,
    input  wire logic [           Words*20-1:0] boundaries_i,
    input  wire logic [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic [          HeadDim*4-1:0] balance_i,
    input  wire logic [         HeadDim*16-1:0] center_i,
    // Vector to record, or to rotated query.
    input  wire logic                           beat_i,
    input  wire logic                           beat_last_i,
    input  wire logic                           beat_query_i,
    input  wire logic                           beat_record_i,
    input  wire logic [            RowBits-1:0] beat_row_i,
    input  wire logic [        KeyLanes*16-1:0] beat_data_i,
    output logic                                record_waits_o,
    output logic                                rejected_o,
    output logic                                rejected_query_o,
    output logic                                record_valid_o,
    output logic      [          EventBits-1:0] record_events_o,
    output logic      [         RecordBits-1:0] record_o,
    output logic                                loaded_o,
    // Table and record to score.
    input  wire logic                           build_i,
    output logic                                built_o,
    input  wire logic                           lookup_i,
    input  wire logic [        ReadRowBits-1:0] lookup_row_i,
    input  wire logic                           lookup_last_i,
    input  wire logic                           lookup_last_key_i,
    input  wire logic                           lookup_copied_i,
    input  wire logic [         RecordBits-1:0] read_record_i,
    // Scores. A read needs free_o; clamped_o: a score was clamped to +-FLT_MAX.
    output logic                                free_o,
    output logic                                clamped_o,
    output logic                                score_valid_o,
    input  wire logic                           score_ready_i,
    output logic                                score_last_o,
    output logic                                score_saturated_o,
    output logic      [                   31:0] score_data_o,
    // Exact tokens.
    input  wire logic                           clear_i,
    input  wire logic [          CountBits-1:0] count_i,
    input  wire logic                           read_i,
    input  wire logic [        AddressBits-1:0] address_i,
    output logic                                copied_o,
    output logic                                copy_ready_o
);
  `AXELRAM_REQUIRE(head_dim_power_of_two_in_32_to_256,
                   HeadDim >= 32 && HeadDim <= 256 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(key_lanes_power_of_two_up_to_head_dim,
                   KeyLanes >= 1 && KeyLanes <= HeadDim && (KeyLanes & (KeyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(read_lanes_power_of_two_up_to_head_dim,
                   ReadLanes >= 1 && ReadLanes <= HeadDim && (ReadLanes & (ReadLanes - 1)) == 0)

  `AXELRAM_REQUIRE(center_exponent_of_a_finite_number,
                   CenterExponent >= 1 && CenterExponent < (1 << ExpBits) - 1)
  localparam bit Exact = ExactFirst + ExactLast > 0;
  localparam int Multiplied = (Multipliers < KeyLanes) ? Multipliers : KeyLanes;
  localparam int CopyLanes = Exact ? Multiplied : 0;
  localparam int CopyPorts = Exact ? Multiplied : 1;
  localparam int CopyProductBits = QueryBits + CopyBits;
  localparam int CopyAccBits = Exact ? CopyProductBits - 1 + $clog2(HeadDim) : 1;

  // ---- Keys and queries; records from outside
  logic key_record_valid, input_valid, query_valid, residual_valid, query_last, copy_valid,
      copy_last;
  logic [EventBits-1:0] key_record_events;
  logic [RecordBits-1:0] key_record, input_record;
  logic [KeyLanes*CopyBits-1:0] copy;
  logic [KeyLanes*QueryBits-1:0] query;
  logic signed [11:0] query_exponent, copy_exponent;
  logic [KeyLanes*(SigBits+$clog2(HeadDim)):0] unused_turned;
  axelram_write_path #(
      .HeadDim(HeadDim),
      .Lanes(KeyLanes),
      .IndexBits(IndexBits), .SigBits(SigBits), .FractionBits(FractionBits), .QueryBits(QueryBits),
      .CentroidBits(CentroidBits), .ExpBits(ExpBits), .States(States), .Unbiased(Unbiased),
      .Residual(Residual), .SplitBits(SplitBits), .Order(Order), .Exact(Exact), .CopyBits(CopyBits),
      .Center(Center), .Balance(Balance), .ClockGating(ClockGating)
  ) u_write_path (
      .clk_i, .rst_ni, .signs_i, .boundaries_i, .centroids_i, .balance_i, .center_i,
      .center_exponent_i(ExpBits'(CenterExponent)),
      .valid_i          (beat_i && !beat_record_i),
      .last_i           (beat_last_i),
      .query_i          (beat_query_i),
      .value_i          (1'b0),
      .sums_valid_i     (1'b0),
      .sums_i           ({KeyLanes*SigBits{1'b0}}),
      .row_i            (beat_row_i),
      .data_i           (beat_data_i),
      .turned_valid_o   (unused_turned[0]),
      .turned_o         (unused_turned[KeyLanes*(SigBits+$clog2(HeadDim)):1]),
      .rejected_o, .rejected_query_o,
      .record_valid_o   (key_record_valid),
      .record_events_o  (key_record_events),
      .record_o         (key_record),
      .query_valid_o    (query_valid),
      .residual_valid_o (residual_valid),
      .query_last_o     (query_last),
      .query_o          (query),
      .query_exponent_o (query_exponent),
      .copy_valid_o     (copy_valid),
      .copy_last_o      (copy_last),
      .copy_o           (copy),
      .copy_exponent_o  (copy_exponent)
  );
  assign loaded_o = (Residual ? residual_valid : query_valid) && query_last;

  axelram_record_input #(.RecordBits(RecordBits), .BeatBits(KeyLanes * 16)) u_record_input (
      .clk_i, .rst_ni,
      .beat_i    (beat_i && beat_record_i),
      .last_i    (beat_last_i),
      .data_i    (beat_data_i),
      .key_i     (beat_i && beat_last_i && !beat_query_i && !beat_record_i),
      .written_i (key_record_valid),
      .rejected_i(rejected_o && !rejected_query_o),
      .waits_o   (record_waits_o),
      .valid_o   (input_valid),
      .record_o  (input_record)
  );
  assign record_valid_o = key_record_valid || input_valid;
  assign record_events_o = input_valid ? '0 : key_record_events;
  assign record_o = input_valid ? input_record : key_record;

  `AXELRAM_COVER(record_stored, input_valid && count_i != CountBits'(MaxKeys))
  `AXELRAM_COVER(record_rejected, input_valid && count_i == CountBits'(MaxKeys))

  // ---- Exact tokens
  logic step, copy_take;
  logic [CopyPorts*CopyBits-1:0] step_elements;
  logic [CopyPorts*CopyProductBits-1:0] step_products;
  logic signed [CopyAccBits-1:0] copy_acc;
  logic signed [11:0] copy_score_exponent;
  if (Exact) begin : g_exact
    axelram_exact #(
        .HeadDim(HeadDim), .KeyLanes(KeyLanes), .CopyLanes(CopyLanes),
        .First(ExactFirst),
        .Last (ExactLast),
        .CopyBits(CopyBits), .QueryBits(QueryBits), .CentroidBits(CentroidBits), .MaxKeys(MaxKeys)
    ) u_exact (
        .clk_i, .rst_ni, .clear_i,
        .copy_valid_i    (copy_valid),
        .copy_last_i     (copy_last),
        .copy_i          (copy),
        .copy_exponent_i (copy_exponent),
        .record_i        (input_valid),
        .start_i         (built_o),
        .count_i,
        .query_exponent_i(query_exponent),
        .step_o          (step),
        .elements_o      (step_elements),
        .products_i      (step_products),
        .read_i, .address_i, .copied_o,
        .ready_o         (copy_ready_o),
        .take_i          (copy_take),
        .acc_o           (copy_acc),
        .exponent_o      (copy_score_exponent)
    );
  end else begin : g_records_only
    assign {step, step_elements, copy_acc, copy_score_exponent, copied_o} = '0;
    assign copy_ready_o = 1'b1;
    logic unused;
    assign unused =
        ^{clear_i, count_i, read_i, address_i, copy_valid, copy_last, copy, copy_exponent,
                      step_products, copy_take};
  end

  // ---- Scores
  logic score_valid, score_last, score_saturated;
  logic [31:0] score;
  axelram_read_path #(
      .HeadDim(HeadDim),
      .LoadLanes(KeyLanes),
      .ReadLanes(ReadLanes), .IndexBits(IndexBits), .States(States), .Residual(Residual),
      .ResidualScale(ResidualScale), .SplitBits(SplitBits), .QueryBits(QueryBits),
      .CentroidBits(CentroidBits), .ScoreLane(ScoreLane), .Latches(Latches),
      .Multipliers(Multipliers), .CopyLanes(CopyLanes), .CopyBits(CopyBits)
  ) u_read_path (
      .clk_i, .rst_ni, .centroids_i,
      .load_i         (query_valid),
      .load_residual_i(residual_valid),
      .query_i        (query),
      .exponent_i     (query_exponent),
      .build_i, .built_o,
      .valid_i        (lookup_i),
      .row_i          (lookup_row_i),
      .last_i         (lookup_last_i),
      .last_key_i     (lookup_last_key_i),
      .copied_i       (lookup_copied_i),
      .record_i       (read_record_i),
      .copy_i         (step),
      .copy_elements_i(step_elements),
      .copy_products_o(step_products),
      .copy_take_o    (copy_take),
      .copy_acc_i     (copy_acc),
      .copy_exponent_i(copy_score_exponent),
      .valid_o        (score_valid),
      .last_key_o     (score_last),
      .saturated_o    (score_saturated),
      .score_o        (score)
  );
  assign clamped_o = score_valid && score_saturated;

  axelram_score_fifo #(.Bits(34), .Depth(Outstanding)) u_score_fifo (
      .clk_i, .rst_ni,
      .reserve_i(read_i),
      .free_o,
      .valid_i  (score_valid),
      .data_i   ({score_saturated, score_last, score}),
      .valid_o  (score_valid_o),
      .ready_i  (score_ready_i),
      .data_o   ({score_saturated_o, score_last_o, score_data_o})
  );
endmodule

`default_nettype wire

/// The smart SRAM macro (references.md#axelram, figure 2): keys are rotated, quantized and stored
/// once; a query is rotated once and scored against every stored key by table lookup. This module
/// is the shell: reset, streams, sequence, memory, status. The core is the arithmetic.
///
///   vectors -> core --record--> store --record--> core -> scores
///
/// CodeN > 0 stores each record as codewords of CodeN bits for CodeK data bits; Decoder, ParityBit,
/// Parity, CodeStages, ScrubInterval and Erasure as in axelram_store. ExactFirst + ExactLast > 0:
/// axelram_exact.
/// Residual: the inner-product quantizer, with Z = ResidualScale. SplitBits > 0: a split, channels
/// in Order (axelram_align). ROM contents, constant inputs, cycles to a record or a rotated query,
/// ClockGating: axelram_write_path.
/// Cycles, no stalls:
///   key stored:   with its record; with a code: CodeStages later
///   first score:  HeadDim/ReadLanes + log2(ReadLanes) + 7 after its read (Residual: 3 later,
///                 SplitBits: 2), then one per HeadDim/ReadLanes; with a code:
///                 CodeStages + HeadDim/ReadLanes + 5 later
///   after reset:  ready 3 cycles after the release (with a code 2 + MaxKeys: the memory is
///                 initialised); until then busy_o is high, and inputs other than streams must
///                 be idle
/// No output depends on an input in the same cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_macro #(
    parameter int        HeadDim        = 128,
    parameter int        KeyLanes       = 128,
    parameter int        ReadLanes      = 128,
    parameter int        ScoreLane      = 0,
    parameter bit        Latches        = 1'b0,
    parameter int        Multipliers    = 8,
    parameter int        MaxKeys        = 4096,
    parameter int        IndexBits      = 3,
    parameter int        SigBits        = 16,
    parameter int        FractionBits   = 13,
    parameter int        QueryBits      = 8,
    parameter int        CentroidBits   = 8,
    parameter int        ExpBits        = 5,
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
    parameter int        CodeN          = 0,
    parameter int        CodeK          = 1,
    parameter int        Decoder        = 0,
    parameter int        ParityBit      = -1,
    parameter bit [((CodeN > CodeK) ? CodeK*(CodeN-CodeK) : 1)-1:0] Parity = '0,
    parameter int        CodeStages     = 0,
    parameter int        ScrubInterval  = 0,
    parameter int        Erasure        = 0,
    localparam int       Levels         =
        axelram_sizes::levels(IndexBits, States) + axelram_sizes::levels(SplitBits, States),
    localparam int       Words          =
        axelram_sizes::words(IndexBits, SplitBits, Residual, States),
    localparam int       Errors         = (States > 0 && Unbiased) ? 6 : 5,
    localparam int       Passes         = Residual ? 2 : 1,
    localparam int       SignBits       = Passes * HeadDim,
    localparam int       ChannelBits    = SignBits + (Balance ? 4 * HeadDim : 0),
    localparam int       RecordBits     =
        axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits),
    localparam int       StoredBits     = axelram_sizes::stored_bits(RecordBits, CodeN, CodeK),
    localparam int       AddressBits    = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int       CountBits      = $clog2(MaxKeys + 1)
) (
    input  wire logic                           clk_i,
    input  wire logic                           rst_ni,  // its release is synchronised here
    input  wire logic [        ChannelBits-1:0] signs_i,  // with Balance exponents above the signs
    input  wire logic [           Words*20-1:0] boundaries_i,
    input  wire logic [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic [         HeadDim*16-1:0] center_i,

    // Vectors: HeadDim/KeyLanes beats, element KeyLanes*beat + i at bits 16*i;
    // axelram_record_input.
    input  wire logic                           vector_valid_i,
    output logic                                vector_ready_o,
    input  wire logic                           vector_query_i,
    input  wire logic                           vector_record_i,
    input  wire logic [        KeyLanes*16-1:0] vector_data_i,

    // Score stream: FP32, one per stored key in order, for each query in order.
    output logic                                score_valid_o,
    input  wire logic                           score_ready_i,
    output logic      [                   31:0] score_data_o,
    output logic                                score_last_o,
    output logic                                score_saturated_o,
    input  wire logic                           clear_valid_i,  // of all keys
    output logic                                clear_ready_o,
    // Status: {scale_refused, score saturated, norm saturated, store full, query rejected, key
    // rejected}.
    output logic      [          CountBits-1:0] key_count_o,
    output logic                                busy_o,
    output logic                                query_done_o,
    input  wire logic                           errors_clear_i,
    output logic      [             Errors-1:0] errors_o,
    output logic      [          Errors*32-1:0] error_counts_o,
    // Code: registers (axelram_code_registers; load them while busy_o is low), counters {scrubbed,
    // ...}.
    input  wire logic                           ecc_load_i,
    input  wire logic [                    1:0] ecc_erasure_i,
    input  wire logic                           ecc_write_back_i,
    output logic      [               4*32-1:0] ecc_counts_o,
    output logic                                ecc_first_valid_o,
    output logic      [        AddressBits-1:0] ecc_first_address_o,
    // Injection of errors: axelram_inject.
    input  wire logic                           inject_load_i,
    input  wire logic [                    1:0] inject_mode_i,
    input  wire logic [         StoredBits-1:0] inject_mask_i,
    output logic                                inject_armed_o
);
  `AXELRAM_REQUIRE(code_bits_0_or_more_than_data_bits, CodeN == 0 || (CodeK >= 1 && CodeN > CodeK))

  localparam int Rows = HeadDim / KeyLanes, RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int ReadRows = HeadDim / ReadLanes,
      ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1;
  localparam bit Protected = CodeN > 0, Split = SplitBits > 0;
  // Cycles behind a key without a vector: a search (axelram_trellis), a second pass
  // (axelram_write_path), or the rows of a split key (axelram_align).
  localparam int Size = axelram_sizes::log2_size(HeadDim, SplitBits);
  localparam int RowDelay =
      axelram_sizes::row_delay(axelram_sizes::root_bits(SigBits, Center, Size), Rows);
  localparam int SecondWait = 5 + Size + 2 * Rows + RowDelay;
  localparam int SearchWait = (1 << Size) + 4 - Rows, RowWait = Split ? Rows - 1 : 0;
  localparam int KeyWait = Residual ? SecondWait : (States > 0 && SearchWait > RowWait) ?
      SearchWait : RowWait;
  localparam int Late = axelram_sizes::code_delay(CodeN, CodeStages, ReadRows) +
      (Split ? 2 : Residual ? 3 : 0);
  localparam int Outstanding = axelram_sizes::outstanding(ReadRows, ReadLanes, Late);
  logic [HeadDim*4-1:0] balance;
  if (Balance) begin : g_balance
    assign balance = signs_i[ChannelBits-1-:4*HeadDim];
  end else begin : g_balance
    assign balance = '0;
  end
  logic rst_n;
  axelram_reset_sync u_reset_sync (.clk_i, .rst_ni, .rst_no(rst_n));

  // ---- Sequence
  logic beat, beat_last, beat_query, beat_record, record_waits, clear, rejected, rejected_query;
  logic record_valid, copied, copy_ready, ready, done, stored, full, idle, arrived, arrived_last;
  logic [RowBits-1:0] beat_row;
  logic loaded, build, built, read, read_last, free, lookup, lookup_last, lookup_last_key,
      lookup_copied;
  logic [ReadRowBits-1:0] lookup_row;
  logic [AddressBits-1:0] read_address;

  axelram_control #(
      .Rows(Rows),
      .Beats((RecordBits + KeyLanes * 16 - 1) / (KeyLanes * 16)),
      .KeyWait(KeyWait), .ReadRows(ReadRows), .Outstanding(Outstanding), .AddressBits(AddressBits),
      .CountBits(CountBits), .Protected(Protected),
      .Exact(ExactFirst + ExactLast > 0)
  ) u_control (
      .clk_i,
      .rst_ni           (rst_n),
      .ready_i          (ready),
      .vector_valid_i, .vector_ready_o, .vector_query_i, .vector_record_i,
      .record_waits_i   (record_waits),
      .beat_o           (beat),
      .beat_last_o      (beat_last),
      .beat_query_o     (beat_query),
      .beat_record_o    (beat_record),
      .beat_row_o       (beat_row),
      .clear_valid_i, .clear_ready_o,
      .clear_o          (clear),
      .rejected_i       (rejected),
      .rejected_query_i (rejected_query),
      .record_i         (done),
      .loaded_i         (loaded),
      .build_o          (build),
      .built_i          (built),
      .count_i          (key_count_o),
      .free_i           (free),
      .copied_i         (copied),
      .copy_ready_i     (copy_ready),
      .read_o           (read),
      .read_last_o      (read_last),
      .address_o        (read_address),
      .idle_o           (idle),
      .arrived_i        (arrived),
      .arrived_last_i   (arrived_last),
      .lookup_o         (lookup),
      .lookup_copied_o  (lookup_copied),
      .lookup_row_o     (lookup_row),
      .lookup_last_o    (lookup_last),
      .lookup_last_key_o(lookup_last_key),
      .query_done_o, .busy_o
  );

  // ---- Vector to record; record to score
  logic score_clamped;
  localparam int EventBits = (SplitBits > 0) ? 4 : 2;
  logic [EventBits-1:0] record_events, stored_events;
  logic [RecordBits-1:0] record, read_record;
  axelram_core #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .ReadLanes(ReadLanes), .ScoreLane(ScoreLane),
      .Latches(Latches), .Multipliers(Multipliers), .IndexBits(IndexBits), .SigBits(SigBits),
      .FractionBits(FractionBits), .QueryBits(QueryBits), .CentroidBits(CentroidBits),
      .ExpBits(ExpBits), .MaxKeys(MaxKeys), .Outstanding(Outstanding), .States(States),
      .Unbiased(Unbiased), .Residual(Residual), .ResidualScale(ResidualScale),
      .SplitBits(SplitBits), .Order(Order), .ExactFirst(ExactFirst), .ExactLast(ExactLast),
      .CopyBits(CopyBits), .Center(Center), .CenterExponent(CenterExponent), .Balance(Balance),
      .ClockGating(ClockGating)
  ) u_core (
      .clk_i,
      .rst_ni           (rst_n),
      .signs_i          (signs_i[SignBits-1:0]),
      .boundaries_i, .centroids_i,
      .balance_i        (balance),
      .center_i,
      .beat_i           (beat),
      .beat_last_i      (beat_last),
      .beat_query_i     (beat_query),
      .beat_record_i    (beat_record),
      .beat_row_i       (beat_row),
      .beat_data_i      (vector_data_i),
      .record_waits_o   (record_waits),
      .rejected_o       (rejected),
      .rejected_query_o (rejected_query),
      .record_valid_o   (record_valid),
      .record_events_o  (record_events),
      .record_o         (record),
      .loaded_o         (loaded),
      .build_i          (build),
      .built_o          (built),
      .lookup_i         (lookup),
      .lookup_row_i     (lookup_row),
      .lookup_last_i    (lookup_last),
      .lookup_last_key_i(lookup_last_key),
      .lookup_copied_i  (lookup_copied),
      .read_record_i    (read_record),
      .clamped_o        (score_clamped),
      .free_o           (free),
      .score_valid_o, .score_ready_i, .score_data_o, .score_last_o, .score_saturated_o,
      .clear_i          (clear),
      .count_i          (key_count_o),
      .read_i           (read),
      .address_i        (read_address),
      .copied_o         (copied),
      .copy_ready_o     (copy_ready)
  );

  // ---- Memory
  axelram_store #(
      .HeadDim(HeadDim), .IndexBits(IndexBits), .Residual(Residual), .SplitBits(SplitBits),
      .EventBits(EventBits), .MaxKeys(MaxKeys), .CodeN(CodeN), .CodeK(CodeK), .Decoder(Decoder),
      .ParityBit(ParityBit), .Parity(Parity),
      .Stages (CodeStages),
      .Spacing(ReadRows),
      .ScrubInterval(ScrubInterval), .Erasure(Erasure)
  ) u_store (
      .clk_i,
      .rst_ni        (rst_n),
      .ready_o       (ready),
      .clear_i       (clear),
      .valid_i       (record_valid),
      .events_i      (record_events),
      .record_i      (record),
      .place_i       ({AddressBits{1'b0}}),
      .done_o        (done),
      .stored_o      (stored),
      .full_o        (full),
      .events_o      (stored_events),
      .count_o       (key_count_o),
      .idle_i        (idle),
      .read_i        (read),
      .skip_i        (copied),
      .last_i        (read_last),
      .address_i     (read_address),
      .lookup_o      (arrived),
      .lookup_last_o (arrived_last),
      .record_o      (read_record),
      .events_clear_i(errors_clear_i),
      .ecc_load_i, .ecc_erasure_i, .ecc_write_back_i, .ecc_counts_o, .ecc_first_valid_o,
      .ecc_first_address_o, .inject_load_i, .inject_mode_i, .inject_mask_i, .inject_armed_o
  );

  logic [1:0] once, twice;  // {scale_refused, norm_saturated}, of a sub-vector or of both
  assign once = stored ? stored_events[EventBits-1-:2] | stored_events[1:0] : '0;
  assign twice = (Split && stored) ? stored_events[EventBits-1-:2] & stored_events[1:0] : '0;
  axelram_status #(.Events(Errors)) u_status (
      .clk_i,
      .rst_ni  (rst_n),
      .clear_i (errors_clear_i),
      .event_i (Errors'({once[1], score_clamped, once[0], full, rejected && rejected_query,
          rejected && !rejected_query})),
      .twice_i (Errors'({twice[1], 1'b0, twice[0], 3'd0})),
      .sticky_o(errors_o),
      .count_o (error_counts_o)
  );
endmodule

`default_nettype wire

/// The smart SRAM macro (references.md#axelram, figure 2): keys are rotated, quantized and stored once;
/// a query is rotated once and scored against every stored key by table lookup. This module is the shell:
/// reset, streams, sequence, memory, status. The core is the arithmetic.
///
///   vectors -> core --record--> store --record--> core -> score_fifo -> scores
///
/// CodeN > 0 stores each record as codewords of CodeN bits for CodeK data bits; Decoder, ParityBit, Parity,
/// CodeStages, ScrubInterval and Erasure as in axelram_store.
///
/// ROM contents are constant inputs: signs (bit i of element i), boundaries B_j (20 bits each),
/// centroids C_j (CentroidBits each), center (16 bits each, raw floats).
/// Cycles, from the last beat of a vector, no stalls (n = log2(HeadDim), Rows = HeadDim/KeyLanes):
///   key stored:     4 + Center + n + RowDelay + 2*Rows; RowDelay = max(RootBits + 5 - log2(Rows), Rows + 2)
///   query rotated:  3 + Center + n + RowDelay + 2*Rows, then HeadDim * 2^b / Multipliers to build
///   first score:    HeadDim/ReadLanes + log2(ReadLanes) + 7 after its read, then one per HeadDim/ReadLanes
///   Unbiased:       a key log2(KeyLanes) + IndexBits + 17 later
///   with a code:    a key CodeStages later; a score CodeStages + HeadDim/ReadLanes + 5 later
///   after reset:    ready 3 cycles after the release (with a code 2 + MaxKeys, which initialise the
///                   memory); busy_o is high until then, and inputs other than streams must be idle
/// No output depends on an input in the same cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_macro #(
    parameter int HeadDim = 128,
    parameter int KeyLanes = 128,
    parameter int ReadLanes = 128,
    parameter int Multipliers = 8,
    parameter int MaxKeys = 4096,
    parameter int IndexBits = 3,
    parameter int SigBits = 16,
    parameter int FractionBits = 13,
    parameter int QueryBits = 8,
    parameter int CentroidBits = 8,
    parameter int ExpBits = 5,
    parameter bit Unbiased = 1'b0,
    parameter bit Center = 1'b0,
    parameter int CenterExponent = 1,
    parameter int CodeN = 0,
    parameter int CodeK = 1,
    parameter int Decoder = 0,
    parameter int ParityBit = -1,
    parameter bit [((CodeN > CodeK) ? CodeK*(CodeN-CodeK) : 1)-1:0] Parity = '0,
    parameter int CodeStages = 0,
    parameter int ScrubInterval = 0,
    parameter int Erasure = 0,
    localparam int Levels = 1 << IndexBits,
    localparam int Boundaries = Levels - 1,
    localparam int RecordBits = HeadDim * IndexBits + 16,
    localparam int StoredBits = (CodeN > 0) ? (RecordBits + CodeK - 1) / CodeK * CodeN : RecordBits,
    localparam int AddressBits = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits = $clog2(MaxKeys + 1)
) (
    input  wire logic clk_i,
    // Low at once, high in any phase of the clock: the release is synchronised here.
    input  wire logic rst_ni,

    // ROM contents, constant.
    input wire logic [            HeadDim-1:0] signs_i,
    input wire logic [      Boundaries*20-1:0] boundaries_i,
    input wire logic [Levels*CentroidBits-1:0] centroids_i,
    input wire logic [         HeadDim*16-1:0] center_i,

    // Vector stream: HeadDim/KeyLanes beats per vector, element KeyLanes*beat + i at bits 16*i.
    input  wire logic                   vector_valid_i,
    output logic                        vector_ready_o,
    input  wire logic                   vector_query_i,
    input  wire logic [KeyLanes*16-1:0] vector_data_i,

    // Score stream: FP32, one per stored key in order, for each query in order.
    output logic                        score_valid_o,
    input  wire logic                   score_ready_i,
    output logic      [           31:0] score_data_o,
    output logic                        score_last_o,
    output logic                        score_saturated_o,
    // Removal of all keys.
    input  wire logic                   clear_valid_i,
    output logic                        clear_ready_o,
    // Status: {score saturated, norm saturated, store full, query rejected, key rejected}.
    output logic      [  CountBits-1:0] key_count_o,
    output logic                        busy_o,
    output logic                        query_done_o,
    input  wire logic                   errors_clear_i,
    output logic      [            4:0] errors_o,
    output logic      [       5*32-1:0] error_counts_o,
    // Code: run-time registers (axelram_code_registers; load them while busy_o is low). Counters
    // {scrubbed, detected, parity only, corrected}.
    input  wire logic                   ecc_load_i,
    input  wire logic [            1:0] ecc_erasure_i,
    input  wire logic                   ecc_write_back_i,
    output logic      [       4*32-1:0] ecc_counts_o,
    output logic                        ecc_first_valid_o,
    output logic      [AddressBits-1:0] ecc_first_address_o,
    // Injection of errors: axelram_inject.
    input  wire logic                   inject_load_i,
    input  wire logic [            1:0] inject_mode_i,
    input  wire logic [ StoredBits-1:0] inject_mask_i,
    output logic                        inject_armed_o
);
  `AXELRAM_REQUIRE(code_bits_0_or_more_than_data_bits, CodeN == 0 || (CodeK >= 1 && CodeN > CodeK))

  localparam int Rows = HeadDim / KeyLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int ReadRows = HeadDim / ReadLanes;
  localparam int ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1;
  localparam bit Protected = CodeN > 0;

  logic rst_n;
  axelram_reset_sync u_reset_sync (
      .clk_i,
      .rst_ni,
      .rst_no(rst_n)
  );

  // ---- Sequence
  logic beat, beat_last, beat_query, clear, rejected, rejected_query, record_valid;
  logic ready, done, stored, full, idle, arrived, arrived_last;
  logic [RowBits-1:0] beat_row;
  logic loaded, build, built, read, read_last, free;
  logic lookup, lookup_last, lookup_last_key;
  logic [ReadRowBits-1:0] lookup_row;
  logic [AddressBits-1:0] read_address;

  axelram_control #(
      .Rows       (Rows),
      .ReadRows   (ReadRows),
      .AddressBits(AddressBits),
      .CountBits  (CountBits),
      .Protected  (Protected)
  ) u_control (
      .clk_i,
      .rst_ni           (rst_n),
      .ready_i          (ready),
      .vector_valid_i,
      .vector_ready_o,
      .vector_query_i,
      .beat_o           (beat),
      .beat_last_o      (beat_last),
      .beat_query_o     (beat_query),
      .beat_row_o       (beat_row),
      .clear_valid_i,
      .clear_ready_o,
      .clear_o          (clear),
      .rejected_i       (rejected),
      .rejected_query_i (rejected_query),
      .record_i         (done),
      .loaded_i         (loaded),
      .build_o          (build),
      .built_i          (built),
      .count_i          (key_count_o),
      .free_i           (free),
      .read_o           (read),
      .read_last_o      (read_last),
      .address_o        (read_address),
      .idle_o           (idle),
      .arrived_i        (arrived),
      .arrived_last_i   (arrived_last),
      .lookup_o         (lookup),
      .lookup_row_o     (lookup_row),
      .lookup_last_o    (lookup_last),
      .lookup_last_key_o(lookup_last_key),
      .query_done_o,
      .busy_o
  );

  // ---- Vector to record; record to score
  logic record_saturated, score_valid, score_last, score_saturated;
  logic [RecordBits-1:0] record, read_record;
  logic [31:0] score;
  axelram_core #(
      .HeadDim       (HeadDim),
      .KeyLanes      (KeyLanes),
      .ReadLanes     (ReadLanes),
      .Multipliers   (Multipliers),
      .IndexBits     (IndexBits),
      .SigBits       (SigBits),
      .FractionBits  (FractionBits),
      .QueryBits     (QueryBits),
      .CentroidBits  (CentroidBits),
      .ExpBits       (ExpBits),
      .Unbiased      (Unbiased),
      .Center        (Center),
      .CenterExponent(CenterExponent)
  ) u_core (
      .clk_i,
      .rst_ni            (rst_n),
      .signs_i,
      .boundaries_i,
      .centroids_i,
      .center_i,
      .beat_i            (beat),
      .beat_last_i       (beat_last),
      .beat_query_i      (beat_query),
      .beat_row_i        (beat_row),
      .beat_data_i       (vector_data_i),
      .rejected_o        (rejected),
      .rejected_query_o  (rejected_query),
      .record_valid_o    (record_valid),
      .record_saturated_o(record_saturated),
      .record_o          (record),
      .loaded_o          (loaded),
      .build_i           (build),
      .built_o           (built),
      .lookup_i          (lookup),
      .lookup_row_i      (lookup_row),
      .lookup_last_i     (lookup_last),
      .lookup_last_key_i (lookup_last_key),
      .read_record_i     (read_record),
      .score_valid_o     (score_valid),
      .score_last_o      (score_last),
      .score_saturated_o (score_saturated),
      .score_o           (score)
  );

  // ---- Memory
  logic stored_saturated;
  axelram_store #(
      .HeadDim      (HeadDim),
      .IndexBits    (IndexBits),
      .MaxKeys      (MaxKeys),
      .CodeN        (CodeN),
      .CodeK        (CodeK),
      .Decoder      (Decoder),
      .ParityBit    (ParityBit),
      .Parity       (Parity),
      .Stages       (CodeStages),
      .Spacing      (ReadRows),
      .ScrubInterval(ScrubInterval),
      .Erasure      (Erasure)
  ) u_store (
      .clk_i,
      .rst_ni        (rst_n),
      .ready_o       (ready),
      .clear_i       (clear),
      .valid_i       (record_valid),
      .saturated_i   (record_saturated),
      .record_i      (record),
      .done_o        (done),
      .stored_o      (stored),
      .full_o        (full),
      .saturated_o   (stored_saturated),
      .count_o       (key_count_o),
      .idle_i        (idle),
      .read_i        (read),
      .last_i        (read_last),
      .address_i     (read_address),
      .lookup_o      (arrived),
      .lookup_last_o (arrived_last),
      .record_o      (read_record),
      .ecc_load_i,
      .ecc_erasure_i,
      .ecc_write_back_i,
      .events_clear_i(errors_clear_i),
      .ecc_counts_o,
      .ecc_first_valid_o,
      .ecc_first_address_o,
      .inject_load_i,
      .inject_mode_i,
      .inject_mask_i,
      .inject_armed_o
  );

  // ---- Scores out. Places for the scores of all reads that may be under way, one read every ReadRows
  // cycles, so that reads never stall while score_ready_i is high.
  localparam int Decode = Protected ? CodeStages + ReadRows + 5 : 0;
  localparam int Outstanding = (2 * ReadRows + $clog2(ReadLanes) + 6 + Decode) / ReadRows + 1;
  axelram_score_fifo #(
      .Bits (34),
      .Depth(1 << $clog2(Outstanding))
  ) u_score_fifo (
      .clk_i,
      .rst_ni   (rst_n),
      .reserve_i(read),
      .free_o   (free),
      .valid_i  (score_valid),
      .data_i   ({score_saturated, score_last, score}),
      .valid_o  (score_valid_o),
      .ready_i  (score_ready_i),
      .data_o   ({score_saturated_o, score_last_o, score_data_o})
  );

  axelram_status #(
      .Events(5)
  ) u_status (
      .clk_i,
      .rst_ni  (rst_n),
      .clear_i (errors_clear_i),
      .event_i ({
        score_valid && score_saturated,
        stored && stored_saturated,
        full,
        rejected && rejected_query,
        rejected && !rejected_query
      }),
      .sticky_o(errors_o),
      .count_o (error_counts_o)
  );
endmodule

`default_nettype wire

/// The smart SRAM macro (references.md#axelram, figure 2): keys are rotated, quantized and stored once;
/// a query is rotated once and scored against every stored key by table lookup.
///
///   vector -> align -> [center] -> sign_flip -> hadamard -> row_delay -> quantizer -> record -> key_store
///                                     |             |           |                                  |
///                                     +-> norm -----|-----------|---^                              |
///                                                   +-> query_rounding -> score_table -> score -> score_fifo
///
/// CodeN > 0 stores each record as codewords of CodeN bits for CodeK data bits. key_store is then
/// axelram_protected_store, with its controls (ecc_*, inject_*), counters and latencies.
///
/// ROM contents are constant inputs: signs (bit i of element i), boundaries B_j (20 bits each),
/// centroids C_j (CentroidBits each), center (16 bits each, raw floats).
/// Cycles, from the last beat of a vector, no stalls (n = log2(HeadDim), Rows = HeadDim/KeyLanes):
///   key stored:     4 + Center + n + RowDelay + 2*Rows
///   query rotated:  3 + Center + n + RowDelay + 2*Rows, then HeadDim * 2^b / Multipliers to build
///   first score:    HeadDim/ReadLanes + log2(ReadLanes) + 6 after its read; one key every
///                   HeadDim/ReadLanes cycles
///   RowDelay = max(RootBits + 4 - log2(Rows), Rows + 2)
///   with a code:    a key CodeStages later; a score CodeStages + HeadDim/ReadLanes + 3 later; after
///                   reset MaxKeys cycles to initialise the memory, busy_o high
/// The obs_* ports output intermediate values. Leave them unconnected if unused.
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
    parameter bit Center = 1'b0,
    parameter int CenterExponent = 1,
    parameter int CodeN = 0,
    parameter int CodeK = 1,
    parameter int CodeStages = 0,
    parameter int ScrubInterval = 0,
    parameter int Erasure = 0,
    localparam int Levels = 1 << IndexBits,
    localparam int Boundaries = Levels - 1,
    localparam int AccBits = QueryBits + CentroidBits - 1 + $clog2(HeadDim),
    localparam int RecordBits = HeadDim * IndexBits + 16,
    localparam int AddressBits = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits = $clog2(MaxKeys + 1),
    localparam int Words = (CodeN > 0) ? (RecordBits + CodeK - 1) / CodeK : 1,
    localparam int StoredBits = (CodeN > 0) ? Words * CodeN : RecordBits
) (
    input  wire logic clk_i,
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
    output logic        score_valid_o,
    input  wire logic   score_ready_i,
    output logic [31:0] score_data_o,
    output logic        score_last_o,
    output logic        score_saturated_o,
    // Removal of all keys.
    input  wire logic clear_valid_i,
    output logic      clear_ready_o,
    // Status: {score saturated, norm saturated, store full, query rejected, key rejected}.
    output logic      [ CountBits-1:0] key_count_o,
    output logic                       busy_o,
    output logic                       query_done_o,
    input  wire logic                  errors_clear_i,
    output logic      [           4:0] errors_o,
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
    output logic                        inject_armed_o,
    // Observation.
    output logic        [                   1:0] obs_state_o,
    output logic                                 obs_thresholds_valid_o,
    output logic        [     Boundaries*32-1:0] obs_thresholds_o,
    output logic                                 obs_norm_valid_o,
    output logic        [                  15:0] obs_norm_o,
    output logic                                 obs_indices_valid_o,
    output logic        [KeyLanes*IndexBits-1:0] obs_indices_o,
    output logic                                 obs_record_valid_o,
    output logic                                 obs_record_rejected_o,
    output logic                                 obs_key_rejected_o,
    output logic                                 obs_query_valid_o,
    output logic        [KeyLanes*QueryBits-1:0] obs_query_o,
    output logic signed [                  11:0] obs_query_exponent_o,
    output logic                                 obs_read_o,
    output logic        [        RecordBits-1:0] obs_record_o,
    output logic                                 obs_ready_o,
    output logic                                 obs_memory_read_o,
    output logic        [       AddressBits-1:0] obs_memory_address_o,
    output logic                                 obs_decoded_valid_o,
    output logic                                 obs_decoded_scrub_o,
    output logic        [        RecordBits-1:0] obs_decoded_o,
    output logic        [           Words*2-1:0] obs_status_o,
    output logic                                 obs_write_back_o,
    output logic                                 obs_lookup_valid_o,
    output logic        [        RecordBits-1:0] obs_lookup_o,
    output logic                                 obs_acc_valid_o,
    output logic        [           AccBits-1:0] obs_acc_o
);
  localparam int Rows = HeadDim / KeyLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int ReadRows = HeadDim / ReadLanes;
  localparam int ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1;
  localparam int AlignedBits = SigBits + 32'(Center);
  localparam int RotatedBits = AlignedBits + $clog2(HeadDim);
  localparam int RootBits = (2 * (AlignedBits - 1) + $clog2(HeadDim) + 1) / 2;
  localparam int RootDelay = RootBits + 4 - $clog2(Rows);
  localparam int RowDelay = (RootDelay > Rows + 2) ? RootDelay : Rows + 2;

  // ---- Sequence
  localparam bit Protected = CodeN > 0;
  logic beat, beat_last, beat_query, clear, rejected, rejected_query, record_valid, stored, full;
  logic ready, coded, read_last, idle, arrived, arrived_last;
  logic [RowBits-1:0] beat_row;
  logic query_valid, query_last, build, built, read, lookup, lookup_last, lookup_last_key, free;
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
      .rst_ni,
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
      .rejected_i        (rejected),
      .rejected_query_i  (rejected_query),
      .record_i         (coded),
      .loaded_i         (query_valid && query_last),
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
      .busy_o,
      .state_o          (obs_state_o)
  );

  // ---- Keys and queries: align, center, rotate
  logic signed_valid, signed_last, signed_query, rotated_valid, rotated_query;
  logic row_next, row_next_query, row_valid, row_query;
  logic [ExpBits-1:0] signed_exponent;
  logic [KeyLanes*AlignedBits-1:0] signed_row;
  logic [KeyLanes*RotatedBits-1:0] rotated, row;

  axelram_rotate #(
      .HeadDim       (HeadDim),
      .Lanes         (KeyLanes),
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
      .valid_i          (beat),
      .last_i           (beat_last),
      .query_i          (beat_query),
      .row_i            (beat_row),
      .data_i           (vector_data_i),
      .rejected_o        (rejected),
      .rejected_query_o  (rejected_query),
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

  // ---- Keys: norm, thresholds, indices, record, store
  logic unused_root_valid, norm_saturated;
  logic [RootBits-1:0] root;
  axelram_norm #(
      .Lanes  (KeyLanes),
      .Rows   (Rows),
      .Bits   (AlignedBits),
      .ExpBits(ExpBits),
      .SigBits(SigBits)
  ) u_norm (
      .clk_i,
      .rst_ni,
      .valid_i     (signed_valid && !signed_query),
      .last_i      (signed_last),
      .exponent_i  (signed_exponent),
      .data_i      (signed_row),
      .root_valid_o(unused_root_valid),
      .root_o      (root),
      .norm_valid_o(obs_norm_valid_o),
      .norm_o      (obs_norm_o),
      .saturated_o (norm_saturated)
  );

  logic indices_first, indices_last;
  axelram_quantizer #(
      .Lanes       (KeyLanes),
      .Rows        (Rows),
      .Bits        (RotatedBits),
      .RootBits    (RootBits),
      .IndexBits   (IndexBits),
      .FractionBits(FractionBits)
  ) u_quantizer (
      .clk_i,
      .rst_ni,
      .boundaries_i,
      .root_i            (root),
      .next_i            (row_next && !row_next_query),
      .valid_i           (row_valid && !row_query),
      .data_i            (row),
      .thresholds_valid_o(obs_thresholds_valid_o),
      .thresholds_o      (obs_thresholds_o),
      .valid_o           (obs_indices_valid_o),
      .first_o           (indices_first),
      .last_o            (indices_last),
      .indices_o         (obs_indices_o)
  );

  logic record_saturated;
  logic [RecordBits-1:0] record, read_record;
  axelram_record #(
      .HeadDim  (HeadDim),
      .Lanes    (KeyLanes),
      .IndexBits(IndexBits)
  ) u_record (
      .clk_i,
      .rst_ni,
      .valid_i    (obs_indices_valid_o),
      .first_i    (indices_first),
      .last_i     (indices_last),
      .indices_i  (obs_indices_o),
      .norm_i     (obs_norm_o),
      .saturated_i(norm_saturated),
      .valid_o    (record_valid),
      .saturated_o(record_saturated),
      .record_o   (record)
  );

  logic stored_saturated;
  if (!Protected) begin : g_store
    axelram_key_store #(
        .RecordBits(RecordBits),
        .MaxKeys   (MaxKeys)
    ) u_key_store (
        .clk_i,
        .rst_ni,
        .clear_i  (clear),
        .valid_i  (record_valid),
        .record_i (record),
        .stored_o (stored),
        .full_o   (full),
        .count_o  (key_count_o),
        .read_i   (read),
        .address_i(read_address),
        .data_o   (read_record)
    );
    assign ready = 1'b1;
    assign coded = record_valid;
    assign stored_saturated = record_saturated;
    assign {arrived, arrived_last} = '0;
    assign obs_record_o = record;
    assign {ecc_counts_o, ecc_first_valid_o, ecc_first_address_o, inject_armed_o} = '0;
    assign {obs_memory_read_o, obs_memory_address_o, obs_decoded_valid_o, obs_decoded_scrub_o} = '0;
    assign {obs_decoded_o, obs_status_o, obs_write_back_o} = '0;
    logic unused;
    assign unused = ^{ScrubInterval, Erasure, idle, read_last, ecc_load_i, ecc_erasure_i,
                      ecc_write_back_i, inject_load_i,
                      inject_mode_i, inject_mask_i};
  end else begin : g_store
    logic [1:0] erasure;
    logic write_back;
    axelram_code_registers #(
        .Erasure(Erasure)
    ) u_registers (
        .clk_i,
        .rst_ni,
        .load_i      (ecc_load_i),
        .erasure_i   (ecc_erasure_i),
        .write_back_i(ecc_write_back_i),
        .erasure_o   (erasure),
        .write_back_o(write_back)
    );
    axelram_protected_store #(
        .HeadDim      (HeadDim),
        .IndexBits    (IndexBits),
        .MaxKeys      (MaxKeys),
        .K            (CodeK),
        .N            (CodeN),
        .Stages       (CodeStages),
        .Spacing      (ReadRows),
        .ScrubInterval(ScrubInterval)
    ) u_key_store (
        .clk_i,
        .rst_ni,
        .ready_o            (ready),
        .clear_i            (clear),
        .erasure_i          (erasure),
        .write_back_i       (write_back),
        .valid_i            (record_valid),
        .tag_i              (record_saturated),
        .record_i           (record),
        .encoded_o          (coded),
        .stored_o           (stored),
        .full_o             (full),
        .tag_o              (stored_saturated),
        .encoded_record_o   (obs_record_o),
        .count_o            (key_count_o),
        .idle_i             (idle),
        .read_i             (read),
        .last_i             (read_last),
        .address_i          (read_address),
        .lookup_o           (arrived),
        .lookup_last_o      (arrived_last),
        .record_o           (read_record),
        .inject_load_i,
        .inject_mode_i,
        .inject_mask_i,
        .inject_armed_o,
        .events_clear_i     (errors_clear_i),
        .event_counts_o     (ecc_counts_o),
        .first_valid_o      (ecc_first_valid_o),
        .first_address_o    (ecc_first_address_o),
        .obs_memory_read_o,
        .obs_memory_address_o,
        .obs_decoded_valid_o,
        .obs_decoded_scrub_o,
        .obs_decoded_o,
        .obs_status_o,
        .obs_write_back_o
    );
  end
  assign obs_ready_o = ready;
  assign obs_lookup_valid_o = arrived;
  assign obs_lookup_o = read_record;
  assign obs_record_valid_o = stored;
  assign obs_record_rejected_o = full;
  assign obs_key_rejected_o = rejected && !rejected_query;
  assign obs_read_o = read;

  // ---- Queries: round, build the table
  logic [ExpBits-1:0] query_exponent_q;
  always_ff @(posedge clk_i) if (signed_valid && signed_query) query_exponent_q <= signed_exponent;

  axelram_query_rounding #(
      .Lanes    (KeyLanes),
      .Rows     (Rows),
      .Bits     (RotatedBits),
      .QueryBits(QueryBits),
      .ExpBits  (ExpBits),
      .SigBits  (SigBits)
  ) u_query_rounding (
      .clk_i,
      .rst_ni,
      .early_valid_i(rotated_valid && rotated_query),
      .exponent_i   (query_exponent_q),
      .early_i      (rotated),
      .late_valid_i (row_valid && row_query),
      .late_i       (row),
      .valid_o      (query_valid),
      .last_o       (query_last),
      .query_o      (obs_query_o),
      .exponent_o   (obs_query_exponent_o)
  );
  assign obs_query_valid_o = query_valid;
  // ---- Scores
  logic score_saturation;
  axelram_lookup #(
      .HeadDim     (HeadDim),
      .LoadLanes   (KeyLanes),
      .ReadLanes   (ReadLanes),
      .IndexBits   (IndexBits),
      .QueryBits   (QueryBits),
      .CentroidBits(CentroidBits),
      .Multipliers (Multipliers),
      .Decode      (Protected ? CodeStages + ReadRows + 3 : 0)
  ) u_lookup (
      .clk_i,
      .rst_ni,
      .centroids_i,
      .load_i           (query_valid),
      .query_i          (obs_query_o),
      .exponent_i       (obs_query_exponent_o),
      .build_i          (build),
      .built_o          (built),
      .reserve_i        (read),
      .free_o           (free),
      .valid_i          (lookup),
      .row_i            (lookup_row),
      .last_i           (lookup_last),
      .last_key_i       (lookup_last_key),
      .record_i         (read_record),
      .acc_valid_o      (obs_acc_valid_o),
      .acc_o            (obs_acc_o),
      .saturation_o     (score_saturation),
      .score_valid_o,
      .score_ready_i,
      .score_data_o,
      .score_last_o,
      .score_saturated_o
  );

  axelram_status #(
      .Events(5)
  ) u_status (
      .clk_i,
      .rst_ni,
      .clear_i (errors_clear_i),
      .event_i ({
        score_saturation,
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

/// Sequence of a macro with attention: items and commands take effect on the tokens one after the
/// other (bit-contract.md#segments).
///
///   vectors, commands -> control --operations, fates--> tokens -> keys, values
///
/// vector_* to clear_*: axelram_items, axelram_attention_control. beat_*: to the core, whose ends
/// of vectors are rejected_i, loaded_i, record_*_i and ended_i. start_o: the reads of a group
/// begin; attend_o: they are for outputs. read_*_o and lookup_*_o, key_o, value_o: axelram_tokens.
/// rotation_o: of the item whose vectors are accepted, of a group until its last output;
/// rotation_read_o: it is rotation_next_o from the next cycle on. key_events_o and value_events_o:
/// with stored_o.
/// Latency: of these.
`include "axelram_macros.svh"
`default_nettype none

module axelram_attention_sequence #(
    parameter int  HeadDim       = 128,
    parameter int  KeyLanes      = 128,
    parameter int  IndexBits     = 3,
    parameter int  MaxKeys       = 4096,
    parameter int  Segments      = 1,
    parameter int  Rotations     = 1,
    parameter int  Group         = 1,
    parameter int  Rows          = 1,
    parameter int  ReadRows      = 1,
    parameter int  KeyWait       = 0,
    parameter int  Front         = 1,
    parameter int  ValueDelay    = 19,
    parameter int  Waiting       = 16,
    parameter int  ExactFirst    = 0,
    parameter int  ExactLast     = 0,
    parameter int  CopyBits      = 16,
    parameter int  CopyLanes     = 1,
    parameter int  CodeN         = 0,
    parameter int  CodeK         = 1,
    parameter int  Decoder       = 0,
    parameter int  ParityBit     = -1,
    parameter bit [((CodeN > CodeK) ? CodeK*(CodeN-CodeK) : 1)-1:0] Parity = '0,
    parameter int  CodeStages    = 0,
    parameter int  ScrubInterval = 0,
    parameter int  Erasure       = 0,
    localparam int RecordBits    = HeadDim * IndexBits + 16,
    localparam int StoredBits    = axelram_sizes::stored_bits(RecordBits, CodeN, CodeK),
    localparam int AddressBits   = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits     = $clog2(MaxKeys + 1),
    localparam int RowBits       = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int ReadRowBits   = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                                 clk_i,
    input  wire logic                                 rst_ni,
    // Streams.
    input  wire logic                                 vector_valid_i,
    output logic                                      vector_ready_o,
    input  wire logic        [                   1:0] vector_kind_i,
    input  wire logic        [                   7:0] vector_segment_i,
    input  wire logic                                 command_valid_i,
    output logic                                      command_ready_o,
    input  wire logic        [                   1:0] command_kind_i,
    input  wire logic        [                   7:0] command_segment_i,
    input  wire logic        [         CountBits-1:0] command_base_i,
    input  wire logic        [         CountBits-1:0] command_capacity_i,
    input  wire logic        [         CountBits-1:0] command_sinks_i,
    input  wire logic        [                   7:0] command_rotation_i,
    input  wire logic                                 command_wrap_i,
    input  wire logic        [         CountBits-1:0] command_n_i,
    input  wire logic                                 clear_valid_i,
    output logic                                      clear_ready_o,
    // Vectors, and their ends.
    output logic                                      beat_o,
    output logic                                      beat_last_o,
    output logic                                      beat_query_o,
    output logic                                      beat_value_o,
    output logic             [           RowBits-1:0] beat_row_o,
    output logic                                      group_o,  // the first beat of a group
    output logic             [                   7:0] rotation_o,
    input  wire logic                                 rotations_ready_i,
    output logic                                      rotation_read_o,
    output logic             [                   7:0] rotation_next_o,
    input  wire logic                                 rejected_i,
    input  wire logic                                 record_valid_i,
    input  wire logic        [                   1:0] record_events_i,
    input  wire logic        [        RecordBits-1:0] record_i,
    input  wire logic                                 loaded_i,
    // Copies: axelram_tokens.
    input  wire logic                                 copy_valid_i,
    input  wire logic                                 copy_last_i,
    input  wire logic        [ KeyLanes*CopyBits-1:0] copy_i,
    input  wire logic signed [                  11:0] copy_exponent_i,
    output logic                                      step_o,
    output logic                                      step_last_o,
    output logic             [CopyLanes*CopyBits-1:0] step_elements_o,
    output logic      signed [                  11:0] step_exponent_o,
    input  wire logic                                 copy_ready_i,
    output logic                                      read_copied_o,
    output logic                                      lookup_copied_o,
    // Groups.
    output logic                                      build_o,
    input  wire logic                                 built_i,
    output logic                                      start_o,
    output logic                                      attend_o,
    input  wire logic                                 scores_free_i,
    input  wire logic                                 outputs_free_i,
    output logic                                      read_o,
    output logic                                      read_over_o,
    output logic                                      lookup_o,
    output logic             [       ReadRowBits-1:0] lookup_row_o,
    output logic                                      lookup_last_o,
    output logic                                      lookup_last_key_o,
    output logic             [        RecordBits-1:0] key_o,
    output logic             [        RecordBits-1:0] value_o,
    input  wire logic                                 ended_i,
    // Status, and events {bad command, segment full, group rejected, token rejected}.
    output logic                                      query_done_o,
    output logic                                      busy_o,
    output logic                                      stored_o,
    output logic             [                   1:0] key_events_o,
    output logic             [                   1:0] value_events_o,
    output logic             [                   3:0] events_o,
    // Code: axelram_token_store.
    input  wire logic                                 errors_clear_i,
    input  wire logic                                 ecc_load_i,
    input  wire logic        [                   1:0] ecc_erasure_i,
    input  wire logic                                 ecc_write_back_i,
    output logic             [              4*32-1:0] ecc_counts_o,
    output logic                                      ecc_first_valid_o,
    output logic             [       AddressBits-1:0] ecc_first_address_o,
    input  wire logic                                 inject_load_i,
    input  wire logic                                 inject_value_i,
    input  wire logic        [                   1:0] inject_mode_i,
    input  wire logic        [        StoredBits-1:0] inject_mask_i,
    output logic                                      inject_armed_o
);
  `AXELRAM_REQUIRE(segments_in_1_to_256, Segments >= 1 && Segments <= 256)

  logic ready, idle, beat_first, peek, peek_taken, operate, operate_item, operated, rejected, full;
  logic fate_valid, fate_key, fate_value, fate_store, reads_done;
  logic [1:0] tokens_done;
  logic [2:0] operation;
  logic [7:0] segment_q;
  logic [CountBits-1:0] count;
  axelram_attention_control #(
      .Rows(Rows), .Group(Group), .KeyWait(KeyWait), .Front(Front), .Rotations(Rotations),
      .CountBits(CountBits)
  ) u_control (
      .clk_i, .rst_ni,
      .ready_i           (ready && rotations_ready_i),
      .vector_valid_i, .vector_ready_o, .vector_kind_i, .beat_o, .beat_last_o, .beat_query_o,
      .beat_value_o, .beat_row_o,
      .beat_first_o      (beat_first),
      .command_valid_i, .command_ready_o, .command_kind_i, .clear_valid_i, .clear_ready_o,
      .peek_o            (peek),
      .peek_taken_i      (peek_taken),
      .peek_rotation_i   (rotation_next_o),
      .segment_valid_o   (operate),
      .segment_kind_o    (operation),
      .segment_item_o    (operate_item),
      .segment_valid_i   (operated),
      .segment_rejected_i(rejected),
      .segment_full_i    (full),
      .rotation_o, .rejected_i, .loaded_i,
      .fate_valid_o      (fate_valid),
      .fate_key_o        (fate_key),
      .fate_value_o      (fate_value),
      .fate_store_o      (fate_store),
      .tokens_done_i     (tokens_done),
      .build_o, .built_i,
      .count_i           (count),
      .start_o, .attend_o,
      .done_i            (reads_done),
      .over_i            (read_over_o),
      .ended_i, .outputs_free_i,
      .idle_o            (idle),
      .query_done_o, .busy_o,
      .token_rejected_o  (events_o[0]),
      .group_rejected_o  (events_o[1]),
      .segment_full_o    (events_o[2]),
      .bad_command_o     (events_o[3])
  );
  assign rotation_read_o = beat_o && beat_first;
  assign group_o = rotation_read_o && beat_query_o;
  always_ff @(posedge clk_i) if (rotation_read_o) segment_q <= vector_segment_i;

  axelram_tokens #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .ExactFirst(ExactFirst), .ExactLast(ExactLast),
      .CopyBits(CopyBits), .CopyLanes(CopyLanes), .IndexBits(IndexBits), .MaxKeys(MaxKeys),
      .Segments(Segments), .Rotations(Rotations), .ReadRows(ReadRows), .ValueDelay(ValueDelay),
      .Waiting(Waiting), .CodeN(CodeN), .CodeK(CodeK), .Decoder(Decoder), .ParityBit(ParityBit),
      .Parity(Parity), .CodeStages(CodeStages), .ScrubInterval(ScrubInterval), .Erasure(Erasure)
  ) u_tokens (
      .clk_i, .rst_ni,
      .ready_o        (ready),
      .peek_i         (peek),
      .peek_segment_i (vector_segment_i),
      .peek_taken_o   (peek_taken),
      .peek_rotation_o(rotation_next_o),
      .operate_i      (operate),
      .operation_i    (operation),
      .segment_i      (operate_item ? segment_q : command_segment_i),
      .base_i         (command_base_i),
      .capacity_i     (command_capacity_i),
      .sinks_i        (command_sinks_i),
      .rotation_i     (command_rotation_i),
      .wrap_i         (command_wrap_i),
      .n_i            (command_n_i),
      .operated_o     (operated),
      .rejected_o     (rejected),
      .full_o         (full),
      .count_o        (count),
      .fate_valid_i   (fate_valid),
      .fate_key_i     (fate_key),
      .fate_value_i   (fate_value),
      .fate_store_i   (fate_store),
      .record_valid_i, .record_events_i, .record_i, .copy_valid_i, .copy_last_i, .copy_i,
      .copy_exponent_i, .step_o, .step_last_o, .step_elements_o, .step_exponent_o, .copy_ready_i,
      .read_copied_o, .lookup_copied_o,
      .done_o         (tokens_done),
      .idle_i         (idle),
      .stored_o, .key_events_o, .value_events_o,
      .start_i        (start_o),
      .values_i       (attend_o),
      .free_i         (attend_o || scores_free_i),
      .read_o,
      .read_done_o    (reads_done),
      .read_over_o, .lookup_o, .lookup_row_o, .lookup_last_o, .lookup_last_key_o, .key_o, .value_o,
      .errors_clear_i, .ecc_load_i, .ecc_erasure_i, .ecc_write_back_i, .ecc_counts_o,
      .ecc_first_valid_o, .ecc_first_address_o, .inject_load_i, .inject_value_i, .inject_mode_i,
      .inject_mask_i, .inject_armed_o
  );
endmodule

`default_nettype wire

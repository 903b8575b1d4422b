/// Tokens of a store: the segments that they lie in, their memories, and reads of a segment's
/// tokens in order (bit-contract.md#segments).
///
///   commands, items -> segments --place--> token -> token_store -> records
///                         '---base to count--> token_reads ---^
///
/// peek_* to count_o: axelram_segments. fate_*_i and record_*_i: axelram_token; a fate comes with
/// the result of its operation. start_i to lookup_last_key_o: axelram_token_reads, of the segment
/// of the last operation. key_o, and if values_i is high value_o, ValueDelay cycles behind, and the
/// code: axelram_token_store. copy_* and step_*: axelram_token_copies, with ExactFirst or
/// ExactLast; read_copied_o and lookup_copied_o: the token that is read, or looked up, has a copy,
/// whose accumulator copy_ready_i is for.
/// Latency: of these.
`include "axelram_macros.svh"
`default_nettype none

module axelram_tokens #(
    parameter int  HeadDim       = 128,
    parameter int  KeyLanes      = 128,
    parameter int  IndexBits     = 3,
    parameter int  MaxKeys       = 4096,
    parameter int  Segments      = 1,
    parameter int  Rotations     = 1,
    parameter int  ReadRows      = 1,
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
    localparam int ReadRowBits   = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                                 clk_i,
    input  wire logic                                 rst_ni,
    output logic                                      ready_o,
    // Segments.
    input  wire logic                                 peek_i,
    input  wire logic        [                   7:0] peek_segment_i,
    output logic                                      peek_taken_o,
    output logic             [                   7:0] peek_rotation_o,
    input  wire logic                                 operate_i,
    input  wire logic        [                   2:0] operation_i,
    input  wire logic        [                   7:0] segment_i,
    input  wire logic        [         CountBits-1:0] base_i,
    input  wire logic        [         CountBits-1:0] capacity_i,
    input  wire logic        [         CountBits-1:0] sinks_i,
    input  wire logic        [                   7:0] rotation_i,
    input  wire logic                                 wrap_i,
    input  wire logic        [         CountBits-1:0] n_i,
    output logic                                      operated_o,
    output logic                                      rejected_o,
    output logic                                      full_o,
    output logic             [         CountBits-1:0] count_o,
    // Records in.
    input  wire logic                                 fate_valid_i,
    input  wire logic                                 fate_key_i,
    input  wire logic                                 fate_value_i,
    input  wire logic                                 fate_store_i,
    input  wire logic                                 record_valid_i,
    input  wire logic        [                   1:0] record_events_i,
    input  wire logic        [        RecordBits-1:0] record_i,
    output logic             [                   1:0] done_o,  // tokens that are stored or dropped
    output logic                                      stored_o,
    output logic             [                   1:0] key_events_o,
    output logic             [                   1:0] value_events_o,
    // Copies.
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
    // Reads.
    input  wire logic                                 idle_i,
    input  wire logic                                 start_i,
    input  wire logic                                 values_i,
    input  wire logic                                 free_i,
    output logic                                      read_o,
    output logic                                      read_done_o,
    output logic                                      read_over_o,
    output logic                                      lookup_o,
    output logic             [       ReadRowBits-1:0] lookup_row_o,
    output logic                                      lookup_last_o,
    output logic                                      lookup_last_key_o,
    output logic             [        RecordBits-1:0] key_o,
    output logic             [        RecordBits-1:0] value_o,
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
  `AXELRAM_REQUIRE(code_bits_0_or_more_than_data_bits, CodeN == 0 || (CodeK >= 1 && CodeN > CodeK))

  localparam bit Exact = ExactFirst + ExactLast > 0;
  localparam int Forgotten = (ExactFirst > ExactLast) ? ExactFirst : ExactLast;
  localparam int ForgottenBits = Exact ? $clog2(Forgotten + 1) : 1;
  logic [ForgottenBits-1:0] forgotten;
  logic [AddressBits-1:0] place, token_place, address;
  logic [CountBits-1:0] base, sinks, ring, oldest;
  logic [7:0] rotation;
  axelram_segments #(
      .MaxKeys(MaxKeys), .Segments(Segments), .Rotations(Rotations), .Forgotten(Forgotten)
  ) u_segments (
      .clk_i, .rst_ni,
      .valid_i    (operate_i),
      .kind_i     (operation_i),
      .segment_i, .base_i, .capacity_i, .sinks_i, .rotation_i, .wrap_i, .n_i, .peek_i,
      .peek_segment_i, .peek_taken_o, .peek_rotation_o,
      .valid_o    (operated_o),
      .rejected_o, .full_o,
      .place_o    (place),
      .base_o     (base),
      .sinks_o    (sinks),
      .ring_o     (ring),
      .start_o    (oldest),
      .count_o,
      .forgotten_o(forgotten),
      .rotation_o (rotation)
  );

  logic token_done, token_stored;
  logic [1:0] key_events, value_events;
  logic [RecordBits-1:0] key, value;
  axelram_token #(.RecordBits(RecordBits), .AddressBits(AddressBits), .Depth(Waiting)) u_token (
      .clk_i, .rst_ni, .fate_valid_i, .fate_key_i, .fate_value_i, .fate_store_i,
      .fate_place_i  (place),
      .record_valid_i, .record_events_i, .record_i,
      .done_o        (token_done),
      .stored_o      (token_stored),
      .place_o       (token_place),
      .key_o         (key),
      .value_o       (value),
      .key_events_o  (key_events),
      .value_events_o(value_events)
  );
  assign done_o = 2'(token_done && !token_stored) + 2'(stored_o);

  logic read_last, arrived, arrived_last;
  axelram_token_reads #(
      .ReadRows(ReadRows), .AddressBits(AddressBits), .CountBits(CountBits),
      .Protected(CodeN > 0)
  ) u_reads (
      .clk_i, .rst_ni, .start_i,
      .base_i        (base),
      .sinks_i       (sinks),
      .ring_i        (ring),
      .oldest_i      (oldest),
      .count_i       (count_o),
      .free_i, .copy_ready_i, .read_o,
      .read_last_o   (read_last),
      .address_o     (address),
      .done_o        (read_done_o),
      .over_o        (read_over_o),
      .arrived_i     (arrived),
      .arrived_last_i(arrived_last),
      .lookup_o, .lookup_row_o, .lookup_last_o, .lookup_last_key_o
  );

  axelram_token_store #(
      .HeadDim(HeadDim), .IndexBits(IndexBits), .MaxKeys(MaxKeys), .ValueDelay(ValueDelay),
      .CodeN(CodeN), .CodeK(CodeK), .Decoder(Decoder), .ParityBit(ParityBit), .Parity(Parity),
      .Stages (CodeStages),
      .Spacing(ReadRows),
      .ScrubInterval(ScrubInterval), .Erasure(Erasure)
  ) u_store (
      .clk_i, .rst_ni, .ready_o,
      .valid_i       (token_stored),
      .events_i      ({value_events, key_events}),
      .place_i       (token_place),
      .key_i         (key),
      .value_i       (value),
      .done_o        (stored_o),
      .events_o      ({value_events_o, key_events_o}),
      .idle_i,
      .read_i        (read_o),
      .values_i,
      .last_i        (read_last),
      .address_i     (address),
      .lookup_o      (arrived),
      .lookup_last_o (arrived_last),
      .key_o, .value_o,
      .events_clear_i(errors_clear_i),
      .ecc_load_i, .ecc_erasure_i, .ecc_write_back_i, .ecc_counts_o, .ecc_first_valid_o,
      .ecc_first_address_o, .inject_load_i, .inject_value_i, .inject_mode_i, .inject_mask_i,
      .inject_armed_o
  );
  logic unused;
  assign unused = ^rotation;

  // ---- Copies
  if (Exact) begin : g_copies
    axelram_token_copies #(
        .HeadDim(HeadDim), .KeyLanes(KeyLanes), .CopyLanes(CopyLanes),
        .First(ExactFirst),
        .Last (ExactLast),
        .CopyBits(CopyBits), .MaxKeys(MaxKeys), .Segments(Segments), .Waiting(Waiting)
    ) u_copies (
        .clk_i, .rst_ni, .operate_i, .segment_i,
        .sinks_i    (sinks),
        .count_i    (count_o),
        .forgotten_i(forgotten),
        .fate_valid_i, .fate_key_i, .fate_store_i, .copy_valid_i, .copy_last_i, .copy_i,
        .copy_exponent_i, .start_i, .step_o,
        .last_o     (step_last_o),
        .elements_o (step_elements_o),
        .exponent_o (step_exponent_o),
        .read_i     (read_o),
        .copied_o   (read_copied_o)
    );
    // A flag waits for the record, which behind a code waits for the next one
    // (axelram_interpolate), and stands for its rows.
    localparam int Late = axelram_sizes::code_delay(CodeN, CodeStages, ReadRows);
    logic arrived_copied, copied_q, flag_valid, flag_free, unused_flag;
    assign unused_flag = flag_valid ^ flag_free;
    axelram_score_fifo #(.Bits(1), .Depth(1 << $clog2((1 + Late) / ReadRows + 2))) u_copied (
        .clk_i, .rst_ni,
        .reserve_i(read_o),
        .free_o   (flag_free),
        .valid_i  (read_o),
        .data_i   (read_copied_o),
        .valid_o  (flag_valid),
        .ready_i  (arrived),
        .data_o   (arrived_copied)
    );
    always_ff @(posedge clk_i) if (arrived) copied_q <= arrived_copied;
    assign lookup_copied_o = arrived ? arrived_copied : copied_q;
    `AXELRAM_ASSERT(flag_beside_its_record, arrived |-> flag_valid)
  end else begin : g_records_only
    assign {step_o, step_last_o, step_elements_o, step_exponent_o, read_copied_o, lookup_copied_o} =
        '0;
    logic unused_copies;
    assign unused_copies = ^{forgotten, copy_valid_i, copy_last_i, copy_i, copy_exponent_i};
  end
endmodule

`default_nettype wire

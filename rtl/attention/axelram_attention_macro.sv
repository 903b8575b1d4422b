/// The smart SRAM macro with attention (references.md#axelram, figure 2;
/// bit-contract.md#attention): tokens, a key and a value each, are rotated, quantized and stored
/// once, in segments; a group of queries is rotated once, scored against every token of a segment
/// by table lookup, and answered with the sums of the values under the softmax of the scores. This
/// module is the shell: reset, streams, sequence, tokens in segments and memories, status. The core
/// is the arithmetic.
///
///   vectors, commands -> control --operations, fates--> tokens --keys, values--> core
///   vectors -> core --records--> tokens                   core -> outputs, scores
///
/// Scale and ScaleExponent: the softmax scale after a reset. ValueScale and ValueExponent: that of
/// the values. Other parameters, ROM contents, constant inputs: axelram_write_path; of Rotations
/// rows, the row of an item's segment. With RotationRam they are the rows of
/// axelram_rotation_memory after a reset.
/// Cycles, no stalls, Rows = HeadDim/KeyLanes, ReadRows = HeadDim/ReadLanes:
///   token stored:  with the record of its value; the next item starts 2 cycles behind the last
///                  beat, or later
///   first output:  the reads of T tokens take T * ReadRows; from there ReadRows +
///                  log2(ReadLanes) + 17, and what axelram_output_path takes, and 1
///   first score:   ReadRows + log2(ReadLanes) + 7 after its read, then one beat per ReadRows
///   with a code:   outputs and scores CodeStages + ReadRows + 5 later, tokens CodeStages
///   after reset:   ready 3 cycles after the release (with a code 2 + MaxKeys, with RotationRam
///                  3 + Rotations * Rows, the larger of both); until then busy_o is high, and
///                  inputs other than streams must be idle
/// No output depends on an input in the same cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_attention_macro #(
    parameter int        HeadDim         = 128,
    parameter int        KeyLanes        = 128,
    parameter int        ReadLanes       = 128,
    parameter int        OutputLanes     = 16,
    parameter int        Group           = 1,
    parameter int        ScoreLane       = 0,
    parameter bit        Latches         = 1'b0,
    parameter int        Multipliers     = 8,
    parameter int        MaxKeys         = 4096,
    parameter int        Segments        = 1,
    parameter int        Rotations       = 1,
    parameter bit        RotationRam     = 1'b0,
    parameter int        IndexBits       = 3,
    parameter int        SigBits         = 16,
    parameter int        FractionBits    = 13,
    parameter int        QueryBits       = 8,
    parameter int        CentroidBits    = 8,
    parameter int        ExpBits         = 5,
    parameter int        WeightBits      = 20,
    parameter int        OutExpBits      = 5,
    parameter int        OutFracBits     = 10,
    parameter bit [15:0] Scale           = 16'd52279,
    parameter int        ScaleExponent   = -31,
    parameter bit [23:0] ValueScale      = 24'd13119285,
    parameter int        ValueExponent   = -36,
    parameter int        States          = 0,
    parameter bit        Unbiased        = 1'b0,
    parameter bit        Center          = 1'b0,
    parameter bit [Rotations*8-1:0] CenterExponents = {Rotations{8'd1}},
    parameter bit        Balance         = 1'b0,
    parameter bit        ClockGating     = 1'b0,
    parameter int        ExactFirst      = 0,
    parameter int        ExactLast       = 0,
    parameter int        CopyBits        = 16,
    parameter int        CodeN           = 0,
    parameter int        CodeK           = 1,
    parameter int        Decoder         = 0,
    parameter int        ParityBit       = -1,
    parameter bit [((CodeN > CodeK) ? CodeK*(CodeN-CodeK) : 1)-1:0] Parity = '0,
    parameter int        CodeStages      = 0,
    parameter int        ScrubInterval   = 0,
    parameter int        Erasure         = 0,
    localparam int       Levels          = axelram_sizes::levels(IndexBits, States),
    localparam int       Words           = axelram_sizes::words(IndexBits, 0, 1'b0, States),
    localparam int       RecordBits      = axelram_sizes::record_bits(HeadDim, IndexBits, 1'b0, 0),
    localparam int       Errors          = (States > 0 && Unbiased) ? 9 : 8,
    localparam int       StoredBits      = axelram_sizes::stored_bits(RecordBits, CodeN, CodeK),
    localparam int       AddressBits     = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int       CountBits       = $clog2(MaxKeys + 1),
    localparam int       DenominatorBits = 33 + $clog2(MaxKeys),
    localparam int       OutBits         = 1 + OutExpBits + OutFracBits,
    localparam int       ChannelBits     = Balance ? 5 : 1  // a sign, and above all signs exponents
) (
    input  wire logic                                            clk_i,
    // its release is synchronised here
    input  wire logic                                            rst_ni,
    input  wire logic        [Rotations*HeadDim*ChannelBits-1:0] signs_i,
    input  wire logic        [                     Words*20-1:0] boundaries_i,
    input  wire logic        [          Levels*CentroidBits-1:0] centroids_i,
    input  wire logic        [         Rotations*HeadDim*16-1:0] center_i,

    // Vectors: HeadDim/KeyLanes beats, element KeyLanes*beat + i at bits 16*i; axelram_items.
    input  wire logic                                            vector_valid_i,
    output logic                                                 vector_ready_o,
    input  wire logic        [                              1:0] vector_kind_i,
    input  wire logic        [                              7:0] vector_segment_i,
    input  wire logic        [                  KeyLanes*16-1:0] vector_data_i,

    // Commands: axelram_segments; kind 0 allocate, 1 evict, 2 free.
    input  wire logic                                            command_valid_i,
    output logic                                                 command_ready_o,
    input  wire logic        [                              1:0] command_kind_i,
    input  wire logic        [                              7:0] command_segment_i,
    input  wire logic        [                    CountBits-1:0] command_base_i,
    input  wire logic        [                    CountBits-1:0] command_capacity_i,
    input  wire logic        [                    CountBits-1:0] command_sinks_i,
    input  wire logic        [                              7:0] command_rotation_i,
    input  wire logic                                            command_wrap_i,
    input  wire logic        [                    CountBits-1:0] command_n_i,
    input  wire logic                                            clear_valid_i,  // of all tokens
    output logic                                                 clear_ready_o,

    // Outputs: HeadDim/OutputLanes beats a head, head by head.
    output logic                                                 output_valid_o,
    input  wire logic                                            output_ready_i,
    output logic             [          OutputLanes*OutBits-1:0] output_data_o,
    output logic                                                 output_last_o,
    output logic                                                 output_saturated_o,
    output logic      signed [                             15:0] output_maximum_o,
    output logic             [              DenominatorBits-1:0] output_denominator_o,

    // Scores: FP32, a beat for each token in order.
    output logic                                                 score_valid_o,
    input  wire logic                                            score_ready_i,
    output logic             [                     Group*32-1:0] score_data_o,
    output logic                                                 score_last_o,
    output logic             [                        Group-1:0] score_saturated_o,

    // Softmax scale, loaded while busy_o is low.
    input  wire logic                                            scale_load_i,
    input  wire logic        [                             15:0] scale_i,
    input  wire logic signed [                              7:0] scale_exponent_i,
    // Rows of the rotations, with RotationRam, loaded while busy_o and vector_valid_i are low:
    // axelram_rotation_memory.
    input  wire logic                                            rotation_load_i,
    input  wire logic        [                              7:0] rotation_row_i,
    input  wire logic        [         KeyLanes*ChannelBits-1:0] rotation_signs_i,
    input  wire logic        [                  KeyLanes*16-1:0] rotation_center_i,
    // Status: {scale_refused, bad command, output, logit, score, norm saturated, segment full,
    // group, token rejected}.
    output logic                                                 busy_o,
    output logic                                                 query_done_o,
    input  wire logic                                            errors_clear_i,
    output logic             [                       Errors-1:0] errors_o,
    output logic             [                    Errors*32-1:0] error_counts_o,
    // Code, injection: axelram_token_store, axelram_code_registers, axelram_inject.
    input  wire logic                                            ecc_load_i,
    input  wire logic        [                              1:0] ecc_erasure_i,
    input  wire logic                                            ecc_write_back_i,
    output logic             [                         4*32-1:0] ecc_counts_o,
    output logic                                                 ecc_first_valid_o,
    output logic             [                  AddressBits-1:0] ecc_first_address_o,
    input  wire logic                                            inject_load_i,
    input  wire logic                                            inject_value_i,
    input  wire logic        [                              1:0] inject_mode_i,
    input  wire logic        [                   StoredBits-1:0] inject_mask_i,
    output logic                                                 inject_armed_o
);
  localparam int Rows = HeadDim / KeyLanes, RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int ReadRows = HeadDim / ReadLanes,
      ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1;
  localparam int Late = axelram_sizes::code_delay(CodeN, CodeStages, ReadRows);
  localparam int Outstanding = axelram_sizes::outstanding(ReadRows, ReadLanes, Late);
  // From the last beat of a value to its record, and between two values, at least.
  localparam int RootBits = axelram_sizes::root_bits(SigBits, Center, $clog2(HeadDim));
  localparam int RowDelay = axelram_sizes::row_delay(RootBits, Rows);
  localparam int RowCycles = 3 + 32'(Center) + $clog2(HeadDim) + RowDelay + Rows;
  localparam int RecordCycles = (States > 0) ?
      RowCycles + 2 * HeadDim + IndexBits + $clog2(States) + 4 :
      RowCycles + Rows + 1 + (Unbiased ? $clog2(KeyLanes) + IndexBits + 17 : 0);
  localparam int KeyWait = (States > 0 && HeadDim + 4 > Rows) ? HeadDim + 4 - Rows : 0;
  localparam bit Exact = ExactFirst + ExactLast > 0;
  localparam int CopyLanes = !Exact ? 0 : (Multipliers < KeyLanes) ? Multipliers : KeyLanes;
  localparam int CopyPorts = Exact ? CopyLanes : 1;
  localparam int Interval = 2 * (Rows + KeyWait) + 1;
  `AXELRAM_REQUIRE(code_bits_0_or_more_than_data_bits, CodeN == 0 || (CodeK >= 1 && CodeN > CodeK))

  logic rst_n;
  axelram_reset_sync u_reset_sync (.clk_i, .rst_ni, .rst_no(rst_n));

  // ---- Sequence: items and commands take effect on the tokens one after the other
  logic beat, beat_first, beat_last, beat_query, beat_value, rejected, loaded, ready, idle;
  logic [RowBits-1:0] beat_row;
  logic rotations_ready, peek, peek_taken;
  logic item, group;  // the first beat of an item, of a group
  logic [7:0] rotation, rotation_next;
  logic operate, operate_item, operated, segment_rejected, segment_full;
  logic [2:0] operation;
  logic [CountBits-1:0] count;
  logic fate_valid, fate_key, fate_value, fate_store;
  logic [1:0] tokens_done;
  logic build, built, start, attend, reads_done, read_over, ended, scores_free, outputs_free;
  logic [3:0] sequence_events;
  axelram_attention_control #(
      .Rows(Rows), .Group(Group), .KeyWait(KeyWait),
      .Front(Rows + 32'(Center)),
      .Rotations(Rotations), .CountBits(CountBits)
  ) u_control (
      .clk_i,
      .rst_ni            (rst_n),
      .ready_i           (ready && rotations_ready),
      .vector_valid_i, .vector_ready_o, .vector_kind_i,
      .beat_o            (beat),
      .beat_last_o       (beat_last),
      .beat_query_o      (beat_query),
      .beat_value_o      (beat_value),
      .beat_row_o        (beat_row),
      .beat_first_o      (beat_first),
      .command_valid_i, .command_ready_o, .command_kind_i, .clear_valid_i, .clear_ready_o,
      .peek_o            (peek),
      .peek_taken_i      (peek_taken),
      .peek_rotation_i   (rotation_next),
      .segment_valid_o   (operate),
      .segment_kind_o    (operation),
      .segment_item_o    (operate_item),
      .segment_valid_i   (operated),
      .segment_rejected_i(segment_rejected),
      .segment_full_i    (segment_full),
      .rotation_o        (rotation),
      .rejected_i        (rejected),
      .loaded_i          (loaded),
      .fate_valid_o      (fate_valid),
      .fate_key_o        (fate_key),
      .fate_value_o      (fate_value),
      .fate_store_o      (fate_store),
      .tokens_done_i     (tokens_done),
      .build_o           (build),
      .built_i           (built),
      .count_i           (count),
      .start_o           (start),
      .attend_o          (attend),
      .done_i            (reads_done),
      .over_i            (read_over),
      .ended_i           (ended),
      .outputs_free_i    (outputs_free),
      .idle_o            (idle),
      .query_done_o, .busy_o,
      .token_rejected_o  (sequence_events[0]),
      .group_rejected_o  (sequence_events[1]),
      .segment_full_o    (sequence_events[2]),
      .bad_command_o     (sequence_events[3])
  );
  assign item = beat && beat_first;
  assign group = item && beat_query;
  logic [7:0] segment;  // of the item
  axelram_delay_line #(.Bits(8), .Depth(1)) u_segment (
      .clk_i,
      .rst_ni  (rst_n),
      .enable_i(item),
      .data_i  (vector_segment_i),
      .data_o  (segment)
  );

  // ---- Tokens
  logic record_valid, stored, read, lookup, lookup_last, lookup_last_key;
  logic [ReadRowBits-1:0] lookup_row;
  logic [1:0] record_events, key_events, value_events;
  logic [RecordBits-1:0] record, key, value;
  logic copy_valid, copy_last, step, step_last, accumulated, read_copied, lookup_copied;
  logic [KeyLanes*CopyBits-1:0] copy;
  logic [CopyPorts*CopyBits-1:0] step_elements;
  logic signed [11:0] copy_exponent, step_exponent;
  axelram_tokens #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .IndexBits(IndexBits), .MaxKeys(MaxKeys),
      .Segments(Segments), .Rotations(Rotations), .ReadRows(ReadRows),
      .ValueDelay(ReadRows + $clog2(ReadLanes) + 11),
      .Waiting   (1 << $clog2(RecordCycles / Interval + 2)),
      .ExactFirst(ExactFirst), .ExactLast(ExactLast), .CopyBits(CopyBits),
      .CopyLanes (CopyPorts),
      .CodeN(CodeN), .CodeK(CodeK), .Decoder(Decoder), .ParityBit(ParityBit), .Parity(Parity),
      .CodeStages(CodeStages), .ScrubInterval(ScrubInterval), .Erasure(Erasure)
  ) u_tokens (
      .clk_i,
      .rst_ni           (rst_n),
      .ready_o          (ready),
      .peek_i           (peek),
      .peek_segment_i   (vector_segment_i),
      .peek_taken_o     (peek_taken),
      .peek_rotation_o  (rotation_next),
      .operate_i        (operate),
      .operation_i      (operation),
      .segment_i        (operate_item ? segment : command_segment_i),
      .base_i           (command_base_i),
      .capacity_i       (command_capacity_i),
      .sinks_i          (command_sinks_i),
      .rotation_i       (command_rotation_i),
      .wrap_i           (command_wrap_i),
      .n_i              (command_n_i),
      .operated_o       (operated),
      .rejected_o       (segment_rejected),
      .full_o           (segment_full),
      .count_o          (count),
      .fate_valid_i     (fate_valid),
      .fate_key_i       (fate_key),
      .fate_value_i     (fate_value),
      .fate_store_i     (fate_store),
      .record_valid_i   (record_valid),
      .record_events_i  (record_events),
      .record_i         (record),
      .copy_valid_i     (copy_valid),
      .copy_last_i      (copy_last),
      .copy_i           (copy),
      .copy_exponent_i  (copy_exponent),
      .step_o           (step),
      .step_last_o      (step_last),
      .step_elements_o  (step_elements),
      .step_exponent_o  (step_exponent),
      .copy_ready_i     (!read_copied || accumulated),
      .read_copied_o    (read_copied),
      .lookup_copied_o  (lookup_copied),
      .done_o           (tokens_done),
      .idle_i           (idle),
      .stored_o         (stored),
      .key_events_o     (key_events),
      .value_events_o   (value_events),
      .start_i          (start),
      .values_i         (attend),
      .free_i           (attend || scores_free),
      .read_o           (read),
      .read_done_o      (reads_done),
      .read_over_o      (read_over),
      .lookup_o         (lookup),
      .lookup_row_o     (lookup_row),
      .lookup_last_o    (lookup_last),
      .lookup_last_key_o(lookup_last_key),
      .key_o            (key),
      .value_o          (value),
      .errors_clear_i, .ecc_load_i, .ecc_erasure_i, .ecc_write_back_i, .ecc_counts_o,
      .ecc_first_valid_o, .ecc_first_address_o, .inject_load_i, .inject_value_i, .inject_mode_i,
      .inject_mask_i, .inject_armed_o
  );

  // ---- Vectors to records; records to scores and outputs
  logic [15:0] scale;
  logic signed [7:0] scale_exponent;
  logic [HeadDim-1:0] signs;
  logic [HeadDim*4-1:0] balance;
  logic [Rotations*HeadDim*4-1:0] balances;
  logic [KeyLanes*4-1:0] rotation_balance;
  if (Balance) begin : g_balance
    assign balances = signs_i[Rotations*HeadDim+:Rotations*HeadDim*4];
    assign rotation_balance = rotation_signs_i[KeyLanes+:KeyLanes*4];
  end else begin : g_balance
    assign {balances, rotation_balance} = '0;
  end
  logic [HeadDim*16-1:0] center;
  logic [ExpBits-1:0] center_exponent;
  axelram_attention_constants #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .Rotations(Rotations), .RotationRam(RotationRam),
      .Center(Center), .Balance(Balance), .ExpBits(ExpBits), .CenterExponents(CenterExponents),
      .Scale(Scale), .ScaleExponent(ScaleExponent)
  ) u_constants (
      .clk_i,
      .rst_ni            (rst_n),
      .ready_o           (rotations_ready),
      .rotation_i        (rotation),
      .signs_i           (signs_i[Rotations*HeadDim-1:0]),
      .balance_i         (balances),
      .center_i,
      .signs_o           (signs),
      .balance_o         (balance),
      .center_o          (center),
      .center_exponent_o (center_exponent),
      .read_i            (item),
      .read_rotation_i   (rotation_next),
      .rotation_load_i, .rotation_row_i,
      .rotation_signs_i  (rotation_signs_i[KeyLanes-1:0]),
      .rotation_balance_i(rotation_balance),
      .rotation_center_i,
      .load_i            (scale_load_i),
      .scale_i, .scale_exponent_i,
      .scale_o           (scale),
      .scale_exponent_o  (scale_exponent)
  );
  logic [2:0] events;
  axelram_attention_core #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .ReadLanes(ReadLanes), .OutputLanes(OutputLanes),
      .Group(Group), .ScoreLane(ScoreLane), .Latches(Latches), .Multipliers(Multipliers),
      .IndexBits(IndexBits), .SigBits(SigBits), .FractionBits(FractionBits), .QueryBits(QueryBits),
      .CentroidBits(CentroidBits), .ExpBits(ExpBits), .MaxKeys(MaxKeys), .WeightBits(WeightBits),
      .ValueExponent(ValueExponent), .OutExpBits(OutExpBits), .OutFracBits(OutFracBits),
      .Outstanding(Outstanding), .Late(Late), .States(States), .Unbiased(Unbiased), .Center(Center),
      .Balance(Balance), .ClockGating(ClockGating), .CopyLanes(CopyLanes), .CopyBits(CopyBits),
      .Copies(Exact ? ExactFirst + ExactLast : 1)
  ) u_core (
      .clk_i,
      .rst_ni           (rst_n),
      .signs_i          (signs),
      .boundaries_i, .centroids_i,
      .balance_i        (balance),
      .center_i         (center),
      .center_exponent_i(center_exponent),
      .scale_i          (scale),
      .scale_exponent_i (scale_exponent),
      .value_scale_i    (ValueScale),
      .beat_i           (beat),
      .beat_last_i      (beat_last),
      .beat_query_i     (beat_query),
      .beat_value_i     (beat_value),
      .beat_row_i       (beat_row),
      .beat_data_i      (vector_data_i),
      .rejected_o       (rejected),
      .record_valid_o   (record_valid),
      .record_events_o  (record_events),
      .record_o         (record),
      .copy_valid_o     (copy_valid),
      .copy_last_o      (copy_last),
      .copy_o           (copy),
      .copy_exponent_o  (copy_exponent),
      .step_i           (step),
      .step_last_i      (step_last),
      .step_elements_i  (step_elements),
      .step_exponent_i  (step_exponent),
      .claim_i          (read && read_copied),
      .accumulated_o    (accumulated),
      .lookup_copied_i  (lookup_copied),
      .group_i          (group),
      .loaded_o         (loaded),
      .build_i          (build),
      .built_o          (built),
      .start_i          (start && attend),
      .attend_i         (attend),
      .read_i           (read),
      .free_o           (scores_free),
      .lookup_i         (lookup),
      .lookup_row_i     (lookup_row),
      .lookup_last_i    (lookup_last),
      .lookup_last_key_i(lookup_last_key),
      .key_i            (key),
      .value_i          (value),
      .over_i           (read_over),
      .ended_o          (ended),
      .events_o         (events),
      .score_valid_o, .score_ready_i, .score_last_o, .score_saturated_o, .score_data_o,
      .outputs_free_o   (outputs_free),
      .output_valid_o, .output_ready_i, .output_last_o, .output_saturated_o, .output_data_o,
      .output_maximum_o, .output_denominator_o
  );

  logic [1:0] once, twice;  // {scale_refused, norm_saturated}, of the key, the value or both
  assign once = stored ? key_events | value_events : '0;
  assign twice = stored ? key_events & value_events : '0;
  axelram_status #(.Events(Errors)) u_status (
      .clk_i,
      .rst_ni  (rst_n),
      .clear_i (errors_clear_i),
      .event_i (Errors'({once[1], sequence_events[3], events, once[0], sequence_events[2:0]})),
      .twice_i (Errors'({twice[1], 4'd0, twice[0], 3'd0})),
      .sticky_o(errors_o),
      .count_o (error_counts_o)
  );
endmodule

`default_nettype wire

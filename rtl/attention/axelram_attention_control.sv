/// Sequencer of a macro with attention (bit-contract.md#segments). Items and commands take effect
/// one after the other:
///
///   accept --group--> rotate --all loaded--> build --tables complete--> read --last read--> tail
///      '-command--> segments
///
/// Back to accept: what is rejected (NaN, infinity, bad command), a command, a group for scores
/// behind its last read, a group for outputs behind its last output.
///
/// Items are those of axelram_items. Appends follow each other without waiting for their records; a
/// group waits until all tokens before it are stored.
/// Commands, and clear_*, are taken between two items, when every token accepted is stored and no
/// group is under way; while one waits, no item starts. They take 3 cycles. outputs_free_i: a group
/// of outputs has room. segment_*: axelram_segments; a group's segment stands at its outputs until
/// the next item. fate_*: axelram_token.
/// No output depends on an input of the macro in the same cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_attention_control #(
    parameter int  Rows      = 1,
    parameter int  Group     = 1,
    parameter int  KeyWait   = 0,
    parameter int  Front     = 6,
    parameter int  Rotations = 1,
    parameter int  CountBits = 13,
    localparam int RowBits   = (Rows > 1) ? $clog2(Rows) : 1
) (
    input  wire logic                 clk_i,
    input  wire logic                 rst_ni,
    input  wire logic                 ready_i,
    // Vector stream.
    input  wire logic                 vector_valid_i,
    output logic                      vector_ready_o,
    input  wire logic [          1:0] vector_kind_i,
    output logic                      beat_o,
    output logic                      beat_last_o,  // of the vector
    output logic                      beat_query_o,
    output logic                      beat_value_o,
    output logic      [  RowBits-1:0] beat_row_o,
    output logic                      beat_first_o,  // of the item
    // Commands, clear.
    input  wire logic                 command_valid_i,
    output logic                      command_ready_o,
    // 0 allocate, 1 evict, 2 free, 3 a bad command
    input  wire logic [          1:0] command_kind_i,
    input  wire logic                 clear_valid_i,
    output logic                      clear_ready_o,
    // Segments.
    output logic                      peek_o,
    input  wire logic                 peek_taken_i,
    input  wire logic [          7:0] peek_rotation_i,
    output logic                      segment_valid_o,
    output logic      [          2:0] segment_kind_o,
    // the operation is of the item, not of a command
    output logic                      segment_item_o,
    input  wire logic                 segment_valid_i,
    input  wire logic                 segment_rejected_i,
    input  wire logic                 segment_full_i,
    output logic      [          7:0] rotation_o,
    // Ends of vectors and of tokens.
    input  wire logic                 rejected_i,
    input  wire logic                 loaded_i,
    output logic                      fate_valid_o,
    output logic                      fate_key_o,
    output logic                      fate_value_o,
    output logic                      fate_store_o,
    input  wire logic [          1:0] tokens_done_i,
    // Groups.
    output logic                      build_o,
    input  wire logic                 built_i,
    input  wire logic [CountBits-1:0] count_i,
    output logic                      start_o,
    output logic                      attend_o,  // of the group whose tokens are read
    input  wire logic                 done_i,
    input  wire logic                 over_i,
    input  wire logic                 ended_i,
    input  wire logic                 outputs_free_i,
    output logic                      idle_o,  // no token is read
    output logic                      query_done_o,
    output logic                      busy_o,
    // Events.
    output logic                      token_rejected_o,
    output logic                      group_rejected_o,
    output logic                      segment_full_o,
    output logic                      bad_command_o
);
  `AXELRAM_REQUIRE(count_bits_at_least_1, CountBits >= 1)
  `AXELRAM_REQUIRE(rotations_in_1_to_256, Rotations >= 1 && Rotations <= 256)

  localparam logic [2:0] DoAppend = 3'd1, DoLook = 3'd2, DoClear = 3'd5;

  typedef enum logic [2:0] {
    StAccept,
    StRotate,
    StBuild,
    StRead,
    StTail,
    StCommand
  } state_e;
  state_e state_q;

  // ---- Beats
  logic accept, between, bad_item, taken_last, item_last, query, attend, command_waits_q,
      clear_waits_q;
  logic [7:0] in_flight_q;  // tokens accepted and neither stored nor rejected yet
  assign accept = state_q == StAccept && ready_i;
  axelram_items #(
      .Rows(Rows), .Group(Group), .KeyWait(KeyWait), .Front(Front), .Rotations(Rotations)
  ) u_items (
      .clk_i, .rst_ni,
      .accept_i        (accept),
      .hold_i          (command_waits_q || clear_waits_q),
      .outputs_free_i, .vector_valid_i, .vector_ready_o, .vector_kind_i, .peek_o, .peek_taken_i,
      .peek_rotation_i, .rotation_o,
      .between_o       (between),
      .beat_o, .beat_first_o, .beat_last_o,
      .beat_item_last_o(item_last),
      .beat_query_o    (query),
      .beat_value_o,
      .beat_attend_o   (attend),
      .beat_row_o,
      .bad_o           (bad_item)
  );
  assign beat_query_o = query;
  assign taken_last = beat_o && beat_last_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_waits_q <= 1'b0;
      clear_waits_q <= 1'b0;
    end else begin
      command_waits_q <= command_valid_i && !command_ready_o;
      clear_waits_q <= clear_valid_i && !clear_ready_o;
    end
  end

  // ---- Ends of items: rejected_i comes a cycle behind the last beat of a vector
  logic ended_q, ended_item_q, ended_query_q, ended_attend_q, key_ok_q, any_rejected_q,
      some_rejected;
  logic outcome, token_outcome, finish;
  assign outcome = ended_q && ended_item_q;
  assign token_outcome = outcome && !ended_query_q;
  assign some_rejected = rejected_i || any_rejected_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ended_q <= 1'b0;
      any_rejected_q <= 1'b0;
    end else begin
      ended_q <= taken_last;
      if (ended_q) any_rejected_q <= !(ended_item_q && !ended_query_q) && some_rejected;
      if (finish) any_rejected_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken_last) {ended_item_q, ended_query_q, ended_attend_q} <= {item_last, query, attend};
    if (ended_q && !ended_item_q) key_ok_q <= !rejected_i;
  end

  // Every token but those without a record takes an operation, so that fates are in order. A group
  // looks a cycle late, since operations are 3 cycles apart.
  logic look_q;
  logic [2:0] token_q;  // operations on their way: of tokens
  logic [5:0] records_q;  // {key, value} of each
  logic token_records, rejected_token;
  assign token_records = key_ok_q || !rejected_i;
  assign rejected_token = !key_ok_q || rejected_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {look_q, token_q} <= '0;
    else begin
      look_q <= outcome && ended_query_q && !some_rejected;
      token_q <= 3'({token_q, token_outcome && token_records});
    end
  end
  always_ff @(posedge clk_i) records_q <= 6'({records_q, key_ok_q, !rejected_i});
  assign fate_valid_o = token_q[2];
  assign {fate_key_o, fate_value_o} = records_q[5:4];
  assign fate_store_o = records_q[5:4] == 2'b11 && !segment_rejected_i;

  // ---- Commands
  logic command, operate_command, operate_clear;
  logic [2:0] command_kind;
  always_comb
    case (command_kind_i)
      2'd0: command_kind = 3'd0;
      2'd1: command_kind = 3'd3;
      2'd2: command_kind = 3'd4;
      default: command_kind = 3'd7;
    endcase
  assign command = accept && between && in_flight_q == '0;
  assign clear_ready_o = command && clear_waits_q;
  assign command_ready_o = command && command_waits_q && !clear_waits_q;
  assign operate_clear = clear_valid_i && clear_ready_o;
  assign operate_command = command_valid_i && command_ready_o;
  assign segment_item_o = look_q || token_outcome;
  assign segment_valid_o = operate_clear || operate_command || look_q ||
      (token_outcome && token_records);
  always_comb
    if (operate_clear) segment_kind_o = DoClear;
    else if (operate_command) segment_kind_o = command_kind;
    else segment_kind_o = (look_q || rejected_token) ? DoLook : DoAppend;

  // ---- Groups
  localparam int PendingBits = $clog2(Group + 1);
  // queries accepted and neither loaded nor rejected yet
  logic [PendingBits-1:0] pending_q, pending;
  logic attend_q, looked_up, tokens_stored, all_loaded;
  assign pending = pending_q + PendingBits'(taken_last && query) -
      PendingBits'(ended_q && ended_query_q && rejected_i) - PendingBits'(loaded_i);
  assign all_loaded = pending == '0;
  assign tokens_stored = in_flight_q == 8'(tokens_done_i);
  assign looked_up = done_i || (count_i == '0 && start_o);
  assign build_o = state_q == StBuild;
  assign idle_o = state_q == StAccept || state_q == StRotate || state_q == StCommand;
  assign start_o = build_o && built_i;
  assign attend_o = attend_q;
  always_comb
    case (state_q)
      StRotate: finish = all_loaded && tokens_stored && some_rejected;
      StBuild, StRead: finish = !attend_q && looked_up;
      StTail: finish = ended_i;
      default: finish = 1'b0;
    endcase

  logic token_in;
  assign token_in = beat_o && beat_first_o && !query;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StAccept;
      pending_q <= '0;
      in_flight_q <= '0;
      attend_q <= 1'b0;
      query_done_o <= 1'b0;
    end else begin
      pending_q <= pending;
      in_flight_q <=
          in_flight_q + 8'(token_in) - 8'(tokens_done_i) - 8'(token_outcome && !token_records);
      query_done_o <= finish || (bad_item && query);
      case (state_q)
        StAccept:
        if (operate_clear || operate_command) state_q <= StCommand;
        else if (taken_last && query && item_last) state_q <= StRotate;
        StRotate:  // scores of the group before may be on their way until a good one is rotated
        if (all_loaded && tokens_stored && !some_rejected) begin
          state_q  <= StBuild;
          attend_q <= ended_attend_q;
        end
        StBuild: if (built_i) state_q <= StRead;
        StRead: if (over_i && attend_q) state_q <= StTail;
        StCommand: if (segment_valid_i) state_q <= StAccept;
        default: ;
      endcase
      if (finish) state_q <= StAccept;
    end
  end

  assign busy_o = !ready_i || state_q != StAccept || !between || in_flight_q != '0;

  // ---- Events
  assign token_rejected_o = token_outcome && rejected_token;
  assign group_rejected_o = finish && state_q == StRotate;
  assign segment_full_o = segment_valid_i && segment_full_i;
  assign bad_command_o = bad_item ||
      (segment_valid_i && segment_rejected_i && state_q == StCommand);

  `AXELRAM_ASSERT(tokens_in_range, in_flight_q >= 8'(tokens_done_i))
  `AXELRAM_ASSERT(fewer_than_256_in_flight, in_flight_q != '1)
  `AXELRAM_ASSERT(all_stored_before_read, build_o |-> in_flight_q == '0)
  `AXELRAM_ASSERT(loads_in_their_state, loaded_i |-> pending_q != '0)
  `AXELRAM_ASSERT(commands_between_items, segment_valid_o && !segment_item_o |-> between && !beat_o)
  `AXELRAM_COVER(command_waits_for_tokens, command_waits_q && in_flight_q != '0)
  `AXELRAM_COVER(clear_waits_for_tokens, clear_waits_q && in_flight_q != '0)
  `AXELRAM_COVER(group_partly_rejected, state_q == StRotate && some_rejected && !all_loaded)
endmodule

`default_nettype wire

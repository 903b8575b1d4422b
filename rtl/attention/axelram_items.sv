/// Beats of items (bit-contract.md#segments): an append, a key and its value, or a group of
/// queries. The first beat names its kind (0 append, 1 attend, 2 scores, else a bad command) and
/// its segment; later beats are of that item.
///
/// accept_i: an item may start, or goes on. Between two items the stream rests for a cycle, in
/// which the segment is looked up (peek_*: axelram_segments), and longer where the next item has
/// another rotation: Front cycles from the last beat, until the signs and the center of the item
/// before are of no more use. KeyWait: cycles behind a key or a value in which no vector starts
/// (axelram_trellis). outputs_free_i: a group of outputs has room.
/// Beats of a bad command are taken and go no further: bad_o with the last one.
/// No output depends on an input of the macro in the same cycle, but beat_* to bad_o on the beat.
`include "axelram_macros.svh"
`default_nettype none

module axelram_items #(
    parameter int  Rows       = 1,
    parameter int  Group      = 1,
    parameter int  KeyWait    = 0,
    parameter int  Front      = 6,
    parameter int  Rotations  = 1,
    localparam int RowBits    = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int VectorBits = (Group > 2) ? $clog2(Group) : 1
) (
    input  wire logic               clk_i,
    input  wire logic               rst_ni,
    input  wire logic               accept_i,
    input  wire logic               hold_i,  // no item starts
    input  wire logic               outputs_free_i,
    input  wire logic               vector_valid_i,
    output logic                    vector_ready_o,
    input  wire logic [        1:0] vector_kind_i,
    output logic                    peek_o,
    input  wire logic               peek_taken_i,
    input  wire logic [        7:0] peek_rotation_i,
    output logic      [        7:0] rotation_o,
    output logic                    between_o,  // two items
    output logic                    beat_o,
    output logic                    beat_first_o,  // of the item
    output logic                    beat_last_o,  // of the vector
    output logic                    beat_item_last_o,  // with beat_last_o: of the item
    output logic                    beat_query_o,
    output logic                    beat_value_o,
    output logic                    beat_attend_o,
    output logic      [RowBits-1:0] beat_row_o,
    output logic                    bad_o
);
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(group_power_of_two, Group >= 1 && (Group & (Group - 1)) == 0)
  `AXELRAM_REQUIRE(waits_at_least_0, KeyWait >= 0 && Front >= 0)
  `AXELRAM_REQUIRE(rotations_in_1_to_256, Rotations >= 1 && Rotations <= 256)

  localparam logic [1:0] Append = 2'd0, Attend = 2'd1, Unknown = 2'd3;

  logic peeked_q, start_ok, taken, vector_waits, rotation_free, bad_q, bad;
  logic [1:0] peek_kind_q, kind_q, kind;
  logic [RowBits-1:0] row_q;
  logic [VectorBits-1:0] vector_q;
  assign between_o = row_q == '0 && vector_q == '0;
  assign peek_o = vector_valid_i && between_o;
  assign kind = between_o ? peek_kind_q : kind_q;
  assign bad = between_o ? !peek_taken_i || kind == Unknown : bad_q;
  assign start_ok = peeked_q && !hold_i &&
      (bad || (rotation_free && (kind != Attend || outputs_free_i)));
  assign vector_ready_o = accept_i && !vector_waits && (between_o ? start_ok : 1'b1);
  assign taken = vector_valid_i && vector_ready_o;
  assign beat_o = taken && !bad;
  assign beat_first_o = between_o;
  assign beat_row_o = row_q;
  assign beat_last_o = row_q == RowBits'(Rows - 1);
  assign beat_query_o = kind != Append;
  assign beat_attend_o = kind == Attend;
  assign beat_value_o = kind == Append && vector_q != '0;
  assign beat_item_last_o = vector_q == (beat_query_o ? VectorBits'(Group - 1) : VectorBits'(1));
  assign bad_o = taken && bad && beat_last_o && beat_item_last_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      peeked_q <= 1'b0;
      row_q <= '0;
      vector_q <= '0;
    end else begin
      peeked_q <= peek_o && accept_i && !taken;
      if (taken) begin
        row_q <= beat_last_o ? '0 : row_q + 1'b1;
        if (beat_last_o) vector_q <= beat_item_last_o ? '0 : vector_q + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (peek_o) peek_kind_q <= vector_kind_i;
    if (taken) {kind_q, bad_q} <= {kind, bad};
  end

  // ---- Behind a vector none starts for KeyWait cycles
  if (KeyWait > 0) begin : g_wait
    localparam int WaitBits = $clog2(KeyWait + 1);
    logic [WaitBits-1:0] wait_q;
    assign vector_waits = wait_q != '0 && row_q == '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) wait_q <= '0;
      else if (beat_o && beat_last_o && !beat_query_o) wait_q <= WaitBits'(KeyWait);
      else if (wait_q != '0) wait_q <= wait_q - 1'b1;
    end
    `AXELRAM_COVER(stream_held_behind_a_vector, vector_valid_i && vector_waits && accept_i)
  end else begin : g_wait
    assign vector_waits = 1'b0;
  end

  // ---- An item of another rotation waits until the vectors before it are behind their signs
  if (Rotations > 1) begin : g_rotation
    localparam int FrontBits = $clog2(Front + 2);
    logic [FrontBits-1:0] front_q;
    logic [7:0] rotation_q;
    assign rotation_free = front_q == '0 || peek_rotation_i == rotation_q;
    assign rotation_o = rotation_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) front_q <= '0;
      else if (beat_o) front_q <= FrontBits'(Front + 1);
      else if (front_q != '0) front_q <= front_q - 1'b1;
    end
    always_ff @(posedge clk_i) if (beat_o && between_o) rotation_q <= peek_rotation_i;
    `AXELRAM_COVER(stream_held_by_a_rotation, peeked_q && !bad && !rotation_free)
  end else begin : g_rotation
    assign {rotation_free, rotation_o} = {1'b1, 8'd0};
    logic unused;
    assign unused = ^peek_rotation_i;
  end

  `AXELRAM_COVER(group_waits_for_room,
                 accept_i && peeked_q && !bad && kind == Attend && !outputs_free_i)
endmodule

`default_nettype wire

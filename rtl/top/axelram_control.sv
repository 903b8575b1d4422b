/// Sequencer of the macro. One stream carries keys, records and queries in order. A query blocks
/// the stream until its last read has been issued, so it reads exactly the keys accepted before it.
///
///   accept --query--> rotate --u complete--> build --table complete--> read --last key--> accept
///     ^------------ rejected (NaN, infinity) ---'          '---- no keys ----'
///
/// A vector has Rows beats, a record from outside Beats. A token takes ReadRows cycles of lookups
/// and one SRAM read in the first of them, which axelram_store leaves out for a copy. A read stalls
/// only while the score FIFO is full, or while the copy of an exact token is not accumulated
/// (copy_ready_i low). copied_i: the token at address_o has a copy.
/// Latency: the first row of a key is looked up in the cycle in which its record arrives;
/// query_done_o is valid 1 cycle after the read of the last row (Protected: its lookup) or the
/// rejection; the state changes 1 cycle after its cause.
/// Outstanding: reads that may be under way, a power of two. KeyWait: cycles after a key in which
/// no vector starts.
/// A clear is accepted between vectors, when every accepted key is stored, at the earliest in the
/// cycle after it becomes valid. While a clear waits no vector starts, so it cannot starve.
/// No output depends on an input of the macro in the same cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_control #(
    parameter int  Rows        = 1,
    parameter int  Beats       = 1,
    parameter int  KeyWait     = 0,
    parameter int  ReadRows    = 1,
    parameter int  Outstanding = 2,
    parameter int  AddressBits = 12,
    parameter int  CountBits   = 13,
    parameter bit  Protected   = 1'b0,
    parameter bit  Exact       = 1'b0,
    localparam int RowBits     = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    input  wire logic                   ready_i,
    // Vector stream.
    input  wire logic                   vector_valid_i,
    output logic                        vector_ready_o,
    input  wire logic                   vector_query_i,
    input  wire logic                   vector_record_i,
    input  wire logic                   record_waits_i,
    output logic                        beat_o,
    output logic                        beat_last_o,
    output logic                        beat_query_o,
    output logic                        beat_record_o,
    output logic      [    RowBits-1:0] beat_row_o,
    // Clear.
    input  wire logic                   clear_valid_i,
    output logic                        clear_ready_o,
    output logic                        clear_o,
    // Ends of vectors.
    input  wire logic                   rejected_i,
    input  wire logic                   rejected_query_i,
    input  wire logic                   record_i,
    input  wire logic                   loaded_i,
    output logic                        build_o,
    input  wire logic                   built_i,
    // Reads.
    input  wire logic [  CountBits-1:0] count_i,
    input  wire logic                   free_i,
    input  wire logic                   copied_i,
    input  wire logic                   copy_ready_i,
    output logic                        read_o,
    output logic                        read_last_o,
    output logic      [AddressBits-1:0] address_o,
    output logic                        idle_o,
    input  wire logic                   arrived_i,
    input  wire logic                   arrived_last_i,
    output logic                        lookup_o,
    output logic                        lookup_copied_o,
    output logic      [ReadRowBits-1:0] lookup_row_o,
    output logic                        lookup_last_o,
    output logic                        lookup_last_key_o,
    output logic                        query_done_o,
    output logic                        busy_o
);
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(beats_up_to_rows, Beats >= 1 && Beats <= Rows)
  `AXELRAM_REQUIRE(key_wait_at_least_0, KeyWait >= 0)
  `AXELRAM_REQUIRE(read_rows_power_of_two, ReadRows >= 1 && (ReadRows & (ReadRows - 1)) == 0)
  `AXELRAM_REQUIRE(outstanding_power_of_two_from_2,
                   Outstanding >= 2 && (Outstanding & (Outstanding - 1)) == 0)
  `AXELRAM_REQUIRE(count_bits_hold_every_address, CountBits >= AddressBits && AddressBits >= 1)

  typedef enum logic [1:0] {
    StAccept,
    StRotate,
    StBuild,
    StRead
  } state_e;
  state_e state_q;

  // Keys and records accepted and neither stored nor rejected yet; the pipeline has fewer than 256.
  logic [7:0] in_flight_q;
  logic [RowBits-1:0] row_q;
  logic query_q, record_q, clear_waits_q, between, key_waits;
  assign between = row_q == '0;
  assign vector_ready_o = state_q == StAccept && ready_i && !record_waits_i &&
      !(clear_waits_q && between) && !key_waits;
  assign beat_o = vector_valid_i && vector_ready_o;
  assign beat_row_o = row_q;
  assign beat_last_o = row_q == (beat_record_o ? RowBits'(Beats - 1) : RowBits'(Rows - 1));
  assign beat_query_o = between ? vector_query_i : query_q;
  assign beat_record_o = between ? vector_record_i && !vector_query_i : record_q;

  assign clear_ready_o = state_q == StAccept && ready_i && clear_waits_q && between &&
      in_flight_q == '0;
  assign clear_o = clear_valid_i && clear_ready_o;

  // Behind a key no vector starts for KeyWait cycles.
  logic key_in;
  if (KeyWait > 0) begin : g_key_wait
    localparam int WaitBits = $clog2(KeyWait + 1);
    logic [WaitBits-1:0] wait_q;
    assign key_waits = wait_q != '0 && between;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) wait_q <= '0;
      else if (key_in && !beat_record_o) wait_q <= WaitBits'(KeyWait);
      else if (wait_q != '0) wait_q <= wait_q - 1'b1;
    end
    `AXELRAM_COVER(stream_held_behind_a_key, vector_valid_i && key_waits && state_q == StAccept)
  end else begin : g_key_wait
    assign key_waits = 1'b0;
  end

  logic key_rejected;
  assign key_in = beat_o && beat_last_o && !beat_query_o;
  assign key_rejected = rejected_i && !rejected_query_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q <= '0;
      query_q <= 1'b0;
      record_q <= 1'b0;
      clear_waits_q <= 1'b0;
      in_flight_q <= '0;
    end else begin
      clear_waits_q <= clear_valid_i && !clear_o;
      if (beat_o) begin
        row_q   <= beat_last_o ? '0 : row_q + 1'b1;
        query_q <= beat_query_o;
        record_q <= beat_record_o;
      end
      in_flight_q <= in_flight_q + 8'(key_in) - 8'(key_rejected) - 8'(record_i);
    end
  end

  // Reads: key by key, ReadRows cycles apart.
  logic [AddressBits-1:0] key_q;
  logic [ReadRowBits-1:0] read_row_q;
  logic step, last_row, last_key, all_read_q;
  assign step = state_q == StRead && !all_read_q &&
      (read_row_q != '0 || (free_i && copy_ready_i));
  assign last_row = read_row_q == ReadRowBits'(ReadRows - 1);
  assign last_key = CountBits'(key_q) == count_i - 1'b1;
  assign read_o = step && read_row_q == '0;
  assign read_last_o = last_key;
  assign address_o = key_q;
  assign build_o = state_q == StBuild;
  assign idle_o = state_q == StAccept || state_q == StRotate;

  // Keys in the encoder may be stored after the next query has been rotated.
  logic finish, looked_up, loaded_q, all_stored;
  assign all_stored = in_flight_q == 8'(record_i);
  assign finish = looked_up || (built_i && count_i == '0) || (rejected_i && rejected_query_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StAccept;
      key_q <= '0;
      read_row_q <= '0;
      all_read_q <= 1'b0;
      loaded_q <= 1'b0;
      query_done_o <= 1'b0;
    end else begin
      loaded_q <= (loaded_i || loaded_q) && !all_stored;
      query_done_o <= finish;
      case (state_q)
        StAccept: if (beat_o && beat_last_o && beat_query_o) state_q <= StRotate;
        StRotate: if ((loaded_i || loaded_q) && all_stored) state_q <= StBuild;
        StBuild:  if (built_i) state_q <= StRead;
        default:  ;
      endcase
      if (finish) state_q <= StAccept;
      all_read_q <= !finish && (all_read_q || (step && last_row && last_key));
      if (step) begin
        read_row_q <= last_row ? '0 : read_row_q + 1'b1;
        if (last_row) key_q <= last_key ? '0 : key_q + 1'b1;
      end
    end
  end

  // Reads under way: whether their tokens have copies.
  logic arrived_copied;
  if (Exact) begin : g_copied
    logic unused_free, unused_valid;
    axelram_score_fifo #(.Bits(1), .Depth(Outstanding)) u_fifo (
        .clk_i, .rst_ni,
        .reserve_i(read_o),
        .free_o   (unused_free),
        .valid_i  (read_o),
        .data_i   (copied_i),
        .valid_o  (unused_valid),
        .ready_i  (arrived_i),
        .data_o   (arrived_copied)
    );
    logic unused;
    assign unused = unused_free ^ unused_valid;
    `AXELRAM_COVER(copy_awaited_by_a_read,
                   state_q == StRead && !all_read_q && read_row_q == '0 && free_i && !copy_ready_i)
  end else begin : g_copied
    assign arrived_copied = copied_i;
  end

  // Lookups: a row a cycle from the arrival of a record. Without a code the record arrives a cycle
  // after its read, and the query ends with the read of its last row.
  logic [ReadRowBits-1:0] lookup_row_q;
  logic key_last_q, key_copied_q;
  assign lookup_o = arrived_i || lookup_row_q != '0;
  assign lookup_row_o = lookup_row_q;
  assign lookup_last_o = lookup_o && lookup_row_q == ReadRowBits'(ReadRows - 1);
  assign lookup_last_key_o = lookup_last_o && (arrived_i ? arrived_last_i : key_last_q);
  assign lookup_copied_o = lookup_o && (arrived_i ? arrived_copied : key_copied_q);
  assign looked_up = Protected ? lookup_last_key_o : step && last_row && last_key;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lookup_row_q <= '0;
    else if (lookup_o) lookup_row_q <= lookup_last_o ? '0 : lookup_row_q + 1'b1;
  end
  always_ff @(posedge clk_i)
    if (arrived_i) {key_last_q, key_copied_q} <= {arrived_last_i, arrived_copied};

  assign busy_o = !ready_i || state_q != StAccept || !between || in_flight_q != '0;

  `AXELRAM_ASSERT(all_stored_before_read, state_q == StBuild |-> in_flight_q == '0 && !record_i)
  `AXELRAM_ASSERT(clear_between_vectors, clear_o |-> between && !beat_o)
  `AXELRAM_ASSERT(in_flight_in_range, key_rejected || record_i |-> in_flight_q != '0)
  `AXELRAM_ASSERT(fewer_than_256_in_flight, in_flight_q != '1)
  `AXELRAM_ASSERT(events_in_their_state,
                  loaded_i || (rejected_i && rejected_query_i) |-> state_q == StRotate)
  `AXELRAM_COVER(clear_waits_for_keys, clear_waits_q && in_flight_q != '0)
  `AXELRAM_COVER(scores_reads_throttled,
                 state_q == StRead && !all_read_q && read_row_q == '0 && !free_i)
endmodule

`default_nettype wire

/// Reads of the tokens of a segment, oldest first (bit-contract.md#segments), and rows of their
/// lookups.
///
/// start_i: the segment, base_i to count_i, stands until over_o. Token t < sinks lies at base + t,
/// the others in the ring behind, of ring_i places, from oldest_i on. A token takes ReadRows cycles
/// of lookups and one read in the first of them, which waits for free_i, and for copy_ready_i: the
/// accumulator of its copy is there, if it has one.
/// Latency: the first read a cycle after start_i; done_o with the last row of the last token,
/// Protected: with its lookup; over_o in the cycle in which a further read would be;
/// a row of lookups in the cycle in which a record arrives.
`include "axelram_macros.svh"
`default_nettype none

module axelram_token_reads #(
    parameter int  ReadRows    = 1,
    parameter int  AddressBits = 12,
    parameter int  CountBits   = 13,
    parameter bit  Protected   = 1'b0,
    localparam int ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    input  wire logic                   start_i,
    input  wire logic [  CountBits-1:0] base_i,
    input  wire logic [  CountBits-1:0] sinks_i,
    input  wire logic [  CountBits-1:0] ring_i,
    input  wire logic [  CountBits-1:0] oldest_i,
    input  wire logic [  CountBits-1:0] count_i,
    input  wire logic                   free_i,
    input  wire logic                   copy_ready_i,
    output logic                        read_o,
    output logic                        read_last_o,
    output logic      [AddressBits-1:0] address_o,
    output logic                        done_o,
    output logic                        over_o,
    input  wire logic                   arrived_i,
    input  wire logic                   arrived_last_i,
    output logic                        lookup_o,
    output logic      [ReadRowBits-1:0] lookup_row_o,
    output logic                        lookup_last_o,
    output logic                        lookup_last_key_o
);
  `AXELRAM_REQUIRE(read_rows_power_of_two, ReadRows >= 1 && (ReadRows & (ReadRows - 1)) == 0)
  `AXELRAM_REQUIRE(count_bits_hold_every_address, CountBits >= AddressBits && AddressBits >= 1)

  // ---- Tokens
  logic running_q, over_q, step, last_row, last_token;
  logic [ReadRowBits-1:0] row_q;
  logic [CountBits-1:0] token_q, position_q, token, position, place;
  logic [AddressBits-1:0] address_q;
  assign step = running_q && (row_q != '0 || (free_i && copy_ready_i));
  assign last_row = row_q == ReadRowBits'(ReadRows - 1);
  assign last_token = token_q == count_i - 1'b1;
  assign read_o = step && row_q == '0;
  assign read_last_o = last_token;
  assign address_o = address_q;
  logic all_read;
  assign all_read = step && last_row && last_token;
  assign done_o = Protected ? lookup_last_key_o : all_read;
  assign over_o = over_q;

  // The token that is read next.
  assign token = start_i ? '0 : token_q + 1'b1;
  always_comb
    if (start_i) position = oldest_i;
    else if (token_q < sinks_i) position = position_q;
    else position = (position_q + 1'b1 == ring_i) ? '0 : position_q + 1'b1;
  assign place = (token < sinks_i) ? token : sinks_i + position;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      over_q <= 1'b0;
      row_q <= '0;
    end else begin
      over_q <= all_read || (start_i && count_i == '0);
      if (start_i) running_q <= count_i != '0;
      else if (all_read) running_q <= 1'b0;
      if (step) row_q <= last_row ? '0 : row_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i)
    if (start_i || (step && last_row)) begin
      token_q <= token;
      position_q <= position;
      address_q <= AddressBits'(base_i + place);
    end

  // ---- Lookups
  logic [ReadRowBits-1:0] lookup_row_q;
  logic last_q;
  assign lookup_o = arrived_i || lookup_row_q != '0;
  assign lookup_row_o = lookup_row_q;
  assign lookup_last_o = lookup_o && lookup_row_q == ReadRowBits'(ReadRows - 1);
  assign lookup_last_key_o = lookup_last_o && (arrived_i ? arrived_last_i : last_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lookup_row_q <= '0;
    else if (lookup_o) lookup_row_q <= lookup_last_o ? '0 : lookup_row_q + 1'b1;
  end
  always_ff @(posedge clk_i) if (arrived_i) last_q <= arrived_last_i;

  `AXELRAM_ASSERT(one_segment_at_a_time, start_i |-> !running_q)
  `AXELRAM_ASSERT(position_in_the_ring, read_o && token_q >= sinks_i |-> position_q < ring_i)
  `AXELRAM_ASSERT(place_in_the_segment, read_o |->
                  (CountBits + 1)'(address_q) < (CountBits + 1)'(base_i) +
                  (CountBits + 1)'(sinks_i) + (CountBits + 1)'(ring_i))
  `AXELRAM_COVER(reads_wrap, read_o && token_q > sinks_i && position_q == '0)
  `AXELRAM_COVER(copy_awaited_by_a_read, running_q && row_q == '0 && free_i && !copy_ready_i)
  `AXELRAM_COVER(scores_reads_throttled, running_q && row_q == '0 && !free_i)
endmodule

`default_nettype wire

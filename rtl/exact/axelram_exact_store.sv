/// Copies of the keys of exact tokens (bit-contract.md#exact): the first First tokens and a ring of
/// the newest Last. A token that came as a record has a place and no copy.
///
/// copy_*_i: rows of a copy, in the order of the keys; record_i: a record from outside is stored.
/// start_i: a query over count_i tokens begins; its copies leave in the order of tokens, CopyLanes
/// elements per step, with step_o. read_i: the token address_i is read, in order; copied_o: it has
/// a copy.
/// A token for a full macro is ignored: MaxKeys as in axelram_key_store.
/// Widths: elements CopyBits, signed; (First + Last) * HeadDim * CopyBits bits.
/// Latency: the first step 2 cycles after start_i, a step per cycle; a place without a copy takes
/// 1.
`include "axelram_macros.svh"
`default_nettype none

module axelram_exact_store #(
    parameter int  HeadDim     = 128,
    parameter int  KeyLanes    = 128,
    parameter int  CopyLanes   = 8,
    parameter int  First       = 1,
    parameter int  Last        = 16,
    parameter int  CopyBits    = 16,
    parameter int  MaxKeys     = 4096,
    localparam int AddressBits = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits   = $clog2(MaxKeys + 1)
) (
    input  wire logic                                 clk_i,
    input  wire logic                                 rst_ni,
    input  wire logic                                 clear_i,
    input  wire logic                                 copy_valid_i,
    input  wire logic                                 copy_last_i,
    input  wire logic        [ KeyLanes*CopyBits-1:0] copy_i,
    input  wire logic signed [                  11:0] copy_exponent_i,
    input  wire logic                                 record_i,
    input  wire logic                                 start_i,
    input  wire logic        [         CountBits-1:0] count_i,
    output logic                                      step_o,
    output logic                                      last_o,
    output logic             [CopyLanes*CopyBits-1:0] elements_o,
    output logic      signed [                  11:0] exponent_o,
    input  wire logic                                 read_i,
    input  wire logic        [       AddressBits-1:0] address_i,
    output logic                                      copied_o
);
  `AXELRAM_REQUIRE(copies_at_least_1, First >= 0 && Last >= 0 && First + Last >= 1)
  `AXELRAM_REQUIRE(copy_bits_in_12_to_16, CopyBits >= 12 && CopyBits <= 16)
  `AXELRAM_REQUIRE(key_lanes_divide_head_dim,
                   KeyLanes >= 1 && HeadDim >= KeyLanes && HeadDim % KeyLanes == 0)
  `AXELRAM_REQUIRE(copy_lanes_divide_key_lanes,
                   CopyLanes >= 1 && KeyLanes >= CopyLanes && KeyLanes % CopyLanes == 0)
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)

  localparam int Places = First + Last;
  localparam int PlaceBits = (Places > 1) ? $clog2(Places) : 1;
  localparam int NumberBits = $clog2(Places + 1);
  localparam int Rows = HeadDim / KeyLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  // Sums of a token number and a number of places, signed, since First or Last may be 0.
  localparam int SumBits = ((CountBits > NumberBits) ? CountBits : NumberBits) + 2;
  localparam logic signed [SumBits-1:0] FirstTokens = SumBits'(First);
  localparam logic signed [SumBits-1:0] LastTokens = SumBits'(Last);

  // ---- Tokens so far, and the ring: where its next token goes.
  logic [CountBits-1:0] tokens_q;
  logic [PlaceBits-1:0] ring_q, new_place;
  logic [RowBits-1:0] row_q;
  logic [Places-1:0] copied_q;
  logic signed [SumBits-1:0] tokens, count, address;
  assign tokens = SumBits'(tokens_q);
  assign count = SumBits'(count_i);
  assign address = SumBits'(address_i);
  logic first_token, room, kept, token;
  assign first_token = tokens < FirstTokens;
  assign new_place = first_token ? PlaceBits'(tokens_q) : PlaceBits'(First) + ring_q;
  assign room = tokens_q != CountBits'(MaxKeys);
  assign kept = room && (first_token || Last > 0);
  assign token = room && ((copy_valid_i && copy_last_i) || record_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tokens_q <= '0;
      ring_q <= '0;
      row_q <= '0;
      copied_q <= '0;
    end else begin
      if (copy_valid_i) row_q <= copy_last_i ? '0 : row_q + 1'b1;
      if (clear_i) begin
        tokens_q <= '0;
        ring_q   <= '0;
      end else if (token) begin
        tokens_q <= tokens_q + 1'b1;
        if (kept) copied_q[new_place] <= !record_i;
        if (kept && !first_token)
          ring_q <= (ring_q == PlaceBits'(Last - 1)) ? '0 : ring_q + 1'b1;
      end
    end
  end

  // ---- Places of the exact tokens of a query, in the order of tokens. Tokens do not change from
  // start_i until the last read, so that registers shorten the path from count_i to copied_o.
  logic [NumberBits-1:0] firsts, newest, positions, positions_q;
  logic [PlaceBits-1:0] oldest, oldest_q;
  logic signed [SumBits-1:0] later, newest_from, newest_from_q;
  assign later = count - FirstTokens;
  assign newest_from = count - LastTokens;
  always_comb begin
    firsts = NumberBits'(First);
    newest = NumberBits'(Last);
    if (later <= 0) begin
      firsts = NumberBits'(count_i);
      newest = '0;
    end else if (later < LastTokens) newest = NumberBits'(later);
  end
  assign positions = firsts + newest;
  assign oldest = (newest == NumberBits'(Last)) ? ring_q : '0;
  always_ff @(posedge clk_i) begin
    positions_q <= positions;
    oldest_q <= oldest;
    newest_from_q <= newest_from;
  end

  function automatic logic [PlaceBits-1:0] place_at(input logic [NumberBits-1:0] position,
                                                    input logic [PlaceBits-1:0] start);
    logic signed [NumberBits+1:0] at;
    at = (NumberBits + 2)'(position);
    if (at >= (NumberBits + 2)'(First)) begin
      at = at + (NumberBits + 2)'(start);
      if (at >= (NumberBits + 2)'(Places)) at = at - (NumberBits + 2)'(Last);
    end
    place_at = PlaceBits'(at);
  endfunction

  // ---- Steps of the copies of a query
  logic running_q;
  logic [NumberBits-1:0] position_q;
  logic [PlaceBits-1:0] place;
  logic has_copy, last_step, last_position;
  assign place = place_at(position_q, oldest_q);
  assign has_copy = copied_q[place];
  assign last_position = position_q == positions_q - 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      position_q <= '0;
    end else begin
      if (start_i) running_q <= positions != '0;
      if (running_q && (last_step || !has_copy)) begin
        position_q <= last_position ? '0 : position_q + 1'b1;
        if (last_position) running_q <= 1'b0;
      end
    end
  end
  axelram_copy_memory #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .CopyLanes(CopyLanes),
      .Slots(Places),
      .CopyBits(CopyBits)
  ) u_copy_memory (
      .clk_i, .rst_ni,
      .write_i         (copy_valid_i && kept),
      .write_slot_i    (new_place),
      .write_row_i     (row_q),
      .write_last_i    (copy_last_i),
      .write_elements_i(copy_i),
      .write_exponent_i(copy_exponent_i),
      .run_i           (running_q && has_copy),
      .read_slot_i     (place),
      .done_o          (last_step),
      .step_o, .last_o, .elements_o, .exponent_o
  );

  // ---- Reads
  logic [NumberBits-1:0] read_position_q;
  logic exact;
  assign exact = address < FirstTokens || address >= newest_from_q;
  assign copied_o = exact && copied_q[place_at(read_position_q, oldest_q)];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_position_q <= '0;
    else if (start_i) read_position_q <= '0;
    else if (read_i && exact) read_position_q <= read_position_q + 1'b1;
  end

  `AXELRAM_ASSERT(copy_or_record, !(copy_valid_i && record_i))
  `AXELRAM_ASSERT(clear_alone, clear_i |-> !copy_valid_i && !record_i && !running_q)
  `AXELRAM_ASSERT(started_when_idle, start_i |-> !running_q && !step_o)
  `AXELRAM_ASSERT(tokens_are_those_stored, start_i |-> tokens_q == count_i)
  `AXELRAM_ASSERT(places_settled, running_q || read_i |->
                  positions_q == positions && oldest_q == oldest && newest_from_q == newest_from)
  `AXELRAM_ASSERT(read_positions_in_range, read_i && exact |-> read_position_q < positions_q)
  `AXELRAM_COVER(copy_of_a_first_token, running_q && has_copy && int'(place) < First)
  `AXELRAM_COVER(copy_of_a_newest_token, running_q && has_copy && int'(place) >= First)
  `AXELRAM_COVER(copy_dropped, token && kept && !first_token && copied_q[new_place] &&
                               tokens >= FirstTokens + LastTokens)
  `AXELRAM_COVER(copy_none_for_a_record, running_q && !has_copy)

`ifdef AXELRAM_COVERS
  logic zero_q;  // all rows of the copy so far are 0
  always_ff @(posedge clk_i)
    if (copy_valid_i) zero_q <= copy_i == '0 && (row_q == '0 || zero_q);
`endif
  `AXELRAM_COVER(copy_of_a_zero_key,
                 copy_valid_i && copy_last_i && kept && copy_i == '0 && (row_q == '0 || zero_q))
endmodule

`default_nettype wire

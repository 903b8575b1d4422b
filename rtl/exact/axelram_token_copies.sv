/// Copies of the keys of exact tokens in segments (bit-contract.md#exact,
/// bit-contract.md#segments): of each segment the first First tokens that arrived since it was
/// allocated or cleared, and the newest Last.
///
/// operate_i, segment_i: an operation of axelram_segments, whose sinks_i, count_i and forgotten_i
/// stand behind it. fate_*_i: with these, of a token that takes one: whether its key has rows, and
/// whether it is stored. copy_*_i: rows of a copy, in the order of the keys. They may come before
/// the fate of their token, but that is known before the rows of the next copy.
/// So a copy is written to the one slot that is free, and its place takes this slot for its own if
/// the token is stored. start_i: a group reads the tokens of the segment of the last operation,
/// oldest first; copies leave in this order, with step_o (axelram_copy_memory). read_i: a token is
/// read; copied_o: the token that is read next has a copy.
/// Latency: the first step 2 cycles after start_i, a step per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_token_copies #(
    parameter int  HeadDim       = 128,
    parameter int  KeyLanes      = 128,
    parameter int  CopyLanes     = 8,
    parameter int  First         = 1,
    parameter int  Last          = 16,
    parameter int  CopyBits      = 16,
    parameter int  MaxKeys       = 4096,
    parameter int  Segments      = 1,
    parameter int  Waiting       = 16,
    localparam int Most          = (First > Last) ? First : Last,
    localparam int ForgottenBits = (Most > 0) ? $clog2(Most + 1) : 1,
    localparam int CountBits     = $clog2(MaxKeys + 1)
) (
    input  wire logic                                 clk_i,
    input  wire logic                                 rst_ni,
    input  wire logic                                 operate_i,
    input  wire logic        [                   7:0] segment_i,
    input  wire logic        [         CountBits-1:0] sinks_i,
    input  wire logic        [         CountBits-1:0] count_i,
    input  wire logic        [     ForgottenBits-1:0] forgotten_i,
    input  wire logic                                 fate_valid_i,
    input  wire logic                                 fate_key_i,
    input  wire logic                                 fate_store_i,
    input  wire logic                                 copy_valid_i,
    input  wire logic                                 copy_last_i,
    input  wire logic        [ KeyLanes*CopyBits-1:0] copy_i,
    input  wire logic signed [                  11:0] copy_exponent_i,
    input  wire logic                                 start_i,
    output logic                                      step_o,
    output logic                                      last_o,
    output logic             [CopyLanes*CopyBits-1:0] elements_o,
    output logic      signed [                  11:0] exponent_o,
    input  wire logic                                 read_i,
    output logic                                      copied_o
);
  `AXELRAM_REQUIRE(copies_at_least_1, First >= 0 && Last >= 0 && First + Last >= 1)
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)
  `AXELRAM_REQUIRE(segments_in_1_to_256, Segments >= 1 && Segments <= 256)

  localparam int Places = First + Last, Total = Segments * Places;
  localparam int SlotBits = $clog2(Total + 1), PlaceBits = (Total > 1) ? $clog2(Total) : 1;
  localparam int SegmentBits = (Segments > 1) ? $clog2(Segments) : 1;
  localparam int RingBits = (Last > 1) ? $clog2(Last) : 1;
  localparam int Rows = HeadDim / KeyLanes, RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  // Signed sums of numbers of tokens and of places.
  localparam int SumBits = ((CountBits > ForgottenBits) ? CountBits : ForgottenBits) + 3;

  // ---- Operations: the ring of each segment, where its next copy goes. Places are counted from
  // there, backwards, so that a segment may begin with it anywhere.
  logic [SegmentBits-1:0] segment_q;
  logic [RingBits-1:0] ring, ring_of_segment[Segments];
  logic signed [SumBits-1:0] sinks, count, forgotten, arrival;
  logic first_token, kept, joins_ring;
  assign sinks = SumBits'(sinks_i);
  assign count = SumBits'(count_i);
  assign forgotten = SumBits'(forgotten_i);
  assign ring = ring_of_segment[segment_q];
  // Number of arrival of the token that has just been appended.
  assign arrival = forgotten + count - 1;
  assign first_token = arrival < SumBits'(First);
  assign kept = fate_store_i && (first_token || Last > 0);
  assign joins_ring = fate_valid_i && kept && !first_token;
  always_ff @(posedge clk_i)
    if (operate_i) segment_q <= SegmentBits'(segment_i);
  logic unused_segment;
  assign unused_segment = ^segment_i;
  for (genvar s = 0; s < Segments; s++) begin : g_segment
    logic [RingBits-1:0] ring_q;
    assign ring_of_segment[s] = ring_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) ring_q <= '0;
      else if (joins_ring && segment_q == SegmentBits'(s))
        ring_q <= (ring_q == RingBits'(Last - 1)) ? '0 : ring_q + 1'b1;
    end
  end

  function automatic logic [PlaceBits-1:0] place_of(input logic [SegmentBits-1:0] segment,
                                                    input logic signed [SumBits-1:0] place);
    place_of = PlaceBits'(32'(segment) * Places + 32'(place));
  endfunction

  // ---- Fates wait for their copies, or a copy for its fate
  logic fate_known, fate_kept, unused_free, resolve;
  logic [PlaceBits-1:0] fate_place;
  logic complete_q;  // a copy in the free slot
  axelram_score_fifo #(.Bits(1 + PlaceBits), .Depth(Waiting)) u_fates (
      .clk_i, .rst_ni,
      .reserve_i(fate_valid_i && fate_key_i),
      .free_o   (unused_free),
      .valid_i  (fate_valid_i && fate_key_i),
      .data_i   ({kept,
          place_of(segment_q, first_token ? arrival : SumBits'(First) + SumBits'(ring))}),
      .valid_o  (fate_known),
      .ready_i  (complete_q),
      .data_o   ({fate_kept, fate_place})
  );
  assign resolve = complete_q && fate_known;
  logic [RowBits-1:0] row_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      complete_q <= 1'b0;
      row_q <= '0;
    end else begin
      if (copy_valid_i) row_q <= copy_last_i ? '0 : row_q + 1'b1;
      complete_q <= (copy_valid_i && copy_last_i) || (complete_q && !resolve);
    end
  end

  // ---- Slots of the places, and the free one
  logic [SlotBits-1:0] free_q, slots[Total];
  for (genvar p = 0; p < Total; p++) begin : g_place
    logic [SlotBits-1:0] slot_q;
    assign slots[p] = slot_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) slot_q <= SlotBits'(p);
      else if (resolve && fate_kept && fate_place == PlaceBits'(p)) slot_q <= free_q;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) free_q <= SlotBits'(Total);
    else if (resolve && fate_kept) free_q <= slots[fate_place];
  end

  // ---- Exact tokens of a group: before end_first_q, and from begin_newest_q on. Nothing changes
  // from start_i to the last read, so that registers shorten the paths.
  logic signed [SumBits-1:0] end_first, begin_newest, end_first_q, begin_newest_q;
  always_comb begin
    end_first = SumBits'(First);
    if (sinks < end_first) begin
      end_first = SumBits'(First) - forgotten;
      if (end_first < sinks) end_first = sinks;
    end
    if (count < end_first) end_first = count;
    begin_newest = count - SumBits'(Last);
    // Forgotten tokens behind the sinks count among the newest.
    if (begin_newest < sinks) begin
      begin_newest = begin_newest + forgotten;
      if (sinks < begin_newest) begin_newest = sinks;
    end
    if (begin_newest < end_first) begin_newest = end_first;
  end
  always_ff @(posedge clk_i) {end_first_q, begin_newest_q} <= {end_first, begin_newest};

  // Place of the exact token whose copy leaves.
  logic signed [SumBits-1:0] token_q, next, place;
  always_comb begin
    if (token_q < end_first_q) place = (token_q < sinks) ? token_q : forgotten + token_q;
    else begin
      // Distance from the next token to arrive, back round the ring.
      place = SumBits'(ring) - (count - token_q);
      if (token_q < sinks) place = place - forgotten;
      if (place < 0) place = place + SumBits'(Last);
      place = place + SumBits'(First);
    end
  end

  // ---- Steps
  logic running_q, last_step;
  logic [SlotBits-1:0] slot;
  assign slot = slots[place_of(segment_q, place)];
  assign next = (token_q + 1 == end_first_q) ? begin_newest_q : token_q + 1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) running_q <= 1'b0;
    else if (start_i) running_q <= end_first_q > 0 || begin_newest_q < count;
    else if (last_step && next == count) running_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) token_q <= (end_first_q > 0) ? '0 : begin_newest_q;
    else if (last_step) token_q <= next;
  end
  axelram_copy_memory #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .CopyLanes(CopyLanes),
      .Slots(Total + 1),
      .CopyBits(CopyBits)
  ) u_copy_memory (
      .clk_i, .rst_ni,
      .write_i         (copy_valid_i),
      .write_slot_i    (free_q),
      .write_row_i     (row_q),
      .write_last_i    (copy_last_i),
      .write_elements_i(copy_i),
      .write_exponent_i(copy_exponent_i),
      .run_i           (running_q),
      .read_slot_i     (slot),
      .done_o          (last_step),
      .step_o, .last_o, .elements_o, .exponent_o
  );

  // ---- Reads
  logic signed [SumBits-1:0] read_q;
  assign copied_o = read_q < end_first_q || read_q >= begin_newest_q;
  always_ff @(posedge clk_i) begin
    if (start_i) read_q <= '0;
    else if (read_i) read_q <= read_q + 1;
  end

  `AXELRAM_ASSERT(fate_before_the_next_copy, copy_valid_i |-> !complete_q)
  `AXELRAM_ASSERT(started_when_idle, start_i |-> !running_q && !step_o && !complete_q)
  `AXELRAM_ASSERT(still_while_read, running_q || read_i |->
                  end_first_q == end_first && begin_newest_q == begin_newest)
  `AXELRAM_COVER(copy_of_a_first_token, running_q && token_q < end_first_q)
  `AXELRAM_COVER(copy_of_a_newest_token, running_q && token_q >= end_first_q)
  `AXELRAM_COVER(copy_dropped, resolve && !fate_kept)
  `AXELRAM_COVER(copy_waits_for_its_fate, complete_q && !fate_known)
  `AXELRAM_COVER(copy_behind_forgotten_tokens, running_q && forgotten_i != '0)
endmodule

`default_nettype wire

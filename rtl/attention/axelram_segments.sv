/// Segments of a store (bit-contract.md#segments): descriptors of the places of several sequences,
/// and what commands and tokens do to them.
///
/// One operation at a time, every 3 cycles at least. kind_i:
///   0 allocate  base_i, capacity_i, sinks_i, rotation_i, wrap_i
///   1 append    place_o: of the next token
///   2 look      nothing changes
///   3 evict     n_i
///   4 free
///   5 clear     all segments become empty, none becomes free; segment_i does not matter
///   6, 7        rejected
/// rejected_o: nothing has changed; full_o: because an append found no place. base_o to count_o:
/// the segment behind the operation, of use if it was not rejected; forgotten_o: how many of its
/// tokens are gone since it was allocated or cleared, Forgotten for that many and more. A token t <
/// sinks lies at base + t, token t >= sinks at base + sinks + (start + t - sinks) mod (capacity -
/// sinks). All segments are free after reset.
/// Segments that overlap are not seen. Latency: 3 cycles.
/// peek_i: whether a segment is taken, and its rotation, a cycle later.
`include "axelram_macros.svh"
`default_nettype none

module axelram_segments #(
    parameter int  MaxKeys       = 4096,
    parameter int  Segments      = 8,
    parameter int  Rotations     = 1,
    parameter int  Forgotten     = 0,
    localparam int ForgottenBits = (Forgotten > 0) ? $clog2(Forgotten + 1) : 1,
    localparam int AddressBits   = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits     = $clog2(MaxKeys + 1)
) (
    input  wire logic                     clk_i,
    input  wire logic                     rst_ni,
    input  wire logic                     valid_i,
    input  wire logic [              2:0] kind_i,
    input  wire logic [              7:0] segment_i,
    input  wire logic [    CountBits-1:0] base_i,
    input  wire logic [    CountBits-1:0] capacity_i,
    input  wire logic [    CountBits-1:0] sinks_i,
    input  wire logic [              7:0] rotation_i,
    input  wire logic                     wrap_i,
    input  wire logic [    CountBits-1:0] n_i,
    input  wire logic                     peek_i,
    input  wire logic [              7:0] peek_segment_i,
    output logic                          peek_taken_o,
    output logic      [              7:0] peek_rotation_o,
    output logic                          valid_o,
    output logic                          rejected_o,
    output logic                          full_o,
    output logic      [  AddressBits-1:0] place_o,
    output logic      [    CountBits-1:0] base_o,
    output logic      [    CountBits-1:0] sinks_o,
    output logic      [    CountBits-1:0] ring_o,  // places behind the sinks
    output logic      [    CountBits-1:0] start_o,
    output logic      [    CountBits-1:0] count_o,
    output logic      [ForgottenBits-1:0] forgotten_o,
    output logic      [              7:0] rotation_o
);
  `AXELRAM_REQUIRE(forgotten_at_least_0, Forgotten >= 0)
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)
  `AXELRAM_REQUIRE(segments_in_1_to_256, Segments >= 1 && Segments <= 256)
  `AXELRAM_REQUIRE(rotations_in_1_to_256, Rotations >= 1 && Rotations <= 256)

  localparam int SegmentBits = (Segments > 1) ? $clog2(Segments) : 1;
  localparam logic [2:0] Allocate = 3'd0, Append = 3'd1, Evict = 3'd3, Free = 3'd4, Clear = 3'd5;

  // ---- Descriptors: what allocate sets, and what changes with tokens
  logic [3*CountBits+8:0] fixed_q[Segments];  // base, sinks, places behind them, rotation, wrap
  logic [2*CountBits+ForgottenBits-1:0] ring_of_segment[Segments];  // start, count, forgotten
  logic [Segments-1:0] taken_q;

  always_ff @(posedge clk_i)
    if (peek_i) begin
      peek_taken_o <= 9'(peek_segment_i) < 9'(Segments) && taken_q[SegmentBits'(peek_segment_i)];
      peek_rotation_o <= fixed_q[SegmentBits'(peek_segment_i)][8:1];
    end

  // ---- Fetch
  logic fetched_q, known_q, taken, wrap;
  logic [2:0] kind_q;
  logic [SegmentBits-1:0] segment_q;
  logic [CountBits-1:0] base_q, capacity_q, sinks_q, n_q;
  logic [7:0] rotation_q, rotation;
  logic wrap_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fetched_q <= 1'b0;
    else fetched_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      kind_q <= kind_i;
      segment_q <= SegmentBits'(segment_i);
      known_q <= 9'(segment_i) < 9'(Segments);
      {base_q, capacity_q, sinks_q} <= {base_i, capacity_i, sinks_i};
      {rotation_q, wrap_q, n_q} <= {rotation_i, wrap_i, n_i};
    end

  logic [CountBits-1:0] base, sinks, ring, start, count;
  logic [ForgottenBits-1:0] forgotten;
  assign taken = known_q && taken_q[segment_q];
  assign {base, sinks, ring, rotation, wrap} = fixed_q[segment_q];
  assign {start, count, forgotten} = ring_of_segment[segment_q];

  // ---- Decide: the operands of the one addition round the ring
  logic decided_q, rejected_q, full_q, write_q, clear_q, advance_q;
  logic [2:0] decided_kind_q;
  logic [SegmentBits-1:0] decided_segment_q;
  logic [CountBits-1:0] step_q, from_q, behind_q;  // round the ring: from + step
  logic [CountBits-1:0] d_base_q, d_sinks_q, d_ring_q, d_start_q, d_count_q;
  logic [ForgottenBits-1:0] d_forgotten_q;
  logic [7:0] d_rotation_q;
  logic d_wrap_q;

  logic no_room, here, ring_full, evicts;
  logic [CountBits-1:0] held, gone;  // tokens behind the sinks; those that leave
  logic [ForgottenBits-1:0] next_forgotten;
  if (Forgotten > 0) begin : g_forgotten
    localparam int SumBits = CountBits + ForgottenBits;
    logic [CountBits-1:0] leaves;
    logic [SumBits-1:0] all_gone;
    assign leaves = (kind_q == Evict) ? gone : CountBits'(kind_q == Append && evicts);
    assign all_gone = SumBits'(forgotten) + SumBits'(leaves);
    assign next_forgotten =
        ForgottenBits'((all_gone < SumBits'(Forgotten)) ? all_gone : SumBits'(Forgotten));
  end else begin : g_forgotten
    assign next_forgotten = '0;
    logic unused;
    assign unused = ^forgotten;
  end
  assign here = taken;
  assign no_room = CountBits'(0) == capacity_q || sinks_q > capacity_q ||
      9'(rotation_q) >= 9'(Rotations) ||
      (CountBits + 1)'(base_q) + (CountBits + 1)'(capacity_q) > (CountBits + 1)'(MaxKeys);
  assign held = (count > sinks) ? count - sinks : '0;
  assign gone = (n_q < held) ? n_q : held;
  assign ring_full = count == sinks + ring;
  assign evicts = ring_full && wrap && ring != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) decided_q <= 1'b0;
    else decided_q <= fetched_q;
  end
  always_ff @(posedge clk_i)
    if (fetched_q) begin
      decided_kind_q <= kind_q;
      decided_segment_q <= segment_q;
      clear_q <= kind_q == Clear;
      full_q <= kind_q == Append && here && ring_full && !evicts;
      case (kind_q)
        Allocate: rejected_q <= !known_q || taken || no_room;
        Append:   rejected_q <= !here || (ring_full && !evicts);
        Clear:    rejected_q <= 1'b0;
        3'd6, 3'd7: rejected_q <= 1'b1;
        default:  rejected_q <= !here;
      endcase
      {d_base_q, d_sinks_q, d_ring_q, d_rotation_q, d_wrap_q} <=
          {base, sinks, ring, rotation, wrap};
      {d_start_q, d_count_q} <= {start, count};
      d_forgotten_q <= next_forgotten;
      if (kind_q == Allocate) begin
        {d_base_q, d_sinks_q, d_ring_q} <= {base_q, sinks_q, capacity_q - sinks_q};
        {d_rotation_q, d_wrap_q} <= {rotation_q, wrap_q};
        {d_start_q, d_count_q, d_forgotten_q} <= '0;
      end
      // A token joins behind the last one, or takes the place of the oldest.
      from_q <= start;
      advance_q <= kind_q == Evict || (kind_q == Append && evicts);
      step_q <= (kind_q == Evict) ? gone : (evicts ? CountBits'(1) : held);
      behind_q <= (count < sinks) ? count : '0;
      write_q <= kind_q == Append && count < sinks;  // among the sinks
      if (kind_q == Evict) d_count_q <= count - gone;
      if (kind_q == Append && !ring_full) d_count_q <= count + 1'b1;
    end

  // ---- Write
  logic [CountBits:0] sum;
  logic [CountBits-1:0] around;
  assign sum = (CountBits + 1)'(from_q) + (CountBits + 1)'(step_q);
  assign around = (sum >= (CountBits + 1)'(d_ring_q)) ?
      CountBits'(sum - (CountBits + 1)'(d_ring_q)) : CountBits'(sum);
  logic [CountBits-1:0] next_start, ring_place;
  assign next_start = advance_q ? around : d_start_q;
  // A new token lies where the oldest was, or behind the last one.
  assign ring_place = advance_q ? d_start_q : around;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      taken_q <= '0;
    end else begin
      valid_o <= decided_q;
      if (decided_q && !rejected_q) begin
        if (decided_kind_q == Allocate) taken_q[decided_segment_q] <= 1'b1;
        if (decided_kind_q == Free) taken_q[decided_segment_q] <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i)
    if (decided_q && !rejected_q && decided_kind_q == Allocate)
      fixed_q[decided_segment_q] <= {d_base_q, d_sinks_q, d_ring_q, d_rotation_q, d_wrap_q};
  for (genvar s = 0; s < Segments; s++) begin : g_segment
    logic [2*CountBits+ForgottenBits-1:0] ring_q;
    assign ring_of_segment[s] = ring_q;
    always_ff @(posedge clk_i)
      if (decided_q && !rejected_q) begin
        if (clear_q) ring_q <= '0;
        else if (decided_segment_q == SegmentBits'(s))
          ring_q <= {next_start, d_count_q, d_forgotten_q};
      end
  end
  always_ff @(posedge clk_i)
    if (decided_q) begin
      rejected_o <= rejected_q;
      full_o <= full_q;
      place_o <= AddressBits'(d_base_q + (write_q ? behind_q : d_sinks_q + ring_place));
      {base_o, sinks_o, ring_o, rotation_o} <= {d_base_q, d_sinks_q, d_ring_q, d_rotation_q};
      {start_o, count_o, forgotten_o} <= {next_start, d_count_q, d_forgotten_q};
    end

  `AXELRAM_ASSERT(an_operation_at_a_time, valid_i |-> !fetched_q && !decided_q)
  `AXELRAM_ASSERT(start_in_the_ring,
                  decided_q && !rejected_q && !clear_q && decided_kind_q != Free |->
                  next_start < d_ring_q || next_start == '0)
  `AXELRAM_ASSERT(count_in_the_segment, decided_q && !rejected_q && !clear_q |->
                  (CountBits + 1)'(d_count_q) <=
                  (CountBits + 1)'(d_sinks_q) + (CountBits + 1)'(d_ring_q))
  `AXELRAM_COVER(segment_wraps, decided_q && !rejected_q && decided_kind_q == Append && advance_q)
  `AXELRAM_COVER(segment_full, decided_q && full_q)
endmodule

`default_nettype wire

/// Covers of the corners that are seen at the ports of the observed top: numbers in vectors, fill
/// of the store, streams, resets. A label is the name of the corner in the coverage of `axelram
/// verify`, with _ for other characters. Other corners are covered in the modules where they occur.
///
/// Inputs: the ports of the top with the same stem, and its obs_* ports. For simulation alone:
/// registers without a reset start at 0.
`include "axelram_macros.svh"
`default_nettype none

module axelram_covers #(
    parameter int  HeadDim   = 128,
    parameter int  KeyLanes  = 128,
    parameter int  MaxKeys   = 4096,
    parameter int  ExpBits   = 5,
    localparam int CountBits = $clog2(MaxKeys + 1)
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    input  wire logic                   vector_valid_i,
    input  wire logic                   vector_ready_i,
    input  wire logic                   vector_query_i,
    input  wire logic [KeyLanes*16-1:0] vector_data_i,
    input  wire logic                   score_valid_i,
    input  wire logic                   score_ready_i,
    input  wire logic                   score_last_i,
    input  wire logic [  CountBits-1:0] key_count_i,
    input  wire logic                   obs_ready_i,
    input  wire logic [            1:0] obs_state_i,
    input  wire logic                   obs_record_rejected_i
);
  `AXELRAM_REQUIRE(key_lanes_divide_head_dim, KeyLanes >= 1 && HeadDim % KeyLanes == 0)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)

  localparam int Rows = HeadDim / KeyLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int FracBits = 15 - ExpBits;
  localparam logic [14:0] Infinity = {{ExpBits{1'b1}}, FracBits'(0)};
  localparam logic [14:0] SmallestNormal = 15'(1 << FracBits);

  // ---- Numbers: {not zero, infinity, NaN, largest finite, subnormal} among the elements of a
  // beat.
  function automatic logic [4:0] kinds(input logic [KeyLanes*16-1:0] beat);
    logic [14:0] magnitude;
    kinds = '0;
    for (int i = 0; i < KeyLanes; i++) begin
      magnitude = beat[i*16+:15];
      kinds = kinds | {magnitude != '0, magnitude == Infinity, magnitude > Infinity,
                       magnitude == Infinity - 15'd1,
                       magnitude != '0 && magnitude < SmallestNormal};
    end
  endfunction

  logic taken, first, whole, query, key_ends, query_ends, query_q;
  logic [RowBits-1:0] row_q;
  logic [4:0] seen, seen_q;
  assign taken = vector_valid_i && vector_ready_i;
  assign first = row_q == '0;
  assign whole = taken && row_q == RowBits'(Rows - 1);
  assign query = first ? vector_query_i : query_q;
  assign key_ends = whole && !query;
  assign query_ends = whole && query;
  assign seen = kinds(vector_data_i) | (first ? '0 : seen_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_q <= '0;
    else if (taken) row_q <= whole ? '0 : row_q + 1'b1;
  end
  always_ff @(posedge clk_i)
    if (taken) begin
      query_q <= query;
      seen_q  <= seen;
    end

  `AXELRAM_COVER(key_zero, key_ends && !seen[4])
  `AXELRAM_COVER(key_subnormal, key_ends && seen[0])
  `AXELRAM_COVER(key_largest_finite, key_ends && seen[1])
  `AXELRAM_COVER(key_nan, key_ends && seen[2])
  `AXELRAM_COVER(key_infinity, key_ends && seen[3])
  `AXELRAM_COVER(query_zero, query_ends && !seen[4])
  `AXELRAM_COVER(query_subnormal, query_ends && seen[0])
  `AXELRAM_COVER(query_largest_finite, query_ends && seen[1])
  `AXELRAM_COVER(query_nan, query_ends && seen[2])
  `AXELRAM_COVER(query_infinity, query_ends && seen[3])

  // ---- Vectors: gaps are cycles without an offer.
  logic begun_q, whole_q, gap_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      whole_q <= 1'b0;
      gap_q   <= 1'b0;
    end else begin
      begun_q <= begun_q || taken;
      whole_q <= whole;
      gap_q   <= !vector_valid_i;
    end
  end
  localparam logic [1:0] Accept = 2'd0;
  localparam logic [1:0] Rotate = 2'd1;
  localparam logic [1:0] Build = 2'd2;
  localparam logic [1:0] Read = 2'd3;
  logic held;
  assign held = vector_valid_i && !vector_ready_i;

  `AXELRAM_COVER(stream_back_to_back, taken && first && whole_q)
  `AXELRAM_COVER(stream_gap_between_vectors, taken && first && gap_q && begun_q)
  `AXELRAM_COVER(stream_gap_inside_a_vector, taken && !first && gap_q)
  `AXELRAM_COVER(stream_held_in_rotate, held && obs_state_i == Rotate)
  `AXELRAM_COVER(stream_held_in_build, held && obs_state_i == Build)
  `AXELRAM_COVER(stream_held_in_read, held && obs_state_i == Read)
  `AXELRAM_COVER(initialisation_a_vector_waits, held && !obs_ready_i)
  `AXELRAM_COVER(store_full, obs_record_rejected_i)
  `AXELRAM_COVER(store_scored_when_full, obs_state_i == Build && key_count_i == CountBits'(MaxKeys))
  `AXELRAM_COVER(store_scored_when_empty, obs_state_i == Build && key_count_i == '0)

  // ---- Scores
  logic first_score_q, score_held;
  assign score_held = score_valid_i && !score_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_score_q <= 1'b1;
    else if (score_valid_i && score_ready_i) first_score_q <= score_last_i;
  end
  `AXELRAM_COVER(scores_first_held, score_held && first_score_q)
  `AXELRAM_COVER(scores_middle_held, score_held && !first_score_q && !score_last_i)
  `AXELRAM_COVER(scores_last_held, score_held && !first_score_q && score_last_i)
  `AXELRAM_COVER(scores_taken_during_accept,
                 score_valid_i && score_ready_i && obs_state_i == Accept)

  // ---- Resets: the last cycle before a reset, in the first cycle after it. The registers have no
  // reset.
  logic released_q, before_ready_q;
  logic running_q = 1'b0;
  logic [1:0] before_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) released_q <= 1'b1;
    else released_q <= 1'b0;
  end
  always_ff @(posedge clk_i)
    if (rst_ni) begin
      running_q <= 1'b1;
      before_q <= obs_state_i;
      before_ready_q <= obs_ready_i;
    end
  logic reset_again;
  assign reset_again = released_q && running_q;
  `AXELRAM_COVER(reset_in_accept, reset_again && before_ready_q && before_q == Accept)
  `AXELRAM_COVER(reset_in_rotate, reset_again && before_q == Rotate)
  `AXELRAM_COVER(reset_in_build, reset_again && before_q == Build)
  `AXELRAM_COVER(reset_in_read, reset_again && before_q == Read)
  `AXELRAM_COVER(initialisation_a_reset, reset_again && !before_ready_q)
endmodule

`default_nettype wire

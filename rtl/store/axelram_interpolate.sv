/// Repair of elements in uncorrectable words (bit-contract.md#erasures; references.md#ecc-kv-cache,
/// section 5.3 and equation 29). Records of tokens t-1 and t+1 are buffered, so no key is read twice.
/// Policy of each element:
///   erasure_i 0 keep; 1 zero: index 2^(b-1), norm 0; 2 interpolate: the mean of the same element of
///   both neighbours as decoded, RNE (norms: exact mean, RNE to FP16, at most 65504); the element of
///   one neighbour if the other neighbour has none; unchanged if neither has one.
///
/// A record is output when its successor arrives. The last record of a query (last_i) is output Spacing
/// cycles after it arrived. Records arrive at least Spacing cycles apart. erased_i has one bit per word
/// of K bits.
/// Latency: Spacing + 4 cycles if records arrive Spacing cycles apart, for every erasure_i.
`include "axelram_macros.svh"
`default_nettype none

module axelram_interpolate #(
    parameter int HeadDim = 128,
    parameter int IndexBits = 3,
    parameter int K = 4,
    parameter int Spacing = 1,
    localparam int RecordBits = HeadDim * IndexBits + 16,
    localparam int Words = (RecordBits + K - 1) / K
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic [           1:0] erasure_i,
    input  wire logic                  valid_i,
    input  wire logic                  last_i,
    input  wire logic [RecordBits-1:0] record_i,
    input  wire logic [     Words-1:0] erased_i,
    output logic                       valid_o,
    output logic                       last_o,
    output logic      [RecordBits-1:0] record_o
);
  `AXELRAM_REQUIRE(index_bits_in_2_to_4, IndexBits >= 2 && IndexBits <= 4)
  `AXELRAM_REQUIRE(spacing_at_least_1, Spacing >= 1)
  `AXELRAM_REQUIRE(data_bits_at_least_1, K >= 1)

  localparam logic [1:0] Zero = 2'd1;
  localparam logic [1:0] Interpolate = 2'd2;
  localparam int SpacingBits = $clog2(Spacing + 1);

  // Tokens t+1, t, t-1.
  logic after_valid_q, now_valid_q, before_valid_q, after_last_q, now_last_q, emit_q;
  logic [RecordBits-1:0] after_q, now_q, before_q;
  logic [Words-1:0] after_erased_q, now_erased_q, before_erased_q;
  logic [SpacingBits-1:0] wait_q;
  logic flush, shift;
  assign flush = after_valid_q && after_last_q && wait_q == '0;
  assign shift = valid_i || flush;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      after_valid_q <= 1'b0;
      now_valid_q <= 1'b0;
      before_valid_q <= 1'b0;
      emit_q <= 1'b0;
      wait_q <= '0;
    end else begin
      emit_q <= shift && after_valid_q;
      if (valid_i) wait_q <= SpacingBits'(Spacing - 1);
      else if (wait_q != '0) wait_q <= wait_q - 1'b1;
      if (shift) begin
        after_valid_q  <= valid_i;
        now_valid_q <= after_valid_q;
        before_valid_q <= now_valid_q;
      end else if (emit_q && now_last_q) begin
        now_valid_q <= 1'b0;
        before_valid_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      after_q <= record_i;
      after_erased_q <= erased_i;
      after_last_q <= last_i;
    end
  always_ff @(posedge clk_i)
    if (shift) begin
      now_q <= after_q;
      now_erased_q <= after_erased_q;
      now_last_q <= after_last_q;
      before_q <= now_q;
      before_erased_q <= now_erased_q;
    end

  // Erased words of the neighbours.
  logic [Words-1:0] left_lacks, right_lacks;
  assign left_lacks  = before_valid_q ? before_erased_q : '1;
  assign right_lacks = after_valid_q ? after_erased_q : '1;

  function automatic logic [IndexBits-1:0] mean(input logic [IndexBits-1:0] a,
                                                input logic [IndexBits-1:0] b);
    logic [IndexBits:0] sum;
    sum  = {1'b0, a} + {1'b0, b};
    mean = sum[IndexBits:1] + {{(IndexBits - 1) {1'b0}}, sum[0] & sum[1]};
  endfunction

  // Indices.
  logic [HeadDim-1:0] erased, left, right;
  for (genvar i = 0; i < HeadDim; i++) begin : g_element
    localparam int First = i * IndexBits / K;
    localparam int Last = (i * IndexBits + IndexBits - 1) / K;
    assign erased[i] = |now_erased_q[Last:First];
    assign left[i]   = !(|left_lacks[Last:First]);
    assign right[i]  = !(|right_lacks[Last:First]);
  end
  logic repair;
  assign repair = now_erased_q != '0 && (erasure_i == Zero || erasure_i == Interpolate);

  logic [HeadDim*IndexBits-1:0] indices_q;
  always_ff @(posedge clk_i)
    if (emit_q) begin
      indices_q <= now_q[HeadDim*IndexBits-1:0];
      if (repair)
        for (int i = 0; i < HeadDim; i++)
          if (erased[i])
            if (erasure_i == Zero)
              indices_q[i*IndexBits+:IndexBits] <= IndexBits'(1 << (IndexBits - 1));
            else if (left[i] && right[i])
              indices_q[i*IndexBits+:IndexBits] <=
                  mean(before_q[i*IndexBits+:IndexBits], after_q[i*IndexBits+:IndexBits]);
            else if (left[i])
              indices_q[i*IndexBits+:IndexBits] <= before_q[i*IndexBits+:IndexBits];
            else if (right[i])
              indices_q[i*IndexBits+:IndexBits] <= after_q[i*IndexBits+:IndexBits];
    end

  // Norm: mean on the grid of 2^-25, rounded once.
  localparam int NormFirst = HeadDim * IndexBits;
  localparam int NormWord = NormFirst / K;
  logic norm_erased, norm_left, norm_right, norm_mean;
  assign norm_erased = repair && now_erased_q[Words-1:NormWord] != '0;
  assign norm_left = left_lacks[Words-1:NormWord] == '0;
  assign norm_right = right_lacks[Words-1:NormWord] == '0;
  assign norm_mean = norm_erased && erasure_i == Interpolate && norm_left && norm_right;

  // sigma * 2^epsilon in units of 2^-24: no special values (bit-contract.md#norm-read).
  function automatic logic [40:0] on_grid(input logic [14:0] norm);
    on_grid = 41'({norm[14:10] != '0, norm[9:0]}) << ((norm[14:10] == '0) ? 5'd0 : norm[14:10] - 5'd1);
  endfunction
  logic [15:0] before_norm, now_norm, after_norm, norm;
  logic [41:0] norm_sum;
  assign before_norm = before_q[NormFirst+:16];
  assign now_norm = now_q[NormFirst+:16];
  assign after_norm = after_q[NormFirst+:16];
  assign norm_sum = 42'(on_grid(before_norm[14:0])) + 42'(on_grid(after_norm[14:0]));
  always_comb begin
    norm = now_norm;
    if (norm_erased)
      if (erasure_i == Zero) norm = '0;
      else if (norm_left) norm = before_norm;
      else if (norm_right) norm = after_norm;
  end

  logic sum_valid_q;
  logic [41:0] norm_sum_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_valid_q <= 1'b0;
    else sum_valid_q <= emit_q && norm_mean;
  end
  always_ff @(posedge clk_i) if (emit_q && norm_mean) norm_sum_q <= norm_sum;

  logic rounded_valid, unused_tag, saturated;
  logic [14:0] rounded;
  axelram_float_round #(
      .MagBits    (42),
      .ExpBits    (6),
      .OutExpBits (5),
      .OutFracBits(10)
  ) u_float_round (
      .clk_i,
      .rst_ni,
      .valid_i    (sum_valid_q),
      .tag_i      (1'b0),
      .magnitude_i(norm_sum_q),
      .exponent_i (-6'sd25),
      .valid_o    (rounded_valid),
      .tag_o      (unused_tag),
      .float_o    (rounded),
      .saturated_o(saturated)
  );

  // The other bits are delayed with it. The rounded norm holds until the next one.
  localparam int LateBits = HeadDim * IndexBits + 18;
  logic [15:0] norm_q, late_norm;
  logic last_q, mean_q, late_mean, unrounded_valid_q;
  logic [HeadDim*IndexBits-1:0] late_indices;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) unrounded_valid_q <= 1'b0;
    else unrounded_valid_q <= emit_q;
  end
  always_ff @(posedge clk_i)
    if (emit_q) begin
      norm_q <= norm;
      mean_q <= norm_mean;
      last_q <= now_last_q;
    end
  axelram_pipeline #(
      .Bits (LateBits),
      .Depth(2)
  ) u_late (
      .clk_i,
      .rst_ni,
      .valid_i(unrounded_valid_q),
      .data_i ({last_q, mean_q, norm_q, indices_q}),
      .valid_o,
      .data_o ({last_o, late_mean, late_norm, late_indices})
  );
  assign record_o = {late_mean ? {1'b0, rounded} : late_norm, late_indices};
  logic unused;
  assign unused = ^{rounded_valid, unused_tag, saturated};

  `AXELRAM_ASSERT(records_apart, valid_i |-> wait_q == '0 && !flush)

`ifdef AXELRAM_COVERS
  // Means of indices, and of norms, that lie in the middle between two values.
  logic [HeadDim-1:0] index_tie;
  logic norm_tie;
  always_comb begin
    for (int i = 0; i < HeadDim; i++)
      index_tie[i] = before_q[i*IndexBits] != after_q[i*IndexBits];
    norm_tie = 1'b0;
    for (int dropped = 1; dropped <= 31; dropped++)
      if ((norm_sum >> (dropped + 11)) == '0 && (dropped == 1 || (norm_sum >> (dropped + 10)) != '0))
        norm_tie = (norm_sum << (42 - dropped)) == {1'b1, 41'd0};
  end
`endif
  `AXELRAM_COVER(erasure_index_kept,
                 emit_q && erasure_i != Zero && erasure_i != Interpolate && |erased)
  `AXELRAM_COVER(erasure_norm_kept, emit_q && erasure_i != Zero && erasure_i != Interpolate &&
                 |now_erased_q[Words-1:NormWord])
  `AXELRAM_COVER(erasure_index_zero, emit_q && erasure_i == Zero && |erased)
  `AXELRAM_COVER(erasure_norm_zero, emit_q && erasure_i == Zero && norm_erased)
  `AXELRAM_COVER(erasure_index_interpolated, emit_q && erasure_i == Interpolate && |erased)
  `AXELRAM_COVER(erasure_norm_interpolated, emit_q && erasure_i == Interpolate && norm_erased)
  `AXELRAM_COVER(interpolation_index_of_both,
                 emit_q && erasure_i == Interpolate && |(erased & left & right))
  `AXELRAM_COVER(interpolation_index_of_the_left,
                 emit_q && erasure_i == Interpolate && |(erased & left & ~right))
  `AXELRAM_COVER(interpolation_index_of_the_right,
                 emit_q && erasure_i == Interpolate && |(erased & ~left & right))
  `AXELRAM_COVER(interpolation_index_of_neither,
                 emit_q && erasure_i == Interpolate && |(erased & ~left & ~right))
  `AXELRAM_COVER(interpolation_index_tie, emit_q && erasure_i == Interpolate &&
                 |(erased & left & right & index_tie))
  `AXELRAM_COVER(interpolation_norm_of_both, emit_q && norm_mean)
  `AXELRAM_COVER(interpolation_norm_of_the_left,
                 emit_q && erasure_i == Interpolate && norm_erased && norm_left && !norm_right)
  `AXELRAM_COVER(interpolation_norm_of_the_right,
                 emit_q && erasure_i == Interpolate && norm_erased && !norm_left && norm_right)
  `AXELRAM_COVER(interpolation_norm_of_neither,
                 emit_q && erasure_i == Interpolate && norm_erased && !norm_left && !norm_right)
  `AXELRAM_COVER(interpolation_norm_tie, emit_q && norm_mean && norm_tie)
  `AXELRAM_COVER(interpolation_norm_saturated, rounded_valid && saturated)
endmodule

`default_nettype wire

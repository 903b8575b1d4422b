/// The unbiased norm of a key: FP16 of S / A * 2^(log2(HeadDim) + WordBits - 2 + e), one rounding
/// (bit-contract.md#scale).
///
///   S, e of the square sum -> wait -------------.
///   rows, indices -> axelram_correlation -> A -> normalise -> axelram_divide -> float_round
///
/// sum_*_i: S and e of the keys, in order, before their A. data_i: a row; its indices follow in the next
/// cycle, with indices_valid_i and last_i. Waiting: keys that may wait for their A, a power of two.
/// Latency, from the indices of the last row: log2(Lanes) + log2(Levels) + 1 + 1 + 13 + 2 cycles.
/// norm_o and saturated_o hold until those of the next key. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_scale #(
    parameter int HeadDim = 128,
    parameter int Lanes = 128,
    parameter int Bits = 23,
    parameter int Levels = 8,
    parameter int WordBits = 8,
    parameter int SumBits = 37,
    parameter int CorrelationBits = 34,
    parameter int ExpBits = 5,
    parameter int SigBits = 16,
    parameter int Waiting = 64,
    localparam int LevelBits = $clog2(Levels)
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic        [    Levels*WordBits-1:0] words_i,
    input  wire logic                                  sum_valid_i,
    input  wire logic        [            ExpBits-1:0] sum_exponent_i,
    input  wire logic        [            SumBits-1:0] sum_i,
    input  wire logic                                  valid_i,
    input  wire logic        [         Lanes*Bits-1:0] data_i,
    input  wire logic                                  indices_valid_i,
    input  wire logic                                  last_i,
    input  wire logic        [    Lanes*LevelBits-1:0] indices_i,
    output logic                                       correlation_valid_o,
    output logic signed      [    CorrelationBits-1:0] correlation_o,
    output logic                                       valid_o,
    output logic             [                   15:0] norm_o,
    output logic                                       saturated_o,
    // The rows of indices again: the last one with the norm.
    output logic                                       packed_valid_o,
    output logic                                       packed_last_o,
    output logic             [    Lanes*LevelBits-1:0] packed_o
);
  `AXELRAM_REQUIRE(waiting_power_of_two_from_2, Waiting >= 2 && (Waiting & (Waiting - 1)) == 0)
  `AXELRAM_REQUIRE(lanes_divide_head_dim, Lanes >= 1 && HeadDim >= Lanes && HeadDim % Lanes == 0)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(sig_bits_in_12_to_20, SigBits >= 12 && SigBits <= 20)

  localparam int Rows = HeadDim / Lanes;
  localparam int QuotientBits = 13;

  // ---- A
  logic [Lanes*Bits-1:0] data_q;
  always_ff @(posedge clk_i) if (valid_i) data_q <= data_i;

  axelram_correlation #(
      .Lanes   (Lanes),
      .Rows    (Rows),
      .Bits    (Bits),
      .Levels  (Levels),
      .WordBits(WordBits),
      .SumBits (CorrelationBits)
  ) u_correlation (
      .clk_i,
      .rst_ni,
      .words_i,
      .valid_i (indices_valid_i),
      .last_i,
      .levels_i(indices_i),
      .data_i  (data_q),
      .valid_o (correlation_valid_o),
      .sum_o   (correlation_o)
  );

  // ---- S and e wait for A
  localparam int PlaceBits = $clog2(Waiting);
  logic [ExpBits+SumBits-1:0] waiting_q[Waiting];
  logic [PlaceBits:0] written_q, read_q;
  logic [ExpBits-1:0] exponent;
  logic [SumBits-1:0] sum;
  assign {exponent, sum} = waiting_q[read_q[PlaceBits-1:0]];
  always_ff @(posedge clk_i)
    if (sum_valid_i) waiting_q[written_q[PlaceBits-1:0]] <= {sum_exponent_i, sum_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      read_q <= '0;
    end else begin
      if (sum_valid_i) written_q <= written_q + 1'b1;
      if (correlation_valid_o) read_q <= read_q + 1'b1;
    end
  end

  // ---- Normalise: leading ones to the top
  localparam int WideBits = (SumBits > CorrelationBits) ? SumBits : CorrelationBits;
  localparam int CountBits = $clog2(WideBits + 1);
  function automatic logic [CountBits+WideBits-1:0] normal(input logic [WideBits-1:0] value);
    logic [CountBits-1:0] zeros;
    zeros = '0;
    for (int s = CountBits - 1; s >= 0; s--)
      if ((1 << s) < WideBits && (value >> (WideBits - (1 << s))) == '0) begin
        value = value << (1 << s);
        zeros[s] = 1'b1;
      end
    normal = {zeros, value};
  endfunction

  // value = S / A * 2^exponent of the normal ones; the quotient has QuotientBits - 1 bits behind the
  // point, and the sticky bit is one more.
  localparam int Bias = (1 << (ExpBits - 1)) - 1;
  localparam int Offset = $clog2(HeadDim) + WordBits - 2 - Bias - (SigBits - 2) - QuotientBits;
  localparam int ValueExpBits = ExpBits + 4;
  logic normal_valid_q;
  logic [WideBits-1:0] dividend_q, divisor_q;
  logic signed [ValueExpBits-1:0] value_exponent_q;
  logic [CountBits-1:0] sum_zeros, correlation_zeros;
  logic [WideBits-1:0] normal_sum, normal_correlation;
  assign {sum_zeros, normal_sum} = normal(WideBits'(sum));
  assign {correlation_zeros, normal_correlation} = normal(WideBits'(correlation_o));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) normal_valid_q <= 1'b0;
    else normal_valid_q <= correlation_valid_o;
  end
  always_ff @(posedge clk_i)
    if (correlation_valid_o) begin
      dividend_q <= normal_sum;
      // A zero key has S = A = 0.
      divisor_q <= {normal_correlation[WideBits-1] || correlation_o == '0,
                    normal_correlation[WideBits-2:0]};
      value_exponent_q <= $signed(ValueExpBits'(exponent)) + ValueExpBits'(Offset) +
          $signed(ValueExpBits'(correlation_zeros)) - $signed(ValueExpBits'(sum_zeros));
    end

  // ---- Divide and round
  logic quotient_valid, sticky, unused_tag;
  logic signed [ValueExpBits-1:0] quotient_exponent;
  logic [QuotientBits-1:0] quotient;
  axelram_divide #(
      .Bits        (WideBits),
      .QuotientBits(QuotientBits),
      .TagBits     (ValueExpBits),
      .Pipelined   (Rows < QuotientBits)
  ) u_divide (
      .clk_i,
      .rst_ni,
      .valid_i   (normal_valid_q),
      .tag_i     (value_exponent_q),
      .dividend_i(dividend_q),
      .divisor_i (divisor_q),
      .valid_o   (quotient_valid),
      .tag_o     (quotient_exponent),
      .quotient_o(quotient),
      .sticky_o  (sticky)
  );

  logic [QuotientBits:0] quotient_magnitude;
  assign quotient_magnitude = {quotient, sticky};
  axelram_float_round #(
      .MagBits    (QuotientBits + 1),
      .ExpBits    (ValueExpBits),
      .OutExpBits (5),
      .OutFracBits(10)
  ) u_float_round (
      .clk_i,
      .rst_ni,
      .valid_i    (quotient_valid),
      .tag_i      (1'b0),
      .magnitude_i(quotient_magnitude),
      .exponent_i (quotient_exponent),
      .valid_o,
      .tag_o      (unused_tag),
      .float_o    (norm_o[14:0]),
      .saturated_o
  );
  assign norm_o[15] = 1'b0;

  // ---- Indices wait for the norm
  localparam int Delay = $clog2(Lanes) + LevelBits + 17;
  logic unused_next, unused_next_query, unused_query;
  axelram_row_delay #(
      .Bits (Lanes * LevelBits + 1),
      .Depth(Delay)
  ) u_indices_delay (
      .clk_i,
      .rst_ni,
      .valid_i     (indices_valid_i),
      .query_i     (1'b0),
      .data_i      ({last_i, indices_i}),
      .next_o      (unused_next),
      .next_query_o(unused_next_query),
      .valid_o     (packed_valid_o),
      .query_o     (unused_query),
      .data_o      ({packed_last_o, packed_o})
  );
  logic unused;
  assign unused = unused_tag ^ unused_next ^ unused_next_query ^ unused_query;

  `AXELRAM_ASSERT(norm_with_the_last_row, valid_o == (packed_valid_o && packed_last_o))

  `AXELRAM_ASSERT(sum_before_correlation, correlation_valid_o |-> written_q != read_q)
  `AXELRAM_ASSERT(place_left, sum_valid_i |-> written_q - read_q != (PlaceBits + 1)'(Waiting))
  `AXELRAM_ASSERT(correlation_positive,
                  correlation_valid_o |-> (correlation_o > 0) == (sum != '0) && correlation_o >= 0)
  `AXELRAM_ASSERT(norm_finite, valid_o |-> norm_o <= 16'h7bff)
  `AXELRAM_COVER(norm_zero, valid_o && norm_o == '0)
  `AXELRAM_COVER(norm_subnormal, valid_o && norm_o != '0 && norm_o < 16'h0400)
  `AXELRAM_COVER(norm_saturated, valid_o && saturated_o)

`ifdef AXELRAM_COVERS
  // The lowest one of the quotient is worth half a unit in the last place of the norm.
  logic tie;
  int highest, lowest;
  always_comb begin
    highest = 0;
    for (int i = 0; i <= QuotientBits; i++) if ((quotient_magnitude >> i) != '0) highest = i;
    lowest = 0;
    for (int i = QuotientBits; i >= 0; i--) if (quotient_magnitude[i]) lowest = i;
    highest = highest + 32'(quotient_exponent);
    lowest = lowest + 32'(quotient_exponent);
    tie = quotient_magnitude != '0 && lowest + 1 == ((highest > -14) ? highest - 10 : -24);
  end
`endif
  `AXELRAM_COVER(norm_tie, quotient_valid && tie)
endmodule

`default_nettype wire

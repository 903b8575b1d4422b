/// The unbiased norm of a key: FP16 of S / A * 2^(log2(HeadDim) + WordBits - 2 + e), one rounding
/// (bit-contract.md#scale).
///
///   S, e of the square sum -> wait -> normalise -> axelram_divide -> float_round
///                                A ------^
///
/// sum_*_i: S and e of the keys, in order, two cycles or more before their A. Interval: cycles
/// between two keys, at least. Waiting: keys that may wait for their A, a power of two. Refuses: A
/// <= 0 is possible for S > 0 (bit-contract.md#trellis); then norm_o is 0 and refused_o is high.
/// sum_exponent_i: biased; with FieldBits > ExpBits, signed.
/// Latency, from A: 1 + 13 + 2 cycles. norm_o, saturated_o and refused_o hold until those of the
/// next key.
`include "axelram_macros.svh"
`default_nettype none

module axelram_scale #(
    parameter int HeadDim         = 128,
    parameter int Interval        = 1,
    parameter int WordBits        = 8,
    parameter int SumBits         = 37,
    parameter int CorrelationBits = 34,
    parameter int ExpBits         = 5,
    parameter int FieldBits       = ExpBits,
    parameter int SigBits         = 16,
    parameter int Waiting         = 64,
    parameter bit Refuses         = 1'b0
) (
    input  wire logic                               clk_i,
    input  wire logic                               rst_ni,
    input  wire logic                               sum_valid_i,
    input  wire logic        [       FieldBits-1:0] sum_exponent_i,
    input  wire logic        [         SumBits-1:0] sum_i,
    input  wire logic                               correlation_valid_i,
    input  wire logic signed [ CorrelationBits-1:0] correlation_i,
    output logic                                    valid_o,
    output logic             [                15:0] norm_o,
    output logic                                    saturated_o,
    output logic                                    refused_o
);
  `AXELRAM_REQUIRE(head_dim_power_of_two, HeadDim >= 2 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(word_bits_at_least_2, WordBits >= 2)
  `AXELRAM_REQUIRE(waiting_power_of_two_from_2, Waiting >= 2 && (Waiting & (Waiting - 1)) == 0)
  `AXELRAM_REQUIRE(interval_at_least_1, Interval >= 1)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(sig_bits_in_12_to_20, SigBits >= 12 && SigBits <= 20)
  `AXELRAM_REQUIRE(field_bits_at_least_exp_bits, FieldBits >= ExpBits)

  localparam int QuotientBits = 13;

  // ---- S and e wait for A
  localparam int PlaceBits = $clog2(Waiting);
  logic [FieldBits+SumBits-1:0] waiting_q[Waiting];
  logic [PlaceBits:0] written_q, read_q, read;
  // a register, so that the choice of a place is in no other path
  logic [FieldBits+SumBits-1:0] next_q;
  logic [FieldBits-1:0] exponent;
  logic [SumBits-1:0] sum;
  assign read = read_q + (PlaceBits + 1)'(correlation_valid_i);
  assign {exponent, sum} = next_q;
  always_ff @(posedge clk_i) begin
    if (sum_valid_i) waiting_q[written_q[PlaceBits-1:0]] <= {sum_exponent_i, sum_i};
    next_q <= waiting_q[read[PlaceBits-1:0]];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      read_q <= '0;
    end else begin
      if (sum_valid_i) written_q <= written_q + 1'b1;
      read_q <= read;
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

  // value = S / A * 2^exponent of the normal ones; the quotient has QuotientBits - 1 bits behind
  // the point, and the sticky bit is one more.
  localparam int Bias = (1 << (ExpBits - 1)) - 1;
  localparam int Offset = $clog2(HeadDim) + WordBits - 2 - Bias - (SigBits - 2) - QuotientBits;
  localparam int ValueExpBits = ExpBits + 4;
  logic signed [ValueExpBits-1:0] sum_exponent;
  if (FieldBits > ExpBits) begin : g_signed
    assign sum_exponent = ValueExpBits'($signed(exponent));
  end else begin : g_signed
    assign sum_exponent = $signed(ValueExpBits'(exponent));
  end
  logic normal_valid_q, refused, refused_q;
  assign refused = Refuses && correlation_i <= 0 && sum != '0;
  logic [WideBits-1:0] dividend_q, divisor_q;
  logic signed [ValueExpBits-1:0] value_exponent_q;
  logic [CountBits-1:0] sum_zeros, correlation_zeros;
  logic [WideBits-1:0] normal_sum, normal_correlation;
  assign {sum_zeros, normal_sum} = normal(WideBits'(sum));
  assign {correlation_zeros, normal_correlation} = normal(WideBits'(correlation_i));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) normal_valid_q <= 1'b0;
    else normal_valid_q <= correlation_valid_i;
  end
  always_ff @(posedge clk_i)
    if (correlation_valid_i) begin
      dividend_q <= refused ? '0 : normal_sum;
      // A zero key has S = A = 0.
      divisor_q <= {normal_correlation[WideBits-1] || correlation_i == '0 || refused,
                    normal_correlation[WideBits-2:0]};
      refused_q <= refused;
      value_exponent_q <= sum_exponent + ValueExpBits'(Offset) +
          $signed(ValueExpBits'(correlation_zeros)) - $signed(ValueExpBits'(sum_zeros));
    end

  // ---- Divide and round
  logic quotient_valid, quotient_refused, sticky;
  logic signed [ValueExpBits-1:0] quotient_exponent;
  logic [QuotientBits-1:0] quotient;
  axelram_divide #(
      .Bits     (WideBits),
      .QuotientBits(QuotientBits),
      .TagBits  (1 + ValueExpBits),
      .Pipelined(Interval < QuotientBits)
  ) u_divide (
      .clk_i, .rst_ni,
      .valid_i   (normal_valid_q),
      .tag_i     ({refused_q, value_exponent_q}),
      .dividend_i(dividend_q),
      .divisor_i (divisor_q),
      .valid_o   (quotient_valid),
      .tag_o     ({quotient_refused, quotient_exponent}),
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
      .clk_i, .rst_ni,
      .valid_i    (quotient_valid),
      .tag_i      (quotient_refused),
      .magnitude_i(quotient_magnitude),
      .exponent_i (quotient_exponent),
      .valid_o,
      .tag_o      (refused_o),
      .float_o    (norm_o[14:0]),
      .saturated_o
  );
  assign norm_o[15] = 1'b0;

  `AXELRAM_ASSERT(sum_before_correlation, correlation_valid_i |->
                  written_q != read_q && $past(written_q) != read_q)
  `AXELRAM_ASSERT(place_left, sum_valid_i |-> written_q - read_q != (PlaceBits + 1)'(Waiting))
  `AXELRAM_ASSERT(correlation_positive,
                  correlation_valid_i && !refused |->
                  (correlation_i > 0) == (sum != '0) && correlation_i >= 0)
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

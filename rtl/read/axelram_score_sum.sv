/// Score of a record of two parts (bit-contract.md#split-score): FP32 of the exact sum of two
/// terms, rounded once.
///   first  = acc * sigma * 2^(first_exponent_i + epsilon)
///   second = acc2 * sigma2 * Factor * 2^(second_exponent_i + epsilon2 + Offset)
/// sigma * 2^epsilon and sigma2 * 2^epsilon2 are the norms (bit-contract.md#norm-read).
///
/// The term of the higher exponent is shifted left by the difference of both, so that the sum is
/// exact.
/// Terms of 0 need no other treatment: every difference of exponents is within FirstApart (first
/// above second) and SecondApart.
/// Widths: acc FirstBits, acc2 SecondBits, signed; sum SumBits. Factor has FactorBits bits; 0: it
/// is 1.
/// Latency: 7 cycles: significands, factor, alignment, sum, magnitude, rounding (2).
`include "axelram_macros.svh"
`default_nettype none

module axelram_score_sum #(
    parameter int        FirstBits        = 22,
    parameter int        SecondBits       = 15,
    parameter int        FactorBits       = 0,
    parameter bit [31:0] Factor           = 32'd1,
    parameter int        Offset           = 0,
    parameter int        FirstApart       = 30,
    parameter int        SecondApart      = 30,
    localparam int       FirstTermBits    = FirstBits + 11,
    localparam int       SecondTermBits   = SecondBits + 11 + FactorBits,
    localparam int       FirstPlacedBits  = FirstTermBits + FirstApart,
    localparam int       SecondPlacedBits = SecondTermBits + SecondApart,
    localparam int       SumBits          =
        1 + ((FirstPlacedBits > SecondPlacedBits) ? FirstPlacedBits : SecondPlacedBits)
) (
    input  wire logic                         clk_i,
    input  wire logic                         rst_ni,
    input  wire logic                         valid_i,
    input  wire logic                         last_key_i,
    input  wire logic signed [ FirstBits-1:0] first_i,
    input  wire logic signed [SecondBits-1:0] second_i,
    input  wire logic        [          15:0] first_norm_i,
    input  wire logic        [          15:0] second_norm_i,
    input  wire logic signed [          11:0] first_exponent_i,
    input  wire logic signed [          11:0] second_exponent_i,
    output logic                              valid_o,
    output logic                              last_key_o,
    output logic                              saturated_o,
    output logic             [          31:0] score_o
);
  `AXELRAM_REQUIRE(terms_apart_in_1_to_62,
                   FirstApart >= 1 && FirstApart <= 62 && SecondApart >= 1 && SecondApart <= 62)
  `AXELRAM_REQUIRE(factor_of_its_bits, FactorBits >= 0 && FactorBits <= 32 &&
                   Factor >> ((FactorBits > 0) ? FactorBits - 1 : 0) == 32'd1)
  `AXELRAM_REQUIRE(offset_in_minus_64_to_64, Offset >= -64 && Offset <= 64)
  `AXELRAM_REQUIRE(accumulators_of_2_bits_or_more, FirstBits >= 2 && SecondBits >= 2)

  function automatic logic signed [5:0] epsilon(input logic [4:0] field);
    epsilon = (field == '0) ? -6'sd24 : $signed({1'b0, field}) - 6'sd25;
  endfunction
  function automatic logic signed [11:0] sigma(input logic [14:0] norm);
    sigma = $signed({1'b0, norm[14:10] != '0, norm[9:0]});
  endfunction

  localparam int Stages = 5;
  logic [Stages-1:0] valid_q, last_key_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= Stages'({valid_q, valid_i});
  end
  always_ff @(posedge clk_i) last_key_q <= Stages'({last_key_q, last_key_i});

  // ---- Products with the significands of the norms
  localparam int SecondProductBits = SecondBits + 11;
  logic signed [FirstTermBits-1:0] first_product_q, first_term_q;
  logic signed [SecondProductBits-1:0] second_product_q;
  logic signed [11:0] first_exponent_q, second_exponent_q;
  always_ff @(posedge clk_i)
    if (valid_i) begin
      first_product_q <= FirstTermBits'(first_i) * FirstTermBits'(sigma(first_norm_i[14:0]));
      second_product_q <=
          SecondProductBits'(second_i) * SecondProductBits'(sigma(second_norm_i[14:0]));
      first_exponent_q <= first_exponent_i + 12'(epsilon(first_norm_i[14:10]));
      second_exponent_q <= second_exponent_i + 12'(epsilon(second_norm_i[14:10])) + 12'(Offset);
    end

  // ---- Factor; difference of the exponents
  logic signed [SecondTermBits-1:0] second_term_q;
  logic signed [11:0] difference, exponent_q;
  logic first_higher_q;
  logic [5:0] apart_q;
  assign difference = first_exponent_q - second_exponent_q;
  always_ff @(posedge clk_i)
    if (valid_q[0]) begin
      first_term_q <= first_product_q;
      second_term_q <= SecondTermBits'(second_product_q) * SecondTermBits'($signed({1'b0, Factor}));
      first_higher_q <= !difference[11];
      apart_q <= difference[11] ? -difference[5:0] : difference[5:0];
      exponent_q <= difference[11] ? first_exponent_q : second_exponent_q;
    end

  // ---- Alignment, sum, magnitude
  localparam int WideBits = (FirstTermBits > SecondTermBits) ? FirstTermBits : SecondTermBits;
  logic signed [WideBits-1:0] higher, lower;
  logic signed [SumBits-1:0] higher_q, lower_q, sum_q;
  logic signed [11:0] aligned_exponent_q, sum_exponent_q, magnitude_exponent_q;
  logic [SumBits-1:0] magnitude_q;
  logic negative_q;
  assign higher = first_higher_q ? WideBits'(first_term_q) : WideBits'(second_term_q);
  assign lower  = first_higher_q ? WideBits'(second_term_q) : WideBits'(first_term_q);
  always_ff @(posedge clk_i) begin
    if (valid_q[1]) begin
      higher_q <= SumBits'(higher) <<< apart_q;
      lower_q <= SumBits'(lower);
      aligned_exponent_q <= exponent_q;
    end
    if (valid_q[2]) begin
      sum_q <= higher_q + lower_q;
      sum_exponent_q <= aligned_exponent_q;
    end
    if (valid_q[3]) begin
      magnitude_q <= sum_q[SumBits-1] ? -sum_q : sum_q;
      negative_q <= sum_q[SumBits-1];
      magnitude_exponent_q <= sum_exponent_q;
    end
  end

  axelram_float_round #(
      .MagBits    (SumBits),
      .ExpBits    (12),
      .OutExpBits (8),
      .OutFracBits(23),
      .TagBits    (2)
  ) u_float_round (
      .clk_i, .rst_ni,
      .valid_i    (valid_q[4]),
      .tag_i      ({negative_q, last_key_q[4]}),
      .magnitude_i(magnitude_q),
      .exponent_i (magnitude_exponent_q),
      .valid_o,
      .tag_o      ({score_o[31], last_key_o}),
      .float_o    (score_o[30:0]),
      .saturated_o
  );
  logic unused;
  assign unused = first_norm_i[15] ^ second_norm_i[15] ^ (^difference);

  `AXELRAM_ASSERT(terms_apart_no_further, valid_q[1] |->
                  apart_q <= (first_higher_q ? 6'(FirstApart) : 6'(SecondApart)))
  `AXELRAM_ASSERT(score_finite, valid_o |-> score_o[30:0] <= 31'h7f7fffff)
  `AXELRAM_ASSERT(saturated_score_is_largest, valid_o && saturated_o |->
                  score_o[30:0] == 31'h7f7fffff)
  `AXELRAM_COVER(score_exact_zero, valid_o && score_o[30:0] == '0)
  `AXELRAM_COVER(score_subnormal, valid_o && score_o[30:0] != '0 && score_o[30:23] == '0)
  `AXELRAM_COVER(score_saturated, valid_o && saturated_o)
  `AXELRAM_COVER(score_terms_far_apart,
                 valid_q[1] && higher != '0 && lower != '0 && apart_q >= 6'd24)
endmodule

`default_nettype wire

/// Score of a key (bit-contract.md#read-4; references.md#axelram, equation 1):
///   acc = sum of table[i][idx_i];  score = FP32(acc * sigma * 2^(e_u + epsilon)), rounded once,
/// with norm = sigma * 2^epsilon. The norm has no special values: bit 15 is ignored, and exponent
/// field 31 is an ordinary binade.
///
/// The score of a copy (bit-contract.md#exact) takes the place of that of a record: score =
/// FP32(copy_acc_i * 2^copy_exponent_i), taken with copy_take_o.
///
/// axelram_accumulate, and one multiplication per key.
/// norm_i and last_key_i belong to the row with last_i. copied_i, in place of valid_i: the token is
/// scored by its copy. Widths: acc AccBits, copy_acc_i CopyAccBits (at most AccBits + 11), signed,
/// exact.
/// Latency from the last row of a key, or from copied_i: 1 + log2(ReadLanes) cycles to acc, 4 more
/// to the score.
`include "axelram_macros.svh"
`default_nettype none

module axelram_score #(
    parameter int  HeadDim     = 128,
    parameter int  ReadLanes   = 128,
    parameter int  EntryBits   = 16,
    parameter int  CopyAccBits = 1,
    localparam int AccBits     = EntryBits - 1 + $clog2(HeadDim)
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic                                  valid_i,
    input  wire logic                                  last_i,
    input  wire logic                                  last_key_i,
    input  wire logic                                  copied_i,
    input  wire logic        [                   15:0] norm_i,
    input  wire logic        [ReadLanes*EntryBits-1:0] products_i,
    input  wire logic signed [                   11:0] exponent_i,
    output logic                                       copy_take_o,
    input  wire logic signed [        CopyAccBits-1:0] copy_acc_i,
    input  wire logic signed [                   11:0] copy_exponent_i,
    output logic                                       valid_o,
    output logic                                       last_key_o,
    output logic                                       saturated_o,
    output logic             [                   31:0] score_o
);
  `AXELRAM_REQUIRE(copies_fit_scaled_accumulators, CopyAccBits >= 1 && CopyAccBits <= AccBits + 11)

  logic acc_valid_q, acc_copied, acc_copied_q, acc_last_key_q;
  logic [15:0] acc_norm_q;
  logic signed [AccBits-1:0] acc_q;
  axelram_accumulate #(
      .HeadDim(HeadDim), .ReadLanes(ReadLanes), .EntryBits(EntryBits),
      .TagBits(18)
  ) u_accumulate (
      .clk_i, .rst_ni, .valid_i, .last_i,
      .pass_i (copied_i),
      .tag_i  ({copied_i, last_key_i, norm_i}),
      .products_i,
      .valid_o(acc_valid_q),
      .tag_o  ({acc_copied, acc_last_key_q, acc_norm_q}),
      .acc_o  (acc_q)
  );
  assign acc_copied_q = acc_valid_q && acc_copied;

  // The accumulator of the record or of the copy.
  localparam int MostBits = (CopyAccBits > AccBits) ? CopyAccBits : AccBits;
  logic signed [MostBits-1:0] acc;
  assign acc = acc_copied_q ? MostBits'(copy_acc_i) : MostBits'(acc_q);
  assign copy_take_o = acc_copied_q;

  // Magnitude and significands.
  logic magnitude_valid_q, magnitude_sign_q, magnitude_last_key_q, magnitude_copied_q;
  logic [MostBits-1:0] magnitude_q;
  logic [10:0] sigma_q;
  logic signed [11:0] exponent_q;
  logic signed [5:0] epsilon;
  assign epsilon = (acc_norm_q[14:10] == '0) ? -6'sd24 :
      $signed({1'b0, acc_norm_q[14:10]}) - 6'sd25;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) magnitude_valid_q <= 1'b0;
    else magnitude_valid_q <= acc_valid_q;
  end
  always_ff @(posedge clk_i)
    if (acc_valid_q) begin
      magnitude_q <= acc[MostBits-1] ? -acc : acc;
      magnitude_sign_q <= acc[MostBits-1] && (acc_copied_q || acc_norm_q[14:0] != '0);
      magnitude_last_key_q <= acc_last_key_q;
      magnitude_copied_q <= acc_copied_q;
      sigma_q <= {acc_norm_q[14:10] != '0, acc_norm_q[9:0]};
      exponent_q <= acc_copied_q ? copy_exponent_i : exponent_i + 12'(epsilon);
    end

  // The one multiplication: |acc| * sigma, the norm's significand with its hidden bit. A copy has
  // none.
  localparam int ScaledBits = AccBits + 11;
  logic scaled_valid_q, scaled_sign_q, scaled_last_key_q;
  logic [ScaledBits-1:0] scaled_q;
  logic signed [11:0] scaled_exponent_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) scaled_valid_q <= 1'b0;
    else scaled_valid_q <= magnitude_valid_q;
  end
  always_ff @(posedge clk_i)
    if (magnitude_valid_q) begin
      scaled_q <= magnitude_copied_q ? ScaledBits'(magnitude_q) :
          ScaledBits'(magnitude_q[AccBits-1:0]) * ScaledBits'(sigma_q);
      scaled_sign_q <= magnitude_sign_q;
      scaled_exponent_q <= exponent_q;
      scaled_last_key_q <= magnitude_last_key_q;
    end
  logic unused;
  assign unused = acc_norm_q[15];

  axelram_float_round #(
      .MagBits    (ScaledBits),
      .ExpBits    (12),
      .OutExpBits (8),
      .OutFracBits(23),
      .TagBits    (2)
  ) u_float_round (
      .clk_i, .rst_ni,
      .valid_i    (scaled_valid_q),
      .tag_i      ({scaled_sign_q, scaled_last_key_q}),
      .magnitude_i(scaled_q),
      .exponent_i (scaled_exponent_q),
      .valid_o,
      .tag_o      ({score_o[31], last_key_o}),
      .float_o    (score_o[30:0]),
      .saturated_o
  );

  `AXELRAM_ASSERT(sum_has_a_magnitude, acc_valid_q |-> acc != {1'b1, (MostBits - 1)'(0)})
  `AXELRAM_ASSERT(score_finite, valid_o |-> score_o[30:0] <= 31'h7f7fffff)
  `AXELRAM_ASSERT(saturated_score_is_largest, valid_o && saturated_o |->
                  score_o[30:0] == 31'h7f7fffff)
  `AXELRAM_COVER(score_exact_zero, valid_o && score_o[30:0] == '0)
  `AXELRAM_COVER(score_subnormal, valid_o && score_o[30:0] != '0 && score_o[30:23] == '0)
  `AXELRAM_COVER(score_saturated, valid_o && saturated_o)
endmodule

`default_nettype wire

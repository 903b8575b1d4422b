/// Softmax of a query over its tokens (bit-contract.md#softmax): the references m and r, the
/// denominator L, and the weight of each token's value in units of 2^(r - FW).
///
/// m and r are whole exponents, so that a new largest one shifts what was summed: no token waits.
/// Distances are registers before the shifts that they are for.
/// start_i empties the query, in a cycle without a token, before its first one. norm_i: FP16 bits
/// of the value's record, read as axelram_score reads norms. A token whose norm is zero has no
/// weight. weighted_o: the token has a weight; first_o: it is the first one of the query; shift_o:
/// by how much r rose, 63 for all that is more, 0 with first_o. maximum_o, denominator_o,
/// reference_o: after the token of valid_o;
/// -2^15, 0, -2^15 without a token, or a weight.
/// Latency: 3 cycles. Throughput: a token per cycle. Loops of one cycle: m, r and L.
`include "axelram_macros.svh"
`default_nettype none

module axelram_softmax #(
    parameter int  MaxKeys         = 4096,
    parameter int  WeightBits      = 20,
    parameter int  TagBits         = 1,
    localparam int DenominatorBits = 33 + $clog2(MaxKeys)
) (
    input  wire logic                              clk_i,
    input  wire logic                              rst_ni,
    input  wire logic                              start_i,
    input  wire logic                              valid_i,
    input  wire logic        [        TagBits-1:0] tag_i,
    input  wire logic signed [               15:0] ceiling_i,
    input  wire logic        [               16:0] mantissa_i,
    input  wire logic        [               15:0] norm_i,
    output logic                                   valid_o,
    output logic             [        TagBits-1:0] tag_o,
    output logic                                   weighted_o,
    output logic                                   first_o,
    output logic             [                5:0] shift_o,
    output logic             [     WeightBits-1:0] weight_o,
    output logic      signed [               15:0] maximum_o,
    output logic             [DenominatorBits-1:0] denominator_o,
    output logic      signed [               15:0] reference_o
);
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)
  `AXELRAM_REQUIRE(weight_bits_in_12_to_28, WeightBits >= 12 && WeightBits <= 28)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  localparam logic signed [15:0] None = {1'b1, 15'd0};

  // ---- Token: exponent of its power times its norm
  logic token_valid_q, token_start_q, token_weighted_q;
  logic [TagBits-1:0] token_tag_q;
  logic signed [15:0] ceiling_q, exponent_q;
  logic [16:0] token_mantissa_q;
  logic [10:0] sigma_q;
  logic signed [5:0] epsilon;  // the norm is sigma * 2^epsilon
  assign epsilon = (norm_i[14:10] == '0) ? -6'sd24 : $signed({1'b0, norm_i[14:10]}) - 6'sd25;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      token_valid_q <= 1'b0;
      token_start_q <= 1'b0;
    end else begin
      token_valid_q <= valid_i;
      token_start_q <= start_i;
    end
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      token_tag_q <= tag_i;
      ceiling_q <= ceiling_i;
      exponent_q <= ceiling_i + 16'(epsilon) + 16'sd11;
      token_mantissa_q <= mantissa_i;
      sigma_q <= {norm_i[14:10] != '0, norm_i[9:0]};
      token_weighted_q <= norm_i[14:0] != '0;
    end
  logic unused;
  assign unused = norm_i[15];

  // ---- References and distances
  function automatic logic [5:0] distance(input logic signed [15:0] above,
                                          input logic signed [15:0] below);
    logic [16:0] difference;
    difference = 17'(above) - 17'(below);
    distance   = (difference > 17'd63) ? 6'd63 : difference[5:0];
  endfunction

  logic signed [15:0] maximum_q, reference_q, maximum, reference_value;
  assign maximum = (ceiling_q > maximum_q) ? ceiling_q : maximum_q;
  assign reference_value = (exponent_q > reference_q) ? exponent_q : reference_q;

  logic sum_valid_q, sum_start_q, sum_weighted_q, sum_first_q;
  logic [TagBits-1:0] sum_tag_q;
  logic [16:0] sum_mantissa_q;
  logic [27:0] product_q;  // mantissa * sigma
  logic [5:0] maximum_rise_q, power_back_q, reference_rise_q, weight_back_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_valid_q <= 1'b0;
      sum_start_q <= 1'b0;
      maximum_q <= None;
      reference_q <= None;
    end else begin
      sum_valid_q <= token_valid_q;
      sum_start_q <= token_start_q;
      if (token_start_q) begin
        maximum_q <= None;
        reference_q <= None;
      end else if (token_valid_q) begin
        maximum_q <= maximum;
        if (token_weighted_q) reference_q <= reference_value;
      end
    end
  end
  always_ff @(posedge clk_i)
    if (token_valid_q) begin
      sum_tag_q <= token_tag_q;
      sum_mantissa_q <= token_mantissa_q;
      sum_weighted_q <= token_weighted_q;
      sum_first_q <= token_weighted_q && reference_q == None;
      product_q <= 28'(token_mantissa_q) * 28'(sigma_q);
      maximum_rise_q <= distance(maximum, maximum_q);
      power_back_q <= distance(maximum, ceiling_q);
      reference_rise_q <= (token_weighted_q && reference_q != None) ?
          distance(reference_value, reference_q) : '0;
      weight_back_q <= distance(reference_value, exponent_q);
    end

  // ---- Denominator: half_up of what was summed and of the power
  logic [DenominatorBits-1:0] denominator_q;
  logic [DenominatorBits:0] kept;
  logic [33:0] power;  // the last bit shifted out is added
  assign kept  = {denominator_q, 1'b0} >> maximum_rise_q;
  assign power = {sum_mantissa_q, 17'd0} >> power_back_q;

  // ---- Weight: RNE(product * 2^(FW - 27 - back))
  localparam int Down = 30;  // all of a doubled product is then below one half
  localparam int Least = 28 - WeightBits;
  logic [6:0] weight_back;
  logic [4:0] amount;
  logic [28+Down:0] placed;
  assign weight_back = 7'(weight_back_q) + 7'(Least);
  assign amount = (weight_back > 7'(Down)) ? 5'(Down) : weight_back[4:0];
  assign placed = {product_q, 1'b0, Down'(0)} >> amount;
  logic [WeightBits-1:0] weight;
  assign weight = placed[Down+:WeightBits] +
      WeightBits'(placed[Down-1] && (placed[Down] || placed[Down-2:0] != '0));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      denominator_q <= '0;
      maximum_o <= None;
      reference_o <= None;
    end else begin
      valid_o <= sum_valid_q;
      if (sum_start_q) denominator_q <= '0;
      else if (sum_valid_q)
        denominator_q <= kept[DenominatorBits:1] + DenominatorBits'(kept[0]) +
            DenominatorBits'(power[33:1]) + DenominatorBits'(power[0]);
      if (sum_start_q || sum_valid_q) begin
        maximum_o <= sum_start_q ? None : maximum_q;
        reference_o <= sum_start_q ? None : reference_q;
      end
    end
  end
  always_ff @(posedge clk_i)
    if (sum_valid_q) begin
      tag_o <= sum_tag_q;
      weighted_o <= sum_weighted_q;
      first_o <= sum_first_q;
      shift_o <= reference_rise_q;
      weight_o <= sum_weighted_q ? weight : '0;
    end
  assign denominator_o = denominator_q;

  `AXELRAM_ASSERT(start_in_a_cycle_without_a_token, !(start_i && valid_i))
  `AXELRAM_ASSERT(weight_fits, sum_valid_q && sum_weighted_q |->
                  (placed >> (Down + WeightBits)) == '0 &&
                  !(placed[Down+:WeightBits] == '1 && weight == '0))
  `AXELRAM_ASSERT(denominator_fits, denominator_q <= DenominatorBits'(MaxKeys) << 32)
  `AXELRAM_ASSERT(maximum_never_falls, token_valid_q |-> maximum >= maximum_q)
  `AXELRAM_ASSERT(reference_never_falls, token_valid_q |-> reference_value >= reference_q)
  `AXELRAM_COVER(softmax_maximum_rises, sum_valid_q && maximum_rise_q != '0)
  `AXELRAM_COVER(softmax_power_vanishes, sum_valid_q && power == '0)
  `AXELRAM_COVER(softmax_weight_zero, valid_o && weighted_o && weight_o == '0)
  `AXELRAM_COVER(softmax_no_weight, valid_o && !weighted_o)
  `AXELRAM_COVER(softmax_reference_rises, valid_o && weighted_o && !first_o && shift_o != '0)
endmodule

`default_nettype wire

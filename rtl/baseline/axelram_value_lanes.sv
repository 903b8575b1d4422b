/// Lanes that sum weighted values in other ways than axelram_weighted_sum, for comparison
/// (references.md#axelram, section III-C; bit-contract.md#weighted-sum). Kind:
///   0  a multiplier a channel: sum = half_up(sum, shift) + weight * word of its level; the same
///      integers
///   1  a sum of weights for each level of a channel; all are shifted when the maximum rises
///   2  the same without a shift: the maximum is known beforehand, by a pass of its own over the
///      keys
/// Sums of kinds 1 and 2 still have to be multiplied by the words, once for a query.
///
/// centroids_i: the words of the levels, signed, ascending; constants. first_i: the sums so far
/// count as 0. sums_o: SumBits signed for each channel, or WeightBits + log2(MaxKeys) unsigned for
/// each channel and level.
/// Latency: 2 cycles. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_value_lanes #(
    parameter int  Kind         = 0,
    parameter int  Lanes        = 8,
    parameter int  Levels       = 8,
    parameter int  WeightBits   = 20,
    parameter int  CentroidBits = 8,
    parameter int  MaxKeys      = 4096,
    localparam int LevelBits    = $clog2(Levels),
    localparam int LevelSumBits = WeightBits + $clog2(MaxKeys),
    localparam int SumBits      = LevelSumBits + CentroidBits,
    localparam int OutBits      = (Kind == 0) ? SumBits : Levels * LevelSumBits
) (
    input  wire logic                           clk_i,
    input  wire logic [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                           valid_i,
    input  wire logic                           first_i,
    input  wire logic [                    5:0] shift_i,
    input  wire logic [         WeightBits-1:0] weight_i,
    input  wire logic [    Lanes*LevelBits-1:0] levels_i,
    output logic      [      Lanes*OutBits-1:0] sums_o
);
  `AXELRAM_REQUIRE(kind_in_0_to_2, Kind >= 0 && Kind <= 2)
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)
  `AXELRAM_REQUIRE(levels_power_of_two_from_4, Levels >= 4 && (Levels & (Levels - 1)) == 0)
  `AXELRAM_REQUIRE(weight_bits_in_12_to_28, WeightBits >= 12 && WeightBits <= 28)
  `AXELRAM_REQUIRE(centroid_bits_at_least_2, CentroidBits >= 2)
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)

  logic valid_q, first_q;
  logic [5:0] shift_q;
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    if (valid_i) {first_q, shift_q} <= {first_i, shift_i};
  end

  if (Kind == 0) begin : g_multiplier
    localparam int ProductBits = WeightBits + CentroidBits;
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      logic signed [CentroidBits-1:0] word;
      logic signed [ProductBits-1:0] product_q;
      logic signed [SumBits-1:0] sum_q, sum;
      logic signed [SumBits:0] kept;
      always_comb begin
        word = '0;
        for (int j = 0; j < Levels; j++)
          if (levels_i[i*LevelBits+:LevelBits] == LevelBits'(j))
            word = centroids_i[j*CentroidBits+:CentroidBits];
      end
      assign sum = first_q ? '0 : sum_q;
      assign kept = $signed({sum, 1'b0}) >>> shift_q;
      always_ff @(posedge clk_i) begin
        if (valid_i) product_q <= ProductBits'($signed({1'b0, weight_i})) * ProductBits'(word);
        if (valid_q) sum_q <= kept[SumBits:1] + SumBits'(kept[0]) + SumBits'(product_q);
      end
      assign sums_o[i*SumBits+:SumBits] = sum_q;
    end
  end else begin : g_levels
    logic [WeightBits-1:0] weight_q;
    always_ff @(posedge clk_i) if (valid_i) weight_q <= weight_i;
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      logic [LevelBits-1:0] level_q;
      always_ff @(posedge clk_i) if (valid_i) level_q <= levels_i[i*LevelBits+:LevelBits];
      for (genvar j = 0; j < Levels; j++) begin : g_level
        logic [LevelSumBits-1:0] sum_q, sum, added;
        logic [LevelSumBits:0] kept;
        assign sum = first_q ? '0 : sum_q;
        assign kept = (Kind == 1) ? {sum, 1'b0} >> shift_q : {sum, 1'b0};
        assign added = kept[LevelSumBits:1] + LevelSumBits'(kept[0]);
        always_ff @(posedge clk_i)
          if (valid_q)
            sum_q <= (level_q == LevelBits'(j)) ? added + LevelSumBits'(weight_q) : added;
        assign sums_o[(i*Levels+j)*LevelSumBits+:LevelSumBits] = sum_q;
      end
    end
    logic unused;
    assign unused = ^centroids_i ^ (Kind == 2 && (^shift_q));
  end
endmodule

`default_nettype wire

/// Products of a token's weight with the magnitudes of the centroid words
/// (bit-contract.md#weighted-sum).
/// The words are antisymmetric, so that Levels / 2 products serve all channels of a value.
///
/// magnitudes_i: the words of the upper half of the levels, which are positive, ascending;
/// constants.
/// Levels / 2 multiplications of WeightBits x (CentroidBits - 1) bits. tag_i goes with the weight.
/// Latency: 1 cycle. Throughput: a weight per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_value_products #(
    parameter int  Levels       = 8,
    parameter int  WeightBits   = 20,
    parameter int  CentroidBits = 8,
    parameter int  TagBits      = 1,
    localparam int ProductBits  = WeightBits + CentroidBits - 1
) (
    input  wire logic                                 clk_i,
    input  wire logic                                 rst_ni,
    input  wire logic [Levels/2*(CentroidBits-1)-1:0] magnitudes_i,
    input  wire logic                                 valid_i,
    input  wire logic [                  TagBits-1:0] tag_i,
    input  wire logic [               WeightBits-1:0] weight_i,
    output logic                                      valid_o,
    output logic      [                  TagBits-1:0] tag_o,
    output logic      [     Levels/2*ProductBits-1:0] products_o
);
  `AXELRAM_REQUIRE(levels_power_of_two_from_2, Levels >= 2 && (Levels & (Levels - 1)) == 0)
  `AXELRAM_REQUIRE(centroid_bits_at_least_2, CentroidBits >= 2)
  `AXELRAM_REQUIRE(weight_bits_in_12_to_28, WeightBits >= 12 && WeightBits <= 28)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  localparam int MagnitudeBits = CentroidBits - 1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      tag_o <= tag_i;
      for (int j = 0; j < Levels / 2; j++)
        products_o[j*ProductBits+:ProductBits] <= ProductBits'(weight_i) *
            ProductBits'(magnitudes_i[j*MagnitudeBits+:MagnitudeBits]);
    end
endmodule

`default_nettype wire

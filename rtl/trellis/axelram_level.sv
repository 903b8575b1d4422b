/// Levels of the indices of a trellis (bit-contract.md#trellis): 4 * m + 2 * z1 + z0 for an index 2
/// * m + x.
///
/// A level depends on stored bits alone: Lanes levels take two or three XORs each, and no state.
/// indices_i: Lanes indices of IndexBits bits; earlier_i: bit p is the lowest bit of the index p +
/// 1 places in front of the first of them, 0 in front of the record. levels_o: IndexBits + 1 bits
/// each.
/// Combinational.
`include "axelram_macros.svh"
`default_nettype none

module axelram_level #(
    parameter int  Lanes     = 128,
    parameter int  IndexBits = 3,
    parameter int  States    = 8,
    localparam int LevelBits = IndexBits + 1
) (
    input  wire logic [Lanes*IndexBits-1:0] indices_i,
    input  wire logic [                3:0] earlier_i,
    output logic      [Lanes*LevelBits-1:0] levels_o
);
  `AXELRAM_REQUIRE(index_bits_in_1_to_4, IndexBits >= 1 && IndexBits <= 4)
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)

  // Lowest bits in order of the elements, the four earlier ones first.
  logic [Lanes+3:0] lowest;
  assign lowest[3:0] = {earlier_i[0], earlier_i[1], earlier_i[2], earlier_i[3]};
  for (genvar i = 0; i < Lanes; i++) begin : g_lane
    logic [1:0] subset;
    logic [IndexBits:0] upper;  // an index of one bit has no upper bits
    assign lowest[i+4] = indices_i[i*IndexBits];
    axelram_subset #(.States(States)) u_subset (
        .bit_i    (lowest[i+4]),
        .earlier_i({lowest[i], lowest[i+1], lowest[i+2], lowest[i+3]}),
        .subset_o (subset)
    );
    assign upper = {1'b0, indices_i[i*IndexBits+:IndexBits]} >> 1;
    assign levels_o[i*LevelBits+:LevelBits] = LevelBits'({upper, subset});
  end
endmodule

`default_nettype wire

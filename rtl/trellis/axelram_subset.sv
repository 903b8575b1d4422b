/// Subset of the levels that the bits of a trellis select (bit-contract.md#trellis): 2 * z1 + z0,
/// in XORs of the lowest bit of an index and of earlier ones.
///
/// bit_i: x_i; earlier_i: bit p is x_(i-1-p), 0 in front of the first element.
/// Combinational.
`include "axelram_macros.svh"
`default_nettype none

module axelram_subset #(
    parameter int States = 8
) (
    input  wire logic       bit_i,
    input  wire logic [3:0] earlier_i,
    output logic      [1:0] subset_o
);
  `AXELRAM_REQUIRE(states_4_8_or_16, States == 4 || States == 8 || States == 16)

  if (States == 4) begin : g_states_4
    assign subset_o = {bit_i ^ earlier_i[1], earlier_i[0]};
  end else if (States == 8) begin : g_states_8
    assign subset_o = {bit_i ^ earlier_i[0] ^ earlier_i[2], earlier_i[1]};
  end else begin : g_states_16
    assign subset_o = {bit_i ^ earlier_i[0] ^ earlier_i[3], earlier_i[1]};
  end
  logic unused;
  assign unused = ^earlier_i;
endmodule

`default_nettype wire

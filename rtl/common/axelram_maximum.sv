/// Largest of Count unsigned numbers of Bits bits: log2(Count) levels of two-input selections.
/// Count is a power of two.
///
/// Latency: 0 cycles, or 1 if Registered, then loaded in cycles with enable_i.
`include "axelram_macros.svh"
`default_nettype none

module axelram_maximum #(
    parameter int Count      = 16,
    parameter int Bits       = 5,
    parameter int Registered = 0
) (
    input  wire logic                  clk_i,
    input  wire logic                  enable_i,
    input  wire logic [Count*Bits-1:0] data_i,
    output logic      [      Bits-1:0] largest_o
);
  `AXELRAM_REQUIRE(count_power_of_two, Count >= 1 && (Count & (Count - 1)) == 0)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)
  `AXELRAM_REQUIRE(registered_0_or_1, Registered == 0 || Registered == 1)

  // A function, because simulators evaluate it only in cycles that load the register. They evaluate
  // nets behind the inputs of the macro in every half of a cycle.
  function automatic logic [Bits-1:0] largest_of(input logic [Count*Bits-1:0] data);
    logic [Count*Bits-1:0] tree;
    logic [Bits-1:0] a, b;
    tree = data;
    for (int nodes = Count / 2; nodes >= 1; nodes = nodes / 2)
      for (int i = 0; i < nodes; i++) begin
        a = tree[2*i*Bits+:Bits];
        b = tree[(2*i+1)*Bits+:Bits];
        tree[i*Bits+:Bits] = (a > b) ? a : b;
      end
    largest_of = tree[Bits-1:0];
  endfunction

  if (Registered == 1) begin : g_register
    always_ff @(posedge clk_i) if (enable_i) largest_o <= largest_of(data_i);
  end else begin : g_wires
    always_comb largest_o = largest_of(data_i);
    logic unused;
    assign unused = clk_i ^ enable_i;
  end
endmodule

`default_nettype wire

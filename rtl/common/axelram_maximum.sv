/// Largest of Count unsigned numbers of Bits bits: log2(Count) levels of two-input selections.
/// Combinational. Count is a power of two.
`include "axelram_macros.svh"
`default_nettype none

module axelram_maximum #(
    parameter int Count = 16,
    parameter int Bits = 5
) (
    input  wire logic [Count*Bits-1:0] data_i,
    output logic      [      Bits-1:0] largest_o
);
  localparam int Levels = $clog2(Count);
  `AXELRAM_REQUIRE(count_power_of_two, Count >= 1 && Count == 1 << Levels)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)

  for (genvar l = 0; l < Levels; l++) begin : g_level
    for (genvar i = 0; i < (Count >> (l + 1)); i++) begin : g_node
      logic [Bits-1:0] a, b, larger;
      if (l == 0) begin : g_in
        assign a = data_i[2*i*Bits+:Bits];
        assign b = data_i[(2*i+1)*Bits+:Bits];
      end else begin : g_in
        assign a = g_level[l-1].g_node[2*i].larger;
        assign b = g_level[l-1].g_node[2*i+1].larger;
      end
      assign larger = (a > b) ? a : b;
    end
  end

  if (Levels == 0) begin : g_out
    assign largest_o = data_i;
  end else begin : g_out
    assign largest_o = g_level[Levels-1].g_node[0].larger;
  end
endmodule

`default_nettype wire

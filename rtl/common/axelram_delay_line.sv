/// Circular buffer of Depth words of Bits bits: data_o is the word that entered Depth enabled
/// cycles before, and data_i replaces it. One read and one write per cycle at the same address.
`include "axelram_macros.svh"
`default_nettype none

module axelram_delay_line #(
    parameter int Bits  = 8,
    parameter int Depth = 2
) (
    input  wire logic            clk_i,
    input  wire logic            rst_ni,
    input  wire logic            enable_i,
    input  wire logic [Bits-1:0] data_i,
    output logic      [Bits-1:0] data_o
);
  `AXELRAM_REQUIRE(depth_at_least_1, Depth >= 1)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)

  if (Depth == 1) begin : g_register
    logic [Bits-1:0] data_q;
    always_ff @(posedge clk_i) if (enable_i) data_q <= data_i;
    assign data_o = data_q;

    logic unused;
    assign unused = rst_ni;
  end else begin : g_buffer
    localparam int AddressBits = $clog2(Depth);
    logic [Bits-1:0] buffer_q[Depth];
    logic [AddressBits-1:0] at_q;
    assign data_o = buffer_q[at_q];

    always_ff @(posedge clk_i) if (enable_i) buffer_q[at_q] <= data_i;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) at_q <= '0;
      else if (enable_i) at_q <= (at_q == AddressBits'(Depth - 1)) ? '0 : at_q + 1'b1;
    end
  end
endmodule

`default_nettype wire

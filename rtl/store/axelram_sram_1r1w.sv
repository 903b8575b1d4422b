/// SRAM with one read port and one write port: Depth words of Bits bits. Replace this body by a
/// foundry macro that keeps these rules:
/// - wen_i: data_i is written to waddr_i at the clock edge;
/// - ren_i: data_o is word raddr_i from the next cycle and holds while ren_i is low;
/// - one address is never read and written in the same cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_sram_1r1w #(
    parameter int  Bits        = 400,
    parameter int  Depth       = 4096,
    localparam int AddressBits = (Depth > 1) ? $clog2(Depth) : 1
) (
    input  wire logic                   clk_i,
    input  wire logic                   wen_i,
    input  wire logic [AddressBits-1:0] waddr_i,
    input  wire logic [       Bits-1:0] data_i,
    input  wire logic                   ren_i,
    input  wire logic [AddressBits-1:0] raddr_i,
    output logic      [       Bits-1:0] data_o
);
  `AXELRAM_REQUIRE(depth_at_least_1, Depth >= 1)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)

  logic [Bits-1:0] memory_q[Depth]  /* verilator public_flat_rd */;

  always_ff @(posedge clk_i) if (wen_i) memory_q[waddr_i] <= data_i;
  always_ff @(posedge clk_i) if (ren_i) data_o <= memory_q[raddr_i];
endmodule

`default_nettype wire

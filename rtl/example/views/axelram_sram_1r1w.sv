/// The SRAMs of paper_d128_b3_top
/// behind the ports of axelram_sram_1r1w. This file takes the place of
/// rtl/common/axelram_sram_1r1w.sv; views/axelram.f lists the sources. Another shape
/// is an error. Rules of the ports: the module that it replaces.
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
    output wire logic [       Bits-1:0] data_o
);
  `AXELRAM_REQUIRE(shape_of_an_sram,
                   (Bits == 400 && Depth == 4096))

  if (Bits == 400 && Depth == 4096) begin : g_sram_4096x400
    paper_d128_b3_sram_4096x400 u_sram (
        .clk_i, .wen_i, .waddr_i, .data_i, .ren_i, .raddr_i, .data_o
    );
  end
endmodule

`default_nettype wire

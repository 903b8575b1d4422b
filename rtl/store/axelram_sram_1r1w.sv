/// The key store's memory behind the port list of a foundry one-read-one-write SRAM. Replace this
/// body by the foundry macro; the contract it must keep:
/// - wen_i: data_i is written to waddr_i at the clock edge;
/// - ren_i: data_o shows word raddr_i from the next cycle on and holds it while ren_i is low;
/// - reading and writing one address in one cycle never happens.
/// Depth words of Bits bits.
`default_nettype none

module axelram_sram_1r1w #(
    parameter int Bits = 400,
    parameter int Depth = 4096,
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
  logic [Bits-1:0] memory_q[Depth]  /* verilator public_flat_rd */;

  always_ff @(posedge clk_i) if (wen_i) memory_q[waddr_i] <= data_i;
  always_ff @(posedge clk_i) if (ren_i) data_o <= memory_q[raddr_i];
endmodule

`default_nettype wire

/// Depth registers of Bits bits in series, each loaded only if its predecessor is valid. Depth = 0
/// is a wire.
///
/// Latency: Depth cycles. Throughput: a value per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_pipeline #(
    parameter int Bits  = 8,
    parameter int Depth = 1
) (
    input  wire logic            clk_i,
    input  wire logic            rst_ni,
    input  wire logic            valid_i,
    input  wire logic [Bits-1:0] data_i,
    output logic                 valid_o,
    output logic      [Bits-1:0] data_o
);
  `AXELRAM_REQUIRE(depth_at_least_0, Depth >= 0)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)

  if (Depth == 0) begin : g_wires
    assign valid_o = valid_i;
    assign data_o  = data_i;
    logic unused;
    assign unused = clk_i ^ rst_ni;
  end else begin : g_registers
    for (genvar s = 0; s < Depth; s++) begin : g_stage
      logic valid, valid_q;
      logic [Bits-1:0] data, data_q;
      if (s == 0) begin : g_in
        assign valid = valid_i;
        assign data  = data_i;
      end else begin : g_in
        assign valid = g_stage[s-1].valid_q;
        assign data  = g_stage[s-1].data_q;
      end
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_q <= 1'b0;
        else valid_q <= valid;
      end
      always_ff @(posedge clk_i) if (valid) data_q <= data;
    end
    assign valid_o = g_stage[Depth-1].valid_q;
    assign data_o  = g_stage[Depth-1].data_q;
  end
endmodule

`default_nettype wire

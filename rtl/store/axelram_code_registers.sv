/// Run-time registers of a macro with a code: policy for erased elements (0 keep, 1 zero,
/// 2 interpolate) and write-back of queries. load_i loads both. After reset they are Erasure and
/// write-back on. Latency: 1 cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_code_registers #(
    parameter int Erasure = 0
) (
    input  wire logic       clk_i,
    input  wire logic       rst_ni,
    input  wire logic       load_i,
    input  wire logic [1:0] erasure_i,
    input  wire logic       write_back_i,
    output logic      [1:0] erasure_o,
    output logic            write_back_o
);
  `AXELRAM_REQUIRE(erasure_in_0_to_2, Erasure >= 0 && Erasure <= 2)

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      erasure_o <= 2'(Erasure);
      write_back_o <= 1'b1;
    end else if (load_i) begin
      erasure_o <= erasure_i;
      write_back_o <= write_back_i;
    end
  end
endmodule

`default_nettype wire

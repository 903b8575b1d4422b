/// Last part of a decoder: adds the error to the received word (references.md#ecc-kv-cache, section
/// 4.2.4).
///
/// Widths: N bits of word and error, 2 bits of status. Latency: Stages cycles; the first register
/// precedes the addition, all others follow it, for retiming. Throughput: a word per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_correction #(
    parameter int N      = 24,
    parameter int Stages = 0
) (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         valid_i,
    input  wire logic [N-1:0] codeword_i,
    input  wire logic [N-1:0] error_i,
    input  wire logic [  1:0] status_i,
    output logic              valid_o,
    output logic      [N-1:0] codeword_o,
    output logic      [  1:0] status_o
);
  `AXELRAM_REQUIRE(codeword_of_a_bit_or_more, N >= 1)
  `AXELRAM_REQUIRE(stages_at_least_0, Stages >= 0)

  logic valid;
  logic [N-1:0] received, error;
  logic [1:0] status;
  axelram_pipeline #(.Bits(2 * N + 2), .Depth((Stages == 0) ? 0 : 1)) u_found (
      .clk_i, .rst_ni, .valid_i,
      .data_i ({status_i, error_i, codeword_i}),
      .valid_o(valid),
      .data_o ({status, error, received})
  );
  axelram_pipeline #(.Bits(N + 2), .Depth((Stages == 0) ? 0 : Stages - 1)) u_output (
      .clk_i, .rst_ni,
      .valid_i(valid),
      .data_i ({status, received ^ error}),
      .valid_o,
      .data_o ({status_o, codeword_o})
  );
endmodule

`default_nettype wire

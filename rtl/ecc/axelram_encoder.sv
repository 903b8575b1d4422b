/// Systematic encoder c = [d | d P] (references.md#ecc-kv-cache, equation 11): check bit j is the
/// parity of the data bits that column j of P selects.
///
/// Widths: K data bits in, N codeword bits out, data in bits 0..K-1; row i of P is at bits
/// i*(N-K) of Parity. Latency: Stages cycles (0: combinational; clk_i and rst_ni unused).
/// Throughput: a word per cycle. Decoders also instantiate it: the syndrome of a received word is
/// the XOR of its check bits and those of its data bits encoded again.
`include "axelram_macros.svh"
`default_nettype none

module axelram_encoder #(
    parameter int K      = 12,
    parameter int N      = 24,
    parameter bit [K*(N-K)-1:0] Parity = '0,
    parameter int Stages = 0
) (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         valid_i,
    input  wire logic [K-1:0] data_i,
    output logic              valid_o,
    output logic      [N-1:0] codeword_o
);
  `AXELRAM_REQUIRE(codeword_longer_than_data, K >= 1 && N > K)
  `AXELRAM_REQUIRE(stages_at_least_0, Stages >= 0)

  localparam int M = N - K;

  logic [M-1:0] check;
  for (genvar j = 0; j < M; j++) begin : g_check
    logic [K-1:0] column;
    for (genvar i = 0; i < K; i++) begin : g_row
      assign column[i] = Parity[i*M+j];
    end
    assign check[j] = ^(data_i & column);
  end

  axelram_pipeline #(.Bits(N), .Depth(Stages)) u_output (
      .clk_i, .rst_ni, .valid_i,
      .data_i({check, data_i}),
      .valid_o,
      .data_o(codeword_o)
  );
endmodule

`default_nettype wire

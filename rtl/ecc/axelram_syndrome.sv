/// First part of a decoder: syndrome s = H r^T of a received word r (references.md#ecc-kv-cache,
/// section 4.2.4). It is the XOR of the check bits of r and those of its data bits encoded again.
///
/// Widths: N bits in; the word and N-K syndrome bits out, zero for a codeword. Parity as in
/// axelram_encoder. Latency: Stages cycles. Throughput: a word per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_syndrome #(
    parameter int K      = 12,
    parameter int N      = 24,
    parameter bit [K*(N-K)-1:0] Parity = '0,
    parameter int Stages = 0
) (
    input  wire logic           clk_i,
    input  wire logic           rst_ni,
    input  wire logic           valid_i,
    input  wire logic [  N-1:0] codeword_i,
    output logic                valid_o,
    output logic      [  N-1:0] codeword_o,
    output logic      [N-K-1:0] syndrome_o
);
  `AXELRAM_REQUIRE(codeword_longer_than_data, K >= 1 && N > K)
  `AXELRAM_REQUIRE(stages_at_least_0, Stages >= 0)

  logic valid;
  logic [N-1:0] recoded, difference;
  axelram_encoder #(
      .K(K), .N(N), .Parity(Parity),
      .Stages(0)
  ) u_encoder (
      .clk_i, .rst_ni, .valid_i,
      .data_i    (codeword_i[K-1:0]),
      .valid_o   (valid),
      .codeword_o(recoded)
  );
  assign difference = codeword_i ^ recoded;

  axelram_pipeline #(.Bits(2 * N - K), .Depth(Stages)) u_output (
      .clk_i, .rst_ni,
      .valid_i(valid),
      .data_i ({difference[N-1:K], codeword_i}),
      .valid_o,
      .data_o ({syndrome_o, codeword_o})
  );

  logic unused;
  assign unused = |difference[K-1:0];
endmodule

`default_nettype wire

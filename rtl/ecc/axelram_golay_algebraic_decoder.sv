/// Golay(24,12) decoder by weights (bit-contract.md#golay24; references.md#ecc-kv-cache, equation 31:
/// B = B^T, B B^T = I). For the error e = [u | v] of a received word, s = u B + v and s B = u + v B.
/// Up to three errors are one of
///   u = 0, v = s           if wt(s) <= 3;
///   u = s B, v = 0         if wt(s B) <= 3;
///   u = 1_i, v = s + b_i   if wt(s + b_i) <= 2;
///   u = s B + b_i, v = 1_i if wt(s B + b_i) <= 2.
///
/// Widths: 24 bits in and out; Parity: B, row i at bits 12*i.
/// codeword_o is the corrected codeword, or the received word if status_o is 3. status_o: 0 clean,
/// 1 corrected, 3 detected (bit-contract.md#word-status).
/// Latency: Stages cycles (0: combinational; clk_i and rst_ni unused). The first register follows the
/// syndrome, the second the error pattern, all others the output, for retiming. Throughput: a word per
/// cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_golay_algebraic_decoder #(
    parameter bit [12*12-1:0] Parity = '0,
    parameter int Stages = 0,
    localparam int K = 12,
    localparam int N = 24
) (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         valid_i,
    input  wire logic [N-1:0] codeword_i,
    output logic              valid_o,
    output logic      [N-1:0] codeword_o,
    output logic      [  1:0] status_o
);
  // A macro has many decoders. In this form 34 of them compile in 6 s instead of 23 s, at equal speed.
  /* verilator no_inline_module */

  logic valid;
  logic [N-1:0] received, error;
  logic [K-1:0] syndrome;
  logic [1:0] status;
  axelram_syndrome #(
      .K(K),
      .N(N),
      .Parity(Parity),
      .Stages((Stages == 0) ? 0 : 1)
  ) u_syndrome (
      .clk_i,
      .rst_ni,
      .valid_i,
      .codeword_i,
      .valid_o(valid),
      .codeword_o(received),
      .syndrome_o(syndrome)
  );

  // s B: check bits of s encoded as data.
  logic unused_valid;
  logic [N-1:0] recoded;
  logic [K-1:0] turned;
  axelram_encoder #(
      .K(K),
      .N(N),
      .Parity(Parity),
      .Stages(0)
  ) u_turn (
      .clk_i,
      .rst_ni,
      .valid_i(valid),
      .data_i(syndrome),
      .valid_o(unused_valid),
      .codeword_o(recoded)
  );
  assign turned = recoded[N-1:K];
  logic unused;
  assign unused = |recoded[K-1:0];

  // {found, error}. Cases that are true together give the same error (distance 8), so OR combines them.
  function automatic logic [N:0] find(input logic [K-1:0] s, input logic [K-1:0] sb);
    /* verilator no_inline_task */
    logic [K-1:0] rest, one;  // Yosys 0.23 gives a shift inside a concatenation another width
    find = '0;
    if ($countones(s) <= 3) find = find | {1'b1, s, K'(0)};
    if ($countones(sb) <= 3) find = find | {1'b1, K'(0), sb};
    for (int i = 0; i < K; i++) begin
      one = K'(1) << i;
      rest = s ^ Parity[i*K+:K];
      if ($countones(rest) <= 2) find = find | {1'b1, rest, one};
      rest = sb ^ Parity[i*K+:K];
      if ($countones(rest) <= 2) find = find | {1'b1, one, rest};
    end
  endfunction
  logic found;
  assign {found, error} = find(syndrome, turned);
  assign status = (syndrome == '0) ? 2'd0 : found ? 2'd1 : 2'd3;

  axelram_correction #(
      .N(N),
      .Stages((Stages == 0) ? 0 : Stages - 1)
  ) u_correction (
      .clk_i,
      .rst_ni,
      .valid_i(valid),
      .codeword_i(received),
      .error_i(error),
      .status_i(status),
      .valid_o,
      .codeword_o,
      .status_o
  );
endmodule

`default_nettype wire

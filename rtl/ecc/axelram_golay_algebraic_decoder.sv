/// Golay(24,12) decoder by weights (bit-contract.md#golay24; references.md#ecc-kv-cache, equation
/// 31:
/// B = B^T, B B^T = I). For the error e = [u | v] of a received word, s = u B + v and s B = u + v
/// B.
/// Up to three errors are one of
///   u = 0, v = s           if wt(s) <= 3;
///   u = s B, v = 0         if wt(s B) <= 3;
///   u = 1_i, v = s + b_i   if wt(s + b_i) <= 2;
///   u = s B + b_i, v = 1_i if wt(s B + b_i) <= 2.
///
/// Widths: 24 bits in and out; Parity: B, row i at bits 12*i.
/// codeword_o is the corrected codeword, or the received word if status_o is 3. status_o: 0 clean,
/// 1 corrected, 3 detected (bit-contract.md#word-status).
/// Latency: Stages cycles (0: combinational; clk_i and rst_ni unused). The first register follows s
/// and s B, the second the weights, the third the error pattern, all others the output, for
/// retiming.
/// Throughput: a word per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_golay_algebraic_decoder #(
    parameter bit [12*12-1:0] Parity = '0,
    parameter int  Stages = 0,
    localparam int K      = 12,
    localparam int N      = 24
) (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         valid_i,
    input  wire logic [N-1:0] codeword_i,
    output logic              valid_o,
    output logic      [N-1:0] codeword_o,
    output logic      [  1:0] status_o
);
  `AXELRAM_REQUIRE(stages_at_least_0, Stages >= 0)

  // A macro has many decoders. In this form 34 of them compile in 6 s instead of 23 s, at equal
  // speed.
  /* verilator no_inline_module */

  logic found_valid;
  logic [N-1:0] found_word;
  logic [K-1:0] found_syndrome, found_turned;
  axelram_syndrome #(
      .K(K), .N(N), .Parity(Parity),
      .Stages((Stages > 0) ? 1 : 0)
  ) u_syndrome (
      .clk_i, .rst_ni, .valid_i, .codeword_i,
      .valid_o   (found_valid),
      .codeword_o(found_word),
      .syndrome_o(found_syndrome)
  );

  // s B is the syndrome of the word with its halves exchanged, and the check bits of s encoded as
  // data.
  // The first stands beside s, which shortens the stage. The second leaves everything behind s a
  // function of 12 bits, without which neither logic optimisation nor a proof of the whole word
  // ends.
  logic unused;
  if (Stages > 0) begin : g_turned
    logic unused_valid;
    logic [N-1:0] unused_word;
    axelram_syndrome #(
        .K(K), .N(N), .Parity(Parity),
        .Stages(1)
    ) u_turned (
        .clk_i, .rst_ni, .valid_i,
        .codeword_i({codeword_i[K-1:0], codeword_i[N-1:K]}),
        .valid_o   (unused_valid),
        .codeword_o(unused_word),
        .syndrome_o(found_turned)
    );
    assign unused = unused_valid ^ (^unused_word);
  end else begin : g_turned
    logic unused_valid;
    logic [N-1:0] encoded;
    axelram_encoder #(
        .K(K), .N(N), .Parity(Parity),
        .Stages(0)
    ) u_turned (
        .clk_i, .rst_ni,
        .valid_i   (found_valid),
        .data_i    (found_syndrome),
        .valid_o   (unused_valid),
        .codeword_o(encoded)
    );
    assign found_turned = encoded[N-1:K];
    assign unused = unused_valid ^ (^encoded[K-1:0]);
  end

  // Weights: {v = 1_i by i, u = 1_i by i, wt(s B) <= 3, wt(s) <= 3}.
  localparam int Cases = 2 * K + 2;
  function automatic logic [Cases-1:0] light(input logic [K-1:0] s, input logic [K-1:0] sb);
    /* verilator no_inline_task */
    // Yosys 0.23 gives a shift inside a concatenation another width
    logic [K-1:0] rest, u_one, v_one, one;
    u_one = '0;
    v_one = '0;
    for (int i = 0; i < K; i++) begin
      one = K'(1) << i;
      rest = s ^ Parity[i*K+:K];
      if ($countones(rest) <= 2) u_one = u_one | one;
      rest = sb ^ Parity[i*K+:K];
      if ($countones(rest) <= 2) v_one = v_one | one;
    end
    light = {v_one, u_one, $countones(sb) <= 3, $countones(s) <= 3};
  endfunction

  logic valid;
  logic [N-1:0] received;
  logic [K-1:0] syndrome, turned;
  logic [Cases-1:0] cases;
  axelram_pipeline #(.Bits(2 * N + Cases), .Depth((Stages > 1) ? 1 : 0)) u_light (
      .clk_i, .rst_ni,
      .valid_i(found_valid),
      .data_i ({light(found_syndrome, found_turned), found_turned, found_syndrome, found_word}),
      .valid_o(valid),
      .data_o ({cases, turned, syndrome, received})
  );

  // Cases that are true together give the same error (distance 8), so OR combines them.
  function automatic logic [N-1:0] find(input logic [Cases-1:0] which, input logic [K-1:0] s,
                                        input logic [K-1:0] sb);
    /* verilator no_inline_task */
    logic [K-1:0] rest, one;
    find = '0;
    if (which[0]) find = find | {s, K'(0)};
    if (which[1]) find = find | {K'(0), sb};
    for (int i = 0; i < K; i++) begin
      one = K'(1) << i;
      rest = s ^ Parity[i*K+:K];
      if (which[2+i]) find = find | {rest, one};
      rest = sb ^ Parity[i*K+:K];
      if (which[2+K+i]) find = find | {one, rest};
    end
  endfunction
  logic [N-1:0] error;
  logic [1:0] status;
  assign error  = find(cases, syndrome, turned);
  assign status = (syndrome == '0) ? 2'd0 : (cases != '0) ? 2'd1 : 2'd3;

  axelram_correction #(.N(N), .Stages((Stages > 2) ? Stages - 2 : 0)) u_correction (
      .clk_i, .rst_ni,
      .valid_i   (valid),
      .codeword_i(received),
      .error_i   (error),
      .status_i  (status),
      .valid_o, .codeword_o, .status_o
  );
endmodule

`default_nettype wire

/// Decoder of codes whose error is a function of the syndrome.
///   Rom = 0: single-error codes (Hamming: references.md#ecc-kv-cache, sections 4.2.4 and 5.2.2;
///            Hsiao SECDED: bit-contract.md#hsiao). The error is the bit whose column of
///            H = [P^T | I] equals the syndrome.
///   Rom = 1: Golay(24,12) (bit-contract.md#golay24; references.md#ecc-kv-cache, section 4.2.4).
///            The generated axelram_golay_rom has the error of each of the 4096 syndromes.
///
/// Widths: N bits in and out; Parity as in axelram_encoder, its rows distinct and with at least two
/// ones; ParityBit: check bit that is an overall parity and has its own status, -1 if none.
/// codeword_o is the corrected codeword, or the received word if status_o is 3. status_o: 0 clean,
/// 1 corrected, 2 only check bit ParityBit was wrong, 3 detected (bit-contract.md#word-status).
/// Latency: Stages cycles (0: combinational; clk_i and rst_ni unused). The first register follows
/// the syndrome, the second the error pattern, all others the output, for retiming. Throughput: a
/// word per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_syndrome_decoder #(
    parameter int K         = 4,
    parameter int N         = 8,
    parameter bit [K*(N-K)-1:0] Parity = '0,
    parameter int ParityBit = -1,
    parameter bit Rom       = 1'b0,
    parameter int Stages    = 0
) (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         valid_i,
    input  wire logic [N-1:0] codeword_i,
    output logic              valid_o,
    output logic      [N-1:0] codeword_o,
    output logic      [  1:0] status_o
);
  `AXELRAM_REQUIRE(codeword_longer_than_data, K >= 1 && N > K)
  `AXELRAM_REQUIRE(parity_bit_minus_1_or_a_check_bit, ParityBit >= -1 && ParityBit < N - K)
  `AXELRAM_REQUIRE(rom_of_24_12_code, !Rom || (N == 24 && K == 12))
  `AXELRAM_REQUIRE(stages_at_least_0, Stages >= 0)

  localparam int M = N - K;

  logic valid;
  logic [N-1:0] received, error;
  logic [M-1:0] syndrome;
  logic [1:0] status;
  axelram_syndrome #(
      .K(K), .N(N), .Parity(Parity),
      .Stages((Stages == 0) ? 0 : 1)
  ) u_syndrome (
      .clk_i, .rst_ni, .valid_i, .codeword_i,
      .valid_o   (valid),
      .codeword_o(received),
      .syndrome_o(syndrome)
  );

  logic detected, parity_only;
  if (Rom) begin : g_error
    logic correctable;
    axelram_golay_rom u_rom (.syndrome_i(syndrome), .error_o(error), .correctable_o(correctable));
    assign detected = !correctable;
  end else begin : g_error
    for (genvar i = 0; i < K; i++) begin : g_data
      assign error[i] = syndrome == Parity[i*M+:M];
    end
    for (genvar j = 0; j < M; j++) begin : g_check
      assign error[K+j] = syndrome == (M'(1) << j);
    end
    assign detected = error == '0;
  end
  if (ParityBit < 0) begin : g_parity
    assign parity_only = 1'b0;
  end else begin : g_parity
    assign parity_only = error[K+ParityBit];
  end
  always_comb begin
    status = 2'd1;
    if (syndrome == '0) status = 2'd0;
    else if (detected) status = 2'd3;
    else if (parity_only) status = 2'd2;
  end

  axelram_correction #(.N(N), .Stages((Stages == 0) ? 0 : Stages - 1)) u_correction (
      .clk_i, .rst_ni,
      .valid_i   (valid),
      .codeword_i(received),
      .error_i   (error),
      .status_i  (status),
      .valid_o, .codeword_o, .status_o
  );
endmodule

`default_nettype wire

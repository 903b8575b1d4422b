/// Decoder of single-error codes (Hamming: ECC paper, sections 4.2.4 and 5.2.2; Hsiao SECDED): the
/// error is the bit whose column of H = [P^T | I] equals the syndrome.
///
/// Widths: N bits in and out; Parity as in axelram_encoder, its rows distinct and of two ones at
/// least; ParityBit: the check bit that is an overall parity and reported on its own, -1 for none.
/// codeword_o is the codeword found, or the received word where status_o is 3. status_o: 0 clean,
/// 1 corrected, 2 only check bit ParityBit was hit, 3 detected (WordStatus of the golden model).
/// Latency: Stages cycles: the first register follows the syndrome, the second the error pattern,
/// all others the output, for retiming (0: combinational; clk_i and rst_ni unused). Throughput: a
/// word a cycle.
`default_nettype none

module axelram_hamming_decoder #(
    parameter int K = 4,
    parameter int N = 8,
    parameter bit [K*(N-K)-1:0] Parity = '0,
    parameter int ParityBit = -1,
    parameter int Stages = 0
) (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         valid_i,
    input  wire logic [N-1:0] codeword_i,
    output logic              valid_o,
    output logic      [N-1:0] codeword_o,
    output logic      [  1:0] status_o
);
  localparam int M = N - K;

  logic valid;
  logic [N-1:0] received, error;
  logic [M-1:0] syndrome;
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

  for (genvar i = 0; i < K; i++) begin : g_data
    assign error[i] = syndrome == Parity[i*M+:M];
  end
  for (genvar j = 0; j < M; j++) begin : g_check
    assign error[K+j] = syndrome == (M'(1) << j);
  end

  logic parity_only;
  if (ParityBit < 0) begin : g_parity
    assign parity_only = 1'b0;
  end else begin : g_parity
    assign parity_only = error[K+ParityBit];
  end
  always_comb begin
    status = 2'd1;
    if (syndrome == '0) status = 2'd0;
    else if (error == '0) status = 2'd3;
    else if (parity_only) status = 2'd2;
  end

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

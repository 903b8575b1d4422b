/// Golay(24,12) decoder by table (bit-contract.md#golay24; references.md#ecc-kv-cache, section
/// 4.2.4).
/// The generated axelram_golay_rom has the error of each of the 4096 syndromes.
///
/// Widths: 24 bits in and out; Parity: B, row i at bits 12*i.
/// codeword_o is the corrected codeword, or the received word if status_o is 3. status_o: 0 clean,
/// 1 corrected, 3 detected (bit-contract.md#word-status).
/// Latency: Stages cycles (0: combinational; clk_i and rst_ni unused). The first register follows
/// the syndrome, the second the error pattern, all others the output, for retiming. Throughput: a
/// word per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_golay_rom_decoder #(
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

  logic valid;
  logic [N-1:0] received, error;
  logic [K-1:0] syndrome;
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

  logic correctable;
  axelram_golay_rom u_rom (.syndrome_i(syndrome), .error_o(error), .correctable_o(correctable));
  assign status = (syndrome == '0) ? 2'd0 : correctable ? 2'd1 : 2'd3;

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

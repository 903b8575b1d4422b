/// Decoder of one codeword of a code c = [d | d P]. Decoder selects the hardware:
///   0 axelram_syndrome_decoder, for codes that correct one error; 2 the same with its ROM, and
///   1 axelram_golay_algebraic_decoder, for golay24.
///
/// Widths: N bits in and out, K of them data; Parity: P as in axelram_encoder; ParityBit: check bit
/// that is an overall parity and has its own status, -1 if none (Decoder 0 alone).
/// codeword_o is the corrected codeword, or the received word if status_o is 3. status_o:
/// bit-contract.md#word-status. Latency: Stages cycles. Throughput: a word per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_word_decoder #(
    parameter int K         = 4,
    parameter int N         = 8,
    parameter int Decoder   = 0,
    parameter int ParityBit = -1,
    parameter bit [K*(N-K)-1:0] Parity = '0,
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
  `AXELRAM_REQUIRE(decoder_in_0_to_2, Decoder >= 0 && Decoder <= 2)
  `AXELRAM_REQUIRE(golay_decoder_of_24_12_code, Decoder == 0 || (N == 24 && K == 12))

  if (Decoder == 1) begin : g_decoder
    axelram_golay_algebraic_decoder #(.Parity(Parity), .Stages(Stages)) u_decoder (
        .clk_i, .rst_ni, .valid_i, .codeword_i, .valid_o, .codeword_o, .status_o
    );
  end else begin : g_decoder
    axelram_syndrome_decoder #(
        .K(K), .N(N), .Parity(Parity), .ParityBit(ParityBit),
        .Rom(Decoder == 2),
        .Stages(Stages)
    ) u_decoder (
        .clk_i, .rst_ni, .valid_i, .codeword_i, .valid_o, .codeword_o, .status_o
    );
  end
endmodule

`default_nettype wire

/// Encoder, XOR with an error, and decoder.
`default_nettype none

module channel (
    input  wire logic [axelram_code_pkg::K-1:0] data_i,
    input  wire logic [axelram_code_pkg::N-1:0] error_i,
    output logic      [axelram_code_pkg::N-1:0] codeword_o,
    output logic      [axelram_code_pkg::N-1:0] decoded_o,
    output logic      [                    1:0] status_o
);
  logic encoder_valid, decoder_valid;
  axelram_code_encoder u_encoder (
      .clk_i  (1'b0),
      .rst_ni (1'b1),
      .valid_i(1'b1),
      .data_i,
      .valid_o(encoder_valid),
      .codeword_o
  );
  axelram_code_decoder u_decoder (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (encoder_valid),
      .codeword_i(codeword_o ^ error_i),
      .valid_o   (decoder_valid),
      .codeword_o(decoded_o),
      .status_o
  );
  always_comb assert (decoder_valid);
endmodule

`default_nettype wire

/// Every received word is decoded to a codeword at most T bits away, or is detected and unchanged.
`default_nettype none

module decided #(
    parameter int T = 1
) (
    input  wire logic [axelram_code_pkg::N-1:0] received_i
);
  localparam int N = axelram_code_pkg::N;
  localparam int K = axelram_code_pkg::K;
  logic [N-1:0] decoded, codeword;
  logic [1:0] status;
  logic decoder_valid, encoder_valid;
  axelram_code_decoder u_decoder (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (1'b1),
      .codeword_i(received_i),
      .valid_o   (decoder_valid),
      .codeword_o(decoded),
      .status_o  (status)
  );
  axelram_code_encoder u_encoder (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (decoder_valid),
      .data_i    (decoded[K-1:0]),
      .valid_o   (encoder_valid),
      .codeword_o(codeword)
  );
  always_comb begin
    if (status == 2'd3) assert (decoded == received_i);
    else assert (encoder_valid && decoded == codeword && $countones(decoded ^ received_i) <= T);
  end
endmodule

`default_nettype wire

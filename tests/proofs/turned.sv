/// Golay: the syndrome of a word with its halves exchanged is s B, for every received word; s is
/// its syndrome. The algebraic decoder takes the first if it has registers, the second if it has
/// none.
`default_nettype none

module turned (
    input  wire logic [axelram_code_pkg::N-1:0] received_i
);
  localparam int K = axelram_code_pkg::K;
  localparam int N = axelram_code_pkg::N;
  logic [K-1:0] syndrome, exchanged;
  logic [N-1:0] word, turned_word, encoded;
  logic [2:0] valid;
  axelram_syndrome #(.K(K), .N(N), .Parity(axelram_code_pkg::Parity)) u_syndrome (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (1'b1),
      .codeword_i(received_i),
      .valid_o   (valid[0]),
      .codeword_o(word),
      .syndrome_o(syndrome)
  );
  axelram_syndrome #(.K(K), .N(N), .Parity(axelram_code_pkg::Parity)) u_exchanged (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (1'b1),
      .codeword_i({received_i[K-1:0], received_i[N-1:K]}),
      .valid_o   (valid[1]),
      .codeword_o(turned_word),
      .syndrome_o(exchanged)
  );
  axelram_encoder #(.K(K), .N(N), .Parity(axelram_code_pkg::Parity)) u_encoder (
      .clk_i     (1'b0),
      .rst_ni    (1'b1),
      .valid_i   (1'b1),
      .data_i    (syndrome),
      .valid_o   (valid[2]),
      .codeword_o(encoded)
  );
  always_comb assert (exchanged == encoded[N-1:K]);
endmodule

`default_nettype wire

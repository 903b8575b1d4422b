/// A codeword is its data followed by the sum of the rows of P that the data select
/// (references.md#ecc-kv-cache, equation 11). Codewords, and no other words, have status clean and
/// are unchanged.
`default_nettype none

module encoded (
    input  wire logic [axelram_code_pkg::K-1:0] data_i,
    input  wire logic [axelram_code_pkg::N-1:0] error_i
);
  localparam int N = axelram_code_pkg::N;
  localparam int K = axelram_code_pkg::K;
  logic [N-1:0] codeword, decoded;
  logic [1:0] status;
  channel u_channel (
      .data_i, .error_i,
      .codeword_o(codeword),
      .decoded_o (decoded),
      .status_o  (status)
  );

  function automatic logic [N-K-1:0] check(input logic [K-1:0] data);
    check = '0;
    for (int i = 0; i < K; i++)
      if (data[i]) check = check ^ axelram_code_pkg::Parity[i*(N-K)+:N-K];
  endfunction

  logic [N-1:0] received;
  logic is_codeword;
  assign received = codeword ^ error_i;
  assign is_codeword = received[N-1:K] == check(received[K-1:0]);
  always_comb begin
    assert (codeword == {check(data_i), data_i});
    assert ((status == 2'd0) == is_codeword);
    if (is_codeword) assert (decoded == received);
  end
endmodule

`default_nettype wire

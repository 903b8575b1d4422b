/// A perfect code detects nothing: T + 1 errors are always decoded to a wrong codeword
/// (references.md#ecc-kv-cache, section 4.2.4).
`default_nettype none

module miscorrected #(
    parameter int T = 1
) (
    input  wire logic [axelram_code_pkg::K-1:0] data_i,
    input  wire logic [axelram_code_pkg::N-1:0] error_i
);
  logic [axelram_code_pkg::N-1:0] codeword, decoded;
  logic [1:0] status;
  channel u_channel (
      .data_i, .error_i,
      .codeword_o(codeword),
      .decoded_o (decoded),
      .status_o  (status)
  );
  always_comb begin
    if ($countones(error_i) == T + 1) begin
      assert (status == 2'd1);
      assert (decoded != codeword);
    end
  end
endmodule

`default_nettype wire

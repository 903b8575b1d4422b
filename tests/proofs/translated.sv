/// Decoding is translation invariant: decoding c + e gives c plus the decoding of e, with the same
/// status, for every codeword c and every e. So a property of errors on codeword zero holds for all
/// codewords.
`default_nettype none

module translated (
    input  wire logic [axelram_code_pkg::K-1:0] data_i,
    input  wire logic [axelram_code_pkg::N-1:0] error_i
);
  localparam int N = axelram_code_pkg::N;
  logic [N-1:0] codeword, decoded, zero, decoded_error;
  logic [1:0] status, error_status;
  channel u_channel (
      .data_i, .error_i,
      .codeword_o(codeword),
      .decoded_o (decoded),
      .status_o  (status)
  );
  channel u_zero (
      .data_i    ('0),
      .error_i,
      .codeword_o(zero),
      .decoded_o (decoded_error),
      .status_o  (error_status)
  );
  always_comb begin
    assert (zero == '0);
    assert (status == error_status);
    assert (decoded == (codeword ^ decoded_error));
  end
endmodule

`default_nettype wire

/// Every codeword with at most T errors is corrected (references.md#ecc-kv-cache, section 4.2.4).
/// The status is clean or corrected, or parity only if just check bit ParityBit is wrong.
`default_nettype none

module corrected #(
    parameter int T         = 1,
    parameter int ParityBit = -1
) (
    input  wire logic [axelram_code_pkg::K-1:0] data_i,
    input  wire logic [axelram_code_pkg::N-1:0] error_i
);
  localparam int N = axelram_code_pkg::N;
  localparam int K = axelram_code_pkg::K;
  localparam logic [N-1:0] ParityError = (ParityBit < 0) ? '0 : N'(1) << (K + ParityBit);
  logic [N-1:0] codeword, decoded;
  logic [1:0] status;
  channel u_channel (
      .data_i, .error_i,
      .codeword_o(codeword),
      .decoded_o (decoded),
      .status_o  (status)
  );
  always_comb begin
    if ($countones(error_i) <= T) begin
      assert (decoded == codeword);
      if (error_i == '0) assert (status == 2'd0);
      else if (error_i == ParityError) assert (status == 2'd2);
      else assert (status == 2'd1);
    end
  end
endmodule

`default_nettype wire

/// Subtraction of the constant center of a head from a key, both aligned (bit-contract.md#center):
///   m_i = RNE(k_i * 2^-e) - RNE(c_i * 2^-e); queries and values pass unchanged.
///
/// Widths: SigBits in, SigBits + 1 out, signed. Latency: 1 cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_center #(
    parameter int Lanes   = 128,
    parameter int SigBits = 16,
    parameter int ExpBits = 5
) (
    input  wire logic                         clk_i,
    input  wire logic                         rst_ni,
    input  wire logic                         valid_i,
    input  wire logic                         query_i,
    input  wire logic                         value_i,
    input  wire logic [          ExpBits-1:0] exponent_i,
    input  wire logic [    Lanes*SigBits-1:0] data_i,
    input  wire logic [    Lanes*SigBits-1:0] center_i,
    output logic                              valid_o,
    output logic                              query_o,
    output logic                              value_o,
    output logic      [          ExpBits-1:0] exponent_o,
    output logic      [Lanes*(SigBits+1)-1:0] data_o
);
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)
  `AXELRAM_REQUIRE(sig_bits_at_least_2, SigBits >= 2)
  `AXELRAM_REQUIRE(exp_bits_at_least_1, ExpBits >= 1)

  localparam int OutBits = SigBits + 1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i;
  end

  always_ff @(posedge clk_i)
    if (valid_i) begin
      query_o <= query_i;
      value_o <= value_i;
      exponent_o <= exponent_i;
      for (int i = 0; i < Lanes; i++)
        data_o[i*OutBits+:OutBits] <= OutBits'($signed(data_i[i*SigBits+:SigBits])) -
            ((query_i || value_i) ? OutBits'(0) : OutBits'($signed(center_i[i*SigBits+:SigBits])));
    end
endmodule

`default_nettype wire

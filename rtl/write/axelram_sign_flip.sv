/// diag(s): negates the elements whose sign bit is 1 (bit-contract.md#signs; references.md#axelram,
/// section III-A).
///
/// signs_i: d bits, element i at bit i, constant; Passes = 2: a second vector behind the first, for
/// the rows with second_i. |data| < 2^(Bits-1), so negation cannot overflow.
/// Latency: 1 cycle. row_o counts the rows of a vector.
`include "axelram_macros.svh"
`default_nettype none

module axelram_sign_flip #(
    parameter int Lanes   = 128,
    parameter int Rows    = 1,
    parameter int Bits    = 16,
    parameter int ExpBits = 5,
    parameter int Passes  = 1
) (
    input  wire logic                         clk_i,
    input  wire logic                         rst_ni,
    input  wire logic [Passes*Lanes*Rows-1:0] signs_i,
    input  wire logic                         valid_i,
    input  wire logic                         query_i,
    input  wire logic                         second_i,
    input  wire logic [          ExpBits-1:0] exponent_i,
    input  wire logic [       Lanes*Bits-1:0] data_i,
    output logic                              valid_o,
    output logic                              last_o,
    output logic                              query_o,
    output logic      [          ExpBits-1:0] exponent_o,
    output logic      [       Lanes*Bits-1:0] data_o
);
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(bits_at_least_2, Bits >= 2)
  `AXELRAM_REQUIRE(exp_bits_at_least_1, ExpBits >= 1)
  `AXELRAM_REQUIRE(passes_1_or_2, Passes == 1 || Passes == 2)

  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;

  logic [RowBits-1:0] row_q;
  logic [Lanes-1:0] signs;
  if (Passes == 1) begin : g_signs
    assign signs = signs_i[row_q*Lanes+:Lanes];
    logic unused;
    assign unused = second_i;
  end else begin : g_signs
    assign signs = second_i ? signs_i[Lanes*Rows+row_q*Lanes+:Lanes] : signs_i[row_q*Lanes+:Lanes];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      row_q   <= '0;
    end else begin
      valid_o <= valid_i;
      if (valid_i) row_q <= (row_q == RowBits'(Rows - 1)) ? '0 : row_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i)
    if (valid_i) begin
      last_o <= row_q == RowBits'(Rows - 1);
      query_o <= query_i;
      exponent_o <= exponent_i;
      for (int i = 0; i < Lanes; i++)
        data_o[i*Bits+:Bits] <= signs[i] ? -data_i[i*Bits+:Bits] : data_i[i*Bits+:Bits];
    end
endmodule

`default_nettype wire

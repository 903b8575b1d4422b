/// S = sum of m_i^2 over a vector, exact (bit-contract.md#write-2).
///
/// Lanes squarers, an adder tree, and an accumulator over the Rows rows. The paper omits these
/// multiplications from its "zero multiplier" write path.
/// Widths: Bits in (signed), SumBits = 2*(Bits-1) + log2(Lanes*Rows) out (unsigned, at most 48).
/// Latency: 2 + log2(Lanes) cycles from the last row to valid_o. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_square_sum #(
    parameter int  Lanes   = 128,
    parameter int  Rows    = 1,
    parameter int  Bits    = 16,
    parameter int  ExpBits = 5,
    localparam int SumBits = 2 * (Bits - 1) + $clog2(Lanes) + $clog2(Rows)
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic                  valid_i,
    input  wire logic                  last_i,
    input  wire logic [   ExpBits-1:0] exponent_i,
    input  wire logic [Lanes*Bits-1:0] data_i,
    output logic                       valid_o,
    output logic      [   ExpBits-1:0] exponent_o,
    output logic      [   SumBits-1:0] sum_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two, Lanes >= 1 && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(sum_of_48_bits_or_less, Bits >= 2 && SumBits <= 48)
  `AXELRAM_REQUIRE(exp_bits_at_least_1, ExpBits >= 1)

  localparam int Levels = $clog2(Lanes);
  // |m| < 2^(Bits-1), so a square has 2*(Bits-1) bits. One more bit keeps the signed term positive.
  localparam int SquareBits = 2 * (Bits - 1) + 1;
  localparam int RowSumBits = SquareBits + Levels;

  logic square_valid_q;
  logic [Lanes*SquareBits-1:0] square_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) square_valid_q <= 1'b0;
    else square_valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i)
      for (int i = 0; i < Lanes; i++)
        square_q[i*SquareBits+:SquareBits] <=
            SquareBits'($signed(data_i[i*Bits+:Bits]) * $signed(data_i[i*Bits+:Bits]));

  logic row_valid;
  logic [RowSumBits-1:0] row_sum;
  axelram_adder_tree #(.Lanes(Lanes), .InBits(SquareBits)) u_tree (
      .clk_i, .rst_ni,
      .valid_i(square_valid_q),
      .data_i (square_q),
      .valid_o(row_valid),
      .sum_o  (row_sum)
  );

  // Flags of the row, delayed with the tree.
  logic [Levels:0] last_q;
  logic [(Levels+1)*ExpBits-1:0] exponent_q;
  always_ff @(posedge clk_i) begin
    last_q <= (Levels + 1)'({last_q, last_i});
    exponent_q <= ((Levels+1)*ExpBits)'({exponent_q, exponent_i});
  end

  logic [SumBits-1:0] running_q, sum;
  logic last;
  assign last = last_q[Levels];
  assign sum  = running_q + SumBits'(row_sum[RowSumBits-2:0]);  // never negative
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o   <= 1'b0;
      running_q <= '0;
    end else begin
      valid_o <= row_valid && last;
      if (row_valid) running_q <= last ? '0 : sum;
    end
  end
  logic unused;
  assign unused = row_sum[RowSumBits-1];
  always_ff @(posedge clk_i)
    if (row_valid && last) begin
      sum_o <= sum;
      exponent_o <= exponent_q[Levels*ExpBits+:ExpBits];
    end
endmodule

`default_nettype wire

/// Words of the codebook in units of a key's norm (bit-contract.md#write-4,
/// bit-contract.md#trellis-search): thresholds T_j = floor(B_j * N / 2^F), or, Nearest,
/// reconstructions R_j = RNE(word_j * N / 2^F).
///
/// A key takes Words multiplications by ROM constants, which the paper omits. next_i announces a
/// row two cycles ahead; root_i must hold while it announces the first of the Rows rows of a key.
/// Widths: words 20 bits signed, N RootBits, results 32 bits signed.
/// Latency: 2 cycles. first_o and last_o belong to the announced row, scaled_o to its key.
`include "axelram_macros.svh"
`default_nettype none

module axelram_scaled_words #(
    parameter int Words        = 7,
    parameter int Rows         = 1,
    parameter int RootBits     = 19,
    parameter int FractionBits = 13,
    parameter bit Nearest      = 1'b0
) (
    input  wire logic                clk_i,
    input  wire logic                rst_ni,
    input  wire logic [Words*20-1:0] words_i,
    input  wire logic [RootBits-1:0] root_i,
    input  wire logic                next_i,
    output logic                     first_o,
    output logic                     last_o,
    output logic      [Words*32-1:0] scaled_o
);
  `AXELRAM_REQUIRE(fraction_bits_in_10_to_16, FractionBits >= 10 && FractionBits <= 16)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(root_bits_at_least_2, RootBits >= 2)
  `AXELRAM_REQUIRE(words_at_least_1, Words >= 1)

  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int LowBits = RootBits / 2;
  localparam int HighBits = RootBits - LowBits;
  localparam int LowProductBits = 20 + LowBits + 1;
  localparam int HighProductBits = 20 + HighBits + 1;
  localparam int ProductBits = 20 + RootBits + 1;

  logic [RowBits-1:0] next_row_q;
  logic load, products_valid_q;
  assign load = next_i && next_row_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_row_q <= '0;
      products_valid_q <= 1'b0;
      first_o <= 1'b0;
    end else begin
      if (next_i) next_row_q <= (next_row_q == RowBits'(Rows - 1)) ? '0 : next_row_q + 1'b1;
      products_valid_q <= load;
      first_o <= products_valid_q;
    end
  end
  always_ff @(posedge clk_i) last_o <= next_row_q == '0;  // next_row_q already counts the row after

  for (genvar j = 0; j < Words; j++) begin : g_word
    logic signed [19:0] word;
    logic signed [LowProductBits-1:0] low_q;
    logic signed [HighProductBits-1:0] high_q;
    logic signed [ProductBits-1:0] product;
    logic up;  // a fraction above a half, or a half behind an odd integer
    assign word = $signed(words_i[j*20+:20]);
    always_ff @(posedge clk_i)
      if (load) begin
        low_q  <= LowProductBits'(word) * LowProductBits'($signed({1'b0, root_i[LowBits-1:0]}));
        high_q <= HighProductBits'(word) *
            HighProductBits'($signed({1'b0, root_i[RootBits-1:LowBits]}));
      end
    assign product = ProductBits'(low_q) + $signed({high_q, LowBits'(0)});
    assign up = Nearest && product[FractionBits-1] &&
        (product[FractionBits] || product[FractionBits-2:0] != '0);
    always_ff @(posedge clk_i)
      if (products_valid_q) scaled_o[j*32+:32] <= 32'(product >>> FractionBits) + 32'(up);
  end

  `AXELRAM_COVER(key_equal_to_the_center, load && root_i == '0)
endmodule

`default_nettype wire

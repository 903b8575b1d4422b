/// Sums of weighted values in the rotated domain (bit-contract.md#weighted-sum):
///   sum_i = half_up(sum_i, shift) + weight * C[level_i],
/// and weight * C[level_i] at the first weight.
/// No multiplier belongs to a channel: it selects one of the products of axelram_value_products,
/// negates it and adds. A token has HeadDim / ReadLanes rows of ReadLanes channels, one after the
/// other.
///
/// products_i, shift_i, first_i and levels_i belong to the row of valid_i; a token without a weight
/// has no rows. sums_o: all channels, signed, SumBits each; of no use before the first weight of a
/// query.
/// Latency: 2 cycles (select, add). Throughput: a row per cycle. Loop of one cycle: shift, round,
/// add.
`include "axelram_macros.svh"
`default_nettype none

module axelram_weighted_sum #(
    parameter int  HeadDim     = 128,
    parameter int  ReadLanes   = 128,
    parameter int  Levels      = 8,
    parameter int  ProductBits = 27,
    parameter int  SumBits     = 40,
    localparam int LevelBits   = $clog2(Levels)
) (
    input  wire logic                             clk_i,
    input  wire logic                             rst_ni,
    input  wire logic                             valid_i,
    input  wire logic                             first_i,
    input  wire logic [                      5:0] shift_i,
    input  wire logic [ Levels/2*ProductBits-1:0] products_i,
    input  wire logic [  ReadLanes*LevelBits-1:0] levels_i,
    output logic      [      HeadDim*SumBits-1:0] sums_o
);
  `AXELRAM_REQUIRE(read_lanes_power_of_two_up_to_head_dim,
                   ReadLanes >= 1 && ReadLanes <= HeadDim && (ReadLanes & (ReadLanes - 1)) == 0)
  `AXELRAM_REQUIRE(levels_power_of_two_from_4, Levels >= 4 && (Levels & (Levels - 1)) == 0)
  `AXELRAM_REQUIRE(product_bits_at_least_1, ProductBits >= 1)
  `AXELRAM_REQUIRE(sums_wider_than_products, SumBits > ProductBits && SumBits <= 63)

  localparam int Rows = HeadDim / ReadLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int TermBits = ProductBits + 1;

  // ---- Select: the lower half of the levels has the negatives of the upper half, in reverse
  logic valid_q, first_q;
  logic [5:0] shift_q;
  function automatic logic [TermBits-1:0] term(input logic [Levels/2*ProductBits-1:0] products,
                                               input logic [LevelBits-1:0] level);
    logic negative;
    logic [LevelBits-2:0] place;
    logic [ProductBits-1:0] product;
    negative = !level[LevelBits-1];
    place = negative ? ~level[LevelBits-2:0] : level[LevelBits-2:0];
    product = '0;
    for (int j = 0; j < Levels / 2; j++)
      if (place == (LevelBits - 1)'(j)) product = products[j*ProductBits+:ProductBits];
    term = negative ? -(TermBits'(product)) : TermBits'(product);
  endfunction
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      first_q <= first_i;
      shift_q <= shift_i;
    end

  logic [RowBits-1:0] row_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_q <= '0;
    else if (valid_q) row_q <= (row_q == RowBits'(Rows - 1)) ? '0 : row_q + 1'b1;
  end

  // ---- Add: the last bit shifted out is the carry
  for (genvar i = 0; i < ReadLanes; i++) begin : g_lane
    logic signed [TermBits-1:0] term_q;
    logic [SumBits-1:0] sums[Rows];
    logic signed [SumBits:0] kept;
    logic signed [SumBits-1:0] sum, added;
    assign sum = first_q ? '0 : sums[row_q];
    assign kept = $signed({sum, 1'b0}) >>> shift_q;
    assign added = kept[SumBits:1] + SumBits'(kept[0]) + SumBits'(term_q);
    always_ff @(posedge clk_i)
      if (valid_i) term_q <= $signed(term(products_i, levels_i[i*LevelBits+:LevelBits]));
    for (genvar r = 0; r < Rows; r++) begin : g_row
      logic [SumBits-1:0] sum_q;
      always_ff @(posedge clk_i) if (valid_q && row_q == RowBits'(r)) sum_q <= added;
      assign sums[r] = sum_q;
      assign sums_o[(r*ReadLanes+i)*SumBits+:SumBits] = sum_q;
    end

`ifdef AXELRAM_SVA
    logic signed [SumBits:0] exact;
    assign exact = (SumBits + 1)'($signed(kept[SumBits:1])) + (SumBits + 1)'(kept[0]) +
        (SumBits + 1)'(term_q);
`endif
    `AXELRAM_ASSERT(sum_fits, valid_q |-> exact[SumBits] == exact[SumBits-1])
  end
endmodule

`default_nettype wire

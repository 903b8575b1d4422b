/// acc of a key: the sum of its products (bit-contract.md#read-4). ReadLanes - 1 adders in a tree
/// and an accumulator over the rows of the key.
///
/// tag_i belongs to the row with last_i. pass_i, in place of valid_i: a tag without products
/// passes; acc_o is then of no use.
/// Widths: products EntryBits, acc AccBits, signed, exact. A product is at most (2^(WQ-1) -
/// 1)(2^(WC-1) - 1), so its top bit is a copy of the sign and the sum of d fits AccBits.
/// Latency: 1 + log2(ReadLanes) cycles from the last row of a key, or from pass_i.
`include "axelram_macros.svh"
`default_nettype none

module axelram_accumulate #(
    parameter int  HeadDim   = 128,
    parameter int  ReadLanes = 128,
    parameter int  EntryBits = 16,
    parameter int  TagBits   = 17,
    localparam int Levels    = $clog2(ReadLanes),
    localparam int AccBits   = EntryBits - 1 + $clog2(HeadDim)
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic                                  valid_i,
    input  wire logic                                  last_i,
    input  wire logic                                  pass_i,
    input  wire logic        [            TagBits-1:0] tag_i,
    input  wire logic        [ReadLanes*EntryBits-1:0] products_i,
    output logic                                       valid_o,
    output logic             [            TagBits-1:0] tag_o,
    output logic      signed [            AccBits-1:0] acc_o
);
  `AXELRAM_REQUIRE(read_lanes_power_of_two_up_to_head_dim,
                   ReadLanes >= 1 && ReadLanes <= HeadDim && (ReadLanes & (ReadLanes - 1)) == 0)
  `AXELRAM_REQUIRE(entry_bits_at_least_2, EntryBits >= 2)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  logic tree_valid;
  logic [EntryBits+Levels-1:0] tree_sum;
  axelram_adder_tree #(.Lanes(ReadLanes), .InBits(EntryBits)) u_tree (
      .clk_i, .rst_ni, .valid_i,
      .data_i (products_i),
      .valid_o(tree_valid),
      .sum_o  (tree_sum)
  );

  // {last row, tag} of the key, delayed with the tree.
  localparam int SideBits = 1 + TagBits;
  logic last, pass;
  logic [TagBits-1:0] tag;
  if (Levels == 0) begin : g_side
    assign {last, tag} = {last_i, tag_i};
    assign pass = pass_i;
  end else begin : g_side
    logic [Levels-1:0] pass_q;
    assign pass = pass_q[Levels-1];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) pass_q <= '0;
      else pass_q <= Levels'({pass_q, pass_i});
    end
    logic [Levels*SideBits-1:0] side_q;
    always_ff @(posedge clk_i) side_q <= (Levels * SideBits)'({side_q, last_i, tag_i});
    assign {last, tag} = side_q[Levels*SideBits-1-:SideBits];
  end

  logic signed [AccBits-1:0] running_q, total;
  assign total = running_q + AccBits'($signed(tree_sum));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o   <= 1'b0;
      running_q <= '0;
    end else begin
      valid_o <= (tree_valid && last) || pass;
      if (tree_valid) running_q <= last ? '0 : total;
    end
  end
  always_ff @(posedge clk_i)
    if ((tree_valid && last) || pass) begin
      acc_o <= total;
      tag_o <= tag;
    end
  logic unused;
  assign unused = tree_sum[EntryBits+Levels-1];

  `AXELRAM_ASSERT(products_or_none, pass |-> !tree_valid)
endmodule

`default_nettype wire

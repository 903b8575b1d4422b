/// Accumulators of copies (bit-contract.md#exact): acc = sum of u_i * h_i, and the exponent
/// e_u + e_k + WC - 2 of the score. They wait here until the read path takes them, in order.
///
/// step_i: the products of CopyLanes elements follow in the next cycle; last_i and exponent_i (e_k)
/// belong to the last step of a copy. ready_o: an accumulator is there that no read has claimed
/// (claim_i). take_i: acc_o and exponent_o, those of the first claim that is not taken, are used.
/// Widths: products ProductBits, acc ProductBits - 1 + log2(HeadDim), signed, exact.
/// Latency: ready_o 2 + log2(CopyLanes) cycles after the last step.
`include "axelram_macros.svh"
`default_nettype none

module axelram_exact_score #(
    parameter int  HeadDim      = 128,
    parameter int  CopyLanes    = 8,
    parameter int  ProductBits  = 24,
    parameter int  CentroidBits = 8,
    parameter int  Copies       = 17,
    localparam int AccBits      = ProductBits - 1 + $clog2(HeadDim)
) (
    input  wire logic                                    clk_i,
    input  wire logic                                    rst_ni,
    input  wire logic signed [                     11:0] query_exponent_i,
    input  wire logic                                    step_i,
    input  wire logic                                    last_i,
    input  wire logic signed [                     11:0] exponent_i,
    input  wire logic        [CopyLanes*ProductBits-1:0] products_i,
    input  wire logic                                    claim_i,
    output logic                                         ready_o,
    input  wire logic                                    take_i,
    output logic      signed [              AccBits-1:0] acc_o,
    output logic      signed [                     11:0] exponent_o
);
  `AXELRAM_REQUIRE(copy_lanes_power_of_two_up_to_head_dim,
                   CopyLanes >= 1 && CopyLanes <= HeadDim && (CopyLanes & (CopyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(product_bits_at_least_2, ProductBits >= 2)
  `AXELRAM_REQUIRE(centroid_bits_in_6_to_16, CentroidBits >= 6 && CentroidBits <= 16)
  `AXELRAM_REQUIRE(copies_at_least_1, Copies >= 1)

  // ---- Sum of a step
  localparam int Levels = $clog2(CopyLanes);
  logic products_valid_q, tree_valid;
  logic [ProductBits+Levels-1:0] tree_sum;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) products_valid_q <= 1'b0;
    else products_valid_q <= step_i;
  end
  axelram_adder_tree #(.Lanes(CopyLanes), .InBits(ProductBits)) u_tree (
      .clk_i, .rst_ni,
      .valid_i(products_valid_q),
      .data_i (products_i),
      .valid_o(tree_valid),
      .sum_o  (tree_sum)
  );

  // {last step, e_k}, delayed with the products and the tree.
  localparam int SideBits = 13;
  logic [(Levels+1)*SideBits-1:0] side_q;
  logic last;
  logic signed [11:0] exponent;
  always_ff @(posedge clk_i) side_q <= ((Levels + 1) * SideBits)'({side_q, last_i, exponent_i});
  assign {last, exponent} = side_q[(Levels+1)*SideBits-1-:SideBits];

  // ---- Accumulate, and wait. A product is at most (2^(WQ-1) - 1)(2^(X-1) - 1), so its top bit is
  // a copy of the sign and the sum of d fits AccBits.
  localparam int PlaceBits = (Copies > 1) ? $clog2(Copies) : 1;
  logic signed [AccBits-1:0] running_q, total;
  logic [AccBits+11:0] waiting_q[1<<PlaceBits];
  logic [PlaceBits:0] written_q, claimed_q, taken_q;
  assign total = running_q + AccBits'($signed(tree_sum));
  assign ready_o = claimed_q != written_q;
  assign {acc_o, exponent_o} = waiting_q[taken_q[PlaceBits-1:0]];
  always_ff @(posedge clk_i)
    if (tree_valid && last)
      waiting_q[written_q[PlaceBits-1:0]] <=
          {total, query_exponent_i + exponent + 12'(CentroidBits - 2)};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= '0;
      written_q <= '0;
      claimed_q <= '0;
      taken_q   <= '0;
    end else begin
      if (tree_valid) running_q <= last ? '0 : total;
      if (tree_valid && last) written_q <= written_q + 1'b1;
      if (claim_i) claimed_q <= claimed_q + 1'b1;
      if (take_i) taken_q <= taken_q + 1'b1;
    end
  end
  logic unused;
  assign unused = tree_sum[ProductBits+Levels-1];

  `AXELRAM_ASSERT(place_left, tree_valid && last |->
                  written_q - taken_q != (PlaceBits + 1)'(1 << PlaceBits))
  `AXELRAM_ASSERT(claimed_when_ready, claim_i |-> ready_o)
  `AXELRAM_ASSERT(taken_when_claimed, take_i |-> taken_q != claimed_q)
endmodule

`default_nettype wire

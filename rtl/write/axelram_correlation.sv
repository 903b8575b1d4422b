/// A = sum of y_i * C[idx_i] over a key, exact (bit-contract.md#scale).
///
/// The words are antisymmetric, so an element is negated in the lower half and has one of Levels/2
/// magnitudes. Two forms:
///   a sum for each magnitude: elements are added to the sum of their magnitude, and a key takes
///     Levels/2 multiplications;
///   a product for each lane.
/// A sum for each magnitude takes Levels/2 * (Lanes + WordBits) adders of about Bits bits, products
/// Lanes * (WordBits - 1); the form with fewer is built.
/// Widths: y_i Bits signed, C_j WordBits signed, A SumBits signed (the parent knows its bound).
/// Latency: log2(Lanes) + log2(Levels) + 1 cycles from the last row. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_correlation #(
    parameter int  Lanes     = 128,
    parameter int  Rows      = 1,
    parameter int  Bits      = 23,
    parameter int  Levels    = 8,
    parameter int  WordBits  = 8,
    parameter int  SumBits   = 34,
    localparam int LevelBits = $clog2(Levels)
) (
    input  wire logic                              clk_i,
    input  wire logic                              rst_ni,
    input  wire logic        [Levels*WordBits-1:0] words_i,
    input  wire logic                              valid_i,
    input  wire logic                              last_i,
    input  wire logic        [Lanes*LevelBits-1:0] levels_i,
    input  wire logic        [     Lanes*Bits-1:0] data_i,
    output logic                                   valid_o,
    output logic      signed [        SumBits-1:0] sum_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two, Lanes >= 1 && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(levels_power_of_two_from_2, Levels >= 2 && (Levels & (Levels - 1)) == 0)
  `AXELRAM_REQUIRE(word_bits_at_least_2, WordBits >= 2)
  `AXELRAM_REQUIRE(sum_wider_than_an_element, Bits >= 2 && SumBits > Bits + WordBits)

  localparam int Words = Levels / 2;
  localparam int NumberBits = (LevelBits > 1) ? LevelBits - 1 : 1;  // of a magnitude
  localparam int MagnitudeBits = WordBits - 1;
  localparam int TreeLevels = $clog2(Lanes);
  localparam bit SumsByMagnitude = Words * (Lanes + WordBits) < Lanes * MagnitudeBits;

  // Word m of the upper half is positive.
  logic [MagnitudeBits-1:0] magnitudes[Words];
  for (genvar m = 0; m < Words; m++) begin : g_magnitude
    assign magnitudes[m] = words_i[(Words+m)*WordBits+:MagnitudeBits];
  end
  logic unused_words;
  assign unused_words = ^words_i;

  logic [Lanes*Bits-1:0] directed;  // y_i, negated in the lower half
  logic [Lanes*NumberBits-1:0] numbers;  // of their magnitudes
  always_comb
    for (int i = 0; i < Lanes; i++) begin
      directed[i*Bits+:Bits] = levels_i[i*LevelBits+LevelBits-1] ? data_i[i*Bits+:Bits]
                                                                : -data_i[i*Bits+:Bits];
      numbers[i*NumberBits+:NumberBits] = (Words == 1) ? '0
          : levels_i[i*LevelBits+LevelBits-1] ? levels_i[i*LevelBits+:NumberBits]
                                             : ~levels_i[i*LevelBits+:NumberBits];
    end

  logic [TreeLevels+1:0] last_q;
  always_ff @(posedge clk_i) last_q <= (TreeLevels + 2)'({last_q, last_i});

  if (SumsByMagnitude) begin : g_sums
    localparam int RowSumBits = Bits + TreeLevels;
    localparam int KeySumBits = RowSumBits + $clog2(Rows);
    localparam int ProductBits = KeySumBits + WordBits;
    logic [Words-1:0] row_valid;
    logic key_valid_q, product_valid_q;
    logic last;
    logic [Words*ProductBits-1:0] products_q;
    if (TreeLevels == 0) begin : g_last
      assign last = last_i;
    end else begin : g_last
      assign last = last_q[TreeLevels-1];
    end

    for (genvar m = 0; m < Words; m++) begin : g_word
      logic [Lanes*Bits-1:0] chosen;
      always_comb
        for (int i = 0; i < Lanes; i++)
          chosen[i*Bits+:Bits] =
              (numbers[i*NumberBits+:NumberBits] == NumberBits'(m))
                  ? directed[i*Bits+:Bits] : '0;

      logic [RowSumBits-1:0] row_sum;
      axelram_adder_tree #(.Lanes(Lanes), .InBits(Bits)) u_tree (
          .clk_i, .rst_ni, .valid_i,
          .data_i (chosen),
          .valid_o(row_valid[m]),
          .sum_o  (row_sum)
      );

      logic [KeySumBits-1:0] running_q, key_sum_q, key_sum;
      assign key_sum = running_q + KeySumBits'($signed(row_sum));
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) running_q <= '0;
        else if (row_valid[m]) running_q <= last ? '0 : key_sum;
      end
      always_ff @(posedge clk_i) if (row_valid[m] && last) key_sum_q <= key_sum;
      always_ff @(posedge clk_i)
        if (key_valid_q)
          products_q[m*ProductBits+:ProductBits] <=
              ProductBits'($signed(key_sum_q)) * ProductBits'($signed({1'b0, magnitudes[m]}));
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        key_valid_q <= 1'b0;
        product_valid_q <= 1'b0;
      end else begin
        key_valid_q <= row_valid[0] && last;
        product_valid_q <= key_valid_q;
      end
    end

    localparam int TotalBits = ProductBits + LevelBits - 1;
    logic [TotalBits-1:0] total;
    axelram_adder_tree #(.Lanes(Words), .InBits(ProductBits)) u_words (
        .clk_i, .rst_ni,
        .valid_i(product_valid_q),
        .data_i (products_q),
        .valid_o,
        .sum_o  (total)
    );
    assign sum_o = SumBits'($signed(total));

    logic unused;
    assign unused = ^{last_q, row_valid, total};
  end else begin : g_products
    localparam int ProductBits = Bits + WordBits;
    localparam int RowSumBits = ProductBits + TreeLevels;
    logic product_valid_q, row_valid, sum_valid_q, last;
    logic [Lanes*ProductBits-1:0] products_q;
    logic [RowSumBits-1:0] row_sum;
    logic [SumBits-1:0] running_q, sum_q, sum;
    assign last = last_q[TreeLevels];

    always_ff @(posedge clk_i)
      if (valid_i)
        for (int i = 0; i < Lanes; i++)
          products_q[i*ProductBits+:ProductBits] <=
              ProductBits'($signed(directed[i*Bits+:Bits])) * ProductBits'(
              $signed({1'b0, magnitudes[numbers[i*NumberBits+:NumberBits]]}));

    axelram_adder_tree #(.Lanes(Lanes), .InBits(ProductBits)) u_tree (
        .clk_i, .rst_ni,
        .valid_i(product_valid_q),
        .data_i (products_q),
        .valid_o(row_valid),
        .sum_o  (row_sum)
    );

    assign sum = running_q + SumBits'($signed(row_sum));
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        product_valid_q <= 1'b0;
        sum_valid_q <= 1'b0;
        running_q <= '0;
      end else begin
        product_valid_q <= valid_i;
        sum_valid_q <= row_valid && last;
        if (row_valid) running_q <= last ? '0 : sum;
      end
    end
    always_ff @(posedge clk_i) if (row_valid && last) sum_q <= sum;

    // As late as the other form.
    axelram_pipeline #(.Bits(SumBits), .Depth(LevelBits - 1)) u_late (
        .clk_i, .rst_ni,
        .valid_i(sum_valid_q),
        .data_i (sum_q),
        .valid_o,
        .data_o (sum_o)
    );

    logic unused;
    assign unused = ^{last_q, row_sum};
  end
endmodule

`default_nettype wire

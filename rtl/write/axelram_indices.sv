/// Indices of a key for its record, and its correlation A (bit-contract.md#write-4,
/// bit-contract.md#trellis, bit-contract.md#scale).
///
///   States = 0:  rows -> quantizer -> rows of indices (Unbiased: with the norm)
///                  '---------'-> correlation
///   States > 0:  rows -> trellis -> indices one by one, the last one first
///                          '-> correlation
///
/// words_i: B_j, or the upper half of the level words; root_i, next_i: axelram_scaled_words.
/// Correlation: 0 unless Unbiased. nearest_o: rows of a quantizer.
/// Latency: axelram_quantizer and axelram_correlation, or axelram_trellis; unbiased indices of a
/// quantizer wait NormDelay cycles longer than the correlation, those of a trellis take longer by
/// themselves.
`include "axelram_macros.svh"
`default_nettype none

module axelram_indices #(
    parameter int  HeadDim         = 128,
    parameter int  Lanes           = 128,
    parameter int  Bits            = 23,
    parameter int  RootBits        = 19,
    parameter int  IndexBits       = 3,
    parameter int  States          = 0,
    parameter int  FractionBits    = 13,
    parameter int  WordBits        = 8,
    parameter int  CorrelationBits = 34,
    parameter bit  Unbiased        = 1'b0,
    parameter int  NormDelay       = 16,
    localparam int Levels          = (States > 0) ? 2 << IndexBits : 1 << IndexBits,
    localparam int Words           = (States > 0) ? 1 << IndexBits : Levels - 1,
    localparam int OutLanes        = (States > 0) ? 1 : Lanes
) (
    input  wire logic                                 clk_i,
    input  wire logic                                 rst_ni,
    input  wire logic        [          Words*20-1:0] words_i,
    input  wire logic        [   Levels*WordBits-1:0] centroids_i,
    input  wire logic        [          RootBits-1:0] root_i,
    input  wire logic                                 next_i,
    input  wire logic                                 valid_i,
    input  wire logic        [        Lanes*Bits-1:0] data_i,
    output logic             [   Lanes*IndexBits-1:0] nearest_o,
    output logic                                      correlation_valid_o,
    output logic      signed [   CorrelationBits-1:0] correlation_o,
    output logic                                      valid_o,
    output logic                                      first_o,
    output logic                                      last_o,
    output logic             [OutLanes*IndexBits-1:0] indices_o
);
  localparam int Rows = HeadDim / Lanes;

  if (States > 0) begin : g_trellis
    logic best_valid;
    logic [31:0] best_cost;
    logic [IndexBits:0] level;
    axelram_trellis #(
        .HeadDim(HeadDim), .Lanes(Lanes), .Bits(Bits), .RootBits(RootBits), .IndexBits(IndexBits),
        .States(States), .FractionBits(FractionBits), .WordBits(WordBits),
        .CorrelationBits(CorrelationBits), .Unbiased(Unbiased)
    ) u_trellis (
        .clk_i, .rst_ni, .words_i, .centroids_i, .root_i, .next_i, .valid_i, .data_i,
        .best_valid_o      (best_valid),
        .best_cost_o       (best_cost),
        .best_correlation_o(correlation_o),
        .valid_o, .last_o,
        .index_o           (indices_o),
        .level_o           (level)
    );
    assign correlation_valid_o = Unbiased && best_valid;
    assign first_o = 1'b0;
    assign nearest_o = '0;
    logic unused;
    assign unused = ^{best_cost, level};
  end else begin : g_nearest
    logic nearest_valid, nearest_first, nearest_last;
    logic [Lanes*IndexBits-1:0] nearest;
    assign nearest_o = nearest;
    axelram_quantizer #(
        .Lanes(Lanes), .Rows(Rows), .Bits(Bits), .RootBits(RootBits), .IndexBits(IndexBits),
        .FractionBits(FractionBits)
    ) u_quantizer (
        .clk_i, .rst_ni,
        .boundaries_i(words_i),
        .root_i, .next_i, .valid_i, .data_i,
        .valid_o     (nearest_valid),
        .first_o     (nearest_first),
        .last_o      (nearest_last),
        .indices_o   (nearest)
    );

    if (Unbiased) begin : g_correlation
      logic [Lanes*Bits-1:0] data_q;
      always_ff @(posedge clk_i) if (valid_i) data_q <= data_i;
      axelram_correlation #(
          .Lanes(Lanes), .Rows(Rows), .Bits(Bits), .Levels(Levels), .WordBits(WordBits),
          .SumBits(CorrelationBits)
      ) u_correlation (
          .clk_i, .rst_ni,
          .words_i (centroids_i),
          .valid_i (nearest_valid),
          .last_i  (nearest_last),
          .levels_i(nearest),
          .data_i  (data_q),
          .valid_o (correlation_valid_o),
          .sum_o   (correlation_o)
      );

      // The indices of the last row leave with the norm.
      logic unused_next, unused_next_tag, unused_tag;
      axelram_row_delay #(
          .Bits (Lanes * IndexBits + 1),
          .Depth($clog2(Lanes) + IndexBits + 1 + NormDelay)
      ) u_delay (
          .clk_i, .rst_ni,
          .valid_i   (nearest_valid),
          .tag_i     (1'b0),
          .data_i    ({nearest_last, nearest}),
          .next_o    (unused_next),
          .next_tag_o(unused_next_tag),
          .valid_o,
          .tag_o     (unused_tag),
          .data_o    ({last_o, indices_o})
      );
      assign first_o = 1'b0;
      logic unused;
      assign unused = ^{nearest_first, unused_next, unused_next_tag, unused_tag};
    end else begin : g_no_correlation
      assign {valid_o, first_o, last_o} = {nearest_valid, nearest_first, nearest_last};
      assign indices_o = nearest;
      assign {correlation_valid_o, correlation_o} = '0;
      logic unused;
      assign unused = ^centroids_i;
    end
  end
endmodule

`default_nettype wire

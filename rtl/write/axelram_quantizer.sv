/// Indices (bit-contract.md#write-4; references.md#axelram, section III-A):
///   index_i = number of j with y_i > T_j, the thresholds of axelram_scaled_words.
///
/// Lanes * (2^b - 1) comparators (896 at d = 128, b = 3). An index is the number of comparators
/// that are true. root_i and next_i: axelram_scaled_words.
/// Widths: B_j 20 bits signed, T_j 32 bits signed, y_i Bits signed.
/// Latency: 1 cycle from a row to its indices. Thresholds are valid with the first row.
`include "axelram_macros.svh"
`default_nettype none

module axelram_quantizer #(
    parameter int  Lanes        = 128,
    parameter int  Rows         = 1,
    parameter int  Bits         = 23,
    parameter int  RootBits     = 19,
    parameter int  IndexBits    = 3,
    parameter int  FractionBits = 13,
    localparam int Boundaries   = (1 << IndexBits) - 1
) (
    input  wire logic                       clk_i,
    input  wire logic                       rst_ni,
    input  wire logic [  Boundaries*20-1:0] boundaries_i,
    input  wire logic [       RootBits-1:0] root_i,
    input  wire logic                       next_i,
    input  wire logic                       valid_i,
    input  wire logic [     Lanes*Bits-1:0] data_i,
    output logic                            valid_o,
    output logic                            first_o,
    output logic                            last_o,
    output logic      [Lanes*IndexBits-1:0] indices_o
);
  `AXELRAM_REQUIRE(index_bits_in_1_to_4, IndexBits >= 1 && IndexBits <= 4)
  `AXELRAM_REQUIRE(elements_of_32_bits_or_less, Bits >= 1 && Bits <= 32)
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)

  logic row_first, row_last;
  logic [Boundaries*32-1:0] thresholds;
  axelram_scaled_words #(
      .Words(Boundaries),
      .Rows(Rows), .RootBits(RootBits), .FractionBits(FractionBits)
  ) u_thresholds (
      .clk_i, .rst_ni,
      .words_i (boundaries_i),
      .root_i, .next_i,
      .first_o (row_first),
      .last_o  (row_last),
      .scaled_o(thresholds)
  );

  function automatic logic [IndexBits-1:0] index(input logic signed [Bits-1:0] element,
                                                 input logic [Boundaries*32-1:0] limits);
    index = '0;
    for (int j = 0; j < Boundaries; j++)
      index = index + IndexBits'(32'(element) > $signed(limits[j*32+:32]));
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      first_o <= row_first;
      last_o  <= row_last;
      for (int i = 0; i < Lanes; i++)
        indices_o[i*IndexBits+:IndexBits] <= index($signed(data_i[i*Bits+:Bits]), thresholds);
    end

`ifdef AXELRAM_COVERS
  // Elements that equal a threshold: {another one, threshold 0}.
  logic [1:0] ties;
  always_comb begin
    ties = '0;
    for (int j = 0; j < Boundaries; j++)
      for (int i = 0; i < Lanes; i++)
        if (32'($signed(data_i[i*Bits+:Bits])) == $signed(thresholds[j*32+:32]))
          ties = ties | ((thresholds[j*32+:32] == '0) ? 2'd1 : 2'd2);
  end
`endif
  `AXELRAM_COVER(key_tie_on_the_middle_boundary, valid_i && ties[0])
  `AXELRAM_COVER(key_tie_on_another_boundary, valid_i && ties[1])
endmodule

`default_nettype wire

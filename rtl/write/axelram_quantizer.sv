/// Thresholds and indices (bit-contract.md#write-4; references.md#axelram, section III-A):
///   T_j = floor(B_j * N / 2^F);  index_i = number of j with y_i > T_j.
///
/// A key takes 2^b - 1 multiplications by ROM constants, which the paper omits, and
/// Lanes * (2^b - 1) comparators (896 at d = 128, b = 3). An index is the number of comparators that
/// are true. root_i must hold while next_i is high for the first row of a key, which loads the
/// thresholds.
/// Widths: B_j 20 bits signed, T_j 32 bits signed, y_i Bits signed.
/// Latency: 1 cycle from a row to its indices. Thresholds are valid with the first row.
`include "axelram_macros.svh"
`default_nettype none

module axelram_quantizer #(
    parameter int Lanes = 128,
    parameter int Rows = 1,
    parameter int Bits = 23,
    parameter int RootBits = 19,
    parameter int IndexBits = 3,
    parameter int FractionBits = 13,
    localparam int Boundaries = (1 << IndexBits) - 1
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
  `AXELRAM_REQUIRE(index_bits_in_2_to_4, IndexBits >= 2 && IndexBits <= 4)
  `AXELRAM_REQUIRE(fraction_bits_in_10_to_16, FractionBits >= 10 && FractionBits <= 16)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(elements_of_32_bits_or_less, Bits >= 1 && Bits <= 32)
  `AXELRAM_REQUIRE(root_bits_at_least_2, RootBits >= 2)
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)

  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int LowBits = RootBits / 2;
  localparam int HighBits = RootBits - LowBits;
  localparam int LowProductBits = 20 + LowBits + 1;
  localparam int HighProductBits = 20 + HighBits + 1;
  localparam int ProductBits = 20 + RootBits + 1;

  logic [RowBits-1:0] next_row_q;
  logic load, products_valid_q, thresholds_valid_q, last_q;
  logic [Boundaries*32-1:0] thresholds_q;
  assign load = next_i && next_row_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_row_q <= '0;
      products_valid_q <= 1'b0;
      thresholds_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (next_i) next_row_q <= (next_row_q == RowBits'(Rows - 1)) ? '0 : next_row_q + 1'b1;
      products_valid_q <= load;
      thresholds_valid_q <= products_valid_q;
      valid_o <= valid_i;
    end
  end
  always_ff @(posedge clk_i) last_q <= next_row_q == '0;  // next_row_q already counts the row after

  for (genvar j = 0; j < Boundaries; j++) begin : g_threshold
    logic signed [19:0] boundary;
    logic signed [LowProductBits-1:0] low_q;
    logic signed [HighProductBits-1:0] high_q;
    logic signed [ProductBits-1:0] product;
    assign boundary = $signed(boundaries_i[j*20+:20]);
    always_ff @(posedge clk_i)
      if (load) begin
        low_q  <= LowProductBits'(boundary) * LowProductBits'($signed({1'b0, root_i[LowBits-1:0]}));
        high_q <= HighProductBits'(boundary) *
            HighProductBits'($signed({1'b0, root_i[RootBits-1:LowBits]}));
      end
    assign product = ProductBits'(low_q) + $signed({high_q, LowBits'(0)});
    always_ff @(posedge clk_i)
      if (products_valid_q) thresholds_q[j*32+:32] <= 32'(product >>> FractionBits);
  end

  function automatic logic [IndexBits-1:0] index(input logic signed [Bits-1:0] element,
                                                 input logic [Boundaries*32-1:0] thresholds);
    index = '0;
    for (int j = 0; j < Boundaries; j++)
      index = index + IndexBits'(32'(element) > $signed(thresholds[j*32+:32]));
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i) begin
      first_o <= thresholds_valid_q;
      last_o  <= last_q;
      for (int i = 0; i < Lanes; i++)
        indices_o[i*IndexBits+:IndexBits] <= index($signed(data_i[i*Bits+:Bits]), thresholds_q);
    end

`ifdef AXELRAM_COVERS
  // Elements that equal a threshold: {another one, threshold 0}.
  logic [1:0] ties;
  always_comb begin
    ties = '0;
    for (int j = 0; j < Boundaries; j++)
      for (int i = 0; i < Lanes; i++)
        if (32'($signed(data_i[i*Bits+:Bits])) == $signed(thresholds_q[j*32+:32]))
          ties = ties | ((thresholds_q[j*32+:32] == '0) ? 2'd1 : 2'd2);
  end
`endif
  `AXELRAM_COVER(key_equal_to_the_center, load && root_i == '0)
  `AXELRAM_COVER(key_tie_on_the_middle_boundary, valid_i && ties[0])
  `AXELRAM_COVER(key_tie_on_another_boundary, valid_i && ties[1])
endmodule

`default_nettype wire

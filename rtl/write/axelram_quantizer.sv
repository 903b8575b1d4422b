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
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int ProductBits = 20 + RootBits + 1;

  logic [RowBits-1:0] next_row_q;
  logic load, thresholds_valid_q;
  logic [Boundaries*32-1:0] thresholds_q;
  assign load = next_i && next_row_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_row_q <= '0;
      thresholds_valid_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      if (next_i) next_row_q <= (next_row_q == RowBits'(Rows - 1)) ? '0 : next_row_q + 1'b1;
      thresholds_valid_q <= load;
      valid_o <= valid_i;
    end
  end

  always_ff @(posedge clk_i)
    if (load)
      for (int j = 0; j < Boundaries; j++)
        thresholds_q[j*32+:32] <= 32'((ProductBits'($signed(boundaries_i[j*20+:20])) *
            $signed(ProductBits'(root_i))) >>> FractionBits);

  function automatic logic [IndexBits-1:0] index(input logic signed [Bits-1:0] element,
                                                 input logic [Boundaries*32-1:0] thresholds);
    index = '0;
    for (int j = 0; j < Boundaries; j++)
      index = index + IndexBits'(32'(element) > $signed(thresholds[j*32+:32]));
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i) begin
      first_o <= thresholds_valid_q;
      last_o  <= next_row_q == '0;  // already counts the row after this one
      for (int i = 0; i < Lanes; i++)
        indices_o[i*IndexBits+:IndexBits] <= index($signed(data_i[i*Bits+:Bits]), thresholds_q);
    end
endmodule

`default_nettype wire

/// Levels of row row_i of a record, or of a part of it: its indices, or with States > 0 what
/// axelram_level makes of them and of the indices in front of the row (bit-contract.md#trellis).
///
/// indices_i: all indices of the part, element i at bits i * IndexBits. Combinational.
`include "axelram_macros.svh"
`default_nettype none

module axelram_row_levels #(
    parameter int  HeadDim   = 128,
    parameter int  ReadLanes = 128,
    parameter int  IndexBits = 3,
    parameter int  States    = 0,
    localparam int LevelBits = (States > 0) ? IndexBits + 1 : IndexBits,
    localparam int Rows      = HeadDim / ReadLanes,
    localparam int RowBits   = (Rows > 1) ? $clog2(Rows) : 1
) (
    input  wire logic [            RowBits-1:0] row_i,
    input  wire logic [  HeadDim*IndexBits-1:0] indices_i,
    output logic      [ReadLanes*LevelBits-1:0] levels_o
);
  `AXELRAM_REQUIRE(read_lanes_divide_head_dim,
                   ReadLanes >= 1 && HeadDim >= ReadLanes && HeadDim % ReadLanes == 0)

  // An array, because a part select at row_i * ReadLanes * IndexBits takes a multiplier in some
  // tools.
  logic [ReadLanes*IndexBits-1:0] indices_of_row[Rows];
  logic [ReadLanes*IndexBits-1:0] indices;
  for (genvar r = 0; r < Rows; r++) begin : g_indices
    assign indices_of_row[r] = indices_i[r*ReadLanes*IndexBits+:ReadLanes*IndexBits];
  end
  assign indices = indices_of_row[row_i];
  if (States > 0) begin : g_level
    // The lowest bits of the four indices in front of the row.
    logic [3:0] earlier;
    for (genvar p = 0; p < 4; p++) begin : g_earlier
      logic [Rows-1:0] fronts;
      for (genvar r = 0; r < Rows; r++) begin : g_row
        localparam int Front = r * ReadLanes - 1 - p;
        assign fronts[r] = (Front < 0) ? 1'b0 : indices_i[((Front < 0) ? 0 : Front)*IndexBits];
      end
      assign earlier[p] = fronts[row_i];
    end
    axelram_level #(.Lanes(ReadLanes), .IndexBits(IndexBits), .States(States)) u_level (
        .indices_i(indices),
        .earlier_i(earlier),
        .levels_o
    );
  end else begin : g_level
    assign levels_o = indices;
  end
endmodule

`default_nettype wire

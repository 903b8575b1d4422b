/// Products of a key, or of a part of its elements (bit-contract.md#read-3): indices of row row_i
/// become levels (axelram_row_levels), and levels products.
///
/// ScoreLane selects what makes the products: 0 the table of axelram_score_table, 1 its half table,
/// 2 axelram_score_multiplier. All have the same products and the same latency. Latches:
/// axelram_score_table.
///
/// indices_i: all indices of the part. load_i to valid_i, and copy_*: axelram_score_table.
/// Latency: 1 cycle from a row to its products.
`include "axelram_macros.svh"
`default_nettype none

module axelram_lookup #(
    parameter int  HeadDim      = 128,
    parameter int  LoadLanes    = 128,
    parameter int  ReadLanes    = 128,
    parameter int  IndexBits    = 3,
    parameter int  States       = 0,
    parameter int  QueryBits    = 8,
    parameter int  CentroidBits = 8,
    parameter int  ScoreLane    = 0,
    parameter bit  Latches      = 1'b0,
    parameter int  Multipliers  = 8,
    parameter int  CopyLanes    = 0,
    parameter int  CopyBits     = 16,
    localparam int CopyPorts    = (CopyLanes > 0) ? CopyLanes : 1,
    localparam int LevelBits    = (States > 0) ? IndexBits + 1 : IndexBits,
    localparam int Levels       = 1 << LevelBits,
    localparam int EntryBits    = QueryBits + CentroidBits,
    localparam int ReadRows     = HeadDim / ReadLanes,
    localparam int ReadRowBits  = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                                      clk_i,
    input  wire logic                                      rst_ni,
    input  wire logic [           Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                                      load_i,
    input  wire logic [           LoadLanes*QueryBits-1:0] query_i,
    input  wire logic                                      build_i,
    output logic                                           done_o,
    input  wire logic                                      valid_i,
    input  wire logic [                   ReadRowBits-1:0] row_i,
    input  wire logic [             HeadDim*IndexBits-1:0] indices_i,
    output logic      [           ReadLanes*EntryBits-1:0] products_o,
    input  wire logic                                      copy_i,
    input  wire logic [            CopyPorts*CopyBits-1:0] copy_elements_i,
    output logic      [CopyPorts*(QueryBits+CopyBits)-1:0] copy_products_o
);
  `AXELRAM_REQUIRE(read_lanes_divide_head_dim,
                   ReadLanes >= 1 && HeadDim >= ReadLanes && HeadDim % ReadLanes == 0)
  `AXELRAM_REQUIRE(score_lane_in_0_to_2, ScoreLane >= 0 && ScoreLane <= 2)
  `AXELRAM_REQUIRE(copies_have_a_table, ScoreLane != 2 || CopyLanes == 0)

  logic [ReadLanes*LevelBits-1:0] levels;
  axelram_row_levels #(
      .HeadDim(HeadDim), .ReadLanes(ReadLanes), .IndexBits(IndexBits), .States(States)
  ) u_row_levels (
      .row_i, .indices_i,
      .levels_o(levels)
  );

  if (ScoreLane == 2) begin : g_lane
    axelram_score_multiplier #(
        .HeadDim(HeadDim), .LoadLanes(LoadLanes), .ReadLanes(ReadLanes), .LevelBits(LevelBits),
        .QueryBits(QueryBits), .CentroidBits(CentroidBits)
    ) u_score_multiplier (
        .clk_i, .rst_ni, .centroids_i, .load_i, .query_i, .build_i, .done_o, .valid_i, .row_i,
        .levels_i(levels),
        .products_o
    );
    assign copy_products_o = '0;
    logic unused;
    assign unused = copy_i ^ (^copy_elements_i);
  end else begin : g_lane
    axelram_score_table #(
        .HeadDim(HeadDim), .LoadLanes(LoadLanes), .ReadLanes(ReadLanes), .LevelBits(LevelBits),
        .Half(ScoreLane == 1),
        .Latches(Latches), .QueryBits(QueryBits), .CentroidBits(CentroidBits),
        .Multipliers(Multipliers), .CopyLanes(CopyLanes), .CopyBits(CopyBits)
    ) u_score_table (
        .clk_i, .rst_ni, .centroids_i, .load_i, .query_i, .build_i, .done_o, .valid_i, .row_i,
        .levels_i(levels),
        .products_o, .copy_i, .copy_elements_i, .copy_products_o
    );
  end
endmodule

`default_nettype wire

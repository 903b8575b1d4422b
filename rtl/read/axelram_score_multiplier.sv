/// Products of a key without a table: product i is u_i * C[idx_i], multiplied where it is needed
/// (bit-contract.md#read-3, bit-contract.md#integer-dot-product). It takes the place of
/// axelram_score_table and has its ports for queries and rows.
///
/// Load: rows of LoadLanes elements u, element 0 first, fill the query buffer. Nothing is built:
/// done_o is high in the first cycle of build_i. Product: lane i of row r multiplies element
/// ReadLanes*r + i by the centroid word that levels_i selects, by a multiplexer of 2^LevelBits
/// words and a multiplier of its own.
/// Widths: u QueryBits, C CentroidBits, products the sum of both, signed, exact.
/// Latency: 1 cycle from a row to its products. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_score_multiplier #(
    parameter int  HeadDim      = 128,
    parameter int  LoadLanes    = 128,
    parameter int  ReadLanes    = 128,
    parameter int  LevelBits    = 3,
    parameter int  QueryBits    = 8,
    parameter int  CentroidBits = 8,
    localparam int Levels       = 1 << LevelBits,
    localparam int EntryBits    = QueryBits + CentroidBits,
    localparam int Rows         = HeadDim / ReadLanes,
    localparam int RowBits      = (Rows > 1) ? $clog2(Rows) : 1
) (
    input  wire logic                           clk_i,
    input  wire logic                           rst_ni,
    input  wire logic [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                           load_i,
    input  wire logic [LoadLanes*QueryBits-1:0] query_i,
    input  wire logic                           build_i,
    output logic                                done_o,
    input  wire logic                           valid_i,
    input  wire logic [            RowBits-1:0] row_i,
    input  wire logic [ReadLanes*LevelBits-1:0] levels_i,
    output logic      [ReadLanes*EntryBits-1:0] products_o
);
  `AXELRAM_REQUIRE(level_bits_in_1_to_5, LevelBits >= 1 && LevelBits <= 5)
  `AXELRAM_REQUIRE(read_lanes_divide_head_dim,
                   ReadLanes >= 1 && HeadDim >= ReadLanes && HeadDim % ReadLanes == 0)
  `AXELRAM_REQUIRE(load_lanes_divide_head_dim,
                   LoadLanes >= 1 && HeadDim >= LoadLanes && HeadDim % LoadLanes == 0)
  `AXELRAM_REQUIRE(query_bits_in_6_to_16, QueryBits >= 6 && QueryBits <= 16)
  `AXELRAM_REQUIRE(centroid_bits_in_6_to_16, CentroidBits >= 6 && CentroidBits <= 16)

  // Only assertions need the reset.
  logic unused;
  assign unused = rst_ni;

  assign done_o = build_i;

  // Query buffer: elements enter at the top and stay until the next query.
  localparam int BufferBits = HeadDim * QueryBits;
  logic [BufferBits-1:0] buffer_q;
  always_ff @(posedge clk_i)
    if (load_i) buffer_q <= BufferBits'({query_i, buffer_q} >> (LoadLanes * QueryBits));

  // Arrays, because a part select at a multiple of a width takes a multiplier in some tools.
  logic [ReadLanes*QueryBits-1:0] elements_of_row[Rows];
  logic [ReadLanes*QueryBits-1:0] elements;
  for (genvar r = 0; r < Rows; r++) begin : g_elements
    assign elements_of_row[r] = buffer_q[r*ReadLanes*QueryBits+:ReadLanes*QueryBits];
  end
  assign elements = elements_of_row[row_i];
  logic [CentroidBits-1:0] words[Levels];
  for (genvar j = 0; j < Levels; j++) begin : g_word
    assign words[j] = centroids_i[j*CentroidBits+:CentroidBits];
  end

  for (genvar i = 0; i < ReadLanes; i++) begin : g_lane
    logic signed [QueryBits-1:0] element;
    logic signed [CentroidBits-1:0] word;
    logic [EntryBits-1:0] product_of_lane_q;
    assign element = elements[i*QueryBits+:QueryBits];
    assign word = words[levels_i[i*LevelBits+:LevelBits]];
    always_ff @(posedge clk_i)
      if (valid_i) product_of_lane_q <= EntryBits'(element) * EntryBits'(word);
    assign products_o[i*EntryBits+:EntryBits] = product_of_lane_q;
  end

  `AXELRAM_ASSERT(not_read_while_built, valid_i |-> !load_i && !build_i)
  `AXELRAM_ASSERT(load_before_build, load_i |-> !build_i)
endmodule

`default_nettype wire

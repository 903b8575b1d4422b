/// Scores of records (bit-contract.md#read-3, bit-contract.md#read-4; references.md#axelram, section
/// III-B): table of the query, ReadLanes lookups per cycle, their sum, and the product of the sum and
/// the norm.
///
/// States > 0: levels of axelram_level are looked up in place of indices.
/// load_i, build_i and copy_*: see axelram_score_table. copy_take_o, copy_acc_i and copy_exponent_i: see
/// axelram_score. valid_i: row row_i of record_i is looked up, or, with copied_i, passed over. last_i and
/// last_key_i mark the last row of a key and of the last key of a query. saturated_o: the score was
/// clamped to +-FLT_MAX. Nothing stalls.
/// Latency: from the first row of a key to its score HeadDim/ReadLanes + log2(ReadLanes) + 5 cycles.
`include "axelram_macros.svh"
`default_nettype none

module axelram_read_path #(
    parameter int HeadDim = 128,
    parameter int LoadLanes = 128,
    parameter int ReadLanes = 128,
    parameter int IndexBits = 3,
    parameter int States = 0,
    parameter int QueryBits = 8,
    parameter int CentroidBits = 8,
    parameter int Multipliers = 8,
    parameter int CopyLanes = 0,
    parameter int CopyBits = 16,
    localparam int CopyPorts = (CopyLanes > 0) ? CopyLanes : 1,
    localparam int CopyProductBits = QueryBits + CopyBits,
    localparam int CopyAccBits = (CopyLanes > 0) ? CopyProductBits - 1 + $clog2(HeadDim) : 1,
    localparam int LevelBits = (States > 0) ? IndexBits + 1 : IndexBits,
    localparam int Levels = 1 << LevelBits,
    localparam int EntryBits = QueryBits + CentroidBits,
    localparam int RecordBits = HeadDim * IndexBits + 16,
    localparam int ReadRows = HeadDim / ReadLanes,
    localparam int ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                                  load_i,
    input  wire logic        [LoadLanes*QueryBits-1:0] query_i,
    input  wire logic signed [                   11:0] exponent_i,
    input  wire logic                                  build_i,
    output logic                                       built_o,
    input  wire logic                                  valid_i,
    input  wire logic        [        ReadRowBits-1:0] row_i,
    input  wire logic                                  last_i,
    input  wire logic                                  last_key_i,
    input  wire logic                                  copied_i,
    input  wire logic        [         RecordBits-1:0] record_i,
    input  wire logic                                  copy_i,
    input  wire logic        [CopyPorts*CopyBits-1:0] copy_elements_i,
    output logic             [CopyPorts*CopyProductBits-1:0] copy_products_o,
    output logic                                       copy_take_o,
    input  wire logic signed [CopyAccBits-1:0] copy_acc_i,
    input  wire logic signed [11:0] copy_exponent_i,
    output logic                                       valid_o,
    output logic                                       last_key_o,
    output logic                                       saturated_o,
    output logic             [                   31:0] score_o
);
  `AXELRAM_REQUIRE(read_lanes_divide_head_dim,
                   ReadLanes >= 1 && HeadDim >= ReadLanes && HeadDim % ReadLanes == 0)

  logic [ReadLanes*IndexBits-1:0] indices;
  logic [ReadLanes*LevelBits-1:0] levels;
  logic [ReadLanes*EntryBits-1:0] products;
  assign indices = (ReadLanes * IndexBits)'(record_i >> (32'(row_i) * ReadLanes * IndexBits));
  if (States > 0) begin : g_level
    // The lowest bits of the four indices in front of the row.
    logic [3:0] earlier;
    for (genvar p = 0; p < 4; p++) begin : g_earlier
      logic [ReadRows-1:0] fronts;
      for (genvar r = 0; r < ReadRows; r++) begin : g_row
        localparam int Front = r * ReadLanes - 1 - p;
        assign fronts[r] = (Front < 0) ? 1'b0 : record_i[((Front < 0) ? 0 : Front)*IndexBits];
      end
      assign earlier[p] = fronts[row_i];
    end
    axelram_level #(
        .Lanes    (ReadLanes),
        .IndexBits(IndexBits),
        .States   (States)
    ) u_level (
        .indices_i(indices),
        .earlier_i(earlier),
        .levels_o (levels)
    );
  end else begin : g_level
    assign levels = indices;
  end

  axelram_score_table #(
      .HeadDim     (HeadDim),
      .LoadLanes   (LoadLanes),
      .ReadLanes   (ReadLanes),
      .LevelBits   (LevelBits),
      .QueryBits   (QueryBits),
      .CentroidBits(CentroidBits),
      .Multipliers (Multipliers),
      .CopyLanes   (CopyLanes),
      .CopyBits    (CopyBits)
  ) u_score_table (
      .clk_i,
      .rst_ni,
      .centroids_i,
      .load_i,
      .query_i,
      .build_i,
      .done_o    (built_o),
      .valid_i   (valid_i && !copied_i),
      .row_i,
      .levels_i  (levels),
      .products_o(products),
      .copy_i,
      .copy_elements_i,
      .copy_products_o
  );

  logic products_valid_q, products_last_q, products_last_key_q, copied_q;
  logic [15:0] products_norm_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {products_valid_q, copied_q} <= '0;
    else {products_valid_q, copied_q} <= {valid_i && !copied_i, valid_i && copied_i && last_i};
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      products_last_q <= last_i;
      products_last_key_q <= last_key_i;
      products_norm_q <= record_i[RecordBits-1-:16];
    end

  axelram_score #(
      .HeadDim  (HeadDim),
      .ReadLanes(ReadLanes),
      .EntryBits(EntryBits),
      .CopyAccBits(CopyAccBits)
  ) u_score (
      .clk_i,
      .rst_ni,
      .valid_i    (products_valid_q),
      .last_i     (products_last_q),
      .last_key_i (products_last_key_q),
      .copied_i   (copied_q),
      .norm_i     (products_norm_q),
      .products_i (products),
      .exponent_i,
      .copy_take_o,
      .copy_acc_i,
      .copy_exponent_i,
      .valid_o,
      .last_key_o,
      .saturated_o,
      .score_o
  );

  `AXELRAM_KNOWN(valids_known, {built_o, valid_o})
endmodule

`default_nettype wire

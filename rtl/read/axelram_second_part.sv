/// Second part of a record under a query, beside the first (bit-contract.md#two-parts).
///
///   SplitBits > 0:  indices -> lookup -> accumulate -> acc of sub-vector 1
///   otherwise:      signs of a residual -> sign_sum -> acc2
///
/// Its table, or the total of v, is built beside the table of the first part: table_build_o goes to
/// that, until table_done_i; built_o is high in the last cycle of both. row_i to last_i:
/// axelram_read_path. part_i: the second part, without its norm.
/// Latency: 2 + log2(Lanes) cycles from the last row of a key, Lanes of this part.
`include "axelram_macros.svh"
`default_nettype none

module axelram_second_part #(
    parameter int  HeadDim      = 128,
    parameter int  LoadLanes    = 128,
    parameter int  ReadLanes    = 128,
    parameter int  SplitBits    = 0,
    parameter int  States       = 0,
    parameter int  QueryBits    = 8,
    parameter int  CentroidBits = 8,
    parameter int  ScoreLane    = 0,
    parameter bit  Latches      = 1'b0,
    parameter int  Multipliers  = 8,
    localparam bit Split        = SplitBits > 0,
    localparam int Levels       = Split ? axelram_sizes::levels(SplitBits, States) : 1,
    localparam int PartBits     = Split ? HeadDim * SplitBits : HeadDim,
    localparam int SumBits      = QueryBits + $clog2(HeadDim) + (Split ? CentroidBits - 1 : 0),
    localparam int ReadRows     = HeadDim / ReadLanes,
    localparam int ReadRowBits  = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                                  load_i,
    input  wire logic        [LoadLanes*QueryBits-1:0] query_i,
    input  wire logic                                  build_i,
    output logic                                       table_build_o,
    input  wire logic                                  table_done_i,
    output logic                                       built_o,
    input  wire logic                                  valid_i,
    input  wire logic        [        ReadRowBits-1:0] row_i,
    input  wire logic                                  last_i,
    input  wire logic        [           PartBits-1:0] part_i,
    output logic                                       valid_o,
    output logic      signed [            SumBits-1:0] acc_o
);
  `AXELRAM_REQUIRE(split_bits_in_0_to_4, SplitBits >= 0 && SplitBits <= 4)

  // Both are built side by side. The one that is done waits for the other.
  logic done, done_q, table_done_q, build;
  assign table_build_o = build_i && !table_done_q;
  assign build = build_i && !done_q;
  assign built_o = build_i && (table_done_i || table_done_q) && (done || done_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {table_done_q, done_q} <= '0;
    else begin
      table_done_q <= build_i && !built_o && (table_done_q || table_done_i);
      done_q <= build_i && !built_o && (done_q || done);
    end
  end

  if (Split) begin : g_lookup
    localparam int EntryBits = QueryBits + CentroidBits;
    logic products_valid_q, products_last_q, unused_tag;
    logic [ReadLanes*EntryBits-1:0] products;
    logic [QueryBits+15:0] unused_copy;
    axelram_lookup #(
        .HeadDim(HeadDim), .LoadLanes(LoadLanes), .ReadLanes(ReadLanes),
        .IndexBits(SplitBits),
        .States(States), .QueryBits(QueryBits), .CentroidBits(CentroidBits), .ScoreLane(ScoreLane),
        .Latches(Latches), .Multipliers(Multipliers)
    ) u_second_lookup (
        .clk_i, .rst_ni, .centroids_i, .load_i, .query_i,
        .build_i        (build),
        .done_o         (done),
        .valid_i, .row_i,
        .indices_i      (part_i),
        .products_o     (products),
        .copy_i         (1'b0),
        .copy_elements_i(16'd0),
        .copy_products_o(unused_copy)
    );
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) products_valid_q <= 1'b0;
      else products_valid_q <= valid_i;
    end
    always_ff @(posedge clk_i) if (valid_i) products_last_q <= last_i;
    axelram_accumulate #(
        .HeadDim(HeadDim), .ReadLanes(ReadLanes), .EntryBits(EntryBits),
        .TagBits(1)
    ) u_accumulate (
        .clk_i, .rst_ni,
        .valid_i   (products_valid_q),
        .last_i    (products_last_q),
        .pass_i    (1'b0),
        .tag_i     (1'b0),
        .products_i(products),
        .valid_o,
        .tag_o     (unused_tag),
        .acc_o
    );
    logic unused;
    assign unused = unused_tag ^ (^unused_copy);
  end else begin : g_signs
    axelram_sign_sum #(
        .HeadDim(HeadDim), .LoadLanes(LoadLanes), .ReadLanes(ReadLanes), .QueryBits(QueryBits)
    ) u_sign_sum (
        .clk_i, .rst_ni, .load_i, .query_i,
        .build_i(build),
        .done_o (done),
        .valid_i, .row_i, .last_i,
        .signs_i(part_i[32'(row_i)*ReadLanes+:ReadLanes]),
        .valid_o,
        .sum_o  (acc_o)
    );
    logic unused;
    assign unused = ^centroids_i;
  end
endmodule

`default_nettype wire

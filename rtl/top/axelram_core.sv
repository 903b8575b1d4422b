/// The arithmetic of the macro: vectors become records or a rotated query, and records become scores
/// under that query (references.md#axelram, figure 2). It holds no key and never stalls.
///
///   beats -> write_path -> record      record -> read_path -> score
///                '--------- query --------------^
///
/// Beats and ROM contents: axelram_write_path, beat_* being its stream. record_valid_o, record_o and
/// rejected_o: a key's record, or none. loaded_o: the last row of a query is in the table; build_i and
/// built_o: axelram_score_table. lookup_*_i: row lookup_row_i of read_record_i is looked up
/// (axelram_read_path), score_o and score_*_o: the score of a key.
/// Latency: from the last beat to record_valid_o or loaded_o as axelram_write_path, from the first row
/// of a lookup to score_valid_o as axelram_read_path.
`include "axelram_macros.svh"
`default_nettype none

module axelram_core #(
    parameter int HeadDim = 128,
    parameter int KeyLanes = 128,
    parameter int ReadLanes = 128,
    parameter int Multipliers = 8,
    parameter int IndexBits = 3,
    parameter int SigBits = 16,
    parameter int FractionBits = 13,
    parameter int QueryBits = 8,
    parameter int CentroidBits = 8,
    parameter int ExpBits = 5,
    parameter bit Unbiased = 1'b0,
    parameter bit Center = 1'b0,
    parameter int CenterExponent = 1,
    localparam int Levels = 1 << IndexBits,
    localparam int Boundaries = Levels - 1,
    localparam int RecordBits = HeadDim * IndexBits + 16,
    localparam int RowBits = (HeadDim > KeyLanes) ? $clog2(HeadDim / KeyLanes) : 1,
    localparam int ReadRowBits = (HeadDim > ReadLanes) ? $clog2(HeadDim / ReadLanes) : 1
) (
    input  wire logic                           clk_i,
    input  wire logic                           rst_ni,
    // ROM contents, constant.
    input  wire logic [            HeadDim-1:0] signs_i,
    input  wire logic [      Boundaries*20-1:0] boundaries_i,
    input  wire logic [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic [         HeadDim*16-1:0] center_i,
    // Vector to record, or to rotated query.
    input  wire logic                           beat_i,
    input  wire logic                           beat_last_i,
    input  wire logic                           beat_query_i,
    input  wire logic [            RowBits-1:0] beat_row_i,
    input  wire logic [        KeyLanes*16-1:0] beat_data_i,
    output logic                                rejected_o,
    output logic                                rejected_query_o,
    output logic                                record_valid_o,
    output logic                                record_saturated_o,
    output logic      [         RecordBits-1:0] record_o,
    output logic                                loaded_o,
    // Table and record to score.
    input  wire logic                           build_i,
    output logic                                built_o,
    input  wire logic                           lookup_i,
    input  wire logic [        ReadRowBits-1:0] lookup_row_i,
    input  wire logic                           lookup_last_i,
    input  wire logic                           lookup_last_key_i,
    input  wire logic [         RecordBits-1:0] read_record_i,
    output logic                                score_valid_o,
    output logic                                score_last_o,
    output logic                                score_saturated_o,
    output logic      [                   31:0] score_o
);
  `AXELRAM_REQUIRE(head_dim_power_of_two_in_32_to_256,
                   HeadDim >= 32 && HeadDim <= 256 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(key_lanes_power_of_two_up_to_head_dim,
                   KeyLanes >= 1 && KeyLanes <= HeadDim && (KeyLanes & (KeyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(read_lanes_power_of_two_up_to_head_dim,
                   ReadLanes >= 1 && ReadLanes <= HeadDim && (ReadLanes & (ReadLanes - 1)) == 0)

  logic query_valid, query_last;
  logic [KeyLanes*QueryBits-1:0] query;
  logic signed [11:0] query_exponent;
  axelram_write_path #(
      .HeadDim       (HeadDim),
      .Lanes         (KeyLanes),
      .IndexBits     (IndexBits),
      .SigBits       (SigBits),
      .FractionBits  (FractionBits),
      .QueryBits     (QueryBits),
      .CentroidBits  (CentroidBits),
      .ExpBits       (ExpBits),
      .Unbiased      (Unbiased),
      .Center        (Center),
      .CenterExponent(CenterExponent)
  ) u_write_path (
      .clk_i,
      .rst_ni,
      .signs_i,
      .boundaries_i,
      .centroids_i,
      .center_i,
      .valid_i         (beat_i),
      .last_i          (beat_last_i),
      .query_i         (beat_query_i),
      .row_i           (beat_row_i),
      .data_i          (beat_data_i),
      .rejected_o,
      .rejected_query_o,
      .record_valid_o,
      .record_saturated_o,
      .record_o,
      .query_valid_o   (query_valid),
      .query_last_o    (query_last),
      .query_o         (query),
      .query_exponent_o(query_exponent)
  );
  assign loaded_o = query_valid && query_last;

  axelram_read_path #(
      .HeadDim     (HeadDim),
      .LoadLanes   (KeyLanes),
      .ReadLanes   (ReadLanes),
      .IndexBits   (IndexBits),
      .QueryBits   (QueryBits),
      .CentroidBits(CentroidBits),
      .Multipliers (Multipliers)
  ) u_read_path (
      .clk_i,
      .rst_ni,
      .centroids_i,
      .load_i     (query_valid),
      .query_i    (query),
      .exponent_i (query_exponent),
      .build_i,
      .built_o,
      .valid_i    (lookup_i),
      .row_i      (lookup_row_i),
      .last_i     (lookup_last_i),
      .last_key_i (lookup_last_key_i),
      .record_i   (read_record_i),
      .valid_o    (score_valid_o),
      .last_key_o (score_last_o),
      .saturated_o(score_saturated_o),
      .score_o
  );
endmodule

`default_nettype wire

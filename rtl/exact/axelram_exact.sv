/// Exact tokens (bit-contract.md#exact): copies of the first and of the newest keys, and their
/// accumulators under a query. The multipliers are those of the score table, which are idle while
/// records are read.
///
///   copies, records -> exact_store -elements-> multipliers -products-> exact_score -> read path
///
/// Ports as in axelram_exact_store and axelram_exact_score. read_i: token address_i is read;
/// ready_o: it may be, since it has no copy or its accumulator is there.
/// Latency: the accumulator of the c-th copy of a query, c from 0, is there 3 + log2(CopyLanes) +
/// (c + 1) * HeadDim/CopyLanes cycles after start_i, and 1 later for each place without a copy
/// before it.
`include "axelram_macros.svh"
`default_nettype none

module axelram_exact #(
    parameter int  HeadDim      = 128,
    parameter int  KeyLanes     = 128,
    parameter int  CopyLanes    = 8,
    parameter int  First        = 1,
    parameter int  Last         = 16,
    parameter int  CopyBits     = 16,
    parameter int  QueryBits    = 8,
    parameter int  CentroidBits = 8,
    parameter int  MaxKeys      = 4096,
    localparam int ProductBits  = QueryBits + CopyBits,
    localparam int AccBits      = ProductBits - 1 + $clog2(HeadDim),
    localparam int AddressBits  = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits    = $clog2(MaxKeys + 1)
) (
    input  wire logic                                     clk_i,
    input  wire logic                                     rst_ni,
    input  wire logic                                     clear_i,
    input  wire logic                                     copy_valid_i,
    input  wire logic                                     copy_last_i,
    input  wire logic        [     KeyLanes*CopyBits-1:0] copy_i,
    input  wire logic signed [                      11:0] copy_exponent_i,
    input  wire logic                                     record_i,
    input  wire logic                                     start_i,
    input  wire logic        [             CountBits-1:0] count_i,
    input  wire logic signed [                      11:0] query_exponent_i,
    // Multipliers: products_i belong to the step before.
    output logic                                          step_o,
    output logic             [    CopyLanes*CopyBits-1:0] elements_o,
    input  wire logic        [ CopyLanes*ProductBits-1:0] products_i,
    // Reads.
    input  wire logic                                     read_i,
    input  wire logic        [           AddressBits-1:0] address_i,
    output logic                                          copied_o,
    output logic                                          ready_o,
    // Accumulators, in the order of reads.
    input  wire logic                                     take_i,
    output logic      signed [               AccBits-1:0] acc_o,
    output logic      signed [                      11:0] exponent_o
);
  logic step_last;
  logic signed [11:0] step_exponent;
  axelram_exact_store #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .CopyLanes(CopyLanes), .First(First), .Last(Last),
      .CopyBits(CopyBits), .MaxKeys(MaxKeys)
  ) u_store (
      .clk_i, .rst_ni, .clear_i, .copy_valid_i, .copy_last_i, .copy_i, .copy_exponent_i, .record_i,
      .start_i, .count_i, .step_o,
      .last_o    (step_last),
      .elements_o,
      .exponent_o(step_exponent),
      .read_i, .address_i, .copied_o
  );

  logic accumulated;
  axelram_exact_score #(
      .HeadDim(HeadDim), .CopyLanes(CopyLanes), .ProductBits(ProductBits),
      .CentroidBits(CentroidBits),
      .Copies(First + Last)
  ) u_score (
      .clk_i, .rst_ni, .query_exponent_i,
      .step_i    (step_o),
      .last_i    (step_last),
      .exponent_i(step_exponent),
      .products_i,
      .claim_i   (read_i && copied_o),
      .ready_o   (accumulated),
      .take_i, .acc_o, .exponent_o
  );
  assign ready_o = !copied_o || accumulated;
endmodule

`default_nettype wire

/// A query head: scores of the tokens that are read, and the sums of their values under the softmax
/// of the scores (bit-contract.md#read-3 to bit-contract.md#weighted-sum).
///
///   query -> read_path --score--> value_path -> sums
///   key ---------^     value---------^
///
/// load_i: rows of this head's query, with its exponent. build_i, valid_i, row_i, last_i,
/// last_key_i and key_i: axelram_read_path. With CopyLanes, copied_i with a row: the token's score
/// is that of its copy. step_*_i: elements of copies in the order of tokens (axelram_copy_memory),
/// whose accumulators claim_i and accumulated_o are of (axelram_exact_score). attend_i: scores go
/// to the value path; start_i and value_i: axelram_value_path.
/// Latency: of axelram_read_path to score_valid_o, of axelram_value_path behind it.
`include "axelram_macros.svh"
`default_nettype none

module axelram_head #(
    parameter int  HeadDim         = 128,
    parameter int  KeyLanes        = 128,
    parameter int  ReadLanes       = 128,
    parameter int  ScoreLane       = 0,
    parameter bit  Latches         = 1'b0,
    parameter int  Multipliers     = 8,
    parameter int  IndexBits       = 3,
    parameter int  States          = 0,
    parameter int  QueryBits       = 8,
    parameter int  CentroidBits    = 8,
    parameter int  MaxKeys         = 4096,
    parameter int  WeightBits      = 20,
    parameter int  CopyLanes       = 0,
    parameter int  CopyBits        = 16,
    parameter int  Copies          = 1,
    localparam int CopyPorts       = (CopyLanes > 0) ? CopyLanes : 1,
    localparam int CopyProductBits = QueryBits + CopyBits,
    localparam int CopyAccBits     = (CopyLanes > 0) ? CopyProductBits - 1 + $clog2(HeadDim) : 1,
    localparam int Levels          = axelram_sizes::levels(IndexBits, States),
    localparam int RecordBits      = HeadDim * IndexBits + 16,
    localparam int DenominatorBits = 33 + $clog2(MaxKeys),
    localparam int SumBits         = WeightBits + CentroidBits + $clog2(MaxKeys),
    localparam int ReadRowBits     = (HeadDim > ReadLanes) ? $clog2(HeadDim / ReadLanes) : 1
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic        [                   15:0] scale_i,
    input  wire logic signed [                    7:0] scale_exponent_i,
    input  wire logic                                  load_i,
    input  wire logic        [ KeyLanes*QueryBits-1:0] query_i,
    input  wire logic signed [                   11:0] exponent_i,
    input  wire logic                                  build_i,
    output logic                                       built_o,
    input  wire logic                                  attend_i,
    input  wire logic                                  start_i,
    input  wire logic                                  valid_i,
    input  wire logic        [        ReadRowBits-1:0] row_i,
    input  wire logic                                  last_i,
    input  wire logic                                  last_key_i,
    input  wire logic        [         RecordBits-1:0] key_i,
    input  wire logic        [         RecordBits-1:0] value_i,
    input  wire logic                                  copied_i,
    input  wire logic                                  step_i,
    input  wire logic                                  step_last_i,
    input  wire logic        [ CopyPorts*CopyBits-1:0] step_elements_i,
    input  wire logic signed [                   11:0] step_exponent_i,
    input  wire logic                                  claim_i,
    output logic                                       accumulated_o,
    output logic                                       score_valid_o,
    output logic                                       score_last_o,
    output logic                                       score_saturated_o,
    output logic             [                   31:0] score_o,
    output logic                                       scored_o,
    output logic                                       logit_saturated_o,
    output logic      signed [                   15:0] maximum_o,
    output logic             [    DenominatorBits-1:0] denominator_o,
    output logic      signed [                   15:0] reference_o,
    output logic                                       weighted_o,
    output logic             [    HeadDim*SumBits-1:0] sums_o
);
  // The exponents of several queries come one after the other.
  logic signed [11:0] exponent_q;
  always_ff @(posedge clk_i) if (load_i) exponent_q <= exponent_i;

  // ---- Copies
  logic take;
  logic [CopyPorts*CopyProductBits-1:0] copy_products;
  logic signed [CopyAccBits-1:0] copy_acc;
  logic signed [11:0] copy_exponent;
  if (CopyLanes > 0) begin : g_copies
    axelram_exact_score #(
        .HeadDim(HeadDim), .CopyLanes(CopyLanes),
        .ProductBits(CopyProductBits),
        .CentroidBits(CentroidBits), .Copies(Copies)
    ) u_exact_score (
        .clk_i, .rst_ni,
        .query_exponent_i(exponent_q),
        .step_i,
        .last_i          (step_last_i),
        .exponent_i      (step_exponent_i),
        .products_i      (copy_products),
        .claim_i,
        .ready_o         (accumulated_o),
        .take_i          (take),
        .acc_o           (copy_acc),
        .exponent_o      (copy_exponent)
    );
  end else begin : g_copies
    assign {accumulated_o, copy_acc, copy_exponent} = '0;
    logic unused;
    assign unused = ^{take, copy_products, step_last_i, step_exponent_i, claim_i};
  end

  axelram_read_path #(
      .HeadDim(HeadDim),
      .LoadLanes(KeyLanes),
      .ReadLanes(ReadLanes), .IndexBits(IndexBits), .States(States), .QueryBits(QueryBits),
      .CentroidBits(CentroidBits), .ScoreLane(ScoreLane), .Latches(Latches),
      .Multipliers(Multipliers), .CopyLanes(CopyLanes), .CopyBits(CopyBits)
  ) u_read_path (
      .clk_i, .rst_ni, .centroids_i, .load_i,
      .load_residual_i(1'b0),
      .query_i,
      .exponent_i     (exponent_q),
      .build_i, .built_o, .valid_i, .row_i, .last_i, .last_key_i, .copied_i,
      .record_i       (key_i),
      .copy_i         (step_i),
      .copy_elements_i(step_elements_i),
      .copy_products_o(copy_products),
      .copy_take_o    (take),
      .copy_acc_i     (copy_acc),
      .copy_exponent_i(copy_exponent),
      .valid_o        (score_valid_o),
      .last_key_o     (score_last_o),
      .saturated_o    (score_saturated_o),
      .score_o
  );

  axelram_value_path #(
      .HeadDim(HeadDim), .ReadLanes(ReadLanes), .IndexBits(IndexBits), .States(States),
      .CentroidBits(CentroidBits), .MaxKeys(MaxKeys), .WeightBits(WeightBits)
  ) u_value_path (
      .clk_i, .rst_ni, .scale_i, .scale_exponent_i, .centroids_i, .start_i,
      .score_valid_i(score_valid_o && attend_i),
      .score_i      (score_o),
      .record_i     (value_i),
      .scored_o,
      .saturated_o  (logit_saturated_o),
      .maximum_o, .denominator_o, .reference_o, .weighted_o, .sums_o
  );
endmodule

`default_nettype wire

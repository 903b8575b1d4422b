/// The arithmetic of a macro with attention: vectors become records or rotated queries, records of
/// keys become scores, and records of values outputs (references.md#axelram, figure 2;
/// bit-contract.md#attention). It holds no token.
///
///   beats -> write_path -> record              keys -> heads -> sums -> output_path -> outputs
///              ^   ^ '---- queries --------------------^  ^                |    ^
///              |   |                          values ------'               |    |
///              |   '---------------- sums, through the network ------------'    |
///              '------------------------- sums rotated -------------------------'
///
/// Beats and ROM contents: axelram_write_path. record_*_o and rejected_o: of a key or a value.
/// group_i: the first beat of a group; loaded_o: the last row of a query is in its head's table.
/// build_i, lookup_*_i, key_i: axelram_read_path. copy_*_o: rows of the copy of a key, with
/// CopyLanes; step_*_i to lookup_copied_i: axelram_head, of all heads. start_i: the reads of a
/// group begin; attend_i: they are for outputs, not for scores; value_i: ValueDelay cycles behind
/// the key of the token. over_i: in the cycle in which a further token would be read. scores_*: a
/// beat for each token, of all heads. A read for scores needs free_o; they wait in a FIFO of
/// Outstanding places. Late: cycles by which a record arrives later than 1 cycle after its read.
/// outputs_*: OutRows = HeadDim / OutputLanes beats for each head, with its maximum and
/// denominator; a group needs outputs_free_o. ended_o: the last output of a group is in its FIFO.
/// events_o: {output, logit, score saturated}.
/// Latency: from the first row of a lookup to a score as axelram_read_path, and 1; from over_i to
/// the last output HeadDim / ReadLanes + log2(ReadLanes) + 17, then as axelram_output_path, and 1.
`include "axelram_macros.svh"
`default_nettype none

module axelram_attention_core #(
    parameter int  HeadDim         = 128,
    parameter int  KeyLanes        = 128,
    parameter int  ReadLanes       = 128,
    parameter int  OutputLanes     = 16,
    parameter int  Group           = 1,
    parameter int  ScoreLane       = 0,
    parameter bit  Latches         = 1'b0,
    parameter int  Multipliers     = 8,
    parameter int  IndexBits       = 3,
    parameter int  SigBits         = 16,
    parameter int  FractionBits    = 13,
    parameter int  QueryBits       = 8,
    parameter int  CentroidBits    = 8,
    parameter int  ExpBits         = 5,
    parameter int  MaxKeys         = 4096,
    parameter int  WeightBits      = 20,
    parameter int  ValueExponent   = -36,
    parameter int  OutExpBits      = 5,
    parameter int  OutFracBits     = 10,
    parameter int  Outstanding     = 32,
    parameter int  Late            = 0,
    parameter int  States          = 0,
    parameter bit  Unbiased        = 1'b0,
    parameter bit  Center          = 1'b0,
    parameter bit  Balance         = 1'b0,
    parameter bit  ClockGating     = 1'b0,
    parameter int  CopyLanes       = 0,
    parameter int  CopyBits        = 16,
    parameter int  Copies          = 1,
    localparam int CopyPorts       = (CopyLanes > 0) ? CopyLanes : 1,
    localparam int Levels          = axelram_sizes::levels(IndexBits, States),
    localparam int Words           = axelram_sizes::words(IndexBits, 0, 1'b0, States),
    localparam int RecordBits      = axelram_sizes::record_bits(HeadDim, IndexBits, 1'b0, 0),
    localparam int RowBits         = (HeadDim > KeyLanes) ? $clog2(HeadDim / KeyLanes) : 1,
    localparam int ReadRowBits     = (HeadDim > ReadLanes) ? $clog2(HeadDim / ReadLanes) : 1,
    localparam int DenominatorBits = 33 + $clog2(MaxKeys),
    localparam int OutBits         = 1 + OutExpBits + OutFracBits
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    // ROM contents, constant but for the signs, the exponents and the center of another rotation.
    input  wire logic        [            HeadDim-1:0] signs_i,
    input  wire logic        [           Words*20-1:0] boundaries_i,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic        [          HeadDim*4-1:0] balance_i,
    input  wire logic        [         HeadDim*16-1:0] center_i,
    input  wire logic        [            ExpBits-1:0] center_exponent_i,
    input  wire logic        [                   15:0] scale_i,
    input  wire logic signed [                    7:0] scale_exponent_i,
    input  wire logic        [                   23:0] value_scale_i,
    // Vector to record, or to rotated query.
    input  wire logic                                  beat_i,
    input  wire logic                                  beat_last_i,
    input  wire logic                                  beat_query_i,
    input  wire logic                                  beat_value_i,
    input  wire logic        [            RowBits-1:0] beat_row_i,
    input  wire logic        [        KeyLanes*16-1:0] beat_data_i,
    output logic                                       rejected_o,
    output logic                                       record_valid_o,
    output logic             [                    1:0] record_events_o,
    output logic             [         RecordBits-1:0] record_o,
    output logic                                       copy_valid_o,
    output logic                                       copy_last_o,
    output logic             [  KeyLanes*CopyBits-1:0] copy_o,
    output logic      signed [                   11:0] copy_exponent_o,
    // Copies to scores.
    input  wire logic                                  step_i,
    input  wire logic                                  step_last_i,
    input  wire logic        [ CopyPorts*CopyBits-1:0] step_elements_i,
    input  wire logic signed [                   11:0] step_exponent_i,
    input  wire logic                                  claim_i,
    output logic                                       accumulated_o,
    input  wire logic                                  lookup_copied_i,
    // Queries to scores and sums.
    input  wire logic                                  group_i,
    output logic                                       loaded_o,
    input  wire logic                                  build_i,
    output logic                                       built_o,
    input  wire logic                                  start_i,
    input  wire logic                                  attend_i,
    input  wire logic                                  read_i,
    output logic                                       free_o,
    input  wire logic                                  lookup_i,
    input  wire logic        [        ReadRowBits-1:0] lookup_row_i,
    input  wire logic                                  lookup_last_i,
    input  wire logic                                  lookup_last_key_i,
    input  wire logic        [         RecordBits-1:0] key_i,
    input  wire logic        [         RecordBits-1:0] value_i,
    input  wire logic                                  over_i,
    output logic                                       ended_o,
    output logic             [                    2:0] events_o,
    // Scores.
    output logic                                       score_valid_o,
    input  wire logic                                  score_ready_i,
    output logic                                       score_last_o,
    output logic             [              Group-1:0] score_saturated_o,
    output logic             [           Group*32-1:0] score_data_o,
    // Outputs.
    output logic                                       outputs_free_o,
    output logic                                       output_valid_o,
    input  wire logic                                  output_ready_i,
    output logic                                       output_last_o,
    output logic                                       output_saturated_o,
    output logic             [OutputLanes*OutBits-1:0] output_data_o,
    output logic      signed [                   15:0] output_maximum_o,
    output logic             [    DenominatorBits-1:0] output_denominator_o
);
  localparam int ReadRows = HeadDim / ReadLanes;
  localparam int SumBits = WeightBits + CentroidBits + $clog2(MaxKeys);
  localparam int TurnedBits = SigBits + $clog2(HeadDim);
  localparam int HeadBits = (Group > 1) ? $clog2(Group) : 1;
  `AXELRAM_REQUIRE(group_power_of_two, Group >= 1 && (Group & (Group - 1)) == 0)

  // ---- Vectors
  logic rejected_query, query_valid, query_last, sums_valid, turned_valid;
  logic [KeyLanes*QueryBits-1:0] query;
  logic signed [11:0] query_exponent;
  logic [KeyLanes*SigBits-1:0] rounded_sums;
  logic [KeyLanes*TurnedBits-1:0] turned;
  logic unused_residual_valid;
  axelram_write_path #(
      .HeadDim(HeadDim),
      .Lanes (KeyLanes),
      .IndexBits(IndexBits), .SigBits(SigBits), .FractionBits(FractionBits), .QueryBits(QueryBits),
      .CentroidBits(CentroidBits), .ExpBits(ExpBits), .States(States), .Unbiased(Unbiased),
      .Values(1'b1),
      .Group(Group),
      .Exact (CopyLanes > 0),
      .CopyBits(CopyBits), .Center(Center), .Balance(Balance), .ClockGating(ClockGating)
  ) u_write_path (
      .clk_i, .rst_ni, .signs_i, .boundaries_i, .centroids_i, .balance_i, .center_i,
      .center_exponent_i,
      .valid_i         (beat_i),
      .last_i          (beat_last_i),
      .query_i         (beat_query_i),
      .value_i         (beat_value_i),
      .row_i           (beat_row_i),
      .data_i          (beat_data_i),
      .sums_valid_i    (sums_valid),
      .sums_i          (rounded_sums),
      .turned_valid_o  (turned_valid),
      .turned_o        (turned),
      .rejected_o,
      .rejected_query_o(rejected_query),
      .record_valid_o, .record_events_o, .record_o,
      .query_valid_o   (query_valid),
      .residual_valid_o(unused_residual_valid),
      .query_last_o    (query_last),
      .query_o         (query),
      .query_exponent_o(query_exponent),
      .copy_valid_o, .copy_last_o, .copy_o, .copy_exponent_o
  );
  assign loaded_o = query_valid && query_last;

  // ---- Heads
  logic [Group-1:0] load, accumulated, built, score_valid, score_last, scored, logit_saturated,
      weighted, score_saturated;
  logic [Group*32-1:0] scores;
  logic [Group*16-1:0] maxima, references;
  logic [Group*DenominatorBits-1:0] denominators;
  logic [Group*HeadDim*SumBits-1:0] sums;
  if (Group == 1) begin : g_load
    assign load = query_valid;
    logic unused;
    assign unused = group_i;
  end else begin : g_load
    logic [HeadBits-1:0] head_q;
    for (genvar g = 0; g < Group; g++) begin : g_head
      assign load[g] = query_valid && head_q == HeadBits'(g);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) head_q <= '0;
      else if (group_i) head_q <= '0;
      else if (loaded_o) head_q <= head_q + 1'b1;
    end
  end
  for (genvar g = 0; g < Group; g++) begin : g_head
    axelram_head #(
        .HeadDim(HeadDim), .KeyLanes(KeyLanes), .ReadLanes(ReadLanes), .ScoreLane(ScoreLane),
        .Latches(Latches), .Multipliers(Multipliers), .IndexBits(IndexBits), .States(States),
        .QueryBits(QueryBits), .CentroidBits(CentroidBits), .MaxKeys(MaxKeys),
        .WeightBits(WeightBits), .CopyLanes(CopyLanes), .CopyBits(CopyBits), .Copies(Copies)
    ) u_head (
        .clk_i, .rst_ni, .centroids_i, .scale_i, .scale_exponent_i,
        .load_i           (load[g]),
        .query_i          (query),
        .exponent_i       (query_exponent),
        .build_i,
        .built_o          (built[g]),
        .attend_i, .start_i,
        .valid_i          (lookup_i),
        .row_i            (lookup_row_i),
        .last_i           (lookup_last_i),
        .last_key_i       (lookup_last_key_i),
        .key_i, .value_i,
        .copied_i         (lookup_copied_i),
        .step_i, .step_last_i, .step_elements_i, .step_exponent_i, .claim_i,
        .accumulated_o    (accumulated[g]),
        .score_valid_o    (score_valid[g]),
        .score_last_o     (score_last[g]),
        .score_saturated_o(score_saturated[g]),
        .score_o          (scores[g*32+:32]),
        .scored_o         (scored[g]),
        .logit_saturated_o(logit_saturated[g]),
        .maximum_o        (maxima[g*16+:16]),
        .denominator_o    (denominators[g*DenominatorBits+:DenominatorBits]),
        .reference_o      (references[g*16+:16]),
        .weighted_o       (weighted[g]),
        .sums_o           (sums[g*HeadDim*SumBits+:HeadDim*SumBits])
    );
  end
  assign built_o = built[0];
  assign accumulated_o = accumulated[0];
  assign events_o[1:0] =
      {scored[0] && logit_saturated != '0, score_valid[0] && score_saturated != '0};

  // ---- Scores
  axelram_score_fifo #(.Bits(1 + Group * 33), .Depth(Outstanding)) u_score_fifo (
      .clk_i, .rst_ni,
      .reserve_i(read_i && !attend_i),
      .free_o,
      .valid_i  (score_valid[0] && !attend_i),
      .data_i   ({score_last[0], score_saturated, scores}),
      .valid_o  (score_valid_o),
      .ready_i  (score_ready_i),
      .data_o   ({score_last_o, score_saturated_o, score_data_o})
  );

  // ---- Outputs
  axelram_group_output #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .OutputLanes(OutputLanes), .Group(Group),
      .Network (HeadDim / KeyLanes + $clog2(HeadDim)),
      .EndDelay(Late + ReadRows + $clog2(ReadLanes) + 17),
      .SigBits(SigBits), .CentroidBits(CentroidBits), .MaxKeys(MaxKeys), .WeightBits(WeightBits),
      .ValueExponent(ValueExponent), .OutExpBits(OutExpBits), .OutFracBits(OutFracBits)
  ) u_group_output (
      .clk_i, .rst_ni, .signs_i, .value_scale_i,
      .end_i          (over_i && attend_i),
      .sums_i         (sums),
      .weighted_i     (weighted),
      .maximum_i      (maxima),
      .denominator_i  (denominators),
      .reference_i    (references),
      .back_valid_o   (sums_valid),
      .back_o         (rounded_sums),
      .rotated_valid_i(turned_valid),
      .rotated_i      (turned),
      .free_o         (outputs_free_o),
      .ended_o,
      .saturated_o    (events_o[2]),
      .output_valid_o, .output_ready_i, .output_last_o, .output_saturated_o, .output_data_o,
      .output_maximum_o, .output_denominator_o
  );
  logic unused;
  assign unused =
      ^{rejected_query, unused_residual_valid, accumulated, built, score_valid, score_last, scored};

  `AXELRAM_ASSERT(heads_together,
                  &score_valid == |score_valid && &built == |built && &scored == |scored &&
                  &accumulated == |accumulated)
endmodule

`default_nettype wire

/// Scores of a query and the records of their values become weighted sums (bit-contract.md#softmax,
/// bit-contract.md#weighted-sum). It knows nothing of streams, addresses and memories.
///
///   score -> logit -> power_of_two -> softmax --weight--> products -> weighted_sum -> sums
///   record ------------norm-------------^      '-levels--------------------^
///
/// start_i empties the query, in a cycle without a score, before its first one. Scores are at least
/// HeadDim / ReadLanes cycles apart. record_i: the value's record, RecordDelay cycles behind its
/// score and for one cycle. centroids_i: ROM words of the levels, ascending; constants. The softmax
/// scale is scale_i * 2^scale_exponent_i.
/// States > 0: levels of a trellis (axelram_row_levels).
/// saturated_o with scored_o: the logit of a token was clamped. weighted_o: the query has a weight;
/// without one sums_o are of no use and stand for 0.
/// Latency: from a score 3 cycles to scored_o, 9 to maximum_o, denominator_o and reference_o, and
/// 11 + HeadDim / ReadLanes to the last of its sums. References, denominator and weighted_o stand
/// until 8 cycles behind the next start_i, the sums until 10 cycles behind the next score.
`include "axelram_macros.svh"
`default_nettype none

module axelram_value_path #(
    parameter int  HeadDim         = 128,
    parameter int  ReadLanes       = 128,
    parameter int  IndexBits       = 3,
    parameter int  States          = 0,
    parameter int  CentroidBits    = 8,
    parameter int  MaxKeys         = 4096,
    parameter int  WeightBits      = 20,
    localparam int Levels          = axelram_sizes::levels(IndexBits, States),
    localparam int RecordBits      = HeadDim * IndexBits + 16,
    localparam int DenominatorBits = 33 + $clog2(MaxKeys),
    localparam int SumBits         = WeightBits + CentroidBits + $clog2(MaxKeys)
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic        [                   15:0] scale_i,
    input  wire logic signed [                    7:0] scale_exponent_i,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                                  start_i,
    input  wire logic                                  score_valid_i,
    input  wire logic        [                   31:0] score_i,
    input  wire logic        [         RecordBits-1:0] record_i,
    output logic                                       scored_o,
    output logic                                       saturated_o,
    output logic      signed [                   15:0] maximum_o,
    output logic             [    DenominatorBits-1:0] denominator_o,
    output logic      signed [                   15:0] reference_o,
    output logic                                       weighted_o,
    output logic             [    HeadDim*SumBits-1:0] sums_o
);
  `AXELRAM_REQUIRE(index_bits_in_2_to_4, IndexBits >= 2 && IndexBits <= 4)
  `AXELRAM_REQUIRE(read_lanes_power_of_two_up_to_head_dim,
                   ReadLanes >= 1 && ReadLanes <= HeadDim && (ReadLanes & (ReadLanes - 1)) == 0)

  localparam int Rows = HeadDim / ReadLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int LevelBits = $clog2(Levels);
  localparam int ProductBits = WeightBits + CentroidBits - 1;
  localparam int RecordDelay = 6;  // of the logit and of its power
  localparam int IndexDelay = 4;  // of the softmax and of the products
  localparam int VectorBits = HeadDim * IndexBits;

  // ---- Score to weight
  logic logit_valid, power_valid, token_valid, token_weighted, token_first, unused_tags;
  logic [2:0] tags;
  logic signed [26:0] logit;
  logic signed [15:0] ceiling;
  logic [16:0] mantissa;
  logic [5:0] token_shift;
  logic [WeightBits-1:0] weight;
  logic [RecordDelay+2:0] start_q;
  assign unused_tags = ^tags;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_q <= '0;
    else start_q <= (RecordDelay + 3)'({start_q, start_i});
  end
  axelram_logit u_logit (
      .clk_i, .rst_ni, .scale_i, .scale_exponent_i,
      .valid_i(score_valid_i),
      .tag_i  (1'b0),
      .score_i,
      .valid_o(logit_valid),
      .tag_o  (tags[0]),
      .logit_o(logit),
      .saturated_o(saturated_o)
  );
  assign scored_o = logit_valid;
  axelram_power_of_two u_power_of_two (
      .clk_i, .rst_ni,
      .valid_i   (logit_valid),
      .tag_i     (1'b0),
      .logit_i   (logit),
      .valid_o   (power_valid),
      .tag_o     (tags[1]),
      .ceiling_o (ceiling),
      .mantissa_o(mantissa)
  );
  axelram_softmax #(.MaxKeys(MaxKeys), .WeightBits(WeightBits)) u_softmax (
      .clk_i, .rst_ni,
      .start_i   (start_q[RecordDelay-1]),
      .valid_i   (power_valid),
      .tag_i     (1'b0),
      .ceiling_i (ceiling),
      .mantissa_i(mantissa),
      .norm_i    (record_i[VectorBits+:16]),
      .valid_o   (token_valid),
      .tag_o     (tags[2]),
      .weighted_o(token_weighted),
      .first_o   (token_first),
      .shift_o   (token_shift),
      .weight_o  (weight),
      .maximum_o, .denominator_o, .reference_o
  );

  // ---- Indices wait for the weight of their token
  logic indices_valid;
  logic [VectorBits-1:0] indices;
  axelram_pipeline #(.Bits(VectorBits), .Depth(IndexDelay)) u_indices (
      .clk_i, .rst_ni,
      .valid_i(power_valid),
      .data_i (record_i[VectorBits-1:0]),
      .valid_o(indices_valid),
      .data_o (indices)
  );

  // ---- Products; they, the shift and the indices stand still for the rows of a token
  logic products_valid, products_first;
  logic [5:0] products_shift;
  logic [Levels/2*ProductBits-1:0] products;
  logic [Levels/2*(CentroidBits-1)-1:0] magnitudes;
  for (genvar j = 0; j < Levels / 2; j++) begin : g_magnitude
    assign magnitudes[j*(CentroidBits-1)+:CentroidBits-1] =
        centroids_i[(Levels/2+j)*CentroidBits+:CentroidBits-1];
  end
  axelram_value_products #(
      .Levels(Levels), .WeightBits(WeightBits), .CentroidBits(CentroidBits),
      .TagBits(7)
  ) u_value_products (
      .clk_i, .rst_ni,
      .magnitudes_i(magnitudes),
      .valid_i     (token_valid && token_weighted),
      .tag_i       ({token_first, token_shift}),
      .weight_i    (weight),
      .valid_o     (products_valid),
      .tag_o       ({products_first, products_shift}),
      .products_o  (products)
  );

  logic row_valid;
  logic [RowBits-1:0] row;
  if (Rows == 1) begin : g_rows
    assign row_valid = products_valid;
    assign row = '0;
  end else begin : g_rows
    logic [RowBits-1:0] row_q;
    assign row = row_q;
    assign row_valid = products_valid || row_q != '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) row_q <= '0;
      else if (row_valid) row_q <= row_q + 1'b1;
    end
    `AXELRAM_ASSERT(a_token_at_a_time, products_valid |-> row_q == '0)
  end

  logic [ReadLanes*LevelBits-1:0] levels;
  axelram_row_levels #(
      .HeadDim(HeadDim), .ReadLanes(ReadLanes), .IndexBits(IndexBits), .States(States)
  ) u_row_levels (
      .row_i    (row),
      .indices_i(indices),
      .levels_o (levels)
  );

  axelram_weighted_sum #(
      .HeadDim(HeadDim), .ReadLanes(ReadLanes), .Levels(Levels), .ProductBits(ProductBits),
      .SumBits(SumBits)
  ) u_weighted_sum (
      .clk_i, .rst_ni,
      .valid_i   (row_valid),
      .first_i   (products_first),
      .shift_i   (products_shift),
      .products_i(products),
      .levels_i  (levels),
      .sums_o
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) weighted_o <= 1'b0;
    else if (start_q[RecordDelay+2]) weighted_o <= 1'b0;
    else if (token_valid && token_weighted) weighted_o <= 1'b1;
  end
  logic unused;
  assign unused = ^{indices_valid, centroids_i};

  `AXELRAM_ASSERT(indices_beside_their_products, products_valid |-> indices_valid)
  `AXELRAM_KNOWN(valids_known, {scored_o, token_valid, products_valid})
endmodule

`default_nettype wire

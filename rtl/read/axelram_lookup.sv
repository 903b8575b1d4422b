/// Scores of records (bit-contract.md#read-3, bit-contract.md#read-4; references.md#axelram, section
/// III-B): table of the query, ReadLanes lookups per cycle, their sum, the product of the sum and the
/// norm, and the FIFO of scores.
///
/// load_i and build_i: see axelram_score_table. reserve_i reserves a place for the score of a read that
/// starts. Decode: cycles of a record between its memory and valid_i. valid_i: row row_i of record_i is
/// looked up. last_i and last_key_i mark the last row of a key and of the last key of a query.
/// saturation_o: a score was clamped to +-FLT_MAX.
/// Latency: from the first row of a key to its score HeadDim/ReadLanes + log2(ReadLanes) + 5 cycles.
`default_nettype none

module axelram_lookup #(
    parameter int HeadDim = 128,
    parameter int LoadLanes = 128,
    parameter int ReadLanes = 128,
    parameter int IndexBits = 3,
    parameter int QueryBits = 8,
    parameter int CentroidBits = 8,
    parameter int Multipliers = 8,
    parameter int Decode = 0,
    localparam int Levels = 1 << IndexBits,
    localparam int EntryBits = QueryBits + CentroidBits,
    localparam int AccBits = EntryBits - 1 + $clog2(HeadDim),
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
    input  wire logic                                  reserve_i,
    output logic                                       free_o,
    input  wire logic                                  valid_i,
    input  wire logic        [        ReadRowBits-1:0] row_i,
    input  wire logic                                  last_i,
    input  wire logic                                  last_key_i,
    input  wire logic        [         RecordBits-1:0] record_i,
    output logic                                       acc_valid_o,
    output logic             [            AccBits-1:0] acc_o,
    output logic                                       saturation_o,
    output logic                                       score_valid_o,
    input  wire logic                                  score_ready_i,
    output logic             [                   31:0] score_data_o,
    output logic                                       score_last_o,
    output logic                                       score_saturated_o
);
  logic [ReadLanes*IndexBits-1:0] lookup_indices;
  logic [ReadLanes*EntryBits-1:0] products;
  assign lookup_indices = (ReadLanes * IndexBits)'(
      record_i >> (32'(row_i) * ReadLanes * IndexBits));

  axelram_score_table #(
      .HeadDim     (HeadDim),
      .LoadLanes   (LoadLanes),
      .ReadLanes   (ReadLanes),
      .IndexBits   (IndexBits),
      .QueryBits   (QueryBits),
      .CentroidBits(CentroidBits),
      .Multipliers (Multipliers)
  ) u_score_table (
      .clk_i,
      .rst_ni,
      .centroids_i,
      .load_i,
      .query_i,
      .build_i,
      .done_o    (built_o),
      .valid_i,
      .row_i,
      .indices_i (lookup_indices),
      .products_o(products)
  );

  logic products_valid_q, products_last_q, products_last_key_q;
  logic [15:0] products_norm_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) products_valid_q <= 1'b0;
    else products_valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      products_last_q <= last_i;
      products_last_key_q <= last_key_i;
      products_norm_q <= record_i[RecordBits-1-:16];
    end

  logic score_valid, score_last, score_saturated;
  logic [31:0] score;
  axelram_score #(
      .HeadDim  (HeadDim),
      .ReadLanes(ReadLanes),
      .EntryBits(EntryBits)
  ) u_score (
      .clk_i,
      .rst_ni,
      .valid_i    (products_valid_q),
      .last_i     (products_last_q),
      .last_key_i (products_last_key_q),
      .norm_i     (products_norm_q),
      .products_i (products),
      .exponent_i,
      .acc_valid_o,
      .acc_o,
      .valid_o    (score_valid),
      .last_key_o (score_last),
      .saturated_o(score_saturated),
      .score_o    (score)
  );

  // Reads between a reservation and its release: ReadRows + log2(ReadLanes) + 6 cycles plus those of
  // the decoder, one read every ReadRows cycles.
  localparam int Outstanding = (2 * ReadRows + $clog2(ReadLanes) + 5 + Decode) / ReadRows + 1;
  axelram_score_fifo #(
      .Bits (34),
      .Depth(1 << $clog2(Outstanding))
  ) u_score_fifo (
      .clk_i,
      .rst_ni,
      .reserve_i,
      .free_o,
      .valid_i  (score_valid),
      .data_i   ({score_saturated, score_last, score}),
      .valid_o  (score_valid_o),
      .ready_i  (score_ready_i),
      .data_o   ({score_saturated_o, score_last_o, score_data_o})
  );
  assign saturation_o = score_valid && score_saturated;
endmodule

`default_nettype wire

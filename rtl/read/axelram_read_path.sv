/// Scores of records (bit-contract.md#read-3, bit-contract.md#read-4; references.md#axelram,
/// section III-B): table of the query, ReadLanes lookups per cycle, their sum, and the product of
/// the sum and the norm.
///
/// ScoreLane: what makes the products (axelram_lookup). States > 0: levels of axelram_level are
/// looked up in place of indices. A record of two parts (bit-contract.md#two-parts) is read once:
/// axelram_second_part sums the second beside the first, and axelram_score_sum joins both.
/// Residual: rows v of the query rotated twice (load_residual_i) follow those of u.
/// SplitBits > 0: the first half of the lanes, of rows and of lookups, serves sub-vector 0, the
/// other half sub-vector 1.
/// load_i, build_i and copy_*: see axelram_score_table. copy_take_o, copy_acc_i and
/// copy_exponent_i: see axelram_score. valid_i: row row_i of record_i is looked up, or, with
/// copied_i, passed over. last_i and last_key_i mark the last row of a key and of the last key of a
/// query. saturated_o: the score was clamped to +-FLT_MAX. Nothing stalls.
/// Latency: from the first row of a key to its score HeadDim/ReadLanes + log2(ReadLanes) + 5
/// cycles; with two parts 3 more, and with SplitBits log2 of half of ReadLanes.
`include "axelram_macros.svh"
`default_nettype none

module axelram_read_path #(
    parameter int        HeadDim         = 128,
    parameter int        LoadLanes       = 128,
    parameter int        ReadLanes       = 128,
    parameter int        IndexBits       = 3,
    parameter int        States          = 0,
    parameter bit        Residual        = 1'b0,
    parameter bit [31:0] ResidualScale   = 32'd1,
    parameter int        SplitBits       = 0,
    parameter int        QueryBits       = 8,
    parameter int        CentroidBits    = 8,
    parameter int        ScoreLane       = 0,
    parameter bit        Latches         = 1'b0,
    parameter int        Multipliers     = 8,
    parameter int        CopyLanes       = 0,
    parameter int        CopyBits        = 16,
    localparam int       CopyPorts       = (CopyLanes > 0) ? CopyLanes : 1,
    localparam int       CopyProductBits = QueryBits + CopyBits,
    localparam int       CopyAccBits     = (CopyLanes > 0) ? CopyProductBits - 1 + $clog2(HeadDim) :
        1,
    localparam int       Levels          = axelram_sizes::levels(IndexBits, States),
    localparam int       SplitLevels     = axelram_sizes::levels(SplitBits, States),
    localparam int       EntryBits       = QueryBits + CentroidBits,
    localparam int       Norms           = (Residual || SplitBits > 0) ? 2 : 1,
    localparam int       RecordBits      =
        axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits),
    localparam int       ReadRows        = HeadDim / ReadLanes,
    localparam int       ReadRowBits     = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                                                clk_i,
    input  wire logic                                                rst_ni,
    input  wire logic        [(Levels+SplitLevels)*CentroidBits-1:0] centroids_i,
    input  wire logic                                                load_i,
    input  wire logic                                                load_residual_i,
    input  wire logic        [              LoadLanes*QueryBits-1:0] query_i,
    input  wire logic signed [                                 11:0] exponent_i,
    input  wire logic                                                build_i,
    output logic                                                     built_o,
    input  wire logic                                                valid_i,
    input  wire logic        [                      ReadRowBits-1:0] row_i,
    input  wire logic                                                last_i,
    input  wire logic                                                last_key_i,
    input  wire logic                                                copied_i,
    input  wire logic        [                       RecordBits-1:0] record_i,
    input  wire logic                                                copy_i,
    input  wire logic        [               CopyPorts*CopyBits-1:0] copy_elements_i,
    output logic             [        CopyPorts*CopyProductBits-1:0] copy_products_o,
    output logic                                                     copy_take_o,
    input  wire logic signed [                      CopyAccBits-1:0] copy_acc_i,
    input  wire logic signed [                                 11:0] copy_exponent_i,
    output logic                                                     valid_o,
    output logic                                                     last_key_o,
    output logic                                                     saturated_o,
    output logic             [                                 31:0] score_o
);
  `AXELRAM_REQUIRE(read_lanes_divide_head_dim,
                   ReadLanes >= 1 && HeadDim >= ReadLanes && HeadDim % ReadLanes == 0)

  localparam bit Split = SplitBits > 0;
  localparam int Parts = Split ? 2 : 1;
  localparam int PartDim = HeadDim / Parts;
  localparam int PartLoad = LoadLanes / Parts;
  localparam int PartRead = ReadLanes / Parts;
  localparam int FirstBits = PartDim * IndexBits;

  logic table_build, table_done;
  logic [PartRead*EntryBits-1:0] products;
  axelram_lookup #(
      .HeadDim  (PartDim),
      .LoadLanes(PartLoad),
      .ReadLanes(PartRead),
      .IndexBits(IndexBits), .States(States), .QueryBits(QueryBits), .CentroidBits(CentroidBits),
      .ScoreLane(ScoreLane), .Latches(Latches), .Multipliers(Multipliers), .CopyLanes(CopyLanes),
      .CopyBits(CopyBits)
  ) u_lookup (
      .clk_i, .rst_ni,
      .centroids_i(centroids_i[Levels*CentroidBits-1:0]),
      .load_i,
      .query_i    (query_i[PartLoad*QueryBits-1:0]),
      .build_i    (table_build),
      .done_o     (table_done),
      .valid_i    (valid_i && !copied_i),
      .row_i,
      .indices_i  (record_i[FirstBits-1:0]),
      .products_o (products),
      .copy_i, .copy_elements_i, .copy_products_o
  );

  logic products_valid_q, products_last_q, products_last_key_q, copied_q;
  logic [16*Norms-1:0] products_norms_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {products_valid_q, copied_q} <= '0;
    else {products_valid_q, copied_q} <= {valid_i && !copied_i, valid_i && copied_i && last_i};
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      products_last_q <= last_i;
      products_last_key_q <= last_key_i;
      products_norms_q <= record_i[RecordBits-1-:16*Norms];
    end

  if (Residual || Split) begin : g_two_parts
    localparam int Size = $clog2(HeadDim);
    localparam int AccBits = EntryBits - 1 + $clog2(PartDim);
    localparam int SecondAccBits = QueryBits + $clog2(PartDim) + (Split ? CentroidBits - 1 : 0);
    // Exponents of norms are at most 30 apart. With Residual e_v is at most log2(HeadDim) above
    // e_u.
    localparam int Offset = Split ? 0 : Size / 2 - 16 - Size;
    localparam int FirstApart = 30 - Offset;
    localparam int SecondApart = 30 + (Split ? 0 : Size + Offset);
    logic acc_valid, acc_last_key, second_acc_valid;
    logic [15:0] acc_norm, second_norm;
    logic signed [AccBits-1:0] acc;
    logic signed [SecondAccBits-1:0] second_acc;
    axelram_accumulate #(
        .HeadDim  (PartDim),
        .ReadLanes(PartRead),
        .EntryBits(EntryBits),
        .TagBits  (33)
    ) u_accumulate (
        .clk_i, .rst_ni,
        .valid_i   (products_valid_q),
        .last_i    (products_last_q),
        .pass_i    (1'b0),
        .tag_i     ({products_last_key_q, products_norms_q}),
        .products_i(products),
        .valid_o   (acc_valid),
        .tag_o     ({acc_last_key, second_norm, acc_norm}),
        .acc_o     (acc)
    );
    axelram_second_part #(
        .HeadDim  (PartDim),
        .LoadLanes(PartLoad),
        .ReadLanes(PartRead),
        .SplitBits(SplitBits), .States(States), .QueryBits(QueryBits), .CentroidBits(CentroidBits),
        .ScoreLane(ScoreLane), .Latches(Latches), .Multipliers(Multipliers)
    ) u_second_part (
        .clk_i, .rst_ni,
        .centroids_i  (
            centroids_i[(Levels+SplitLevels)*CentroidBits-1-:(Split?SplitLevels:1)*CentroidBits]),
        .load_i       (Split ? load_i : load_residual_i),
        .query_i      (query_i[LoadLanes*QueryBits-1-:PartLoad*QueryBits]),
        .build_i,
        .table_build_o(table_build),
        .table_done_i (table_done),
        .built_o, .valid_i, .row_i, .last_i,
        .part_i       (record_i[RecordBits-33:FirstBits]),
        .valid_o      (second_acc_valid),
        .acc_o        (second_acc)
    );

    // exponent_i is e_v from the rows v on.
    logic signed [11:0] query_exponent_q;
    always_ff @(posedge clk_i) if (load_i) query_exponent_q <= exponent_i;
    axelram_score_sum #(
        .FirstBits (AccBits),
        .SecondBits(SecondAccBits),
        .FactorBits(Split ? 0 : $clog2({1'b0, ResidualScale} + 33'd1)),
        .Factor    (Split ? 32'd1 : ResidualScale),
        .Offset(Offset), .FirstApart(FirstApart), .SecondApart(SecondApart)
    ) u_score_sum (
        .clk_i, .rst_ni,
        .valid_i          (acc_valid),
        .last_key_i       (acc_last_key),
        .first_i          (acc),
        .second_i         (second_acc),
        .first_norm_i     (acc_norm),
        .second_norm_i    (second_norm),
        .first_exponent_i (Split ? exponent_i : query_exponent_q),
        .second_exponent_i(exponent_i),
        .valid_o, .last_key_o, .saturated_o, .score_o
    );
    assign copy_take_o = 1'b0;
    logic unused;
    assign unused = ^{copied_q, copy_acc_i, copy_exponent_i, second_acc_valid, load_residual_i,
        query_exponent_q};
    `AXELRAM_ASSERT(both_parts_at_once, acc_valid == second_acc_valid)
  end else begin : g_one_part
    assign table_build = build_i;
    assign built_o = table_done;
    axelram_score #(
        .HeadDim(HeadDim), .ReadLanes(ReadLanes), .EntryBits(EntryBits), .CopyAccBits(CopyAccBits)
    ) u_score (
        .clk_i, .rst_ni,
        .valid_i   (products_valid_q),
        .last_i    (products_last_q),
        .last_key_i(products_last_key_q),
        .copied_i  (copied_q),
        .norm_i    (products_norms_q),
        .products_i(products),
        .exponent_i, .copy_take_o, .copy_acc_i, .copy_exponent_i, .valid_o, .last_key_o,
        .saturated_o, .score_o
    );
    logic unused;
    assign unused = load_residual_i;
  end

  `AXELRAM_KNOWN(valids_known, {built_o, valid_o})
endmodule

`default_nettype wire

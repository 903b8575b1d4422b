/// Scores of records (bit-contract.md#read-3, bit-contract.md#read-4; references.md#axelram, section
/// III-B): table of the query, ReadLanes lookups per cycle, their sum, and the product of the sum and
/// the norm.
///
/// States > 0: levels of axelram_level are looked up in place of indices. Residual: rows v of the query
/// rotated twice (load_residual_i) follow those of u, and a record has two parts (bit-contract.md#two-parts): the signs of
/// the residual are summed beside the lookups (axelram_sign_sum), and axelram_score_sum joins both.
/// load_i, build_i and copy_*: see axelram_score_table. copy_take_o, copy_acc_i and copy_exponent_i: see
/// axelram_score. valid_i: row row_i of record_i is looked up, or, with copied_i, passed over. last_i and
/// last_key_i mark the last row of a key and of the last key of a query. saturated_o: the score was
/// clamped to +-FLT_MAX. Nothing stalls.
/// Latency: from the first row of a key to its score HeadDim/ReadLanes + log2(ReadLanes) + 5 cycles, Residual 3
/// more.
`include "axelram_macros.svh"
`default_nettype none

module axelram_read_path #(
    parameter int HeadDim = 128,
    parameter int LoadLanes = 128,
    parameter int ReadLanes = 128,
    parameter int IndexBits = 3,
    parameter int States = 0,
    parameter bit Residual = 1'b0,
    parameter bit [31:0] ResidualScale = 32'd1,
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
    localparam int Norms = Residual ? 2 : 1,
    localparam int RecordBits = HeadDim * (IndexBits + 32'(Residual)) + 16 * Norms,
    localparam int ReadRows = HeadDim / ReadLanes,
    localparam int ReadRowBits = (ReadRows > 1) ? $clog2(ReadRows) : 1
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic        [Levels*CentroidBits-1:0] centroids_i,
    input  wire logic                                  load_i,
    input  wire logic                                  load_residual_i,
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

  logic table_build, table_done;
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
      .build_i   (table_build),
      .done_o    (table_done),
      .valid_i   (valid_i && !copied_i),
      .row_i,
      .levels_i  (levels),
      .products_o(products),
      .copy_i,
      .copy_elements_i,
      .copy_products_o
  );

  // ---- Products to scores
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

  if (Residual) begin : g_two_parts
    localparam int Size = $clog2(HeadDim);
    localparam int AccBits = EntryBits - 1 + Size;
    localparam int ResidualAccBits = QueryBits + Size;
    logic acc_valid, acc_last_key, residual_acc_valid, total_done, table_built_q, totalled_q;
    logic [15:0] acc_norm, acc_residual_norm;
    logic signed [AccBits-1:0] acc;
    logic signed [ResidualAccBits-1:0] residual_acc;
    axelram_accumulate #(
        .HeadDim  (HeadDim),
        .ReadLanes(ReadLanes),
        .EntryBits(EntryBits),
        .TagBits  (33)
    ) u_accumulate (
        .clk_i,
        .rst_ni,
        .valid_i   (products_valid_q),
        .last_i    (products_last_q),
        .pass_i    (1'b0),
        .tag_i     ({products_last_key_q, products_norms_q}),
        .products_i(products),
        .valid_o   (acc_valid),
        .tag_o     ({acc_last_key, acc_residual_norm, acc_norm}),
        .acc_o     (acc)
    );
    axelram_sign_sum #(
        .HeadDim  (HeadDim),
        .LoadLanes(LoadLanes),
        .ReadLanes(ReadLanes),
        .QueryBits(QueryBits)
    ) u_sign_sum (
        .clk_i,
        .rst_ni,
        .load_i (load_residual_i),
        .query_i,
        .build_i,
        .done_o (total_done),
        .valid_i,
        .row_i,
        .last_i,
        .signs_i(record_i[HeadDim*IndexBits+32'(row_i)*ReadLanes+:ReadLanes]),
        .valid_o(residual_acc_valid),
        .sum_o  (residual_acc)
    );

    // The table and the total of v are built side by side.
    assign table_build = build_i && !table_built_q;
    assign built_o = build_i && (table_done || table_built_q) && (total_done || totalled_q);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) {table_built_q, totalled_q} <= '0;
      else begin
        table_built_q <= build_i && !built_o && (table_built_q || table_done);
        totalled_q <= build_i && !built_o && (totalled_q || total_done);
      end
    end

    // exponent_i is e_v from the rows v on.
    logic signed [11:0] query_exponent_q;
    always_ff @(posedge clk_i) if (load_i) query_exponent_q <= exponent_i;

    axelram_score_sum #(
        .FirstBits  (AccBits),
        .SecondBits (ResidualAccBits),
        .FactorBits ($clog2({1'b0, ResidualScale} + 33'd1)),
        .Factor     (ResidualScale),
        .Offset     (Size / 2 - 16 - Size),
        .FirstApart (30 + 16 + Size - Size / 2),
        .SecondApart(30 + Size + Size / 2 - 16 - Size)
    ) u_score_sum (
        .clk_i,
        .rst_ni,
        .valid_i          (acc_valid),
        .last_key_i       (acc_last_key),
        .first_i          (acc),
        .second_i         (residual_acc),
        .first_norm_i     (acc_norm),
        .second_norm_i    (acc_residual_norm),
        .first_exponent_i (query_exponent_q),
        .second_exponent_i(exponent_i),
        .valid_o,
        .last_key_o,
        .saturated_o,
        .score_o
    );
    assign copy_take_o = 1'b0;
    logic unused;
    assign unused = ^{copied_q, copy_acc_i, copy_exponent_i, residual_acc_valid};
    `AXELRAM_ASSERT(both_parts_at_once, acc_valid == residual_acc_valid)
  end else begin : g_one_part
    assign table_build = build_i;
    assign built_o = table_done;
    axelram_score #(
        .HeadDim    (HeadDim),
        .ReadLanes  (ReadLanes),
        .EntryBits  (EntryBits),
        .CopyAccBits(CopyAccBits)
    ) u_score (
        .clk_i,
        .rst_ni,
        .valid_i   (products_valid_q),
        .last_i    (products_last_q),
        .last_key_i(products_last_key_q),
        .copied_i  (copied_q),
        .norm_i    (products_norms_q),
        .products_i(products),
        .exponent_i,
        .copy_take_o,
        .copy_acc_i,
        .copy_exponent_i,
        .valid_o,
        .last_key_o,
        .saturated_o,
        .score_o
    );
    logic unused;
    assign unused = load_residual_i;
  end

  `AXELRAM_KNOWN(valids_known, {built_o, valid_o})
endmodule

`default_nettype wire

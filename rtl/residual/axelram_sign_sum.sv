/// acc2 of a key: the sum of v_i, negated where t_i = 1 (bit-contract.md#residual-6), as the total
/// of all v_i minus twice the sum of those with t_i = 1. An element takes ReadLanes ANDs in place
/// of negations.
///
/// Load: rows of LoadLanes elements v, element 0 first, fill the buffer. Total: build_i is high for
/// Rows cycles, in which all rows are summed; done_o is high in the last of them. Lookup: lane i of
/// row r adds element ReadLanes*r + i if signs_i[i] is 1.
/// Widths: v QueryBits, acc2 QueryBits + log2(HeadDim), signed, exact.
/// Latency, from the last row of a key: 2 + log2(ReadLanes) cycles. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_sign_sum #(
    parameter int  HeadDim   = 128,
    parameter int  LoadLanes = 128,
    parameter int  ReadLanes = 128,
    parameter int  QueryBits = 8,
    localparam int Rows      = HeadDim / ReadLanes,
    localparam int RowBits   = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int SumBits   = QueryBits + $clog2(HeadDim)
) (
    input  wire logic                                  clk_i,
    input  wire logic                                  rst_ni,
    input  wire logic                                  load_i,
    input  wire logic        [LoadLanes*QueryBits-1:0] query_i,
    input  wire logic                                  build_i,
    output logic                                       done_o,
    input  wire logic                                  valid_i,
    input  wire logic        [            RowBits-1:0] row_i,
    input  wire logic                                  last_i,
    input  wire logic        [          ReadLanes-1:0] signs_i,
    output logic                                       valid_o,
    output logic      signed [            SumBits-1:0] sum_o
);
  `AXELRAM_REQUIRE(read_lanes_power_of_two_up_to_head_dim,
                   ReadLanes >= 1 && ReadLanes <= HeadDim && (ReadLanes & (ReadLanes - 1)) == 0)
  `AXELRAM_REQUIRE(load_lanes_divide_head_dim,
                   LoadLanes >= 1 && HeadDim >= LoadLanes && HeadDim % LoadLanes == 0)
  `AXELRAM_REQUIRE(query_bits_in_6_to_16, QueryBits >= 6 && QueryBits <= 16)

  localparam int Levels = $clog2(ReadLanes);
  localparam int BufferBits = HeadDim * QueryBits;
  logic [BufferBits-1:0] buffer_q;
  always_ff @(posedge clk_i)
    if (load_i) buffer_q <= BufferBits'({query_i, buffer_q} >> (LoadLanes * QueryBits));

  // ---- Rows: those of the total, then those of keys
  logic total;
  logic [RowBits-1:0] total_row_q, row;
  assign total  = build_i;
  assign done_o = total && total_row_q == RowBits'(Rows - 1);
  assign row    = total ? total_row_q : row_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      total_row_q <= '0;
    end else if (total) total_row_q <= done_o ? '0 : total_row_q + 1'b1;
  end

  logic [ReadLanes*QueryBits-1:0] elements, selected_q;
  logic selected_valid_q;
  logic [ReadLanes*QueryBits-1:0] elements_of_row[Rows];
  for (genvar r = 0; r < Rows; r++) begin : g_elements
    assign elements_of_row[r] = buffer_q[r*ReadLanes*QueryBits+:ReadLanes*QueryBits];
  end
  assign elements = elements_of_row[row];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) selected_valid_q <= 1'b0;
    else selected_valid_q <= total || valid_i;
  end
  always_ff @(posedge clk_i)
    if (total || valid_i)
      for (int i = 0; i < ReadLanes; i++)
        selected_q[i*QueryBits+:QueryBits] <=
            elements[i*QueryBits+:QueryBits] & {QueryBits{total || signs_i[i]}};

  logic tree_valid;
  logic signed [QueryBits+Levels-1:0] tree_sum;
  axelram_adder_tree #(.Lanes(ReadLanes), .InBits(QueryBits)) u_tree (
      .clk_i, .rst_ni,
      .valid_i(selected_valid_q),
      .data_i (selected_q),
      .valid_o(tree_valid),
      .sum_o  (tree_sum)
  );

  // {row of the total, last row}, delayed with the register and the tree.
  logic [(Levels+1)*2-1:0] side_q;
  logic of_total, last;
  always_ff @(posedge clk_i)
    side_q <= ((Levels + 1) * 2)'({side_q, total, total ? done_o : last_i});
  assign {of_total, last} = side_q[(Levels+1)*2-1-:2];

  // ---- A key begins with the total. Twice the selected part is below 2^SumBits in magnitude, and
  // every partial sum modulo 2^SumBits leads to the sum, which fits.
  logic signed [SumBits-1:0] running_q, total_q, part, sum;
  assign part = SumBits'(tree_sum);
  assign sum  = of_total ? running_q + part : running_q - (part <<< 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
    end else begin
      valid_o <= tree_valid && last && !of_total;
    end
  end
  always_ff @(posedge clk_i) begin
    if (load_i) running_q <= '0;
    else if (tree_valid) running_q <= (last && !of_total) ? total_q : sum;
    if (tree_valid && last && of_total) total_q <= sum;
    if (tree_valid && last && !of_total) sum_o <= sum;
  end

  `AXELRAM_ASSERT(total_before_keys, valid_i |-> !total)
  `AXELRAM_ASSERT(load_before_build, load_i |-> !build_i)
endmodule

`default_nettype wire

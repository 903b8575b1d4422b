/// Rows of vectors, a row a cycle from start_i on: row_o from 0 to Rows - 1, head_o from 0 to Heads
/// - 1 and again from 0.
///
/// Throughput: a vector every Rows cycles; start_i comes no earlier. Latency: 0.
`include "axelram_macros.svh"
`default_nettype none

module axelram_rows #(
    parameter int  Rows     = 1,
    parameter int  Heads    = 1,
    localparam int RowBits  = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int HeadBits = (Heads > 1) ? $clog2(Heads) : 1
) (
    input  wire logic                clk_i,
    input  wire logic                rst_ni,
    input  wire logic                start_i,
    output logic                     valid_o,
    output logic                     last_o,
    output logic      [HeadBits-1:0] head_o,
    output logic      [ RowBits-1:0] row_o
);
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(heads_power_of_two, Heads >= 1 && (Heads & (Heads - 1)) == 0)

  if (Rows == 1) begin : g_row
    assign valid_o = start_i;
    assign last_o = 1'b1;
    assign row_o = '0;
  end else begin : g_row
    logic [RowBits-1:0] row_q;
    assign valid_o = start_i || row_q != '0;
    assign last_o = row_q == '1;
    assign row_o = row_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) row_q <= '0;
      else if (valid_o) row_q <= row_q + 1'b1;
    end
    `AXELRAM_ASSERT(a_vector_at_a_time, start_i |-> row_q == '0)
  end

  if (Heads == 1) begin : g_head
    assign head_o = '0;
  end else begin : g_head
    logic [HeadBits-1:0] head_q;
    assign head_o = head_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) head_q <= '0;
      else if (valid_o && last_o) head_q <= head_q + 1'b1;
    end
  end
  // A single row of a single head needs no counter.
  logic unused;
  assign unused = clk_i ^ rst_ni;
endmodule

`default_nettype wire

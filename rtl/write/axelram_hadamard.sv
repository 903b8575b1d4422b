/// Walsh-Hadamard transform, exact: y = H_d x, H_d(r, c) = (-1)^popcount(r & c)
/// (bit-contract.md#rotate; references.md#axelram, section III-A).
///
/// A vector is d = Rows * Lanes elements, row by row, element Lanes*r + i in lane i of row r. The
/// rows of a vector arrive in consecutive cycles. The n = log2(d) butterfly stages are split in two
/// groups:
/// - log2(Rows) single-path delay-feedback stages pair rows Delay = Rows/2, ..., 1 apart: a row of
///   the first half waits in the delay line; with a row of the second half the sum is output and
///   the difference enters the delay line (Lanes butterflies per stage);
/// - log2(Lanes) parallel stages pair lanes Lanes/2, ..., 1 apart (Lanes/2 butterflies per stage).
/// Lanes = d is the network of the paper: d/2 * n = 448 butterflies at d = 128.
///
/// Widths: InBits in, InBits + n out, signed: one more bit per stage, so every value is exact.
/// Latency: Rows - 1 + n cycles from a row to the same row transformed. Throughput: a row per
/// cycle. tag_i is delayed with the row. Parts = 2: each half of the lanes is a vector of its own,
/// of d/2 elements, and the stage that pairs the halves is left out (bit-contract.md#split): n is
/// one less.
`include "axelram_macros.svh"
`default_nettype none

module axelram_hadamard #(
    parameter int  Lanes      = 128,
    parameter int  Rows       = 1,
    parameter int  InBits     = 16,
    parameter int  TagBits    = 1,
    parameter int  Parts      = 1,
    localparam int RowStages  = $clog2(Rows),
    localparam int LaneStages = $clog2(Lanes / Parts),
    localparam int OutBits    = InBits + RowStages + LaneStages
) (
    input  wire logic                     clk_i,
    input  wire logic                     rst_ni,
    input  wire logic                     valid_i,
    input  wire logic [      TagBits-1:0] tag_i,
    input  wire logic [ Lanes*InBits-1:0] data_i,
    output logic                          valid_o,
    output logic      [      TagBits-1:0] tag_o,
    output logic      [Lanes*OutBits-1:0] data_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two, Lanes >= 1 && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(in_bits_at_least_1, InBits >= 1)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)
  `AXELRAM_REQUIRE(parts_1_or_2, Parts == 1 || (Parts == 2 && Lanes >= 2))

  localparam int Latency = Rows - 1 + RowStages + LaneStages;

  // valid_q[k]: a row entered k + 1 cycles ago. Every enable below is one of these bits.
  logic [Latency-1:0] valid_q;
  logic [Latency*TagBits-1:0] tag_q;
  logic [Latency:0] valid_at;
  assign valid_at = {valid_q, valid_i};
  assign valid_o  = valid_q[Latency-1];
  assign tag_o    = tag_q[Latency*TagBits-1-:TagBits];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_at[Latency-1:0];
  end
  always_ff @(posedge clk_i) tag_q <= (Latency * TagBits)'({tag_q, tag_i});

  for (genvar s = 0; s < RowStages; s++) begin : g_row
    localparam int Delay = Rows >> (s + 1);
    localparam int Entered = Rows - 2 * Delay + s;  // cycles from the input to this stage
    localparam int Bits = InBits + s;

    logic [Lanes*Bits-1:0] in;
    if (s == 0) begin : g_in
      assign in = data_i;
    end else begin : g_in
      assign in = g_row[s-1].out_q;
    end

    // Rows arrive in pairs Delay apart. The bit above the offset of a pair selects first or second.
    logic [$clog2(2*Delay)-1:0] row_q;
    logic second, active;
    assign second = row_q[$clog2(2*Delay)-1] && valid_at[Entered];
    assign active = |valid_at[Entered+Delay:Entered];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) row_q <= '0;
      else if (valid_at[Entered]) row_q <= row_q + 1'b1;
    end
    `AXELRAM_ASSERT(rows_consecutive, row_q != '0 |-> valid_at[Entered])

    logic [Lanes*(Bits+1)-1:0] line_in, line_out, out_q;
    axelram_delay_line #(.Bits(Lanes * (Bits + 1)), .Depth(Delay)) u_line (
        .clk_i, .rst_ni,
        .enable_i(active),
        .data_i  (line_in),
        .data_o  (line_out)
    );

    always_comb begin
      line_in = '0;
      if (active)
        for (int i = 0; i < Lanes; i++)
          if (second)
            line_in[i*(Bits+1)+:Bits+1] = (Bits + 1)'($signed(line_out[i*(Bits+1)+:Bits+1])) -
                (Bits + 1)'($signed(in[i*Bits+:Bits]));
          else line_in[i*(Bits+1)+:Bits+1] = (Bits + 1)'($signed(in[i*Bits+:Bits]));
    end
    always_ff @(posedge clk_i) begin
      if (active)
        for (int i = 0; i < Lanes; i++)
          if (second)
            out_q[i*(Bits+1)+:Bits+1] <= (Bits + 1)'($signed(line_out[i*(Bits+1)+:Bits+1])) +
                (Bits + 1)'($signed(in[i*Bits+:Bits]));
          else out_q[i*(Bits+1)+:Bits+1] <= line_out[i*(Bits+1)+:Bits+1];
    end
  end

  // One register per lane and stage, each in its own scope, so that simulators keep it a scalar.
  for (genvar s = 0; s < LaneStages; s++) begin : g_stage
    localparam int Distance = (Lanes / Parts) >> (s + 1);
    localparam int Bits = InBits + RowStages + s;
    logic enable;
    assign enable = valid_at[Rows-1+RowStages+s];
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      logic signed [Bits-1:0] own, other;
      if (s > 0) begin : g_in
        assign own   = g_stage[s-1].g_lane[i].sum_q;
        assign other = g_stage[s-1].g_lane[i^Distance].sum_q;
      end else if (RowStages > 0) begin : g_in
        assign own   = $signed(g_row[RowStages-1].out_q[i*Bits+:Bits]);
        assign other = $signed(g_row[RowStages-1].out_q[(i^Distance)*Bits+:Bits]);
      end else begin : g_in
        assign own   = $signed(data_i[i*Bits+:Bits]);
        assign other = $signed(data_i[(i^Distance)*Bits+:Bits]);
      end
      logic signed [Bits:0] sum_q;
      if ((i & Distance) == 0) begin : g_half
        always_ff @(posedge clk_i) if (enable) sum_q <= own + other;
      end else begin : g_half
        always_ff @(posedge clk_i) if (enable) sum_q <= other - own;
      end
    end
  end

  if (LaneStages == 0) begin : g_out
    assign data_o = g_row[RowStages-1].out_q;
  end else begin : g_out
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      assign data_o[i*OutBits+:OutBits] = g_stage[LaneStages-1].g_lane[i].sum_q;
    end
  end
endmodule

`default_nettype wire

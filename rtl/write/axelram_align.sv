/// Alignment: d floats become integers with one exponent (bit-contract.md#align).
///   E = max(exponent field, 1) over the vector; m_i = RNE(x_i * 2^-(E - bias - (W - 2)))
///
/// A vector is Rows beats of Lanes elements. Beats are buffered until the last beat determines the
/// largest exponent. The rows are then output in consecutive cycles while the next vector fills the
/// buffer. For a vector with a NaN or an infinity rejected_o pulses and no row is output.
/// With a center (Center = 1) the exponent of a key is at least center_exponent_i, and center_o is
/// the row of the center with the same alignment. value_i: a value, which has no center.
/// Ordered: element i of row r is channel Order[8*(Lanes*r + i)+:8] of the vector, by wiring
/// (bit-contract.md#split); so is row r of the center. A row may then take elements of every beat,
/// and the next vector starts Rows - 1 cycles later.
///
/// Widths: SigBits (W) per lane, signed, |m| < 2^(W-1); exponent_o is the biased field (1 .. max).
/// Latency: 3 cycles from the last beat to the first row. Throughput: a vector every Rows cycles.
`include "axelram_macros.svh"
`default_nettype none

module axelram_align #(
    parameter int  Lanes   = 128,
    parameter int  Rows    = 1,
    parameter int  ExpBits = 5,
    parameter int  SigBits = 16,
    parameter bit  Center  = 1'b0,
    parameter bit  Ordered = 1'b0,
    parameter bit [Lanes*Rows*8-1:0] Order = '0,
    localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1
) (
    input  wire logic                     clk_i,
    input  wire logic                     rst_ni,
    // One beat, always accepted.
    input  wire logic                     valid_i,
    input  wire logic                     last_i,
    input  wire logic                     query_i,
    input  wire logic                     value_i,
    input  wire logic [      RowBits-1:0] row_i,
    input  wire logic [     Lanes*16-1:0] data_i,
    // Center: its largest exponent field, 1 or more; row to align, and the aligned row (Center =
    // 1).
    input  wire logic [      ExpBits-1:0] center_exponent_i,
    output logic      [      RowBits-1:0] center_row_o,
    input  wire logic [     Lanes*16-1:0] center_i,
    output logic                          valid_o,
    output logic                          query_o,
    output logic                          value_o,
    output logic      [      ExpBits-1:0] exponent_o,
    output logic      [Lanes*SigBits-1:0] data_o,
    output logic      [Lanes*SigBits-1:0] center_o,
    output logic                          rejected_o,
    output logic                          rejected_query_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two, Lanes >= 1 && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(sig_bits_in_12_to_20, SigBits >= 12 && SigBits <= 20)

  localparam int FracBits = 15 - ExpBits;

  // RNE of one float over 2^e. An element far below the largest becomes zero: a shift by SigBits
  // drops all of its SigBits - 1 bits and leaves less than one half.
  function automatic logic signed [SigBits-1:0] align_element(input logic [15:0] element,
                                                              input logic [ExpBits-1:0] largest);
    logic [ExpBits-1:0] field, below;
    logic [2*SigBits-2:0] placed;
    logic [SigBits-1:0] magnitude;
    field = element[14:FracBits];
    below = largest - ((field == '0) ? ExpBits'(1) : field);
    placed = (2*SigBits-1)'({field != '0, element[FracBits-1:0]}) << (2 * SigBits - 2 - FracBits);
    placed = (32'(below) > SigBits) ? placed >> SigBits : placed >> below;
    magnitude = {1'b0, placed[2*SigBits-2:SigBits]};
    if (placed[SigBits-1] && (placed[SigBits] || placed[SigBits-2:0] != '0))
      magnitude = magnitude + 1'b1;
    align_element = element[15] ? -$signed(magnitude) : $signed(magnitude);
  endfunction

  // Beat: store it and take the largest exponent of each of Groups groups of lanes.
  localparam int Groups = (Lanes > 8) ? 8 : Lanes;
  localparam int GroupLanes = Lanes / Groups;
  logic valid_q, last_q, query_q, value_q;
  logic [Groups*ExpBits-1:0] groups_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      last_q  <= last_i;
      query_q <= query_i;
      value_q <= value_i;
    end

  logic [Lanes*ExpBits-1:0] fields;
  for (genvar i = 0; i < Lanes; i++) begin : g_field
    assign fields[i*ExpBits+:ExpBits] = data_i[i*16+FracBits+:ExpBits];
  end
  for (genvar g = 0; g < Groups; g++) begin : g_group
    axelram_maximum #(.Count(GroupLanes), .Bits(ExpBits), .Registered(1)) u_maximum (
        .clk_i,
        .enable_i (valid_i),
        .data_i   (fields[g*GroupLanes*ExpBits+:GroupLanes*ExpBits]),
        .largest_o(groups_q[g*ExpBits+:ExpBits])
    );
  end

  // Vector: largest exponent so far. After the last beat it is copied and the rows are output. A
  // field of ones is a NaN or an infinity.
  logic [ExpBits-1:0] beat_largest, running_q, largest, largest_q, exponent_q;
  logic special, complete, accept, draining_q, leaving_q, row_query_q, row_value_q;
  axelram_maximum #(.Count(Groups), .Bits(ExpBits)) u_maximum (
      .clk_i,
      .enable_i (valid_q),
      .data_i   (groups_q),
      .largest_o(beat_largest)
  );
  assign largest = (beat_largest > running_q) ? beat_largest : running_q;
  assign special = largest == '1;
  assign complete = valid_q && last_q;
  assign accept = complete && !special;
  assign rejected_o = complete && special;
  assign rejected_query_o = query_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) running_q <= ExpBits'(1);
    else if (valid_q) running_q <= last_q ? ExpBits'(1) : largest;
  end
  always_ff @(posedge clk_i)
    if (complete) begin
      largest_q <= (Center && !query_q && !value_q && largest < center_exponent_i) ?
          center_exponent_i : largest;
      row_query_q <= query_q;
      row_value_q <= value_q;
    end

  // Buffer: row r is read no later than the next vector's beat r can overwrite it.
  logic [Lanes*16-1:0] buffer_q[Rows];
  logic [Lanes*16-1:0] leaving_row_q;
  logic [RowBits-1:0] drain_row_q, read_row;
  assign read_row = complete ? '0 : drain_row_q;

  always_ff @(posedge clk_i) if (valid_i) buffer_q[row_i] <= data_i;
  always_ff @(posedge clk_i) if (complete || draining_q) center_row_o <= read_row;
  if (Ordered) begin : g_leaving
    logic [Rows*Lanes*16-1:0] ordered;
    for (genvar r = 0; r < Rows; r++) begin : g_row
      for (genvar i = 0; i < Lanes; i++) begin : g_lane
        localparam int Channel = 32'(Order[8*(Lanes*r+i)+:8]);
        assign ordered[16*(Lanes*r+i)+:16] = buffer_q[Channel/Lanes][16*(Channel%Lanes)+:16];
      end
    end
    always_ff @(posedge clk_i)
      if (complete || draining_q) leaving_row_q <= ordered[32'(read_row)*Lanes*16+:Lanes*16];
  end else begin : g_leaving
    always_ff @(posedge clk_i) if (complete || draining_q) leaving_row_q <= buffer_q[read_row];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      draining_q <= 1'b0;
      drain_row_q <= '0;
      leaving_q <= 1'b0;
      valid_o <= 1'b0;
    end else begin
      leaving_q <= accept || draining_q;
      valid_o <= leaving_q;
      if (accept || draining_q) begin
        draining_q <= read_row != RowBits'(Rows - 1);
        drain_row_q <= read_row + 1'b1;
      end
    end
  end

  // Row: shift and round.
  always_ff @(posedge clk_i)
    if (leaving_q) begin
      query_o <= row_query_q;
      value_o <= row_value_q;
      exponent_q <= largest_q;
      for (int i = 0; i < Lanes; i++)
        data_o[i*SigBits+:SigBits] <= align_element(leaving_row_q[i*16+:16], largest_q);
    end
  assign exponent_o = exponent_q;

  if (Center) begin : g_center
    always_ff @(posedge clk_i)
      if (leaving_q)
        for (int i = 0; i < Lanes; i++)
          center_o[i*SigBits+:SigBits] <= align_element(center_i[i*16+:16], largest_q);
  end else begin : g_center
    logic unused;
    assign unused = ^{center_i, center_exponent_i};
    assign center_o = '0;
  end

  // The shift is a difference of exponents: it can never be negative.
  `AXELRAM_ASSERT(largest_is_largest, accept |-> largest >= beat_largest && largest != '1)
  `AXELRAM_ASSERT(whole_until_it_has_left, !(Ordered && Rows > 1 && valid_i &&
                  (complete || (draining_q && drain_row_q != RowBits'(Rows - 1)))))
  `AXELRAM_ASSERT(row_by_row, valid_i |-> last_i == (row_i == RowBits'(Rows - 1)))
endmodule

`default_nettype wire

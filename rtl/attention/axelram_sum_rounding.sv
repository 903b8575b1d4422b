/// Sums of the heads of a group are rounded to SigBits, one head after the other
/// (bit-contract.md#output-align): all rows of a head are seen, then all are rounded by what the
/// largest magnitude needs.
///
/// start_i: the sums stand still from now to the last row. weighted_i low: the sums of the head are
/// 0, whatever sums_i says. HeadDim / KeyLanes rows a head leave in consecutive cycles, those of
/// the next head Interval cycles later. shifts_o: of each head, from its last row on until its next
/// first one.
/// Latency: 2 * Rows + 2 cycles from start_i to the last row of the first head.
`include "axelram_macros.svh"
`default_nettype none

module axelram_sum_rounding #(
    parameter int  HeadDim   = 128,
    parameter int  KeyLanes  = 128,
    parameter int  Group     = 1,
    parameter int  Interval  = 8,
    parameter int  SumBits   = 40,
    parameter int  SigBits   = 16,
    localparam int WideBits  = (SumBits > SigBits) ? SumBits : SigBits + 1,
    localparam int ShiftBits = $clog2(WideBits - SigBits + 1)
) (
    input  wire logic                             clk_i,
    input  wire logic                             rst_ni,
    input  wire logic                             start_i,
    input  wire logic [Group*HeadDim*SumBits-1:0] sums_i,
    input  wire logic [                Group-1:0] weighted_i,
    output logic                                  valid_o,
    output logic      [     KeyLanes*SigBits-1:0] data_o,
    output logic      [      Group*ShiftBits-1:0] shifts_o
);
  localparam int Rows = HeadDim / KeyLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int HeadBits = (Group > 1) ? $clog2(Group) : 1;
  `AXELRAM_REQUIRE(key_lanes_power_of_two_up_to_head_dim,
                   KeyLanes >= 1 && KeyLanes <= HeadDim && (KeyLanes & (KeyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(group_power_of_two, Group >= 1 && (Group & (Group - 1)) == 0)
  `AXELRAM_REQUIRE(interval_power_of_two_from_rows,
                   Interval >= Rows && (Interval & (Interval - 1)) == 0)

  // ---- Sequence: a head every Interval cycles; its rounded rows Rows + 2 cycles behind those that
  // are seen
  localparam int Behind = Rows + 2;
  logic seen_start, seen, seen_last, rounded, rounded_last;
  logic [Behind-1:0] seen_q;
  logic [HeadBits-1:0] seen_head, rounded_head;
  logic [RowBits-1:0] seen_row, rounded_row;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) seen_q <= '0;
    else seen_q <= Behind'({seen_q, seen_start});
  end
  if (Group == 1) begin : g_heads
    assign seen_start = start_i;
  end else begin : g_heads
    // The first one of every Interval steps starts a head.
    localparam int StepBits = $clog2(Group * Interval);
    logic steps, steps_last, unused_head;
    logic [StepBits-1:0] step;
    axelram_rows #(.Rows(Group * Interval)) u_steps (
        .clk_i, .rst_ni, .start_i,
        .valid_o(steps),
        .last_o (steps_last),
        .head_o (unused_head),
        .row_o  (step)
    );
    assign seen_start = steps && (step & StepBits'(Interval - 1)) == '0;
    logic unused;
    assign unused = steps_last ^ unused_head;
  end
  axelram_rows #(.Rows(Rows), .Heads(Group)) u_seen (
      .clk_i, .rst_ni,
      .start_i(seen_start),
      .valid_o(seen),
      .last_o (seen_last),
      .head_o (seen_head),
      .row_o  (seen_row)
  );
  axelram_rows #(.Rows(Rows), .Heads(Group)) u_rounded (
      .clk_i, .rst_ni,
      .start_i(seen_q[Behind-1]),
      .valid_o(rounded),
      .last_o (rounded_last),
      .head_o (rounded_head),
      .row_o  (rounded_row)
  );

  // ---- Rows of sums, as an array
  localparam int PlaceBits = (Group * Rows > 1) ? $clog2(Group * Rows) : 1;
  logic [KeyLanes*WideBits-1:0] rows[Group*Rows];
  logic [PlaceBits-1:0] seen_place, rounded_place;
  for (genvar p = 0; p < Group * Rows; p++) begin : g_row
    for (genvar i = 0; i < KeyLanes; i++) begin : g_lane
      assign rows[p][i*WideBits+:WideBits] = weighted_i[p/Rows] ?
          WideBits'($signed(sums_i[(p*KeyLanes+i)*SumBits+:SumBits])) : '0;
    end
  end
  if (Rows == 1) begin : g_place
    assign seen_place = PlaceBits'(seen_head);
    assign rounded_place = PlaceBits'(rounded_head);
  end else begin : g_place
    assign seen_place = PlaceBits'({seen_head, seen_row});
    assign rounded_place = PlaceBits'({rounded_head, rounded_row});
  end

  logic last;
  logic signed [11:0] unused_exponent;
  logic [ShiftBits-1:0] shift;
  axelram_query_rounding #(
      .Lanes    (KeyLanes),
      .Rows(Rows),
      .Bits     (WideBits),
      .QueryBits(SigBits)
  ) u_rounding (
      .clk_i, .rst_ni,
      .exponent_valid_i(start_i),
      .early_valid_i   (seen),
      .exponent_i      (5'd0),
      .early_i         (rows[seen_place]),
      .late_valid_i    (rounded),
      .late_i          (rows[rounded_place]),
      .late_shift_o    (shift),
      .valid_o,
      .last_o          (last),
      .query_o         (data_o),
      .exponent_o      (unused_exponent)
  );
  for (genvar g = 0; g < Group; g++) begin : g_shift
    logic [ShiftBits-1:0] shift_q;
    always_ff @(posedge clk_i) if (rounded && rounded_head == HeadBits'(g)) shift_q <= shift;
    assign shifts_o[g*ShiftBits+:ShiftBits] = shift_q;
  end
  logic unused;
  assign unused = ^{seen_last, rounded_last, seen_row, rounded_row, last, unused_exponent};
endmodule

`default_nettype wire

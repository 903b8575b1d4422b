/// End of a query head (bit-contract.md#attention-output): its sums become an output.
///
///   sums -> rounding -> network (of the parent) -> sign_flip -> rows -> output
///   denominator -> reciprocal --------------------------------------------^
///
/// end_i: the query has seen its last token. sums_i to reference_i then stand still until the last row of the output.
/// weighted_i low: the sums are 0, whatever sums_i says.
/// The network is the Hadamard transform of keys and queries: HeadDim / KeyLanes rows leave at back_o in consecutive
/// cycles and come back transformed at rotated_i, in order. signs_i: of the query, element i at bit i.
/// A row of the output has OutputLanes elements, of the format of axelram_output. Rows come in consecutive cycles and
/// wait for no consumer. saturated_o belongs to its row.
/// Latency, Rows = HeadDim / KeyLanes, from end_i: the last row of back_o 2 * Rows + 3 cycles, the last row of the
/// output, with N cycles of the network from a row to the same row transformed,
/// max(28, 2 * Rows + N + 5) + HeadDim / OutputLanes + 2.
`include "axelram_macros.svh"
`default_nettype none

module axelram_output_path #(
    parameter int HeadDim = 128,
    parameter int KeyLanes = 128,
    parameter int OutputLanes = 16,
    parameter int SigBits = 16,
    parameter int CentroidBits = 8,
    parameter int MaxKeys = 4096,
    parameter int WeightBits = 20,
    parameter int ValueExponent = -36,
    parameter int OutExpBits = 5,
    parameter int OutFracBits = 10,
    localparam int RotatedBits = SigBits + $clog2(HeadDim),
    localparam int DenominatorBits = 33 + $clog2(MaxKeys),
    localparam int SumBits = WeightBits + CentroidBits + $clog2(MaxKeys),
    localparam int OutBits = 1 + OutExpBits + OutFracBits
) (
    input  wire logic                               clk_i,
    input  wire logic                               rst_ni,
    input  wire logic        [         HeadDim-1:0] signs_i,
    input  wire logic        [                23:0] value_scale_i,
    input  wire logic                               end_i,
    input  wire logic        [ HeadDim*SumBits-1:0] sums_i,
    input  wire logic                               weighted_i,
    input  wire logic signed [                15:0] maximum_i,
    input  wire logic        [ DenominatorBits-1:0] denominator_i,
    input  wire logic signed [                15:0] reference_i,
    // Through the network.
    output logic                                    back_valid_o,
    output logic             [KeyLanes*SigBits-1:0] back_o,
    input  wire logic                               rotated_valid_i,
    input  wire logic        [KeyLanes*RotatedBits-1:0] rotated_i,
    // Output.
    output logic                                    valid_o,
    output logic                                    last_o,
    output logic                                    saturated_o,
    output logic             [OutputLanes*OutBits-1:0] output_o
);
  `AXELRAM_REQUIRE(key_lanes_power_of_two_up_to_head_dim,
                   KeyLanes >= 1 && KeyLanes <= HeadDim && (KeyLanes & (KeyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(output_lanes_power_of_two_up_to_head_dim,
                   OutputLanes >= 1 && OutputLanes <= HeadDim && (OutputLanes & (OutputLanes - 1)) == 0)

  localparam int Rows = HeadDim / KeyLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int OutRows = HeadDim / OutputLanes;
  localparam int OutRowBits = (OutRows > 1) ? $clog2(OutRows) : 1;
  localparam int LengthBits = $clog2(DenominatorBits + 1);
  // Sums of few tokens may be narrower than what they are rounded to.
  localparam int WideBits = (SumBits > SigBits) ? SumBits : SigBits + 1;
  localparam int ShiftBits = $clog2(WideBits - SigBits + 1);

  // ---- Reciprocal
  logic reciprocal_valid;
  logic [24:0] reciprocal;
  logic [LengthBits-1:0] length;
  axelram_reciprocal #(
      .DenominatorBits(DenominatorBits)
  ) u_reciprocal (
      .clk_i,
      .rst_ni,
      .value_scale_i,
      .valid_i      (end_i),
      .denominator_i,
      .valid_o      (reciprocal_valid),
      .reciprocal_o (reciprocal),
      .length_o     (length)
  );

  // ---- Rounding: all rows are seen, then all are rounded
  localparam int FirstLate = Rows + 2;
  localparam int Steps = FirstLate + Rows;
  localparam int StepBits = $clog2(Steps + 1);
  logic [StepBits-1:0] step_q;  // Steps: idle
  logic early, late;
  logic [RowBits-1:0] row;
  assign early = step_q < StepBits'(Rows);
  assign late = step_q >= StepBits'(FirstLate) && step_q != StepBits'(Steps);
  assign row = early ? RowBits'(step_q) : RowBits'(step_q - StepBits'(FirstLate));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= StepBits'(Steps);
    else if (end_i) step_q <= '0;
    else if (step_q != StepBits'(Steps)) step_q <= step_q + 1'b1;
  end

  logic [KeyLanes*SumBits-1:0] row_sums;
  logic [KeyLanes*WideBits-1:0] sums;
  assign row_sums = sums_i[32'(row)*KeyLanes*SumBits+:KeyLanes*SumBits];
  for (genvar i = 0; i < KeyLanes; i++) begin : g_sum
    assign sums[i*WideBits+:WideBits] = weighted_i ? WideBits'($signed(row_sums[i*SumBits+:SumBits])) : '0;
  end
  logic back_last;
  logic signed [11:0] unused_exponent;
  logic [ShiftBits-1:0] late_shift, shift_q;
  axelram_query_rounding #(
      .Lanes    (KeyLanes),
      .Rows     (Rows),
      .Bits     (WideBits),
      .QueryBits(SigBits)
  ) u_rounding (
      .clk_i,
      .rst_ni,
      .exponent_valid_i(end_i),
      .early_valid_i   (early),
      .exponent_i      (5'd0),
      .early_i         (sums),
      .late_valid_i    (late),
      .late_i          (sums),
      .late_shift_o    (late_shift),
      .valid_o         (back_valid_o),
      .last_o          (back_last),
      .query_o         (back_o),
      .exponent_o      (unused_exponent)
  );
  always_ff @(posedge clk_i) if (late) shift_q <= late_shift;

  // ---- Signs, and rows that wait for the reciprocal
  logic flipped_valid, flipped_last, unused_query;
  logic [4:0] unused_field;
  logic [KeyLanes*RotatedBits-1:0] flipped;
  axelram_sign_flip #(
      .Lanes(KeyLanes),
      .Rows (Rows),
      .Bits (RotatedBits)
  ) u_sign_flip (
      .clk_i,
      .rst_ni,
      .signs_i,
      .valid_i   (rotated_valid_i),
      .query_i   (1'b0),
      .second_i  (1'b0),
      .exponent_i(5'd0),
      .data_i    (rotated_i),
      .valid_o   (flipped_valid),
      .last_o    (flipped_last),
      .query_o   (unused_query),
      .exponent_o(unused_field),
      .data_o    (flipped)
  );

  logic [RowBits-1:0] flipped_row_q;
  logic [HeadDim*RotatedBits-1:0] rotated_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flipped_row_q <= '0;
    else if (flipped_valid) flipped_row_q <= flipped_last ? '0 : flipped_row_q + 1'b1;
  end
  always_ff @(posedge clk_i)
    if (flipped_valid)
      rotated_q[32'(flipped_row_q)*KeyLanes*RotatedBits+:KeyLanes*RotatedBits] <= flipped;

  // ---- Output: a row a cycle, once both are there
  logic rotated_there_q, reciprocal_there_q, start, running_q, out_last;
  logic [OutRowBits-1:0] out_row_q;
  assign start = rotated_there_q && reciprocal_there_q;
  assign out_last = out_row_q == OutRowBits'(OutRows - 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rotated_there_q <= 1'b0;
      reciprocal_there_q <= 1'b0;
      running_q <= 1'b0;
      out_row_q <= '0;
    end else begin
      rotated_there_q <= (flipped_valid && flipped_last) || (rotated_there_q && !start);
      reciprocal_there_q <= reciprocal_valid || (reciprocal_there_q && !start);
      running_q <= start ? OutRows > 1 : running_q && !out_last;
      if (start || running_q) out_row_q <= out_last ? '0 : out_row_q + 1'b1;
    end
  end
  axelram_output #(
      .Lanes        (OutputLanes),
      .InBits       (RotatedBits),
      .WeightBits   (WeightBits),
      .ValueExponent(ValueExponent),
      .OutExpBits   (OutExpBits),
      .OutFracBits  (OutFracBits),
      .LengthBits   (LengthBits),
      .ShiftBits    (ShiftBits)
  ) u_output (
      .clk_i,
      .rst_ni,
      .reciprocal_i(reciprocal),
      .length_i    (length),
      .maximum_i,
      .reference_i,
      .shift_i     (shift_q),
      .valid_i     (start || running_q),
      .last_i      (out_last),
      .rotated_i   (rotated_q[32'(out_row_q)*OutputLanes*RotatedBits+:OutputLanes*RotatedBits]),
      .valid_o,
      .last_o,
      .saturated_o,
      .output_o
  );
  logic unused;
  assign unused = ^{back_last, unused_exponent, unused_query, unused_field};

`ifdef AXELRAM_SVA
  logic busy_q;  // from the end of a query to the last row of its output
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= end_i || (busy_q && !((start || running_q) && out_last));
  end
`endif
  `AXELRAM_ASSERT(one_query_at_a_time, end_i |-> !busy_q)
  `AXELRAM_ASSERT(rows_go_before_the_next, start |-> !running_q)
  `AXELRAM_KNOWN(valids_known, {back_valid_o, valid_o})
endmodule

`default_nettype wire

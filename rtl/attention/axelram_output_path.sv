/// End of a group of queries (bit-contract.md#output-align to bit-contract.md#output-rounding): the
/// sums of each head become its output, one head after the other.
///
///   sums -> sum_rounding -> network (of the parent) -> sign_flip -> rows -> output
///   denominators -> a reciprocal for each head -------------------------------^
///
/// end_i: the group has seen its last token. sums_i to reference_i, of all heads, then stand still
/// until the last row of output. weighted_i low: the sums of the head are 0, whatever sums_i says.
/// The network is the Hadamard transform of keys and queries: HeadDim / KeyLanes rows a head leave
/// at back_o in consecutive cycles and come back transformed at rotated_i Network cycles later.
/// signs_i: of the queries, element i at bit i. A row of output has OutputLanes elements, of the
/// format of axelram_output. Rows of a head come in consecutive cycles and wait for no consumer.
/// head_o, last_o (of the head) and saturated_o belong to their row.
/// Latency, Rows = HeadDim / KeyLanes and OutRows = HeadDim / OutputLanes, from end_i to the last
/// row of output: max(28, 2 * Rows + Network + 5) + OutRows + 2, and max(Rows, OutRows) more for
/// each head but the first.
`include "axelram_macros.svh"
`default_nettype none

module axelram_output_path #(
    parameter int  HeadDim         = 128,
    parameter int  KeyLanes        = 128,
    parameter int  OutputLanes     = 16,
    parameter int  Group           = 1,
    parameter int  Network         = 8,
    parameter int  SigBits         = 16,
    parameter int  CentroidBits    = 8,
    parameter int  MaxKeys         = 4096,
    parameter int  WeightBits      = 20,
    parameter int  ValueExponent   = -36,
    parameter int  OutExpBits      = 5,
    parameter int  OutFracBits     = 10,
    localparam int RotatedBits     = SigBits + $clog2(HeadDim),
    localparam int DenominatorBits = 33 + $clog2(MaxKeys),
    localparam int SumBits         = WeightBits + CentroidBits + $clog2(MaxKeys),
    localparam int OutBits         = 1 + OutExpBits + OutFracBits,
    localparam int HeadBits        = (Group > 1) ? $clog2(Group) : 1
) (
    input  wire logic                             clk_i,
    input  wire logic                             rst_ni,
    input  wire logic [              HeadDim-1:0] signs_i,
    input  wire logic [                     23:0] value_scale_i,
    input  wire logic                             end_i,
    input  wire logic [Group*HeadDim*SumBits-1:0] sums_i,
    input  wire logic [                Group-1:0] weighted_i,
    input  wire logic [             Group*16-1:0] maximum_i,
    input  wire logic [Group*DenominatorBits-1:0] denominator_i,
    input  wire logic [             Group*16-1:0] reference_i,
    // Through the network.
    output logic                                  back_valid_o,
    output logic      [     KeyLanes*SigBits-1:0] back_o,
    input  wire logic                             rotated_valid_i,
    input  wire logic [ KeyLanes*RotatedBits-1:0] rotated_i,
    // Output.
    output logic                                  valid_o,
    output logic      [             HeadBits-1:0] head_o,
    output logic                                  last_o,
    output logic                                  saturated_o,
    output logic      [  OutputLanes*OutBits-1:0] output_o
);
  `AXELRAM_REQUIRE(key_lanes_power_of_two_up_to_head_dim,
                   KeyLanes >= 1 && KeyLanes <= HeadDim && (KeyLanes & (KeyLanes - 1)) == 0)
  `AXELRAM_REQUIRE(output_lanes_power_of_two_up_to_head_dim,
                   OutputLanes >= 1 && OutputLanes <= HeadDim &&
                   (OutputLanes & (OutputLanes - 1)) == 0)
  `AXELRAM_REQUIRE(group_power_of_two, Group >= 1 && (Group & (Group - 1)) == 0)
  `AXELRAM_REQUIRE(network_at_least_1, Network >= 1)

  localparam int Rows = HeadDim / KeyLanes;
  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int OutRows = HeadDim / OutputLanes;
  localparam int OutRowBits = (OutRows > 1) ? $clog2(OutRows) : 1;
  localparam int LengthBits = $clog2(DenominatorBits + 1);
  localparam int WideBits = (SumBits > SigBits) ? SumBits : SigBits + 1;
  localparam int ShiftBits = $clog2(WideBits - SigBits + 1);
  // Sums wait so that they are rotated when the reciprocals are there.
  localparam int Wait = (2 * Rows + Network < 23) ? 23 - 2 * Rows - Network : 0;

  // ---- Sums to the network
  logic [Wait:0] end_q;
  logic [Group*ShiftBits-1:0] shifts;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) end_q <= '0;
    else end_q <= (Wait + 1)'({end_q, end_i});
  end
  axelram_sum_rounding #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .Group(Group),
      .Interval((Rows > OutRows) ? Rows : OutRows),
      .SumBits(SumBits), .SigBits(SigBits)
  ) u_sum_rounding (
      .clk_i, .rst_ni,
      .start_i (end_q[Wait]),
      .sums_i, .weighted_i,
      .valid_o (back_valid_o),
      .data_o  (back_o),
      .shifts_o(shifts)
  );

  // ---- Signs. Rows of a head are replaced by those of the next one as they leave
  logic flipped_valid, flipped_last, unused_query;
  logic [4:0] unused_field;
  logic [KeyLanes*RotatedBits-1:0] flipped;
  axelram_sign_flip #(.Lanes(KeyLanes), .Rows(Rows), .Bits(RotatedBits)) u_sign_flip (
      .clk_i, .rst_ni, .signs_i,
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
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flipped_row_q <= '0;
    else if (flipped_valid) flipped_row_q <= flipped_last ? '0 : flipped_row_q + 1'b1;
  end
  logic [HeadDim*RotatedBits-1:0] rotated;
  for (genvar r = 0; r < Rows; r++) begin : g_rotated
    logic [KeyLanes*RotatedBits-1:0] row_q;
    always_ff @(posedge clk_i) if (flipped_valid && flipped_row_q == RowBits'(r)) row_q <= flipped;
    assign rotated[r*KeyLanes*RotatedBits+:KeyLanes*RotatedBits] = row_q;
  end

  // ---- Scalars of the heads
  logic [Group-1:0] reciprocal_valid;
  logic [24:0] reciprocals[Group];
  logic [LengthBits-1:0] lengths[Group];
  logic [15:0] maxima[Group], references[Group];
  logic [ShiftBits-1:0] shift_of_head[Group];
  for (genvar g = 0; g < Group; g++) begin : g_head
    logic [24:0] reciprocal;
    logic [LengthBits-1:0] length;
    axelram_reciprocal #(.DenominatorBits(DenominatorBits)) u_reciprocal (
        .clk_i, .rst_ni, .value_scale_i,
        .valid_i      (end_i),
        .denominator_i(denominator_i[g*DenominatorBits+:DenominatorBits]),
        .valid_o      (reciprocal_valid[g]),
        .reciprocal_o (reciprocal),
        .length_o     (length)
    );
    assign reciprocals[g] = reciprocal;
    assign lengths[g] = length;
    assign maxima[g] = maximum_i[g*16+:16];
    assign references[g] = reference_i[g*16+:16];
    assign shift_of_head[g] = shifts[g*ShiftBits+:ShiftBits];
  end

  // ---- Output
  logic there_q, out_valid, out_last;
  logic [HeadBits-1:0] out_head;
  logic [OutRowBits-1:0] out_row;
  logic [OutputLanes*RotatedBits-1:0] rotated_of_row[OutRows];
  for (genvar r = 0; r < OutRows; r++) begin : g_out_row
    assign rotated_of_row[r] = rotated[r*OutputLanes*RotatedBits+:OutputLanes*RotatedBits];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) there_q <= 1'b0;
    else there_q <= flipped_valid && flipped_last;
  end
  axelram_rows #(.Rows(OutRows), .Heads(Group)) u_out (
      .clk_i, .rst_ni,
      .start_i(there_q),
      .valid_o(out_valid),
      .last_o (out_last),
      .head_o (out_head),
      .row_o  (out_row)
  );
  axelram_output #(
      .Lanes  (OutputLanes),
      .InBits (RotatedBits),
      .WeightBits(WeightBits), .ValueExponent(ValueExponent), .OutExpBits(OutExpBits),
      .OutFracBits(OutFracBits), .LengthBits(LengthBits), .ShiftBits(ShiftBits),
      .TagBits(HeadBits + 1)
  ) u_output (
      .clk_i, .rst_ni,
      .reciprocal_i(reciprocals[out_head]),
      .length_i    (lengths[out_head]),
      .maximum_i   (maxima[out_head]),
      .reference_i (references[out_head]),
      .shift_i     (shift_of_head[out_head]),
      .valid_i     (out_valid),
      .tag_i       ({out_head, out_last}),
      .rotated_i   (rotated_of_row[out_row]),
      .valid_o,
      .tag_o       ({head_o, last_o}),
      .saturated_o, .output_o
  );
  logic unused;
  assign unused = ^{unused_query, unused_field, reciprocal_valid};

`ifdef AXELRAM_SVA
  logic busy_q, divided_q;  // until the last row of output; reciprocals of this group are there
  logic done;
  assign done = out_valid && out_last && out_head == HeadBits'(Group - 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {busy_q, divided_q} <= '0;
    else begin
      busy_q <= end_i || (busy_q && !done);
      divided_q <= !end_i && (reciprocal_valid[0] || divided_q);
    end
  end
`endif
  `AXELRAM_ASSERT(one_group_at_a_time, end_i |-> !busy_q)
  `AXELRAM_ASSERT(reciprocals_are_there, out_valid |-> divided_q)
  `AXELRAM_KNOWN(valids_known, {back_valid_o, valid_o})
endmodule

`default_nettype wire

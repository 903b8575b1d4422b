/// Outputs of a group: axelram_output_path behind its last sums, and a FIFO with room for one
/// group.
///
/// end_i: a group has no further reads; its last sums stand EndDelay cycles later. sums_i to
/// reference_i, back_*, rotated_* and signs_i: axelram_output_path. free_o: the FIFO is empty, so
/// that a group may start. ended_o: its last row of output is in the FIFO, with saturated_o if the
/// head of the row has an output that was clamped, once a head.
/// Output stream: HeadDim / OutputLanes beats a head, head by head; output_maximum_o and
/// output_denominator_o belong to the head, output_last_o is its last beat.
/// Latency: of axelram_output_path, EndDelay and 1.
`include "axelram_macros.svh"
`default_nettype none

module axelram_group_output #(
    parameter int  HeadDim         = 128,
    parameter int  KeyLanes        = 128,
    parameter int  OutputLanes     = 16,
    parameter int  Group           = 1,
    parameter int  Network         = 8,
    parameter int  EndDelay        = 25,
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
    localparam int OutBits         = 1 + OutExpBits + OutFracBits
) (
    input  wire logic                                    clk_i,
    input  wire logic                                    rst_ni,
    input  wire logic        [              HeadDim-1:0] signs_i,
    input  wire logic        [                     23:0] value_scale_i,
    input  wire logic                                    end_i,
    input  wire logic        [Group*HeadDim*SumBits-1:0] sums_i,
    input  wire logic        [                Group-1:0] weighted_i,
    input  wire logic        [             Group*16-1:0] maximum_i,
    input  wire logic        [Group*DenominatorBits-1:0] denominator_i,
    input  wire logic        [             Group*16-1:0] reference_i,
    output logic                                         back_valid_o,
    output logic             [     KeyLanes*SigBits-1:0] back_o,
    input  wire logic                                    rotated_valid_i,
    input  wire logic        [ KeyLanes*RotatedBits-1:0] rotated_i,
    output logic                                         free_o,
    output logic                                         ended_o,
    output logic                                         saturated_o,
    output logic                                         output_valid_o,
    input  wire logic                                    output_ready_i,
    output logic                                         output_last_o,
    output logic                                         output_saturated_o,
    output logic             [  OutputLanes*OutBits-1:0] output_data_o,
    output logic      signed [                     15:0] output_maximum_o,
    output logic             [      DenominatorBits-1:0] output_denominator_o
);
  `AXELRAM_REQUIRE(end_delay_at_least_1, EndDelay >= 1)

  localparam int HeadBits = (Group > 1) ? $clog2(Group) : 1;
  localparam int Beats = Group * HeadDim / OutputLanes;

  logic [EndDelay-1:0] end_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) end_q <= '0;
    else end_q <= EndDelay'({end_q, end_i});
  end

  logic valid, last, saturated;
  logic [HeadBits-1:0] head;
  logic [OutputLanes*OutBits-1:0] row;
  axelram_output_path #(
      .HeadDim(HeadDim), .KeyLanes(KeyLanes), .OutputLanes(OutputLanes), .Group(Group),
      .Network(Network), .SigBits(SigBits), .CentroidBits(CentroidBits), .MaxKeys(MaxKeys),
      .WeightBits(WeightBits), .ValueExponent(ValueExponent), .OutExpBits(OutExpBits),
      .OutFracBits(OutFracBits)
  ) u_output_path (
      .clk_i, .rst_ni, .signs_i, .value_scale_i,
      .end_i      (end_q[EndDelay-1]),
      .sums_i, .weighted_i, .maximum_i, .denominator_i, .reference_i, .back_valid_o, .back_o,
      .rotated_valid_i, .rotated_i,
      .valid_o    (valid),
      .head_o     (head),
      .last_o     (last),
      .saturated_o(saturated),
      .output_o   (row)
  );
  assign ended_o = valid && last && head == HeadBits'(Group - 1);

  logic begun_q, saturated_q;  // the head has had a row, and a saturated one
  assign saturated_o = valid && last && (saturated || saturated_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {begun_q, saturated_q} <= '0;
    else if (valid) {begun_q, saturated_q} <= {!last, !last && (saturated || saturated_q)};
  end

  // ---- FIFOs of beats, and of what a head has once
  logic [15:0] maxima[Group];
  logic [DenominatorBits-1:0] denominators[Group];
  logic beats_free, heads_free, head_valid;
  for (genvar g = 0; g < Group; g++) begin : g_head
    assign maxima[g] = maximum_i[g*16+:16];
    assign denominators[g] = denominator_i[g*DenominatorBits+:DenominatorBits];
  end
  axelram_score_fifo #(.Bits(2 + OutputLanes * OutBits), .Depth((Beats < 2) ? 2 : Beats)) u_beats (
      .clk_i, .rst_ni,
      .reserve_i(valid),
      .free_o   (beats_free),
      .valid_i  (valid),
      .data_i   ({last, saturated, row}),
      .valid_o  (output_valid_o),
      .ready_i  (output_ready_i),
      .data_o   ({output_last_o, output_saturated_o, output_data_o})
  );
  axelram_score_fifo #(.Bits(16 + DenominatorBits), .Depth((Group < 2) ? 2 : Group)) u_heads (
      .clk_i, .rst_ni,
      .reserve_i(valid && !begun_q),
      .free_o   (heads_free),
      .valid_i  (valid && !begun_q),
      .data_i   ({maxima[head], denominators[head]}),
      .valid_o  (head_valid),
      .ready_i  (output_valid_o && output_ready_i && output_last_o),
      .data_o   ({output_maximum_o, output_denominator_o})
  );
  assign free_o = !output_valid_o;
  logic unused;
  assign unused = beats_free ^ heads_free ^ head_valid;

  `AXELRAM_ASSERT(a_group_starts_with_room, end_i |-> free_o)
  `AXELRAM_ASSERT(every_beat_beside_its_head, output_valid_o |-> head_valid)
  `AXELRAM_KNOWN(valids_known, {output_valid_o, ended_o})
endmodule

`default_nettype wire

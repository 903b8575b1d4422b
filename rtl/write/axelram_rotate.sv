/// Alignment, centering and rotation of keys and queries on one circuit (bit-contract.md#write-1;
/// references.md#axelram, section III-A), followed by the row delay.
///
///   beat -> align -> [center] -> sign_flip -> hadamard -> row_delay
///                         back ----^
///
/// Residual: rows of a second pass (back_*, bit-contract.md#residual) take the same network, with
/// the second half of signs_i. They come in cycles without rows of a first pass; second_o and the
/// like mark them. Exponents have FieldBits bits. A row has NetBits bits an element, the wider of
/// aligned keys and rounded queries.
/// Balance, balance_i: those of axelram_align. Exponents are then signed.
/// Values: vectors of value_i are values, and rows back_* are sums of a query, which pass the
/// network without signs (bit-contract.md#attention-output). second_* marks both. Sums leave at
/// rotated_* and do not take the row delay.
///
/// Split: the first half of the lanes carries sub-vector 0, the other half sub-vector 1
/// (bit-contract.md#split); align orders the channels, and both are rotated by themselves:
/// log2(HeadDim) is one less below.
/// Outputs: signed_* before the network (for the norm), rotated_* after it (for the shift of a
/// query), and the same rows Delay cycles later, announced two cycles ahead by next_o.
/// Latency, Rows = HeadDim/Lanes: from the last beat to the first row 4 + Center cycles at
/// signed_o, Rows - 1 + log2(HeadDim) more at rotated_o, Delay more at data_o. Throughput: a row
/// per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_rotate #(
    parameter int  HeadDim     = 128,
    parameter int  Lanes       = 128,
    parameter int  ExpBits     = 5,
    parameter int  SigBits     = 16,
    parameter bit  Center      = 1'b0,
    parameter bit  Balance     = 1'b0,
    parameter int  Delay       = 23,
    parameter bit  Residual    = 1'b0,
    parameter bit  Values      = 1'b0,
    parameter int  QueryBits   = 8,
    parameter bit  Split       = 1'b0,
    parameter bit [HeadDim*8-1:0] Order = '0,
    localparam int Rows        = HeadDim / Lanes,
    localparam int RowBits     = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int AlignedBits = SigBits + 32'(Center),
    localparam int NetBits     = (Residual && QueryBits > AlignedBits) ? QueryBits : AlignedBits,
    localparam int Parts       = Split ? 2 : 1,
    localparam int RotatedBits = NetBits + $clog2(HeadDim / Parts),
    localparam int FieldBits   = (Residual || Balance) ? ExpBits + 2 : ExpBits,
    localparam int Passes      = Residual ? 2 : 1,
    localparam int Kinds       = (Residual || Values) ? 2 : 1
) (
    input  wire logic                         clk_i,
    input  wire logic                         rst_ni,
    input  wire logic [   Passes*HeadDim-1:0] signs_i,
    input  wire logic [        HeadDim*4-1:0] balance_i,
    input  wire logic [       HeadDim*16-1:0] center_i,
    input  wire logic [          ExpBits-1:0] center_exponent_i,
    input  wire logic                         valid_i,
    input  wire logic                         last_i,
    input  wire logic                         query_i,
    input  wire logic                         value_i,
    input  wire logic [          RowBits-1:0] row_i,
    input  wire logic [         Lanes*16-1:0] data_i,
    // Rows of a second pass, or of sums.
    input  wire logic                         back_valid_i,
    input  wire logic                         back_query_i,
    input  wire logic [        FieldBits-1:0] back_exponent_i,
    input  wire logic [    Lanes*NetBits-1:0] back_i,
    output logic                              rejected_o,
    output logic                              rejected_query_o,
    output logic                              signed_valid_o,
    output logic                              signed_last_o,
    output logic                              signed_query_o,
    output logic                              signed_second_o,
    output logic      [        FieldBits-1:0] signed_exponent_o,
    output logic      [    Lanes*NetBits-1:0] signed_o,
    output logic                              rotated_valid_o,
    output logic                              rotated_query_o,
    output logic                              rotated_second_o,
    output logic      [Lanes*RotatedBits-1:0] rotated_o,
    output logic                              next_o,
    output logic                              next_query_o,
    output logic                              next_second_o,
    output logic                              valid_o,
    output logic                              query_o,
    output logic                              second_o,
    output logic      [Lanes*RotatedBits-1:0] data_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two_up_to_head_dim,
                   Lanes >= 1 && Lanes <= HeadDim && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(head_dim_power_of_two, HeadDim >= 1 && (HeadDim & (HeadDim - 1)) == 0)

  logic aligned_valid, aligned_query, aligned_value;
  localparam int AlignedFieldBits = Balance ? FieldBits : ExpBits;
  logic [AlignedFieldBits-1:0] aligned_exponent;
  logic [RowBits-1:0] center_row;
  logic [Lanes*SigBits-1:0] aligned, aligned_center;

  axelram_align #(
      .Lanes(Lanes), .Rows(Rows), .ExpBits(ExpBits), .SigBits(SigBits), .Center(Center),
      .Ordered(Split),
      .Order(Order), .Balance(Balance)
  ) u_align (
      .clk_i, .rst_ni, .valid_i, .last_i, .query_i, .value_i, .row_i, .data_i, .balance_i,
      .center_exponent_i,
      .center_row_o(center_row),
      .center_i    (center_i[32'(center_row)*Lanes*16+:Lanes*16]),
      .valid_o     (aligned_valid),
      .query_o     (aligned_query),
      .value_o     (aligned_value),
      .exponent_o  (aligned_exponent),
      .data_o      (aligned),
      .center_o    (aligned_center),
      .rejected_o, .rejected_query_o
  );

  logic centered_valid, centered_query, centered_value;
  logic [AlignedFieldBits-1:0] centered_exponent;
  logic [Lanes*AlignedBits-1:0] centered;
  if (Center) begin : g_center
    axelram_center #(.Lanes(Lanes), .SigBits(SigBits), .ExpBits(AlignedFieldBits)) u_center (
        .clk_i, .rst_ni,
        .valid_i   (aligned_valid),
        .query_i   (aligned_query),
        .value_i   (aligned_value),
        .exponent_i(aligned_exponent),
        .data_i    (aligned),
        .center_i  (aligned_center),
        .valid_o   (centered_valid),
        .query_o   (centered_query),
        .value_o   (centered_value),
        .exponent_o(centered_exponent),
        .data_o    (centered)
    );
  end else begin : g_no_center
    logic unused;
    assign unused = ^aligned_center;
    assign centered_valid = aligned_valid;
    assign centered_query = aligned_query;
    assign centered_value = aligned_value;
    assign centered_exponent = aligned_exponent;
    assign centered = aligned;
  end

  // Rows of both passes, or of vectors and sums. {second, exponent} of a row are delayed together.
  logic entering_valid, entering_query;
  logic [Kinds-2+FieldBits:0] entering_exponent, signed_exponent;
  logic [Lanes*NetBits-1:0] entering;
  if (Kinds == 2) begin : g_passes
    assign entering_valid = centered_valid || back_valid_i;
    assign entering_query = back_valid_i ? back_query_i : centered_query;
    assign entering_exponent = back_valid_i ? {1'b1, back_exponent_i} :
        {centered_value, FieldBits'(centered_exponent)};
    for (genvar i = 0; i < Lanes; i++) begin : g_lane
      assign entering[i*NetBits+:NetBits] = back_valid_i ? back_i[i*NetBits+:NetBits] :
          NetBits'($signed(centered[i*AlignedBits+:AlignedBits]));
    end
    assign {signed_second_o, signed_exponent_o} = signed_exponent;
    `AXELRAM_ASSERT(one_pass_at_a_time, !(centered_valid && back_valid_i))
  end else begin : g_passes
    assign entering_valid = centered_valid;
    assign entering_query = centered_query;
    assign entering_exponent = centered_exponent;
    assign entering = centered;
    assign signed_second_o = 1'b0;
    assign signed_exponent_o = signed_exponent;
    logic unused;
    assign unused = ^{centered_value, back_valid_i, back_query_i, back_exponent_i, back_i};
  end

  axelram_sign_flip #(
      .Lanes(Lanes), .Rows(Rows),
      .Bits   (NetBits),
      .ExpBits(Kinds - 1 + FieldBits),
      .Passes (Kinds)
  ) u_sign_flip (
      .clk_i, .rst_ni,
      .signs_i   ((Kinds * HeadDim)'(signs_i)),
      .valid_i   (entering_valid),
      .query_i   (entering_query),
      .second_i  (Kinds == 2 && back_valid_i),
      .exponent_i(entering_exponent),
      .data_i    (entering),
      .valid_o   (signed_valid_o),
      .last_o    (signed_last_o),
      .query_o   (signed_query_o),
      .exponent_o(signed_exponent),
      .data_o    (signed_o)
  );

  logic [Kinds-1:0] rotated_tag, next_tag, tag;  // {second, query}
  axelram_hadamard #(
      .Lanes(Lanes), .Rows(Rows),
      .InBits (NetBits),
      .TagBits(Kinds),
      .Parts(Parts)
  ) u_hadamard (
      .clk_i, .rst_ni,
      .valid_i(signed_valid_o),
      .tag_i  (Kinds'({signed_second_o, signed_query_o})),
      .data_i (signed_o),
      .valid_o(rotated_valid_o),
      .tag_o  (rotated_tag),
      .data_o (rotated_o)
  );
  assign {rotated_second_o, rotated_query_o} = 2'(rotated_tag);
  assign {next_second_o, next_query_o} = 2'(next_tag);
  assign {second_o, query_o} = 2'(tag);

  axelram_row_delay #(.Bits(Lanes * RotatedBits), .TagBits(Kinds), .Depth(Delay)) u_row_delay (
      .clk_i, .rst_ni,
      .valid_i   (rotated_valid_o && !(Values && rotated_second_o && rotated_query_o)),
      .tag_i     (rotated_tag),
      .data_i    (rotated_o),
      .next_o,
      .next_tag_o(next_tag),
      .valid_o,
      .tag_o     (tag),
      .data_o
  );
endmodule

`default_nettype wire

/// Alignment, centering and rotation of keys and queries on one circuit (bit-contract.md#write-1;
/// references.md#axelram, section III-A), followed by the row delay.
///
///   beat -> align -> [center] -> sign_flip -> hadamard -> row_delay
///
/// Outputs: signed_* before the network (for the norm), rotated_* after it (for the shift of a query),
/// and the same rows Delay cycles later, announced two cycles ahead by next_o.
/// Latency, Rows = HeadDim/Lanes: from the last beat to the first row 4 + Center cycles at signed_o,
/// Rows - 1 + log2(HeadDim) more at rotated_o, Delay more at data_o. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_rotate #(
    parameter int HeadDim = 128,
    parameter int Lanes = 128,
    parameter int ExpBits = 5,
    parameter int SigBits = 16,
    parameter bit Center = 1'b0,
    parameter int CenterExponent = 1,
    parameter int Delay = 23,
    localparam int Rows = HeadDim / Lanes,
    localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1,
    localparam int AlignedBits = SigBits + 32'(Center),
    localparam int RotatedBits = AlignedBits + $clog2(HeadDim)
) (
    input  wire logic                         clk_i,
    input  wire logic                         rst_ni,
    input  wire logic [          HeadDim-1:0] signs_i,
    input  wire logic [       HeadDim*16-1:0] center_i,
    input  wire logic                         valid_i,
    input  wire logic                         last_i,
    input  wire logic                         query_i,
    input  wire logic [          RowBits-1:0] row_i,
    input  wire logic [         Lanes*16-1:0] data_i,
    output logic                              rejected_o,
    output logic                              rejected_query_o,
    output logic                              signed_valid_o,
    output logic                              signed_last_o,
    output logic                              signed_query_o,
    output logic      [          ExpBits-1:0] signed_exponent_o,
    output logic      [Lanes*AlignedBits-1:0] signed_o,
    output logic                              rotated_valid_o,
    output logic                              rotated_query_o,
    output logic      [Lanes*RotatedBits-1:0] rotated_o,
    output logic                              next_o,
    output logic                              next_query_o,
    output logic                              valid_o,
    output logic                              query_o,
    output logic      [Lanes*RotatedBits-1:0] data_o
);
  `AXELRAM_REQUIRE(lanes_power_of_two_up_to_head_dim,
                   Lanes >= 1 && Lanes <= HeadDim && (Lanes & (Lanes - 1)) == 0)
  `AXELRAM_REQUIRE(head_dim_power_of_two, HeadDim >= 1 && (HeadDim & (HeadDim - 1)) == 0)

  logic aligned_valid, aligned_query;
  logic [ExpBits-1:0] aligned_exponent;
  logic [RowBits-1:0] center_row;
  logic [Lanes*SigBits-1:0] aligned, aligned_center;

  axelram_align #(
      .Lanes         (Lanes),
      .Rows          (Rows),
      .ExpBits       (ExpBits),
      .SigBits       (SigBits),
      .Center        (Center),
      .CenterExponent(CenterExponent)
  ) u_align (
      .clk_i,
      .rst_ni,
      .valid_i,
      .last_i,
      .query_i,
      .row_i,
      .data_i,
      .center_row_o   (center_row),
      .center_i       (center_i[32'(center_row)*Lanes*16+:Lanes*16]),
      .valid_o        (aligned_valid),
      .query_o        (aligned_query),
      .exponent_o     (aligned_exponent),
      .data_o         (aligned),
      .center_o       (aligned_center),
      .rejected_o,
      .rejected_query_o
  );

  logic centered_valid, centered_query;
  logic [ExpBits-1:0] centered_exponent;
  logic [Lanes*AlignedBits-1:0] centered;
  if (Center) begin : g_center
    axelram_center #(
        .Lanes  (Lanes),
        .SigBits(SigBits),
        .ExpBits(ExpBits)
    ) u_center (
        .clk_i,
        .rst_ni,
        .valid_i   (aligned_valid),
        .query_i   (aligned_query),
        .exponent_i(aligned_exponent),
        .data_i    (aligned),
        .center_i  (aligned_center),
        .valid_o   (centered_valid),
        .query_o   (centered_query),
        .exponent_o(centered_exponent),
        .data_o    (centered)
    );
  end else begin : g_no_center
    logic unused;
    assign unused = ^aligned_center;
    assign centered_valid = aligned_valid;
    assign centered_query = aligned_query;
    assign centered_exponent = aligned_exponent;
    assign centered = aligned;
  end

  axelram_sign_flip #(
      .Lanes  (Lanes),
      .Rows   (Rows),
      .Bits   (AlignedBits),
      .ExpBits(ExpBits)
  ) u_sign_flip (
      .clk_i,
      .rst_ni,
      .signs_i,
      .valid_i   (centered_valid),
      .query_i   (centered_query),
      .exponent_i(centered_exponent),
      .data_i    (centered),
      .valid_o   (signed_valid_o),
      .last_o    (signed_last_o),
      .query_o   (signed_query_o),
      .exponent_o(signed_exponent_o),
      .data_o    (signed_o)
  );

  axelram_hadamard #(
      .Lanes (Lanes),
      .Rows  (Rows),
      .InBits(AlignedBits)
  ) u_hadamard (
      .clk_i,
      .rst_ni,
      .valid_i(signed_valid_o),
      .query_i(signed_query_o),
      .data_i (signed_o),
      .valid_o(rotated_valid_o),
      .query_o(rotated_query_o),
      .data_o (rotated_o)
  );

  axelram_row_delay #(
      .Bits (Lanes * RotatedBits),
      .Depth(Delay)
  ) u_row_delay (
      .clk_i,
      .rst_ni,
      .valid_i     (rotated_valid_o),
      .query_i     (rotated_query_o),
      .data_i      (rotated_o),
      .next_o,
      .next_query_o,
      .valid_o,
      .query_o,
      .data_o
  );
endmodule

`default_nettype wire

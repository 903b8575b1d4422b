/// Delay of rotated rows, in order, until the norm of a key or the shift of a query is known.
/// next_o is high two cycles before a row is output.
///
/// Latency: Depth cycles (Depth >= 3); capacity: Depth - 1 rows. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_row_delay #(
    parameter int Bits    = 2944,
    parameter int TagBits = 1,
    parameter int Depth   = 24
) (
    input  wire logic               clk_i,
    input  wire logic               rst_ni,
    input  wire logic               valid_i,
    input  wire logic [TagBits-1:0] tag_i,
    input  wire logic [   Bits-1:0] data_i,
    output logic                    next_o,
    output logic      [TagBits-1:0] next_tag_o,
    output logic                    valid_o,
    output logic      [TagBits-1:0] tag_o,
    output logic      [   Bits-1:0] data_o
);
  `AXELRAM_REQUIRE(depth_at_least_3, Depth >= 3)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  logic [Depth-1:0] valid_q;
  logic [Depth*TagBits-1:0] tag_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= Depth'({valid_q, valid_i});
  end
  always_ff @(posedge clk_i) tag_q <= (Depth * TagBits)'({tag_q, tag_i});
  assign next_o = valid_q[Depth-3];
  assign next_tag_o = tag_q[(Depth-2)*TagBits-1-:TagBits];
  assign valid_o = valid_q[Depth-1];
  assign tag_o = tag_q[Depth*TagBits-1-:TagBits];

  logic [Bits-1:0] leaving;
  axelram_delay_line #(.Bits(Bits), .Depth(Depth - 1)) u_line (
      .clk_i, .rst_ni,
      .enable_i(valid_i || valid_q[Depth-2:0] != '0),
      .data_i,
      .data_o  (leaving)
  );
  always_ff @(posedge clk_i) if (valid_q[Depth-2]) data_o <= leaving;
endmodule

`default_nettype wire

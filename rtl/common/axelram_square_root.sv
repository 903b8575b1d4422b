/// N = the integer nearest to sqrt(S) (bit-contract.md#write-2). With r = floor(sqrt(S)),
/// N = r + (S - r^2 > r): the remainder exceeds r exactly if sqrt(S) > r + 1/2.
///
/// Restoring digit recurrence, one bit of r per cycle. Pipelined = 1 has a stage for each bit and
/// accepts an S every cycle; Pipelined = 0 has one stage and accepts an S every RootBits cycles.
/// Widths: 2 * RootBits in, RootBits out (unsigned); N must fit.
/// Latency: RootBits + 1 cycles in both cases.
`include "axelram_macros.svh"
`default_nettype none

module axelram_square_root #(
    parameter int RootBits  = 19,
    parameter int TagBits   = 5,
    parameter bit Pipelined = 1'b1
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic                  valid_i,
    input  wire logic [   TagBits-1:0] tag_i,
    input  wire logic [2*RootBits-1:0] square_i,
    output logic                       valid_o,
    output logic      [   TagBits-1:0] tag_o,
    output logic      [  RootBits-1:0] root_o
);
  `AXELRAM_REQUIRE(root_bits_at_least_2, RootBits >= 2)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  // State {remainder, root, remaining digits of S}; the remainder never exceeds 2 * root.
  localparam int RemBits = RootBits + 2;
  localparam int StateBits = RemBits + RootBits + 2 * RootBits;

  function automatic logic [StateBits-1:0] digit(input logic [StateBits-1:0] state);
    logic [RemBits-1:0] remainder, trial;
    logic [RootBits-1:0] root;
    logic [2*RootBits-1:0] rest;
    {remainder, root, rest} = state;
    remainder = RemBits'({remainder, rest[2*RootBits-1-:2]});
    trial = {root, 2'b01};
    root = root << 1;
    if (remainder >= trial) begin
      remainder = remainder - trial;
      root[0]   = 1'b1;
    end
    digit = {remainder, root, rest << 2};
  endfunction

  logic floor_valid;
  logic [TagBits-1:0] floor_tag;
  logic [RootBits-1:0] root_floor;
  logic [RemBits-1:0] remainder;
  logic [2*RootBits-1:0] unused_rest;  // no digits remain

  if (Pipelined) begin : g_pipelined
    logic [RootBits-1:0] valid_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= RootBits'({valid_q, valid_i});
    end
    for (genvar s = 0; s < RootBits; s++) begin : g_stage
      logic [StateBits-1:0] state_q;
      logic [  TagBits-1:0] tag_q;
      if (s == 0) begin : g_first
        always_ff @(posedge clk_i)
          if (valid_i) begin
            state_q <= digit(StateBits'(square_i));
            tag_q   <= tag_i;
          end
      end else begin : g_next
        always_ff @(posedge clk_i)
          if (valid_q[s-1]) begin
            state_q <= digit(g_stage[s-1].state_q);
            tag_q   <= g_stage[s-1].tag_q;
          end
      end
    end
    assign floor_valid = valid_q[RootBits-1];
    assign floor_tag   = g_stage[RootBits-1].tag_q;
    assign {remainder, root_floor, unused_rest} = g_stage[RootBits-1].state_q;
  end else begin : g_sequential
    localparam int CountBits = $clog2(RootBits + 1);
    logic [StateBits-1:0] state_q;
    logic [TagBits-1:0] tag_q;
    logic [CountBits-1:0] left_q;  // remaining digits
    logic done_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left_q <= '0;
        done_q <= 1'b0;
      end else begin
        done_q <= left_q == CountBits'(1);
        if (valid_i) left_q <= CountBits'(RootBits - 1);
        else if (left_q != '0) left_q <= left_q - 1'b1;
      end
    end
    always_ff @(posedge clk_i)
      if (valid_i) begin
        state_q <= digit(StateBits'(square_i));
        tag_q   <= tag_i;
      end else if (left_q != '0) state_q <= digit(state_q);
    assign floor_valid = done_q;
    assign floor_tag   = tag_q;
    assign {remainder, root_floor, unused_rest} = state_q;

    `AXELRAM_ASSERT(not_overrun, valid_i |-> left_q == '0)
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= floor_valid;
  end
  always_ff @(posedge clk_i)
    if (floor_valid) begin
      tag_o  <= floor_tag;
      root_o <= root_floor + RootBits'(remainder > RemBits'(root_floor));
    end

  `AXELRAM_ASSERT(root_fits, floor_valid && remainder > RemBits'(root_floor) |-> root_floor != '1)
endmodule

`default_nettype wire

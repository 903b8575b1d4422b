/// The leading QuotientBits of dividend / divisor, and whether a remainder is left.
///
/// Both have their leading one in the top bit, or the dividend is 0. The quotient is then below 2;
/// its first bit is the whole part. Restoring digit recurrence, one bit per cycle. Pipelined = 1
/// has a stage for each bit and accepts a pair every cycle; Pipelined = 0 has one stage and accepts
/// a pair every QuotientBits cycles.
/// Latency: QuotientBits cycles in both cases.
`include "axelram_macros.svh"
`default_nettype none

module axelram_divide #(
    parameter int Bits         = 37,
    parameter int QuotientBits = 13,
    parameter int TagBits      = 8,
    parameter bit Pipelined    = 1'b1
) (
    input  wire logic                    clk_i,
    input  wire logic                    rst_ni,
    input  wire logic                    valid_i,
    input  wire logic [     TagBits-1:0] tag_i,
    input  wire logic [        Bits-1:0] dividend_i,
    input  wire logic [        Bits-1:0] divisor_i,
    output logic                         valid_o,
    output logic      [     TagBits-1:0] tag_o,
    output logic      [QuotientBits-1:0] quotient_o,
    output logic                         sticky_o
);
  `AXELRAM_REQUIRE(quotient_bits_at_least_2, QuotientBits >= 2)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  // State {remainder, divisor, quotient}; the remainder stays below twice the divisor.
  localparam int RemBits = Bits + 1;
  localparam int StateBits = RemBits + Bits + QuotientBits;

  function automatic logic [StateBits-1:0] digit(input logic [StateBits-1:0] state);
    logic [RemBits-1:0] remainder;
    logic [Bits-1:0] divisor;
    logic [QuotientBits-1:0] quotient;
    logic fits;
    {remainder, divisor, quotient} = state;
    fits = remainder >= RemBits'(divisor);
    if (fits) remainder = remainder - RemBits'(divisor);
    digit = {remainder << 1, divisor, QuotientBits'({quotient, fits})};
  endfunction

  logic [StateBits-1:0] first, done;
  logic [RemBits-1:0] remainder;
  logic [Bits-1:0] unused_divisor;
  assign first = digit({RemBits'(dividend_i), divisor_i, QuotientBits'(0)});
  assign {remainder, unused_divisor, quotient_o} = done;
  assign sticky_o = remainder != '0;

  if (Pipelined) begin : g_pipelined
    logic [QuotientBits-1:0] valid_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= '0;
      else valid_q <= QuotientBits'({valid_q, valid_i});
    end
    for (genvar s = 0; s < QuotientBits; s++) begin : g_stage
      logic [StateBits-1:0] state_q;
      logic [  TagBits-1:0] tag_q;
      if (s == 0) begin : g_first
        always_ff @(posedge clk_i)
          if (valid_i) begin
            state_q <= first;
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
    assign valid_o = valid_q[QuotientBits-1];
    assign tag_o   = g_stage[QuotientBits-1].tag_q;
    assign done    = g_stage[QuotientBits-1].state_q;
  end else begin : g_sequential
    localparam int CountBits = $clog2(QuotientBits);
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
        if (valid_i) left_q <= CountBits'(QuotientBits - 1);
        else if (left_q != '0) left_q <= left_q - 1'b1;
      end
    end
    always_ff @(posedge clk_i)
      if (valid_i) begin
        state_q <= first;
        tag_q   <= tag_i;
      end else if (left_q != '0) state_q <= digit(state_q);
    assign valid_o = done_q;
    assign tag_o   = tag_q;
    assign done    = state_q;

    `AXELRAM_ASSERT(not_overrun, valid_i |-> left_q == '0)
  end

  `AXELRAM_ASSERT(normal, valid_i |-> divisor_i[Bits-1] && (dividend_i[Bits-1] || dividend_i == '0))
endmodule

`default_nettype wire

/// magnitude * 2^exponent, rounded once, RNE, to a binary float (bit-contract.md#write-3,
/// bit-contract.md#read-4). Subnormals are kept. Magnitudes above the largest finite value saturate
/// to it and raise saturated_o. Exact zero gives zero.
///
/// OutExpBits, OutFracBits: 5, 10 for FP16; 8, 23 for FP32. The parent adds the sign bit.
/// MagBits >= OutFracBits + 2; exponent_i signed. Latency: 2 cycles (normalise, round).
`include "axelram_macros.svh"
`default_nettype none

module axelram_float_round #(
    parameter int MagBits     = 35,
    parameter int ExpBits     = 10,
    parameter int OutExpBits  = 8,
    parameter int OutFracBits = 23,
    parameter int TagBits     = 1
) (
    input  wire logic                                     clk_i,
    input  wire logic                                     rst_ni,
    input  wire logic                                     valid_i,
    input  wire logic        [               TagBits-1:0] tag_i,
    input  wire logic        [               MagBits-1:0] magnitude_i,
    input  wire logic signed [               ExpBits-1:0] exponent_i,
    output logic                                          valid_o,
    output logic             [               TagBits-1:0] tag_o,
    output logic             [OutExpBits+OutFracBits-1:0] float_o,
    output logic                                          saturated_o
);
  `AXELRAM_REQUIRE(magnitude_wider_than_significand, MagBits >= OutFracBits + 2)
  `AXELRAM_REQUIRE(out_bits_of_a_float, OutExpBits >= 2 && OutFracBits >= 1)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)
  `AXELRAM_REQUIRE(exp_bits_at_least_2, ExpBits >= 2)

  localparam int Bias = (1 << (OutExpBits - 1)) - 1;
  localparam int SigBits = OutFracBits + 1;
  localparam int CountBits = $clog2(MagBits);
  localparam int TopBits = ExpBits + 2;  // exponent of the leading one

  // Normalise: the leading one moves to the top in steps of powers of two.
  logic [MagBits-1:0] shifted;
  logic [CountBits-1:0] zeros;
  always_comb begin
    shifted = magnitude_i;
    zeros   = '0;
    if (valid_i)
      for (int s = CountBits - 1; s >= 0; s--)
        if ((1 << s) < MagBits && (shifted >> (MagBits - (1 << s))) == '0) begin
          shifted  = shifted << (1 << s);
          zeros[s] = 1'b1;
        end
  end

  logic normal_valid_q;
  logic [TagBits-1:0] normal_tag_q;
  logic [MagBits-1:0] normal_q;
  logic signed [TopBits-1:0] top_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) normal_valid_q <= 1'b0;
    else normal_valid_q <= valid_i;
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      normal_tag_q <= tag_i;
      normal_q <= shifted;
      top_q <= TopBits'(exponent_i) + TopBits'(MagBits - 1) - $signed(TopBits'(zeros));
    end

  // Round: below the smallest normal binade the value keeps fewer bits. After a shift by SigBits +
  // 1 no rounding up is possible.
  localparam int WideBits = MagBits + SigBits + 1;
  logic zero, below, above;
  logic signed [TopBits-1:0] deficit;
  logic [$clog2(SigBits+2)-1:0] drop;
  logic [WideBits-1:0] placed;
  logic [SigBits-1:0] kept;
  logic [WideBits-SigBits-1:0] rest;
  logic round_up;
  logic [OutExpBits+OutFracBits-1:0] base;
  assign zero = !normal_q[MagBits-1];
  assign deficit = TopBits'(1 - Bias) - top_q;
  assign below = deficit > 0;
  assign drop = !below ? '0 : (deficit > TopBits'(SigBits + 1)) ?
      ($clog2(SigBits + 2))'(SigBits + 1)
                                                         : ($clog2(SigBits + 2))'(deficit);
  assign placed = {normal_q, (SigBits + 1)'(0)} >> drop;
  assign {kept, rest} = placed;
  assign round_up = rest[WideBits-SigBits-1] && (kept[0] || rest[WideBits-SigBits-2:0] != '0);
  assign above = top_q > TopBits'(Bias) || (top_q == TopBits'(Bias) && kept == '1 && rest != '0);
  // The hidden bit of `kept` adds one to the exponent field.
  assign base = below ? '0 : {OutExpBits'(top_q + TopBits'(Bias - 1)), OutFracBits'(0)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= normal_valid_q;
  end
  always_ff @(posedge clk_i)
    if (normal_valid_q) begin
      tag_o <= normal_tag_q;
      saturated_o <= !zero && above;
      if (zero) float_o <= '0;
      else if (above) float_o <= {OutExpBits'((1 << OutExpBits) - 2), {OutFracBits{1'b1}}};
      else float_o <= base + (OutExpBits+OutFracBits)'(kept) + (OutExpBits+OutFracBits)'(round_up);
    end
endmodule

`default_nettype wire

/// a * b of two finite FP16 numbers as FP32, exact: the product of their 11-bit significands has 22
/// bits, and its exponent is that of a normal number. A zero has the sign of the product.
///
/// Latency: 2 cycles (multiply, normalise). Throughput: a product per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_half_product (
    input  wire logic        clk_i,
    input  wire logic        rst_ni,
    input  wire logic        valid_i,
    input  wire logic [15:0] a_i,
    input  wire logic [15:0] b_i,
    output logic             valid_o,
    output logic      [31:0] product_o
);
  // Subnormals have exponent 1 and no hidden bit.
  logic [10:0] a, b;
  logic [4:0] a_exponent, b_exponent;
  assign a = {a_i[14:10] != '0, a_i[9:0]};
  assign b = {b_i[14:10] != '0, b_i[9:0]};
  assign a_exponent = (a_i[14:10] == '0) ? 5'd1 : a_i[14:10];
  assign b_exponent = (b_i[14:10] == '0) ? 5'd1 : b_i[14:10];

  logic valid_q, sign_q;
  logic [21:0] magnitude_q;
  logic [5:0] exponent_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_o, valid_q} <= '0;
    else {valid_o, valid_q} <= {valid_q, valid_i};
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      sign_q <= a_i[15] ^ b_i[15];
      magnitude_q <= 22'(a) * 22'(b);
      exponent_q <= 6'(a_exponent) + 6'(b_exponent);
    end

  // The leading one moves to the top in steps of powers of two.
  logic [21:0] shifted;
  logic [4:0] zeros;
  always_comb begin
    shifted = magnitude_q;
    zeros   = '0;
    for (int s = 4; s >= 0; s--)
      if ((shifted >> (22 - (1 << s))) == '0) begin
        shifted  = shifted << (1 << s);
        zeros[s] = 1'b1;
      end
  end

  // magnitude * 2^(exponent - 50), with the leading one at 21 - zeros: 21 - 50 + 127 = 98.
  always_ff @(posedge clk_i)
    if (valid_q)
      product_o <=
          {sign_q, shifted[21] ? {8'd98 + 8'(exponent_q) - 8'(zeros), shifted[20:0], 2'b0} : 31'd0};
endmodule

`default_nettype wire

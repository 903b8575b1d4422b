/// value * norm of a finite FP32 and a finite FP16 number, rounded once, RNE, to FP32. Subnormals
/// are kept. Products above the largest finite number become it. A zero has the sign of the
/// product.
///
/// Latency: 3 cycles (multiply, normalise, round). Throughput: a product per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_float_scale (
    input  wire logic        clk_i,
    input  wire logic        rst_ni,
    input  wire logic        valid_i,
    input  wire logic [31:0] value_i,
    input  wire logic [15:0] norm_i,
    output logic             valid_o,
    output logic      [31:0] product_o
);
  logic [23:0] value;
  logic [10:0] norm;
  logic [7:0] value_exponent;
  logic [4:0] norm_exponent;
  assign value = {value_i[30:23] != '0, value_i[22:0]};
  assign norm = {norm_i[14:10] != '0, norm_i[9:0]};
  assign value_exponent = (value_i[30:23] == '0) ? 8'd1 : value_i[30:23];
  assign norm_exponent = (norm_i[14:10] == '0) ? 5'd1 : norm_i[14:10];

  logic valid_q, sign_q;
  logic [34:0] magnitude_q;
  logic signed [9:0] exponent_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end
  // Exponents of the last places: -127 - 23 and -15 - 10.
  always_ff @(posedge clk_i)
    if (valid_i) begin
      sign_q <= value_i[31] ^ norm_i[15];
      magnitude_q <= 35'(value) * 35'(norm);
      exponent_q <= $signed(10'(value_exponent)) + $signed(10'(norm_exponent)) - 10'sd175;
    end

  logic sign, unused;
  logic [30:0] float;
  axelram_float_round #(.MagBits(35), .ExpBits(10)) u_round (
      .clk_i, .rst_ni,
      .valid_i    (valid_q),
      .tag_i      (sign_q),
      .magnitude_i(magnitude_q),
      .exponent_i (exponent_q),
      .valid_o,
      .tag_o      (sign),
      .float_o    (float),
      .saturated_o(unused)
  );
  assign product_o = {sign, float};
endmodule

`default_nettype wire

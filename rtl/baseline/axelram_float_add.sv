/// a + b of two finite FP32 numbers, rounded once, RNE. Subnormals are kept. Sums above the largest
/// finite number become it. A sum of 0 is -0 only if both numbers are.
///
/// Latency: 4 cycles (align, add, normalise, round). Throughput: a sum per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_float_add (
    input  wire logic        clk_i,
    input  wire logic        rst_ni,
    input  wire logic        valid_i,
    input  wire logic [31:0] a_i,
    input  wire logic [31:0] b_i,
    output logic             valid_o,
    output logic      [31:0] sum_o
);
  // Align: the smaller number moves down by the difference of the exponents. Three bits below the
  // significand decide on the rounding: the last of them stands for all ones that left.
  logic [31:0] upper, lower;
  logic [7:0] upper_exponent, lower_exponent, apart;
  logic [26:0] significand, moved;
  logic [53:0] wide;
  assign {upper, lower} = (a_i[30:0] < b_i[30:0]) ? {b_i, a_i} : {a_i, b_i};
  assign upper_exponent = (upper[30:23] == '0) ? 8'd1 : upper[30:23];
  assign lower_exponent = (lower[30:23] == '0) ? 8'd1 : lower[30:23];
  assign apart = upper_exponent - lower_exponent;
  assign significand = {lower[30:23] != '0, lower[22:0], 3'b0};
  assign wide = {significand, 27'd0} >> ((apart > 8'd27) ? 5'd27 : 5'(apart));
  assign moved = wide[53:27] | 27'(wide[26:0] != '0);

  logic valid_q, add_valid_q, subtract_q, negative_q, add_negative_q;
  logic [26:0] upper_q, moved_q;
  logic [7:0] exponent_q, add_exponent_q;
  logic [27:0] magnitude_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {add_valid_q, valid_q} <= '0;
    else {add_valid_q, valid_q} <= {valid_q, valid_i};
  end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      upper_q <= {upper[30:23] != '0, upper[22:0], 3'b0};
      moved_q <= moved;
      exponent_q <= upper_exponent;
      subtract_q <= upper[31] ^ lower[31];
      negative_q <= upper[31] && !(upper[30:0] == lower[30:0] && !lower[31]);
    end
  always_ff @(posedge clk_i)
    if (valid_q) begin
      magnitude_q <= subtract_q ? {1'b0, upper_q} - {1'b0, moved_q} :
          {1'b0, upper_q} + {1'b0, moved_q};
      add_exponent_q <= exponent_q;
      add_negative_q <= negative_q;
    end

  // magnitude * 2^(exponent - 127 - 23 - 3)
  logic sign, unused;
  logic [30:0] float;
  axelram_float_round #(.MagBits(28), .ExpBits(10)) u_round (
      .clk_i, .rst_ni,
      .valid_i    (add_valid_q),
      .tag_i      (add_negative_q),
      .magnitude_i(magnitude_q),
      .exponent_i ($signed(10'(add_exponent_q)) - 10'sd153),
      .valid_o,
      .tag_o      (sign),
      .float_o    (float),
      .saturated_o(unused)
  );
  assign sum_o = {sign, float};
endmodule

`default_nettype wire

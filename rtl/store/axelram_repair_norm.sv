/// Repair of an erased norm of a record (bit-contract.md#erasures). The mean of two norms is exact,
/// on the grid of 2^-25, and rounded once to FP16, at most 65504.
///
/// now_i, before_i, after_i: the norm of tokens t, t - 1 and t + 1; *_lacks_i: it is erased, or its
/// token does not exist. erasure_i: axelram_interpolate.
/// Latency: 3 cycles, whatever becomes of the norm. norm_o holds until the next one.
`include "axelram_macros.svh"
`default_nettype none

module axelram_repair_norm (
    input  wire logic        clk_i,
    input  wire logic        rst_ni,
    input  wire logic [ 1:0] erasure_i,
    input  wire logic        enable_i,
    input  wire logic        now_lacks_i,
    input  wire logic        before_lacks_i,
    input  wire logic        after_lacks_i,
    input  wire logic [15:0] now_i,
    input  wire logic [15:0] before_i,
    input  wire logic [15:0] after_i,
    output logic      [15:0] norm_o
);
  localparam logic [1:0] Zero = 2'd1;
  localparam logic [1:0] Interpolate = 2'd2;

  logic erased, mean;
  assign erased = now_lacks_i && (erasure_i == Zero || erasure_i == Interpolate);
  assign mean = erased && erasure_i == Interpolate && !before_lacks_i && !after_lacks_i;

  // sigma * 2^epsilon in units of 2^-24: no special values (bit-contract.md#norm-read).
  function automatic logic [40:0] on_grid(input logic [14:0] norm);
    on_grid =
        41'({norm[14:10] != '0, norm[9:0]}) << ((norm[14:10] == '0) ? 5'd0 : norm[14:10] - 5'd1);
  endfunction
  logic [15:0] norm;
  logic [41:0] sum;
  assign sum = 42'(on_grid(before_i[14:0])) + 42'(on_grid(after_i[14:0]));
  always_comb begin
    norm = now_i;
    if (erased)
      if (erasure_i == Zero) norm = '0;
      else if (!before_lacks_i) norm = before_i;
      else if (!after_lacks_i) norm = after_i;
  end

  logic sum_valid_q;
  logic [41:0] sum_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_valid_q <= 1'b0;
    else sum_valid_q <= enable_i && mean;
  end
  always_ff @(posedge clk_i) if (enable_i && mean) sum_q <= sum;

  logic rounded_valid, unused_tag, saturated;
  logic [14:0] rounded;
  axelram_float_round #(
      .MagBits    (42),
      .ExpBits    (6),
      .OutExpBits (5),
      .OutFracBits(10)
  ) u_float_round (
      .clk_i, .rst_ni,
      .valid_i    (sum_valid_q),
      .tag_i      (1'b0),
      .magnitude_i(sum_q),
      .exponent_i (-6'sd25),
      .valid_o    (rounded_valid),
      .tag_o      (unused_tag),
      .float_o    (rounded),
      .saturated_o(saturated)
  );

  // A norm that is not rounded is delayed. The rounded norm holds until the next one.
  logic [15:0] norm_q, late;
  logic mean_q, late_mean, valid_q, unused_valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= enable_i;
  end
  always_ff @(posedge clk_i)
    if (enable_i) begin
      norm_q <= norm;
      mean_q <= mean;
    end
  axelram_pipeline #(.Bits(17), .Depth(2)) u_late (
      .clk_i, .rst_ni,
      .valid_i(valid_q),
      .data_i ({mean_q, norm_q}),
      .valid_o(unused_valid),
      .data_o ({late_mean, late})
  );
  assign norm_o = late_mean ? {1'b0, rounded} : late;
  logic unused;
  assign unused = ^{rounded_valid, unused_tag, unused_valid, saturated};

`ifdef AXELRAM_COVERS
  // The mean lies in the middle between two values.
  logic tie;
  always_comb begin
    tie = 1'b0;
    for (int dropped = 1; dropped <= 31; dropped++)
      if ((sum >> (dropped + 11)) == '0 && (dropped == 1 || (sum >> (dropped + 10)) != '0))
        tie = (sum << (42 - dropped)) == {1'b1, 41'd0};
  end
`endif
  `AXELRAM_COVER(erasure_norm_kept,
                 enable_i && erasure_i != Zero && erasure_i != Interpolate && now_lacks_i)
  `AXELRAM_COVER(erasure_norm_zero, enable_i && erasure_i == Zero && erased)
  `AXELRAM_COVER(erasure_norm_interpolated, enable_i && erasure_i == Interpolate && erased)
  `AXELRAM_COVER(interpolation_norm_of_both, enable_i && mean)
  `AXELRAM_COVER(interpolation_norm_of_the_left,
                 enable_i && erasure_i == Interpolate && erased && !before_lacks_i && after_lacks_i)
  `AXELRAM_COVER(interpolation_norm_of_the_right,
                 enable_i && erasure_i == Interpolate && erased && before_lacks_i && !after_lacks_i)
  `AXELRAM_COVER(interpolation_norm_of_neither,
                 enable_i && erasure_i == Interpolate && erased && before_lacks_i && after_lacks_i)
  `AXELRAM_COVER(interpolation_norm_tie, enable_i && mean && tie)
  `AXELRAM_COVER(interpolation_norm_saturated, rounded_valid && saturated)
endmodule

`default_nettype wire

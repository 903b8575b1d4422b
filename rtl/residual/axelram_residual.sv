/// Residual of a key and its signs (bit-contract.md#residual-1, bit-contract.md#residual-2).
///
///   rows, indices -> y_i - R_idx -> row_delay -> query_rounding -> rho, h    first pass
///   rows -> z_i < 0 -> t_i -> record                                        second pass
///
/// The residual is shifted and rounded as a query is, to OutBits. words_i: the upper half of the
/// words of the reconstructions, 20 bits each; the lower half is its negative. root_i, next_i:
/// axelram_scaled_words.
/// A row of the first pass (valid_i, data_i) comes one cycle before its indices; z_valid_i and
/// data_i are a row of the second pass. norm_i: the norm of rho; it must hold while the signs of
/// the first row are packed.
/// Widths: y_i and z_i Bits, rho_i OutBits, signed; |y_i - R_j| < 2^Bits.
/// Latency, Rows rows a key: Rows + 5 cycles from a row to its rho, with which shift_o is valid and
/// holds;
/// 2 cycles from the last row of z to record_valid_o. Throughput: a row per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_residual #(
    parameter int  HeadDim      = 128,
    parameter int  Lanes        = 128,
    parameter int  Bits         = 23,
    parameter int  OutBits      = 16,
    parameter int  RootBits     = 19,
    parameter int  IndexBits    = 2,
    parameter int  FractionBits = 13,
    localparam int Rows         = HeadDim / Lanes,
    localparam int Upper        = 1 << (IndexBits - 1),
    localparam int ShiftBits    = $clog2(Bits + 1 - OutBits + 1)
) (
    input  wire logic                       clk_i,
    input  wire logic                       rst_ni,
    input  wire logic [       Upper*20-1:0] words_i,
    input  wire logic [       RootBits-1:0] root_i,
    input  wire logic                       next_i,
    input  wire logic                       valid_i,
    input  wire logic                       z_valid_i,
    input  wire logic [     Lanes*Bits-1:0] data_i,
    input  wire logic [Lanes*IndexBits-1:0] indices_i,
    output logic                            valid_o,
    output logic      [      ShiftBits-1:0] shift_o,
    output logic      [  Lanes*OutBits-1:0] data_o,
    // The second part of the record: the residual norm above the signs.
    input  wire logic [               15:0] norm_i,
    input  wire logic                       norm_saturated_i,
    output logic                            record_valid_o,
    output logic      [                1:0] record_events_o,
    output logic      [       HeadDim+15:0] record_o
);
  `AXELRAM_REQUIRE(index_bits_in_1_to_4, IndexBits >= 1 && IndexBits <= 4)
  `AXELRAM_REQUIRE(elements_of_29_bits_or_less, Bits >= 2 && Bits <= 29)
  `AXELRAM_REQUIRE(lanes_power_of_two_up_to_head_dim,
                   Lanes >= 1 && Lanes <= HeadDim && (Lanes & (Lanes - 1)) == 0)

  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int WideBits = Bits + 1;

  // ---- Difference to the level of each index
  logic reconstructions_valid, unused_last;
  logic [Upper*32-1:0] reconstructions;
  axelram_scaled_words #(
      .Words  (Upper),
      .Rows(Rows), .RootBits(RootBits), .FractionBits(FractionBits),
      .Nearest(1'b1)
  ) u_reconstructions (
      .clk_i, .rst_ni, .words_i, .root_i, .next_i,
      .first_o (reconstructions_valid),
      .last_o  (unused_last),
      .scaled_o(reconstructions)
  );

  function automatic logic [WideBits-1:0] difference(input logic [Bits-1:0] element,
                                                     input logic [IndexBits-1:0] index,
                                                     input logic [Upper*32-1:0] levels);
    logic upper;
    int place;
    logic [WideBits-1:0] wide, level;
    upper = index[IndexBits-1];
    place = upper ? 32'(index) - Upper : Upper - 1 - 32'(index);
    wide  = WideBits'($signed(element));
    level = levels[place*32+:WideBits];
    difference = upper ? wide - level : wide + level;
  endfunction

  logic row_valid_q, difference_valid_q;
  logic [Lanes*Bits-1:0] row_q;
  logic [Lanes*WideBits-1:0] difference_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {difference_valid_q, row_valid_q} <= '0;
    else {difference_valid_q, row_valid_q} <= {row_valid_q, valid_i};
  end
  always_ff @(posedge clk_i) if (valid_i) row_q <= data_i;
  always_ff @(posedge clk_i)
    if (row_valid_q)
      for (int i = 0; i < Lanes; i++)
        difference_q[i*WideBits+:WideBits] <= difference(
            row_q[i*Bits+:Bits], indices_i[i*IndexBits+:IndexBits], reconstructions);

  // ---- Shift: of the largest difference of the key, so that the rows wait for the last one
  logic late_valid, rho_last;
  logic unused_next, unused_next_tag, unused_tag;
  logic [Lanes*WideBits-1:0] late;
  logic [ShiftBits-1:0] late_shift;
  logic signed [11:0] unused_exponent;
  axelram_row_delay #(.Bits(Lanes * WideBits), .Depth(Rows + 2)) u_delay (
      .clk_i, .rst_ni,
      .valid_i   (difference_valid_q),
      .tag_i     (1'b0),
      .data_i    (difference_q),
      .next_o    (unused_next),
      .next_tag_o(unused_next_tag),
      .valid_o   (late_valid),
      .tag_o     (unused_tag),
      .data_o    (late)
  );
  axelram_query_rounding #(
      .Lanes(Lanes), .Rows(Rows),
      .Bits     (WideBits),
      .QueryBits(OutBits)
  ) u_rounding (
      .clk_i, .rst_ni,
      .exponent_valid_i(1'b0),
      .early_valid_i   (difference_valid_q),
      .exponent_i      (5'd0),
      .early_i         (difference_q),
      .late_valid_i    (late_valid),
      .late_i          (late),
      .late_shift_o    (late_shift),
      .valid_o,
      .last_o          (rho_last),
      .query_o         (data_o),
      .exponent_o      (unused_exponent)
  );
  always_ff @(posedge clk_i) if (late_valid) shift_o <= late_shift;

  // ---- Signs of the rotated residual
  logic signs_valid_q, signs_first_q, signs_last_q;
  logic [Lanes-1:0] signs_q;
  logic [RowBits-1:0] z_row_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      signs_valid_q <= 1'b0;
      z_row_q <= '0;
    end else begin
      signs_valid_q <= z_valid_i;
      if (z_valid_i) z_row_q <= (z_row_q == RowBits'(Rows - 1)) ? '0 : z_row_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i)
    if (z_valid_i) begin
      signs_first_q <= z_row_q == '0;
      signs_last_q  <= z_row_q == RowBits'(Rows - 1);
      for (int i = 0; i < Lanes; i++) signs_q[i] <= data_i[i*Bits+Bits-1];
    end

  axelram_record #(.HeadDim(HeadDim), .Lanes(Lanes), .IndexBits(1)) u_record (
      .clk_i, .rst_ni,
      .valid_i  (signs_valid_q),
      .first_i  (signs_first_q),
      .last_i   (signs_last_q),
      .indices_i(signs_q),
      .norm_i,
      .events_i ({1'b0, norm_saturated_i}),
      .valid_o  (record_valid_o),
      .events_o (record_events_o),
      .record_o
  );

  logic unused;
  assign unused =
      ^{unused_last, unused_next, unused_next_tag, unused_tag, unused_exponent, rho_last,
                    reconstructions, reconstructions_valid};
  `AXELRAM_ASSERT(one_pass_at_a_time, !(valid_i && z_valid_i))

`ifdef AXELRAM_COVERS
  logic zero, z_zero, limit;
  always_comb begin
    zero = 1'b1;
    z_zero = 1'b0;
    limit = 1'b0;
    for (int i = 0; i < Lanes; i++) begin
      zero = zero && data_o[i*OutBits+:OutBits] == '0;
      z_zero = z_zero || data_i[i*Bits+:Bits] == '0;
      limit = limit ||
          (valid_o && shift_o != '0 && (data_o[i*OutBits+:OutBits] == {1'b0, {OutBits - 1{1'b1}}} ||
                       data_o[i*OutBits+:OutBits] == {1'b1, {OutBits - 2{1'b0}}, 1'b1}));
    end
  end
`endif
  `AXELRAM_COVER(residual_zero, valid_o && zero)
  `AXELRAM_COVER(residual_z_zero, z_valid_i && z_zero)
  `AXELRAM_COVER(residual_saturated, limit)
endmodule

`default_nettype wire

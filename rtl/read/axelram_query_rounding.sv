/// Rounding of a rotated query, or of the copy of a key, to QueryBits (bit-contract.md#read-1,
/// bit-contract.md#exact):
///   sh = max(0, bit_length(max|y_i|) - (WQ - 1)); u_i = RNE(y_i / 2^sh), saturated to
///   +-(2^(WQ-1) - 1); e_u = e + sh.
/// The bit length of the largest magnitude is the bit length of the OR of all magnitudes.
///
/// Rows arrive twice: early_* from the Hadamard network, late_* after all rows have been seen. The
/// exponent field arrives before the last early row. Waiting: vectors whose last late row is still
/// to come, a power of two. exponent_i: biased; with FieldBits > ExpBits, signed. late_shift_o: sh
/// of the late row.
/// Latency: a shift 3 cycles after the last early row; a row of u, and its exponent, 1 cycle after
/// the late row.
`include "axelram_macros.svh"
`default_nettype none

module axelram_query_rounding #(
    parameter int  Lanes     = 128,
    parameter int  Rows      = 1,
    parameter int  Bits      = 23,
    parameter int  QueryBits = 8,
    parameter int  ExpBits   = 5,
    parameter int  SigBits   = 16,
    parameter int  Waiting   = 1,
    parameter int  FieldBits = ExpBits,
    localparam int MaxShift  = Bits - QueryBits,
    localparam int ShiftBits = $clog2(MaxShift + 1)
) (
    input  wire logic                              clk_i,
    input  wire logic                              rst_ni,
    input  wire logic                              exponent_valid_i,
    input  wire logic                              early_valid_i,
    input  wire logic        [      FieldBits-1:0] exponent_i,
    input  wire logic        [     Lanes*Bits-1:0] early_i,
    input  wire logic                              late_valid_i,
    input  wire logic        [     Lanes*Bits-1:0] late_i,
    output logic             [      ShiftBits-1:0] late_shift_o,
    output logic                                   valid_o,
    output logic                                   last_o,
    output logic             [Lanes*QueryBits-1:0] query_o,
    output logic      signed [               11:0] exponent_o
);
  `AXELRAM_REQUIRE(query_bits_in_6_to_21, QueryBits >= 6 && QueryBits <= 21)
  `AXELRAM_REQUIRE(elements_wider_than_query_bits, Bits > QueryBits)
  `AXELRAM_REQUIRE(rows_power_of_two, Rows >= 1 && (Rows & (Rows - 1)) == 0)
  `AXELRAM_REQUIRE(exp_bits_5_or_8, ExpBits == 5 || ExpBits == 8)
  `AXELRAM_REQUIRE(sig_bits_in_12_to_20, SigBits >= 12 && SigBits <= 20)
  `AXELRAM_REQUIRE(lanes_at_least_1, Lanes >= 1)
  `AXELRAM_REQUIRE(field_bits_at_least_exp_bits, FieldBits >= ExpBits)
  `AXELRAM_REQUIRE(waiting_power_of_two, Waiting >= 1 && (Waiting & (Waiting - 1)) == 0)

  localparam int RowBits = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int Bias = (1 << (ExpBits - 1)) - 1;

  // OR of the magnitudes of a row, then of the vector.
  logic [Bits-1:0] row_or;
  always_comb begin
    row_or = '0;
    if (early_valid_i)
      for (int i = 0; i < Lanes; i++)
        row_or = row_or | (early_i[i*Bits+Bits-1] ? -early_i[i*Bits+:Bits] : early_i[i*Bits+:Bits]);
  end

  logic row_valid_q, vector_valid_q;
  logic [RowBits-1:0] early_row_q;
  logic [Bits-1:0] row_or_q, vector_or_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_valid_q <= 1'b0;
      vector_valid_q <= 1'b0;
      early_row_q <= '0;
    end else begin
      row_valid_q <= early_valid_i;
      vector_valid_q <= row_valid_q && early_row_q == RowBits'(Rows - 1);
      if (row_valid_q)
        early_row_q <= (early_row_q == RowBits'(Rows - 1)) ? '0 : early_row_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (early_valid_i) row_or_q <= row_or;
    if (row_valid_q) vector_or_q <= row_or_q | ((early_row_q == '0) ? '0 : vector_or_q);
  end

  logic [ShiftBits-1:0] shift;
  always_comb begin
    shift = '0;
    if (vector_valid_q)
      for (int k = 1; k <= MaxShift; k++)
        if (vector_or_q[QueryBits-2+k]) shift = ShiftBits'(k);
  end

  // Exponents and shifts wait for the late rows of their vectors.
  localparam int PlaceBits = (Waiting > 1) ? $clog2(Waiting) : 1;
  localparam logic [PlaceBits-1:0] NextPlace = (Waiting > 1) ? PlaceBits'(1) : '0;
  logic [FieldBits-1:0] exponents_q[Waiting];
  logic [ShiftBits-1:0] shifts_q[Waiting];
  logic [PlaceBits-1:0] exponent_place_q, shift_place_q, late_place_q;
  logic [RowBits-1:0] late_row_q;
  logic late_last;
  assign late_last = late_row_q == RowBits'(Rows - 1);
  always_ff @(posedge clk_i) begin
    if (exponent_valid_i) exponents_q[exponent_place_q] <= exponent_i;
    if (vector_valid_q) shifts_q[shift_place_q] <= shift;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      exponent_place_q <= '0;
      shift_place_q <= '0;
      late_place_q <= '0;
    end else begin
      if (exponent_valid_i) exponent_place_q <= exponent_place_q + NextPlace;
      if (vector_valid_q) shift_place_q <= shift_place_q + NextPlace;
      if (late_valid_i && late_last) late_place_q <= late_place_q + NextPlace;
    end
  end
  logic [ShiftBits-1:0] late_shift;
  assign late_shift = shifts_q[late_place_q];
  assign late_shift_o = late_shift;
  logic signed [11:0] late_exponent;
  if (FieldBits > ExpBits) begin : g_signed
    assign late_exponent = 12'($signed(exponents_q[late_place_q]));
  end else begin : g_signed
    assign late_exponent = $signed(12'(exponents_q[late_place_q]));
  end

  function automatic logic [QueryBits-1:0] round(input logic signed [Bits-1:0] element,
                                                 input logic [ShiftBits-1:0] places);
    localparam logic signed [Bits:0] Most = (Bits + 1)'((1 << (QueryBits - 1)) - 1);
    logic signed [Bits+MaxShift-1:0] placed;
    logic signed [Bits:0] rounded;
    placed  = $signed({element, MaxShift'(0)}) >>> places;
    rounded = (Bits + 1)'($signed(placed[Bits+MaxShift-1:MaxShift]));
    if (placed[MaxShift-1] && (placed[MaxShift] || ({placed, 1'b0} << (Bits + 1)) != '0))
      rounded = rounded + 1'b1;
    if (rounded > Most) rounded = Most;
    if (rounded < -Most) rounded = -Most;
    round = rounded[QueryBits-1:0];
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      late_row_q <= '0;
    end else begin
      valid_o <= late_valid_i;
      if (late_valid_i) late_row_q <= late_last ? '0 : late_row_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i)
    if (late_valid_i) begin
      last_o <= late_last;
      exponent_o <= late_exponent - 12'(Bias + SigBits - 2) + $signed(12'(late_shift));
      for (int i = 0; i < Lanes; i++)
        query_o[i*QueryBits+:QueryBits] <= round($signed(late_i[i*Bits+:Bits]), late_shift);
    end

`ifdef AXELRAM_SVA
  // Elements {below the symmetric range, at one of its ends}.
  logic [1:0] extremes;
  always_comb begin
    extremes = '0;
    if (valid_o)
      for (int i = 0; i < Lanes; i++)
        case (query_o[i*QueryBits+:QueryBits])
          {1'b1, (QueryBits - 1)'(0)} : extremes[1] = 1'b1;
          {1'b1, (QueryBits - 1)'(1)}, {1'b0, {QueryBits - 1{1'b1}}} : extremes[0] = 1'b1;
          default: ;
        endcase
  end
`endif
  `AXELRAM_ASSERT(query_in_symmetric_range, valid_o |-> !extremes[1])
  `AXELRAM_COVER(query_u_at_its_limit, valid_o && extremes[0])
endmodule

`default_nettype wire

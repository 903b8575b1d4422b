/// Repair of the erased indices of a record, or of a part of it (bit-contract.md#erasures): those
/// that lie in an uncorrectable word.
///
/// now_i, before_i, after_i: Count indices of Bits bits of tokens t, t - 1 and t + 1, which begin
/// at bit First of their records; *_lacks_i: a bit for each word of K bits that is erased, all bits
/// of a token that does not exist. erasure_i: axelram_interpolate.
/// Latency: 1 cycle, in cycles with enable_i.
`include "axelram_macros.svh"
`default_nettype none

module axelram_repair_indices #(
    parameter int Count = 128,
    parameter int Bits  = 3,
    parameter int First = 0,
    parameter int K     = 4,
    parameter int Words = 100
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic [           1:0] erasure_i,
    input  wire logic                  enable_i,
    input  wire logic [     Words-1:0] now_lacks_i,
    input  wire logic [     Words-1:0] before_lacks_i,
    input  wire logic [     Words-1:0] after_lacks_i,
    input  wire logic [Count*Bits-1:0] now_i,
    input  wire logic [Count*Bits-1:0] before_i,
    input  wire logic [Count*Bits-1:0] after_i,
    output logic      [Count*Bits-1:0] indices_o
);
  `AXELRAM_REQUIRE(bits_in_1_to_4, Bits >= 1 && Bits <= 4)
  `AXELRAM_REQUIRE(count_at_least_1, Count >= 1)
  `AXELRAM_REQUIRE(data_bits_at_least_1, K >= 1)
  `AXELRAM_REQUIRE(words_hold_the_indices, First >= 0 && (First + Count * Bits - 1) / K < Words)

  localparam logic [1:0] Zero = 2'd1;
  localparam logic [1:0] Interpolate = 2'd2;

  function automatic logic [Bits-1:0] mean(input logic [Bits-1:0] a, input logic [Bits-1:0] b);
    logic [Bits:0] sum;
    sum  = {1'b0, a} + {1'b0, b};
    mean = sum[Bits:1] + Bits'({1'b0, sum[0] & sum[1]});
  endfunction

  logic [Count-1:0] erased, left, right;
  for (genvar i = 0; i < Count; i++) begin : g_element
    localparam int FirstWord = (First + i * Bits) / K;
    localparam int LastWord = (First + i * Bits + Bits - 1) / K;
    assign erased[i] = |now_lacks_i[LastWord:FirstWord];
    assign left[i]   = !(|before_lacks_i[LastWord:FirstWord]);
    assign right[i]  = !(|after_lacks_i[LastWord:FirstWord]);
  end
  logic repair;
  assign repair = now_lacks_i != '0 && (erasure_i == Zero || erasure_i == Interpolate);

  always_ff @(posedge clk_i)
    if (enable_i) begin
      indices_o <= now_i;
      if (repair)
        for (int i = 0; i < Count; i++)
          if (erased[i])
            if (erasure_i == Zero) indices_o[i*Bits+:Bits] <= Bits'(1 << (Bits - 1));
            else if (left[i] && right[i])
              indices_o[i*Bits+:Bits] <= mean(before_i[i*Bits+:Bits], after_i[i*Bits+:Bits]);
            else if (left[i]) indices_o[i*Bits+:Bits] <= before_i[i*Bits+:Bits];
            else if (right[i]) indices_o[i*Bits+:Bits] <= after_i[i*Bits+:Bits];
    end

  logic unused;
  assign unused = ^{rst_ni, before_lacks_i, after_lacks_i};
`ifdef AXELRAM_COVERS
  // Means that lie in the middle between two values.
  logic [Count-1:0] tie;
  always_comb for (int i = 0; i < Count; i++) tie[i] = before_i[i*Bits] != after_i[i*Bits];
`endif
  `AXELRAM_COVER(erasure_index_kept,
                 enable_i && erasure_i != Zero && erasure_i != Interpolate && |erased)
  `AXELRAM_COVER(erasure_index_zero, enable_i && erasure_i == Zero && |erased)
  `AXELRAM_COVER(erasure_index_interpolated, enable_i && erasure_i == Interpolate && |erased)
  `AXELRAM_COVER(interpolation_index_of_both,
                 enable_i && erasure_i == Interpolate && |(erased & left & right))
  `AXELRAM_COVER(interpolation_index_of_the_left,
                 enable_i && erasure_i == Interpolate && |(erased & left & ~right))
  `AXELRAM_COVER(interpolation_index_of_the_right,
                 enable_i && erasure_i == Interpolate && |(erased & ~left & right))
  `AXELRAM_COVER(interpolation_index_of_neither,
                 enable_i && erasure_i == Interpolate && |(erased & ~left & ~right))
  `AXELRAM_COVER(interpolation_index_tie, enable_i && erasure_i == Interpolate &&
                 |(erased & left & right & tie))
endmodule

`default_nettype wire

/// Packing of a record (bit-contract.md#write-5): index i at bits i*b .. i*b + b - 1, then the 16
/// bits of the FP16 norm.
///
/// Descending: the rows arrive the last one first. norm_i and events_i must hold while the indices
/// of the first row are valid; LateNorm: of the row with last_i. events_i, of the norm:
/// {scale_refused, norm_saturated}.
/// Latency: 1 cycle from the last row of indices.
`include "axelram_macros.svh"
`default_nettype none

module axelram_record #(
    parameter int  HeadDim    = 128,
    parameter int  Lanes      = 128,
    parameter int  IndexBits  = 3,
    parameter bit  LateNorm   = 1'b0,
    parameter bit  Descending = 1'b0,
    localparam int RecordBits = HeadDim * IndexBits + 16
) (
    input  wire logic                       clk_i,
    input  wire logic                       rst_ni,
    input  wire logic                       valid_i,
    input  wire logic                       first_i,
    input  wire logic                       last_i,
    input  wire logic [Lanes*IndexBits-1:0] indices_i,
    input  wire logic [               15:0] norm_i,
    input  wire logic [                1:0] events_i,
    output logic                            valid_o,
    output logic      [                1:0] events_o,
    output logic      [     RecordBits-1:0] record_o
);
  `AXELRAM_REQUIRE(lanes_divide_head_dim, Lanes >= 1 && HeadDim >= Lanes && HeadDim % Lanes == 0)
  `AXELRAM_REQUIRE(index_bits_in_1_to_4, IndexBits >= 1 && IndexBits <= 4)

  logic [HeadDim*IndexBits-1:0] indices_q;
  logic [15:0] norm_q;
  assign record_o = {norm_q, indices_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= valid_i && last_i;
  end
  // Rows enter at the top and move down, or, Descending, at the bottom and move up. After the last
  // one, row 0 is at bit 0.
  always_ff @(posedge clk_i)
    if (valid_i)
      indices_q <= Descending ? (HeadDim * IndexBits)'({indices_q, indices_i})
          : (HeadDim * IndexBits)'({indices_i, indices_q} >> (Lanes * IndexBits));
  always_ff @(posedge clk_i)
    if (valid_i && (LateNorm ? last_i : first_i)) begin
      norm_q <= norm_i;
      events_o <= events_i;
    end

  `AXELRAM_ASSERT(norm_of_record_finite, valid_o |-> norm_q <= 16'h7bff)
endmodule

`default_nettype wire

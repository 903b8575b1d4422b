/// The norm of a record (bit-contract.md#write-3, bit-contract.md#scale), until its last indices
/// are packed:
///   plain:             that of axelram_norm, as it comes;
///   plain, a trellis:  the same, which waits until the indices are found (taken_i);
///   Unbiased:          that of axelram_scale, from the square sum and the correlation.
///
/// Interval and Waiting: as in axelram_scale. Late: cycles by which an unbiased norm comes later.
/// FieldBits: as in axelram_scale. events_o: {scale_refused, norm_saturated}.
/// Latency: plain 0, Unbiased from correlation_valid_i that of axelram_scale. A norm holds until
/// the next, or, if it waits, until taken_i.
`include "axelram_macros.svh"
`default_nettype none

module axelram_record_norm #(
    parameter int HeadDim         = 128,
    parameter int Interval        = 1,
    parameter int WordBits        = 8,
    parameter int SumBits         = 37,
    parameter int CorrelationBits = 34,
    parameter int ExpBits         = 5,
    parameter int FieldBits       = ExpBits,
    parameter int SigBits         = 16,
    parameter int Waiting         = 64,
    parameter bit Unbiased        = 1'b0,
    parameter bit Trellis         = 1'b0,
    parameter int Late            = 0
) (
    input  wire logic                              clk_i,
    input  wire logic                              rst_ni,
    input  wire logic                              sum_valid_i,
    input  wire logic        [      FieldBits-1:0] sum_exponent_i,
    input  wire logic        [        SumBits-1:0] sum_i,
    input  wire logic                              plain_valid_i,
    input  wire logic        [               15:0] plain_norm_i,
    input  wire logic                              plain_saturated_i,
    input  wire logic                              correlation_valid_i,
    input  wire logic signed [CorrelationBits-1:0] correlation_i,
    output logic                                   valid_o,
    output logic             [               15:0] norm_o,
    output logic             [                1:0] events_o,
    input  wire logic                              taken_i
);
  `AXELRAM_REQUIRE(head_dim_power_of_two, HeadDim >= 2 && (HeadDim & (HeadDim - 1)) == 0)
  `AXELRAM_REQUIRE(word_bits_at_least_2, WordBits >= 2)

  if (Unbiased) begin : g_scale
    logic scaled_valid;
    logic [15:0] scaled_norm;
    logic [1:0] scaled_events;
    axelram_scale #(
        .HeadDim(HeadDim), .Interval(Interval), .WordBits(WordBits), .SumBits(SumBits),
        .CorrelationBits(CorrelationBits), .ExpBits(ExpBits), .FieldBits(FieldBits),
        .SigBits(SigBits), .Waiting(Waiting),
        .Refuses(Trellis)
    ) u_scale (
        .clk_i, .rst_ni, .sum_valid_i, .sum_exponent_i, .sum_i, .correlation_valid_i,
        .correlation_i,
        .valid_o    (scaled_valid),
        .norm_o     (scaled_norm),
        .saturated_o(scaled_events[0]),
        .refused_o  (scaled_events[1])
    );
    axelram_pipeline #(.Bits(18), .Depth(Late)) u_late (
        .clk_i, .rst_ni,
        .valid_i(scaled_valid),
        .data_i ({scaled_events, scaled_norm}),
        .valid_o,
        .data_o ({events_o, norm_o})
    );
    logic unused;
    assign unused = ^{plain_valid_i, plain_norm_i, plain_saturated_i, taken_i};
  end else if (Trellis) begin : g_waiting
    logic unused_free, waits;
    assign valid_o = taken_i;
    assign events_o[1] = 1'b0;
    axelram_score_fifo #(.Bits(17), .Depth(Waiting)) u_norms (
        .clk_i, .rst_ni,
        .reserve_i(plain_valid_i),
        .free_o   (unused_free),
        .valid_i  (plain_valid_i),
        .data_i   ({plain_saturated_i, plain_norm_i}),
        .valid_o  (waits),
        .ready_i  (taken_i),
        .data_o   ({events_o[0], norm_o})
    );
    `AXELRAM_ASSERT(norm_before_its_indices, taken_i |-> waits)
    logic unused;
    assign unused = ^{sum_valid_i, sum_exponent_i, sum_i, correlation_valid_i, correlation_i,
                      unused_free, waits};
  end else begin : g_plain
    assign {valid_o, norm_o, events_o} = {plain_valid_i, plain_norm_i, 1'b0, plain_saturated_i};
    logic unused;
    assign unused = ^{clk_i, rst_ni, sum_valid_i, sum_exponent_i, sum_i, correlation_valid_i,
                      correlation_i, taken_i};
  end
endmodule

`default_nettype wire

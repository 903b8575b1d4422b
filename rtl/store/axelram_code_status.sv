/// Counters of decoded words: saturating counters of corrected words, of overall parity bits in
/// error, of uncorrectable words, and of records written back; key of the first word that was not
/// clean. clear_i clears all. An event in the cycle of a clear survives it.
///
/// status_i: two bits per word (bit-contract.md#word-status). Latency: 3 cycles.
`include "axelram_macros.svh"
`default_nettype none

module axelram_code_status #(
    parameter int Words       = 100,
    parameter int AddressBits = 12,
    parameter int CounterBits = 32
) (
    input  wire logic                     clk_i,
    input  wire logic                     rst_ni,
    input  wire logic                     clear_i,
    input  wire logic                     valid_i,
    input  wire logic [      Words*2-1:0] status_i,
    input  wire logic [  AddressBits-1:0] address_i,
    input  wire logic                     scrubbed_i,
    output logic      [4*CounterBits-1:0] count_o,
    output logic                          first_valid_o,
    output logic      [  AddressBits-1:0] first_address_o
);
  localparam int SumBits = $clog2(Words + 1);
  `AXELRAM_REQUIRE(words_at_least_1, Words >= 1)
  `AXELRAM_REQUIRE(counters_hold_a_record, CounterBits >= SumBits)
  `AXELRAM_REQUIRE(address_bits_at_least_1, AddressBits >= 1)

  // Words are registered first, then counted.
  logic any_words_q, scrubbed_words_q, any_q, scrubbed_q;
  logic [AddressBits-1:0] address_words_q, address_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      any_words_q <= 1'b0;
      scrubbed_words_q <= 1'b0;
      any_q <= 1'b0;
      scrubbed_q <= 1'b0;
    end else begin
      any_words_q <= valid_i && status_i != '0;
      scrubbed_words_q <= scrubbed_i;
      any_q <= any_words_q;
      scrubbed_q <= scrubbed_words_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i) address_words_q <= address_i;
    if (any_words_q) address_q <= address_words_q;
  end

  // Events of a cycle: {written back, detected, parity only, corrected}.
  for (genvar e = 0; e < 4; e++) begin : g_event
    logic [CounterBits-1:0] count_q, base;
    logic [CounterBits:0] sum;
    logic [SumBits-1:0] amount;
    if (e < 3) begin : g_words
      // Icarus 11 miscounts the ones of a part-select, so each event has a vector.
      logic [Words-1:0] words_q;
      logic [SumBits-1:0] sum_q;
      always_ff @(posedge clk_i)
        if (valid_i)
          for (int w = 0; w < Words; w++) words_q[w] <= status_i[w*2+:2] == 2'(e + 1);
      always_ff @(posedge clk_i) if (any_words_q) sum_q <= SumBits'($countones(words_q));
      assign amount = any_q ? sum_q : '0;
    end else begin : g_records
      assign amount = SumBits'(scrubbed_q);
    end
    assign base = clear_i ? '0 : count_q;
    assign sum = (CounterBits + 1)'(base) + (CounterBits + 1)'(amount);
    assign count_o[e*CounterBits+:CounterBits] = count_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (clear_i || amount != '0) count_q <= sum[CounterBits] ? '1 : sum[CounterBits-1:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_valid_o <= 1'b0;
    else first_valid_o <= any_q || (first_valid_o && !clear_i);
  end
  always_ff @(posedge clk_i)
    if (any_q && (!first_valid_o || clear_i)) first_address_o <= address_q;

  `AXELRAM_COVER(counters_first_error, first_valid_o)
  `AXELRAM_COVER(counters_cleared_in_flight, clear_i && (valid_i || any_words_q || any_q))
endmodule

`default_nettype wire

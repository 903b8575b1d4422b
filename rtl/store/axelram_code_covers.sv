/// Covers of the corners of a protected store that are seen at the ports of the observed top:
/// decoder, write-back, scrubs. Labels as in axelram_covers.
///
/// Inputs: the ports of the top with the same stem, and its obs_* ports. Words: codewords of a
/// record;
/// Spacing: cycles between the reads of a query.
`include "axelram_macros.svh"
`default_nettype none

module axelram_code_covers #(
    parameter int Words       = 100,
    parameter int Spacing     = 1,
    parameter int AddressBits = 12
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    input  wire logic                   clear_valid_i,
    input  wire logic                   clear_ready_i,
    input  wire logic                   obs_record_valid_i,
    input  wire logic                   obs_read_i,
    input  wire logic                   obs_memory_read_i,
    input  wire logic [AddressBits-1:0] obs_memory_address_i,
    input  wire logic                   obs_decoded_valid_i,
    input  wire logic                   obs_decoded_scrub_i,
    input  wire logic [    2*Words-1:0] obs_status_i,
    input  wire logic                   obs_write_back_i
);
  `AXELRAM_REQUIRE(words_at_least_1, Words >= 1)
  `AXELRAM_REQUIRE(spacing_at_least_1, Spacing >= 1)
  `AXELRAM_REQUIRE(address_bits_at_least_1, AddressBits >= 1)

  // Status: bit s is 1 if a word of the record has status s.
  logic [3:0] has;
  always_comb begin
    has = '0;
    for (int w = 0; w < Words; w++) has[obs_status_i[2*w+:2]] = 1'b1;
  end
  `AXELRAM_COVER(word_corrected, obs_decoded_valid_i && has[1])
  `AXELRAM_COVER(word_parity_bit_only, obs_decoded_valid_i && has[2])
  `AXELRAM_COVER(word_detected, obs_decoded_valid_i && has[3])

  // Records of queries, Spacing cycles apart.
  logic query_decoded;
  logic [Spacing-1:0] query_decoded_q;
  assign query_decoded = obs_decoded_valid_i && !obs_decoded_scrub_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) query_decoded_q <= '0;
    else query_decoded_q <= Spacing'({query_decoded_q, query_decoded});
  end
  `AXELRAM_COVER(decoder_full_rate, query_decoded && query_decoded_q[Spacing-1])

  // Write-back: a scrub yields to a key that is stored and to a read of its word.
  logic scrub_decoded, lost;
  assign scrub_decoded = obs_decoded_valid_i && obs_decoded_scrub_i;
  assign lost = scrub_decoded && (has[1] || has[2]) && !obs_write_back_i;
  `AXELRAM_COVER(write_back_of_a_query, obs_write_back_i && !obs_decoded_scrub_i)
  `AXELRAM_COVER(write_back_of_a_scrub, obs_write_back_i && obs_decoded_scrub_i)
  `AXELRAM_COVER(write_back_lost_to_a_key, lost && obs_record_valid_i)
  `AXELRAM_COVER(write_back_lost_to_a_read, lost && !obs_record_valid_i)

  // Scrubs: from read to decoding.
  logic scrub_read, scrubbing, scrubbing_q, scrubbed_later_q;
  assign scrub_read = obs_memory_read_i && !obs_read_i;
  assign scrubbing = scrubbing_q && !scrub_decoded;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scrubbing_q <= 1'b0;
      scrubbed_later_q <= 1'b0;
    end else begin
      scrubbing_q <= scrub_read || scrubbing;
      if (scrub_read) scrubbed_later_q <= obs_memory_address_i != '0;
    end
  end
  `AXELRAM_COVER(scrub_round, scrub_read && obs_memory_address_i == '0 && scrubbed_later_q)
  `AXELRAM_COVER(scrub_a_query_reads, obs_read_i && scrubbing)
  `AXELRAM_COVER(scrub_a_clear, clear_valid_i && clear_ready_i && scrubbing_q)

  // A reset, as in axelram_covers.
  logic released_q;
  logic before_q = 1'b0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) released_q <= 1'b1;
    else released_q <= 1'b0;
  end
  always_ff @(posedge clk_i) if (rst_ni) before_q <= scrub_read || scrubbing;
  `AXELRAM_COVER(scrub_a_reset, released_q && before_q)
endmodule

`default_nettype wire

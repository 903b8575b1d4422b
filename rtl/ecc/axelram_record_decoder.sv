/// Decoder of a stored record, all words at once. codewords_o: the stored word with every
/// correctable codeword corrected; status_o: two bits per codeword, codeword j at bits 2*j
/// (bit-contract.md#word-status).
///
/// Decoder, ParityBit and Parity as in axelram_word_decoder. tag_i is delayed with the record.
/// Latency: Stages cycles. Throughput: a record per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_record_decoder #(
    parameter int  RecordBits = 400,
    parameter int  K          = 4,
    parameter int  N          = 8,
    parameter int  Decoder    = 0,
    parameter int  ParityBit  = -1,
    parameter bit [K*(N-K)-1:0] Parity = '0,
    parameter int  Stages     = 0,
    parameter int  TagBits    = 1,
    localparam int Words      = (RecordBits + K - 1) / K
) (
    input  wire logic                clk_i,
    input  wire logic                rst_ni,
    input  wire logic                valid_i,
    input  wire logic [ TagBits-1:0] tag_i,
    input  wire logic [ Words*N-1:0] codewords_i,
    output logic                     valid_o,
    output logic      [ TagBits-1:0] tag_o,
    output logic      [ Words*N-1:0] codewords_o,
    output logic      [ Words*2-1:0] status_o
);
  `AXELRAM_REQUIRE(record_bits_at_least_1, RecordBits >= 1)
  `AXELRAM_REQUIRE(codeword_longer_than_data, K >= 1 && N > K)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)

  logic [Words-1:0] valid;
  assign valid_o = valid[0];
  for (genvar w = 0; w < Words; w++) begin : g_word
    axelram_word_decoder #(
        .K(K), .N(N), .Decoder(Decoder), .ParityBit(ParityBit), .Parity(Parity), .Stages(Stages)
    ) u_decoder (
        .clk_i, .rst_ni, .valid_i,
        .codeword_i(codewords_i[w*N+:N]),
        .valid_o   (valid[w]),
        .codeword_o(codewords_o[w*N+:N]),
        .status_o  (status_o[w*2+:2])
    );
  end
  logic unused;
  assign unused = ^valid;

  if (Stages == 0) begin : g_tag
    assign tag_o = tag_i;
  end else begin : g_tag
    logic [Stages*TagBits-1:0] tag_q;
    always_ff @(posedge clk_i) tag_q <= (Stages * TagBits)'({tag_q, tag_i});
    assign tag_o = tag_q[Stages*TagBits-1-:TagBits];
  end
endmodule

`default_nettype wire

/// Encoder of a record (bit-contract.md#codewords): the record is cut from bit 0 into words of K
/// bits, the last one padded with zeros; codeword j is at bits j*N .. j*N + N - 1.
///
/// Parity as in axelram_encoder. tag_i is delayed with the record.
/// Latency: Stages cycles.
`include "axelram_macros.svh"
`default_nettype none

module axelram_record_encoder #(
    parameter int  RecordBits = 400,
    parameter int  K          = 4,
    parameter int  N          = 8,
    parameter bit [K*(N-K)-1:0] Parity = '0,
    parameter int  Stages     = 0,
    parameter int  TagBits    = 1,
    localparam int Words      = (RecordBits + K - 1) / K
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic                  valid_i,
    input  wire logic [   TagBits-1:0] tag_i,
    input  wire logic [RecordBits-1:0] record_i,
    output logic                       valid_o,
    output logic      [   TagBits-1:0] tag_o,
    output logic      [   Words*N-1:0] codewords_o
);
  `AXELRAM_REQUIRE(record_bits_at_least_1, RecordBits >= 1)
  `AXELRAM_REQUIRE(tag_bits_at_least_1, TagBits >= 1)
  `AXELRAM_REQUIRE(codeword_longer_than_data, K >= 1 && N > K)

  logic [Words*K-1:0] padded;
  logic [Words-1:0] valid;
  assign padded  = (Words * K)'(record_i);
  assign valid_o = valid[0];
  for (genvar w = 0; w < Words; w++) begin : g_word
    axelram_encoder #(
        .K(K), .N(N), .Parity(Parity), .Stages(Stages)
    ) u_encoder (
        .clk_i, .rst_ni, .valid_i,
        .data_i    (padded[w*K+:K]),
        .valid_o   (valid[w]),
        .codeword_o(codewords_o[w*N+:N])
    );
  end
  if (Words > 1) begin : g_unused
    logic unused;
    assign unused = ^valid[Words-1:1];
  end

  if (Stages == 0) begin : g_tag
    assign tag_o = tag_i;
  end else begin : g_tag
    logic [Stages*TagBits-1:0] tag_q;
    always_ff @(posedge clk_i) tag_q <= (Stages * TagBits)'({tag_q, tag_i});
    assign tag_o = tag_q[Stages*TagBits-1-:TagBits];
  end
endmodule

`default_nettype wire

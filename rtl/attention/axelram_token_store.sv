/// Memories of tokens: records of keys and of values, at the same address of two axelram_store
/// (bit-contract.md#segments). Parameters of the code as there; both are coded alike.
///
/// A key is read at once. Its value, if values_i is high, is read ValueDelay cycles later, so that
/// its record meets the power of its score. valid_i: a token is stored. events_i: of its key, of
/// its value above. inject_value_i: an injection is loaded for the values. ecc_counts_o: of both
/// memories together; the first word that was not clean: of whichever memory met it first, of the
/// keys if both at once.
/// Latency: done_o in the cycle of valid_i, lookup_o and key_o a cycle after read_i, value_o
/// ValueDelay + 1 cycles; with a code: Stages later, and Stages + Spacing + 5 later. Records hold
/// until the next one.
`include "axelram_macros.svh"
`default_nettype none

module axelram_token_store #(
    parameter int  HeadDim       = 128,
    parameter int  IndexBits     = 3,
    parameter int  MaxKeys       = 4096,
    parameter int  ValueDelay    = 19,
    parameter int  CodeN         = 0,
    parameter int  CodeK         = 1,
    parameter int  Decoder       = 0,
    parameter int  ParityBit     = -1,
    parameter bit [((CodeN > CodeK) ? CodeK*(CodeN-CodeK) : 1)-1:0] Parity = '0,
    parameter int  Stages        = 0,
    parameter int  Spacing       = 1,
    parameter int  ScrubInterval = 0,
    parameter int  Erasure       = 0,
    localparam int RecordBits    = HeadDim * IndexBits + 16,
    localparam int StoredBits    = axelram_sizes::stored_bits(RecordBits, CodeN, CodeK),
    localparam int AddressBits   = (MaxKeys > 1) ? $clog2(MaxKeys) : 1
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    output logic                        ready_o,
    input  wire logic                   valid_i,
    input  wire logic [            3:0] events_i,
    input  wire logic [AddressBits-1:0] place_i,
    input  wire logic [ RecordBits-1:0] key_i,
    input  wire logic [ RecordBits-1:0] value_i,
    output logic                        done_o,
    output logic      [            3:0] events_o,
    input  wire logic                   idle_i,
    input  wire logic                   read_i,
    input  wire logic                   values_i,
    input  wire logic                   last_i,
    input  wire logic [AddressBits-1:0] address_i,
    output logic                        lookup_o,
    output logic                        lookup_last_o,
    output logic      [ RecordBits-1:0] key_o,
    output logic      [ RecordBits-1:0] value_o,
    // Code: as in axelram_store.
    input  wire logic                   events_clear_i,
    input  wire logic                   ecc_load_i,
    input  wire logic [            1:0] ecc_erasure_i,
    input  wire logic                   ecc_write_back_i,
    output logic      [       4*32-1:0] ecc_counts_o,
    output logic                        ecc_first_valid_o,
    output logic      [AddressBits-1:0] ecc_first_address_o,
    input  wire logic                   inject_load_i,
    input  wire logic                   inject_value_i,
    input  wire logic [            1:0] inject_mode_i,
    input  wire logic [ StoredBits-1:0] inject_mask_i,
    output logic                        inject_armed_o
);
  `AXELRAM_REQUIRE(value_delay_at_least_1, ValueDelay >= 1)

  // A value's read follows its key's, with its address and whether it is the last.
  logic value_read, value_last;
  logic [AddressBits-1:0] value_address;
  axelram_pipeline #(.Bits(1 + AddressBits), .Depth(ValueDelay)) u_delay (
      .clk_i, .rst_ni,
      .valid_i(read_i && values_i),
      .data_i ({last_i, address_i}),
      .valid_o(value_read),
      .data_o ({value_last, value_address})
  );

  // ---- Memory 0 of the keys, memory 1 of the values
  localparam int CountBits = $clog2(MaxKeys + 1);
  logic [1:0] ready, done, stored, full, lookup, lookup_last, first, armed, reads, lasts;
  logic [AddressBits-1:0] addresses[2], first_addresses[2];
  logic [RecordBits-1:0] given[2], records[2];
  logic [127:0] counts[2];
  logic [2*CountBits-1:0] unused_counts;
  assign reads = {value_read, read_i};
  assign lasts = {value_last, last_i};
  assign addresses[0] = address_i;
  assign addresses[1] = value_address;
  assign given[0] = key_i;
  assign given[1] = value_i;
  for (genvar v = 0; v < 2; v++) begin : g_memory
    logic [AddressBits-1:0] first_address;
    logic [RecordBits-1:0] record;
    logic [127:0] count;
    axelram_store #(
        .HeadDim(HeadDim), .IndexBits(IndexBits), .MaxKeys(MaxKeys), .CodeN(CodeN), .CodeK(CodeK),
        .Decoder(Decoder), .ParityBit(ParityBit), .Parity(Parity), .Stages(Stages),
        .Spacing(Spacing), .ScrubInterval(ScrubInterval), .Erasure(Erasure),
        .Placed(1'b1)
    ) u_store (
        .clk_i, .rst_ni,
        .ready_o            (ready[v]),
        .clear_i            (1'b0),
        .valid_i,
        .events_i           (events_i[2*v+:2]),
        .record_i           (given[v]),
        .place_i,
        .done_o             (done[v]),
        .stored_o           (stored[v]),
        .full_o             (full[v]),
        .events_o           (events_o[2*v+:2]),
        .count_o            (unused_counts[v*CountBits+:CountBits]),
        .idle_i,
        .read_i             (reads[v]),
        .skip_i             (1'b0),
        .last_i             (lasts[v]),
        .address_i          (addresses[v]),
        .lookup_o           (lookup[v]),
        .lookup_last_o      (lookup_last[v]),
        .record_o           (record),
        .ecc_load_i, .ecc_erasure_i, .ecc_write_back_i, .events_clear_i,
        .ecc_counts_o       (count),
        .ecc_first_valid_o  (first[v]),
        .ecc_first_address_o(first_address),
        .inject_load_i      (inject_load_i && inject_value_i == 1'(v)),
        .inject_mode_i, .inject_mask_i,
        .inject_armed_o     (armed[v])
    );
    assign records[v] = record;
    assign counts[v] = count;
    assign first_addresses[v] = first_address;
  end
  assign ready_o = &ready;
  assign done_o = done[0];
  assign {lookup_o, lookup_last_o} = {lookup[0], lookup_last[0]};
  assign key_o = records[0];
  assign value_o = records[1];
  assign inject_armed_o = armed != '0;

  // ---- Code: both together
  if (CodeN > 0) begin : g_code
    for (genvar e = 0; e < 4; e++) begin : g_count
      logic [32:0] sum;
      assign sum = 33'(counts[0][e*32+:32]) + 33'(counts[1][e*32+:32]);
      assign ecc_counts_o[e*32+:32] = sum[32] ? '1 : sum[31:0];
    end
    // The memory that was first, once one has met a word that is not clean.
    logic known_q, of_value_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) {known_q, of_value_q} <= '0;
      else if (events_clear_i || first == '0) {known_q, of_value_q} <= '0;
      else if (!known_q) {known_q, of_value_q} <= {1'b1, !first[0]};
    end
    assign ecc_first_valid_o = known_q;
    assign ecc_first_address_o = first_addresses[of_value_q];
  end else begin : g_code
    assign {ecc_counts_o, ecc_first_valid_o, ecc_first_address_o} = '0;
    logic unused;
    assign unused = ^{first, counts[0], counts[1], first_addresses[0], first_addresses[1]};
  end
  logic unused_ends;
  assign unused_ends = ^{stored, full, lookup, lookup_last, done, unused_counts};

  `AXELRAM_ASSERT(memories_together, done[0] == done[1] && !full[0] && !full[1])
endmodule

`default_nettype wire

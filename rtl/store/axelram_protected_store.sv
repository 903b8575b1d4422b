/// Key store with a code. It encodes records on write; on read it decodes, corrects and repairs one
/// record every Spacing cycles. It writes corrections back, scrubs in the background, initialises
/// the memory after reset, injects errors, and counts.
///
///   record -> encoder -> inject -> sram -> inject -> decoder -> interpolate -> record
///                          ^                           |  '-> code_status
///                          '------- write back --------'
///
/// Records are stored in order of arrival. A record for a full store is rejected (full_o). Placed:
/// each is stored at its place_i, and count_o and full_o are of no use; every address is scrubbed.
/// After reset every word is set to the zero codeword, in MaxKeys cycles; inputs must stay idle
/// until ready_o.
/// Reads come in order and at least Spacing cycles apart; last_i marks the last read of a query.
/// write_back_i and erasure_i are registers (axelram_code_registers) that may change between
/// queries.
/// If a read corrects any word, the whole record is written back, uncorrectable words as read.
/// Latency: stored_o or full_o Stages cycles after valid_i; lookup_o Stages + Spacing + 6 cycles
/// after read_i, if the next read follows Spacing cycles later or no read follows; record_o holds.
`include "axelram_macros.svh"
`default_nettype none

module axelram_protected_store #(
    parameter int  HeadDim       = 128,
    parameter int  IndexBits     = 3,
    parameter bit  Residual      = 1'b0,
    parameter int  SplitBits     = 0,
    parameter int  EventBits     = 2,
    parameter int  MaxKeys       = 4096,
    parameter int  K             = 4,
    parameter int  N             = 8,
    parameter int  Decoder       = 0,
    parameter int  ParityBit     = -1,
    parameter bit [K*(N-K)-1:0] Parity = '0,
    parameter int  Stages        = 0,
    parameter int  Spacing       = 1,
    parameter int  ScrubInterval = 0,
    parameter bit  Placed        = 1'b0,
    localparam int RecordBits    =
        axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits),
    localparam int Words         = (RecordBits + K - 1) / K,
    localparam int StoredBits    = Words * N,
    localparam int AddressBits   = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits     = $clog2(MaxKeys + 1)
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    output logic                        ready_o,
    input  wire logic                   clear_i,
    input  wire logic [            1:0] erasure_i,
    input  wire logic                   write_back_i,
    // Records in.
    input  wire logic                   valid_i,
    input  wire logic [  EventBits-1:0] events_i,
    input  wire logic [ RecordBits-1:0] record_i,
    input  wire logic [AddressBits-1:0] place_i,
    output logic                        done_o,
    output logic                        stored_o,
    output logic                        full_o,
    output logic      [  EventBits-1:0] events_o,
    output logic      [  CountBits-1:0] count_o,
    // Reads and their records.
    input  wire logic                   idle_i,
    input  wire logic                   read_i,
    input  wire logic                   last_i,
    input  wire logic [AddressBits-1:0] address_i,
    output logic                        lookup_o,
    output logic                        lookup_last_o,
    output logic      [ RecordBits-1:0] record_o,
    // Injection: axelram_inject.
    input  wire logic                   inject_load_i,
    input  wire logic [            1:0] inject_mode_i,
    input  wire logic [ StoredBits-1:0] inject_mask_i,
    output logic                        inject_armed_o,
    // Counters: axelram_code_status.
    input  wire logic                   events_clear_i,
    output logic      [       4*32-1:0] event_counts_o,
    output logic                        first_valid_o,
    output logic      [AddressBits-1:0] first_address_o
);
  `AXELRAM_REQUIRE(codeword_longer_than_data, K >= 1 && N > K)
  `AXELRAM_REQUIRE(spacing_at_least_1, Spacing >= 1)
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)

  // ---- Initialisation
  logic [CountBits-1:0] initialised_q, count_q;
  assign ready_o = initialised_q == CountBits'(MaxKeys);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) initialised_q <= '0;
    else if (!ready_o) initialised_q <= initialised_q + 1'b1;
  end

  // ---- Write
  logic [StoredBits-1:0] encoded, injected;
  logic [AddressBits-1:0] place;
  axelram_record_encoder #(
      .RecordBits(RecordBits), .K(K), .N(N), .Parity(Parity), .Stages(Stages),
      .TagBits(EventBits + AddressBits)
  ) u_encoder (
      .clk_i, .rst_ni, .valid_i,
      .tag_i      ({events_i, place_i}),
      .record_i,
      .valid_o    (done_o),
      .tag_o      ({events_o, place}),
      .codewords_o(encoded)
  );
  // The code is systematic: the codewords contain the record, which an observer reads here.
  logic [Words*K-1:0] encoded_data;
  for (genvar w = 0; w < Words; w++) begin : g_data
    assign encoded_data[w*K+:K] = encoded[w*N+:K];
  end
  logic [RecordBits-1:0] encoded_record;
  assign encoded_record = encoded_data[RecordBits-1:0];

  assign count_o = count_q;
  assign full_o = done_o && !Placed && count_q == CountBits'(MaxKeys);
  assign stored_o = done_o && !full_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i) count_q <= '0;
    else if (stored_o && !Placed) count_q <= count_q + 1'b1;
  end

  // ---- Memory
  localparam int TagBits = AddressBits + 2;
  logic scrub_read, memory_read, memory_write, write_back;
  assign memory_write = !ready_o || stored_o || write_back;
  logic [AddressBits-1:0] scrub_address, memory_address, write_address, decoded_address;
  logic [StoredBits-1:0] write_data, read_data, received, corrected;
  assign memory_read = read_i || scrub_read;
  assign memory_address = read_i ? address_i : scrub_address;
  always_comb begin
    write_address = Placed ? place : AddressBits'(count_q);
    write_data = injected;
    if (!ready_o) begin
      write_address = AddressBits'(initialised_q);
      write_data = '0;
    end else if (!stored_o) begin
      write_address = decoded_address;
      write_data = corrected;
    end
  end
  axelram_sram_1r1w #(.Bits(StoredBits), .Depth(MaxKeys)) u_sram (
      .clk_i,
      .wen_i  (memory_write),
      .waddr_i(write_address),
      .data_i (write_data),
      .ren_i  (memory_read),
      .raddr_i(memory_address),
      .data_o (read_data)
  );

  logic read_q;
  logic [TagBits-1:0] tag_q;  // {scrub, last, address}
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= 1'b0;
    else read_q <= memory_read;
  end
  always_ff @(posedge clk_i) if (memory_read) tag_q <= {!read_i, last_i, memory_address};

  axelram_inject #(.Bits(StoredBits)) u_inject (
      .clk_i, .rst_ni,
      .load_i      (inject_load_i),
      .mode_i      (inject_mode_i),
      .mask_i      (inject_mask_i),
      .armed_o     (inject_armed_o),
      .write_i     (stored_o),
      .write_data_i(encoded),
      .write_data_o(injected),
      .read_i      (read_q),
      .read_data_i (read_data),
      .read_data_o (received)
  );

  // ---- Decode
  logic found, found_scrub, found_last;
  logic [AddressBits-1:0] found_address;
  logic [StoredBits-1:0] found_codewords;
  logic [Words*2-1:0] found_status;
  axelram_record_decoder #(
      .RecordBits(RecordBits), .K(K), .N(N), .Decoder(Decoder), .ParityBit(ParityBit),
      .Parity(Parity), .Stages(Stages), .TagBits(TagBits)
  ) u_decoder (
      .clk_i, .rst_ni,
      .valid_i    (read_q),
      .tag_i      (tag_q),
      .codewords_i(received),
      .valid_o    (found),
      .tag_o      ({found_scrub, found_last, found_address}),
      .codewords_o(found_codewords),
      .status_o   (found_status)
  );

  logic decoded, decoded_scrub, decoded_last;
  logic [Words*2-1:0] status;
  logic [Words*K-1:0] decoded_data;
  logic [RecordBits-1:0] decoded_record;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) decoded <= 1'b0;
    else decoded <= found;
  end
  always_ff @(posedge clk_i)
    if (found) begin
      {decoded_scrub, decoded_last, decoded_address} <= {found_scrub, found_last, found_address};
      corrected <= found_codewords;
      status <= found_status;
    end
  logic [Words-1:0] erased, changed;
  for (genvar w = 0; w < Words; w++) begin : g_decoded
    assign decoded_data[w*K+:K] = corrected[w*N+:K];
    assign erased[w] = status[w*2+:2] == 2'd3;
    assign changed[w] = status[2*w] != status[2*w+1];
  end
  assign decoded_record = decoded_data[RecordBits-1:0];
  logic unused;
  assign unused = ^{encoded_data, encoded_record, decoded_data, place};

  // ---- Write back: a scrub yields to a key that arrives, to a read of the same word, and, where
  // any word may be written, to a record that has taken its word since it was read.
  logic wanted, busy, overtaken;
  assign wanted = decoded && changed != '0 && (decoded_scrub || write_back_i);
  assign busy = stored_o || (memory_read && memory_address == decoded_address) ||
      (decoded_scrub && overtaken);
  assign write_back = wanted && !busy;
  axelram_scrubber #(
      .Interval(ScrubInterval),
      .AddressBits(AddressBits), .CountBits(CountBits)
  ) u_scrubber (
      .clk_i, .rst_ni,
      // no read of the word that is written
      .idle_i   (idle_i && ready_o && !(Placed && stored_o)),
      .count_i  (Placed ? CountBits'(MaxKeys) : count_q),
      .read_o   (scrub_read),
      .address_o(scrub_address),
      .done_i   (decoded && decoded_scrub),
      .lost_i   (wanted && busy)
  );

  if (Placed) begin : g_overtaken
    logic overtaken_q;
    always_ff @(posedge clk_i)
      overtaken_q <= !scrub_read && (overtaken_q || (stored_o && write_address == scrub_address));
    assign overtaken = overtaken_q;
    `AXELRAM_COVER(write_back_lost_to_a_token, wanted && decoded_scrub && overtaken_q)
  end else begin : g_overtaken
    assign overtaken = 1'b0;
  end

  axelram_code_status #(.Words(Words), .AddressBits(AddressBits)) u_status (
      .clk_i, .rst_ni,
      .clear_i   (events_clear_i),
      .valid_i   (decoded),
      .status_i  (status),
      .address_i (decoded_address),
      .scrubbed_i(write_back),
      .count_o   (event_counts_o),
      .first_valid_o, .first_address_o
  );

  axelram_interpolate #(
      .HeadDim(HeadDim), .IndexBits(IndexBits), .Residual(Residual), .SplitBits(SplitBits), .K(K),
      .Spacing(Spacing)
  ) u_interpolate (
      .clk_i, .rst_ni, .erasure_i,
      .valid_i (decoded && !decoded_scrub),
      .last_i  (decoded_last),
      .record_i(decoded_record),
      .erased_i(erased),
      .valid_o (lookup_o),
      .last_o  (lookup_last_o),
      .record_o
  );

  `AXELRAM_ASSERT(read_what_is_there, read_i |-> Placed || CountBits'(address_i) < count_q)
  `AXELRAM_ASSERT(never_read_while_written,
                  memory_read && memory_write |-> memory_address != write_address)
  `AXELRAM_ASSERT(clear_alone, clear_i |-> !done_o && !read_i)
  `AXELRAM_ASSERT(quiet_until_ready, !ready_o |-> !valid_i && !read_i && !decoded)
  `AXELRAM_ASSERT(queries_write_back_unhindered, wanted && !decoded_scrub |-> !busy)
endmodule

`default_nettype wire

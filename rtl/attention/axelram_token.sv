/// Records of a key and of its value become a token (bit-contract.md#segments): both are stored, or
/// neither.
///
/// record_*_i: records of the write path, in order; of an item its key's, then its value's.
/// fate_*_i: what becomes of the next item, in order: whether its key and its value have records
/// (one at least), whether they are stored and where. It comes before the record of the value, and
/// at least a cycle after that of the item before.
/// Depth: items between their fate and their last record, at most; a power of two.
/// Latency: done_o, and with stored_o the token, in the cycle of its last record, or of its fate's
/// arrival and one more.
`include "axelram_macros.svh"
`default_nettype none

module axelram_token #(
    parameter int RecordBits  = 400,
    parameter int AddressBits = 12,
    parameter int Depth       = 16
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    input  wire logic                   fate_valid_i,
    input  wire logic                   fate_key_i,
    input  wire logic                   fate_value_i,
    input  wire logic                   fate_store_i,
    input  wire logic [AddressBits-1:0] fate_place_i,
    input  wire logic                   record_valid_i,
    input  wire logic [            1:0] record_events_i,
    input  wire logic [ RecordBits-1:0] record_i,
    output logic                        done_o,
    output logic                        stored_o,
    output logic      [AddressBits-1:0] place_o,
    output logic      [ RecordBits-1:0] key_o,
    output logic      [ RecordBits-1:0] value_o,
    // {scale_refused, norm_saturated}.
    output logic      [            1:0] key_events_o,
    output logic      [            1:0] value_events_o
);
  `AXELRAM_REQUIRE(record_bits_at_least_1, RecordBits >= 1)

  logic known, key, value, store, unused_free;
  axelram_score_fifo #(.Bits(3 + AddressBits), .Depth(Depth)) u_fates (
      .clk_i, .rst_ni,
      .reserve_i(fate_valid_i),
      .free_o   (unused_free),
      .valid_i  (fate_valid_i),
      .data_i   ({fate_key_i, fate_value_i, fate_store_i, fate_place_i}),
      .valid_o  (known),
      .ready_i  (done_o),
      .data_o   ({key, value, store, place_o})
  );

  // The key's record waits for the value's. Without a fate a record is that of a key whose value is
  // yet to come.
  logic holds_q, takes;
  logic [RecordBits-1:0] key_q;
  logic [1:0] key_events_q;
  assign takes = record_valid_i && !holds_q && (!known || (key && value));
  assign done_o = known && !takes && ((holds_q && !value) || record_valid_i);
  assign stored_o = done_o && store;
  assign {key_o, key_events_o} = {key_q, key_events_q};
  assign {value_o, value_events_o} = {record_i, record_events_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) holds_q <= 1'b0;
    else holds_q <= takes || (holds_q && !done_o);
  end
  always_ff @(posedge clk_i)
    if (takes) begin
      key_q <= record_i;
      key_events_q <= record_events_i;
    end
  logic unused;
  assign unused = unused_free;

  `AXELRAM_ASSERT(an_item_has_a_record, fate_valid_i |-> fate_key_i || fate_value_i)
  `AXELRAM_ASSERT(stored_is_whole, fate_valid_i && fate_store_i |-> fate_key_i && fate_value_i)
  `AXELRAM_ASSERT(fate_before_the_value, record_valid_i && holds_q |-> known && value)
  `AXELRAM_COVER(token_key_alone, done_o && key && !value)
  `AXELRAM_COVER(token_value_alone, done_o && !key && value)
endmodule

`default_nettype wire

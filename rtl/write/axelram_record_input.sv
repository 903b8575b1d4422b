/// Records from outside (bit-contract.md#records-from-outside): the beats of one become a record,
/// which leaves when all keys before it have left the write path.
///
/// A record has (RecordBits + BeatBits - 1)/BeatBits beats, lowest bits first. key_i: the last beat
/// of a key; written_i and rejected_i: a key has become a record, or is rejected. waits_o: a whole
/// record waits, so that no beat is accepted.
/// Latency: valid_o 1 cycle after the last beat, or 1 cycle after the last key before it is done.
/// Throughput: a beat per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_record_input #(
    parameter int  RecordBits = 400,
    parameter int  BeatBits   = 2048,
    localparam int Beats      = (RecordBits + BeatBits - 1) / BeatBits
) (
    input  wire logic                  clk_i,
    input  wire logic                  rst_ni,
    input  wire logic                  beat_i,
    input  wire logic                  last_i,
    input  wire logic [  BeatBits-1:0] data_i,
    input  wire logic                  key_i,
    input  wire logic                  written_i,
    input  wire logic                  rejected_i,
    output logic                       waits_o,
    output logic                       valid_o,
    output logic      [RecordBits-1:0] record_o
);
  `AXELRAM_REQUIRE(record_bits_at_least_1, RecordBits >= 1)
  `AXELRAM_REQUIRE(beat_bits_at_least_1, BeatBits >= 1)

  // Keys in the write path, fewer than 256.
  logic [7:0] keys_q;
  logic whole_q;
  assign valid_o = whole_q && keys_q == '0;
  assign waits_o = whole_q && keys_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keys_q  <= '0;
      whole_q <= 1'b0;
    end else begin
      keys_q  <= keys_q + 8'(key_i) - 8'(written_i) - 8'(rejected_i);
      whole_q <= (beat_i && last_i) || waits_o;
    end
  end

  // Beats enter at the top; a part of the last one lies beyond the record.
  localparam int BufferBits = Beats * BeatBits;
  logic [BufferBits-1:0] buffer;
  logic [RecordBits-1:0] record_q;
  if (Beats == 1) begin : g_buffer
    assign buffer = data_i;
  end else begin : g_buffer
    logic [BufferBits-BeatBits-1:0] earlier_q;
    assign buffer = {data_i, earlier_q};
    always_ff @(posedge clk_i) if (beat_i) earlier_q <= buffer[BufferBits-1:BeatBits];
  end
  always_ff @(posedge clk_i) if (beat_i && last_i) record_q <= buffer[RecordBits-1:0];
  assign record_o = record_q;
  logic unused;
  assign unused = ^buffer;

  `AXELRAM_ASSERT(keys_in_range, written_i || rejected_i |-> keys_q != '0)
  `AXELRAM_ASSERT(fewer_than_256_keys, keys_q != '1)
  `AXELRAM_ASSERT(none_while_one_waits, waits_o |-> !beat_i && !key_i)
  `AXELRAM_COVER(record_waits_for_keys, waits_o)
endmodule

`default_nettype wire

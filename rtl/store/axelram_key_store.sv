/// Key store: records in order of arrival, one SRAM word each (bit-contract.md#store). A record for
/// a full store is rejected (full_o) and nothing is overwritten. clear_i removes all records.
/// Placed: each is stored at its place_i, and count_o and full_o are of no use.
///
/// Latency: ready_o 1 cycle after reset; a record can be read from the cycle after valid_i;
/// record_o is valid, and lookup_o high, a cycle after read_i. skip_i: the record is not needed,
/// and the memory stays unread.
`include "axelram_macros.svh"
`default_nettype none

module axelram_key_store #(
    parameter int  RecordBits  = 400,
    parameter int  MaxKeys     = 4096,
    parameter bit  Placed      = 1'b0,
    localparam int AddressBits = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits   = $clog2(MaxKeys + 1)
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    output logic                        ready_o,
    input  wire logic                   clear_i,
    input  wire logic                   valid_i,
    input  wire logic [ RecordBits-1:0] record_i,
    input  wire logic [AddressBits-1:0] place_i,
    output logic                        stored_o,
    output logic                        full_o,
    output logic      [  CountBits-1:0] count_o,
    input  wire logic                   read_i,
    input  wire logic                   skip_i,
    input  wire logic                   last_i,
    input  wire logic [AddressBits-1:0] address_i,
    output logic                        lookup_o,
    output logic                        lookup_last_o,
    output logic      [ RecordBits-1:0] record_o
);
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)
  `AXELRAM_REQUIRE(record_bits_at_least_1, RecordBits >= 1)

  logic [CountBits-1:0] count_q;
  assign count_o  = count_q;
  assign full_o   = valid_i && !Placed && count_q == CountBits'(MaxKeys);
  assign stored_o = valid_i && !full_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (clear_i) count_q <= '0;
    else if (stored_o && !Placed) count_q <= count_q + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_o  <= 1'b0;
      lookup_o <= 1'b0;
    end else begin
      ready_o  <= 1'b1;
      lookup_o <= read_i;
    end
  end
  always_ff @(posedge clk_i) if (read_i) lookup_last_o <= last_i;

  logic [AddressBits-1:0] address;
  logic unused;
  assign address = Placed ? place_i : AddressBits'(count_q);
  assign unused  = ^place_i;
  axelram_sram_1r1w #(.Bits(RecordBits), .Depth(MaxKeys)) u_sram (
      .clk_i,
      .wen_i  (stored_o),
      .waddr_i(address),
      .data_i (record_i),
      .ren_i  (read_i && !skip_i),
      .raddr_i(address_i),
      .data_o (record_o)
  );

  `AXELRAM_ASSERT(count_in_range, count_q <= CountBits'(MaxKeys))
  `AXELRAM_ASSERT(read_what_is_there, read_i |-> Placed || CountBits'(address_i) < count_q)
  `AXELRAM_ASSERT(never_read_while_written, read_i && stored_o |-> address_i != address)
  `AXELRAM_ASSERT(clear_alone, clear_i |-> !valid_i && !read_i)
endmodule

`default_nettype wire

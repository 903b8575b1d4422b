/// Memories of tokens: records of keys and of values, at the same address of two SRAMs (bit-contract.md#segments).
///
/// A key is read at once. Its value, if values_i is high, is read ValueDelay cycles later, so that its record meets
/// the power of its score. stored_i: a token is written.
/// Latency: lookup_o and key_o a cycle after read_i, value_o ValueDelay + 1 cycles; each holds until the next one.
`include "axelram_macros.svh"
`default_nettype none

module axelram_token_store #(
    parameter int RecordBits = 400,
    parameter int MaxKeys = 4096,
    parameter int ValueDelay = 19,
    localparam int AddressBits = (MaxKeys > 1) ? $clog2(MaxKeys) : 1
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    input  wire logic                   stored_i,
    input  wire logic [AddressBits-1:0] place_i,
    input  wire logic [ RecordBits-1:0] key_i,
    input  wire logic [ RecordBits-1:0] value_i,
    input  wire logic                   read_i,
    input  wire logic                   values_i,
    input  wire logic                   last_i,
    input  wire logic [AddressBits-1:0] address_i,
    output logic                        lookup_o,
    output logic                        lookup_last_o,
    output logic      [ RecordBits-1:0] key_o,
    output logic      [ RecordBits-1:0] value_o
);
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)
  `AXELRAM_REQUIRE(record_bits_at_least_1, RecordBits >= 1)
  `AXELRAM_REQUIRE(value_delay_at_least_1, ValueDelay >= 1)

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lookup_o <= 1'b0;
    else lookup_o <= read_i;
  end
  always_ff @(posedge clk_i) if (read_i) lookup_last_o <= last_i;

  axelram_sram_1r1w #(
      .Bits (RecordBits),
      .Depth(MaxKeys)
  ) u_keys (
      .clk_i,
      .wen_i  (stored_i),
      .waddr_i(place_i),
      .data_i (key_i),
      .ren_i  (read_i),
      .raddr_i(address_i),
      .data_o (key_o)
  );

  logic value_read;
  logic [AddressBits-1:0] value_address;
  axelram_pipeline #(
      .Bits (AddressBits),
      .Depth(ValueDelay)
  ) u_delay (
      .clk_i,
      .rst_ni,
      .valid_i(read_i && values_i),
      .data_i (address_i),
      .valid_o(value_read),
      .data_o (value_address)
  );
  axelram_sram_1r1w #(
      .Bits (RecordBits),
      .Depth(MaxKeys)
  ) u_values (
      .clk_i,
      .wen_i  (stored_i),
      .waddr_i(place_i),
      .data_i (value_i),
      .ren_i  (value_read),
      .raddr_i(value_address),
      .data_o (value_o)
  );

  `AXELRAM_ASSERT(never_read_while_written, stored_i |-> !read_i && !value_read)
  `AXELRAM_KNOWN(valids_known, {lookup_o, value_read})
endmodule

`default_nettype wire

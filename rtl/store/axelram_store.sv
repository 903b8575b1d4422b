/// Memory of the records, plain (axelram_key_store) or with a code (axelram_protected_store),
/// behind the same ports. CodeN = 0: no code. Then a record is stored when it is valid, a read
/// record is announced a cycle after its read, and the ports ecc_*, inject_* and events_clear_i do
/// nothing.
///
/// Placed: a record is stored at place_i, not behind those before it (axelram_key_store).
/// skip_i: the record of this read is not needed. A memory with a code reads it all the same: its
/// neighbours may be repaired from it, and it is counted and corrected.
///
/// With a code: Decoder, ParityBit, Parity as in axelram_word_decoder; Spacing: cycles between two
/// reads, at least; ScrubInterval as in axelram_scrubber; Erasure as in axelram_code_registers.
/// Latency: stored_o or full_o Stages cycles after valid_i (no code: the same cycle); lookup_o
/// Stages + Spacing + 6 cycles after read_i (no code: 1).
`include "axelram_macros.svh"
`default_nettype none

module axelram_store #(
    parameter int  HeadDim       = 128,
    parameter int  IndexBits     = 3,
    parameter bit  Residual      = 1'b0,
    parameter int  SplitBits     = 0,
    parameter int  EventBits     = 2,
    parameter int  MaxKeys       = 4096,
    parameter int  CodeN         = 0,
    parameter int  CodeK         = 1,
    parameter int  Decoder       = 0,
    parameter int  ParityBit     = -1,
    parameter bit [((CodeN > CodeK) ? CodeK*(CodeN-CodeK) : 1)-1:0] Parity = '0,
    parameter int  Stages        = 0,
    parameter int  Spacing       = 1,
    parameter int  ScrubInterval = 0,
    parameter int  Erasure       = 0,
    parameter bit  Placed        = 1'b0,
    localparam int RecordBits    =
        axelram_sizes::record_bits(HeadDim, IndexBits, Residual, SplitBits),
    localparam int StoredBits    = axelram_sizes::stored_bits(RecordBits, CodeN, CodeK),
    localparam int AddressBits   = (MaxKeys > 1) ? $clog2(MaxKeys) : 1,
    localparam int CountBits     = $clog2(MaxKeys + 1)
) (
    input  wire logic                   clk_i,
    input  wire logic                   rst_ni,
    // The memory is initialised.
    output logic                        ready_o,
    input  wire logic                   clear_i,
    // Records in. done_o: a record is stored or rejected, events_o are its events_i.
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
    input  wire logic                   skip_i,
    input  wire logic                   last_i,
    input  wire logic [AddressBits-1:0] address_i,
    output logic                        lookup_o,
    output logic                        lookup_last_o,
    output logic      [ RecordBits-1:0] record_o,
    // Code: axelram_code_registers, axelram_code_status, axelram_inject.
    input  wire logic                   ecc_load_i,
    input  wire logic [            1:0] ecc_erasure_i,
    input  wire logic                   ecc_write_back_i,
    input  wire logic                   events_clear_i,
    output logic      [       4*32-1:0] ecc_counts_o,
    output logic                        ecc_first_valid_o,
    output logic      [AddressBits-1:0] ecc_first_address_o,
    input  wire logic                   inject_load_i,
    input  wire logic [            1:0] inject_mode_i,
    input  wire logic [ StoredBits-1:0] inject_mask_i,
    output logic                        inject_armed_o
);
  `AXELRAM_REQUIRE(max_keys_at_least_1, MaxKeys >= 1)

  if (CodeN == 0) begin : g_memory
    axelram_key_store #(.RecordBits(RecordBits), .MaxKeys(MaxKeys), .Placed(Placed)) u_memory (
        .clk_i, .rst_ni, .ready_o, .clear_i, .valid_i, .record_i, .place_i, .stored_o, .full_o,
        .count_o, .read_i, .skip_i, .last_i, .address_i, .lookup_o, .lookup_last_o, .record_o
    );
    assign done_o = valid_i;
    assign events_o = events_i;
    assign {ecc_counts_o, ecc_first_valid_o, ecc_first_address_o, inject_armed_o} = '0;
    logic unused;
    assign unused = ^{idle_i, ecc_load_i, ecc_erasure_i, ecc_write_back_i, events_clear_i,
                      inject_load_i, inject_mode_i, inject_mask_i};
  end else begin : g_memory
    logic [1:0] erasure;
    logic write_back;
    axelram_code_registers #(.Erasure(Erasure)) u_registers (
        .clk_i, .rst_ni,
        .load_i      (ecc_load_i),
        .erasure_i   (ecc_erasure_i),
        .write_back_i(ecc_write_back_i),
        .erasure_o   (erasure),
        .write_back_o(write_back)
    );
    axelram_protected_store #(
        .HeadDim(HeadDim), .IndexBits(IndexBits), .Residual(Residual), .SplitBits(SplitBits),
        .EventBits(EventBits), .MaxKeys(MaxKeys),
        .K(CodeK),
        .N(CodeN),
        .Decoder(Decoder), .ParityBit(ParityBit), .Parity(Parity), .Stages(Stages),
        .Spacing(Spacing), .ScrubInterval(ScrubInterval), .Placed(Placed)
    ) u_memory (
        .clk_i, .rst_ni, .ready_o, .clear_i,
        .erasure_i      (erasure),
        .write_back_i   (write_back),
        .valid_i, .events_i, .record_i, .place_i, .done_o, .stored_o, .full_o, .events_o, .count_o,
        .idle_i, .read_i, .last_i, .address_i, .lookup_o, .lookup_last_o, .record_o, .inject_load_i,
        .inject_mode_i, .inject_mask_i, .inject_armed_o, .events_clear_i,
        .event_counts_o (ecc_counts_o),
        .first_valid_o  (ecc_first_valid_o),
        .first_address_o(ecc_first_address_o)
    );
    logic unused;
    assign unused = skip_i;
  end

  `AXELRAM_KNOWN(valids_known, {ready_o, done_o, stored_o, full_o, lookup_o})
endmodule

`default_nettype wire

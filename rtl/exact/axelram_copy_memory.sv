/// Memory of copies (bit-contract.md#exact): Slots places for HeadDim elements and an exponent
/// each.
///
/// write_i: row write_row_i of a copy goes to write_slot_i, with its exponent if it is the last
/// row. run_i: the next CopyLanes elements of the copy in read_slot_i leave with step_o, which does
/// not change until done_o, its last step. last_o and exponent_o belong to step_o.
/// Widths: elements CopyBits, signed; words of KeyLanes elements.
/// Latency: step_o a cycle behind run_i. Throughput: a step per cycle, a row written per cycle.
`include "axelram_macros.svh"
`default_nettype none

module axelram_copy_memory #(
    parameter int  HeadDim   = 128,
    parameter int  KeyLanes  = 128,
    parameter int  CopyLanes = 8,
    parameter int  Slots     = 17,
    parameter int  CopyBits  = 16,
    localparam int SlotBits  = (Slots > 1) ? $clog2(Slots) : 1,
    localparam int RowBits   = (HeadDim > KeyLanes) ? $clog2(HeadDim / KeyLanes) : 1
) (
    input  wire logic                                 clk_i,
    input  wire logic                                 rst_ni,
    input  wire logic                                 write_i,
    input  wire logic        [          SlotBits-1:0] write_slot_i,
    input  wire logic        [           RowBits-1:0] write_row_i,
    input  wire logic                                 write_last_i,
    input  wire logic        [ KeyLanes*CopyBits-1:0] write_elements_i,
    input  wire logic signed [                  11:0] write_exponent_i,
    input  wire logic                                 run_i,
    input  wire logic        [          SlotBits-1:0] read_slot_i,
    output logic                                      done_o,
    output logic                                      step_o,
    output logic                                      last_o,
    output logic             [CopyLanes*CopyBits-1:0] elements_o,
    output logic      signed [                  11:0] exponent_o
);
  `AXELRAM_REQUIRE(slots_at_least_1, Slots >= 1)
  `AXELRAM_REQUIRE(copy_bits_in_12_to_16, CopyBits >= 12 && CopyBits <= 16)
  `AXELRAM_REQUIRE(key_lanes_divide_head_dim,
                   KeyLanes >= 1 && HeadDim >= KeyLanes && HeadDim % KeyLanes == 0)
  `AXELRAM_REQUIRE(copy_lanes_divide_key_lanes,
                   CopyLanes >= 1 && KeyLanes >= CopyLanes && KeyLanes % CopyLanes == 0)

  localparam int Rows = HeadDim / KeyLanes;
  localparam int Parts = KeyLanes / CopyLanes;
  localparam int PartBits = (Parts > 1) ? $clog2(Parts) : 1;
  localparam int WordAddressBits = (Slots * Rows > 1) ? $clog2(Slots * Rows) : 1;

  // ---- Steps: a word of KeyLanes elements is read, and leaves in Parts
  logic [RowBits-1:0] word_row_q;
  logic [PartBits-1:0] part_q, step_part_q;
  logic last_part, last_step;
  assign last_part = part_q == PartBits'(Parts - 1);
  assign last_step = last_part && word_row_q == RowBits'(Rows - 1);
  assign done_o = run_i && last_step;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_row_q <= '0;
      part_q <= '0;
      step_o <= 1'b0;
    end else begin
      step_o <= run_i;
      if (run_i) begin
        part_q <= last_part ? '0 : part_q + 1'b1;
        if (last_part) word_row_q <= last_step ? '0 : word_row_q + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i)
    if (run_i) begin
      step_part_q <= part_q;
      last_o <= last_step;
    end

  logic [KeyLanes*CopyBits-1:0] word;
  axelram_sram_1r1w #(.Bits(KeyLanes * CopyBits), .Depth(Slots * Rows)) u_sram (
      .clk_i,
      .wen_i  (write_i),
      .waddr_i(WordAddressBits'(32'(write_slot_i) * Rows + 32'(write_row_i))),
      .data_i (write_elements_i),
      .ren_i  (run_i && part_q == '0),
      .raddr_i(WordAddressBits'(32'(read_slot_i) * Rows + 32'(word_row_q))),
      .data_o (word)
  );
  // An array, because a part select at step_part_q * CopyLanes * CopyBits takes a multiplier in
  // some tools.
  logic [CopyLanes*CopyBits-1:0] elements_of_part[Parts];
  for (genvar s = 0; s < Parts; s++) begin : g_part
    assign elements_of_part[s] = word[s*CopyLanes*CopyBits+:CopyLanes*CopyBits];
  end
  assign elements_o = elements_of_part[step_part_q];

  axelram_sram_1r1w #(.Bits(12), .Depth(Slots)) u_exponents (
      .clk_i,
      .wen_i  (write_i && write_last_i),
      .waddr_i(write_slot_i),
      .data_i (write_exponent_i),
      .ren_i  (run_i && part_q == '0 && word_row_q == '0),
      .raddr_i(read_slot_i),
      .data_o (exponent_o)
  );
endmodule

`default_nettype wire

/// Entries of a score table in one read lane, as latches (axelram_score_table).
///
/// A step writes WriteWords entries, those of step s from entry WriteWords * s on. write_i: bit s
/// is high in the cycle before that in which data_i holds the entries of step s. They are
/// transparent in the high phase of the latter, and data_i is stable for all of it, so that no
/// entry depends on a race at an edge.
/// The entries of a step share a clock gate.
/// Latency: word_o is entry address_i, in the same cycle; a step can be read in the cycle behind
/// its data.
`include "axelram_macros.svh"
`default_nettype none

module axelram_latch_array #(
    parameter int  Words       = 8,
    parameter int  WriteWords  = 8,
    parameter int  Bits        = 16,
    localparam int Steps       = Words / WriteWords,
    localparam int AddressBits = (Words > 1) ? $clog2(Words) : 1
) (
    input  wire logic                       clk_i,
    input  wire logic [          Steps-1:0] write_i,
    input  wire logic [WriteWords*Bits-1:0] data_i,
    input  wire logic [    AddressBits-1:0] address_i,
    output logic      [           Bits-1:0] word_o
);
  `AXELRAM_REQUIRE(write_words_divide_words,
                   WriteWords >= 1 && Words >= WriteWords && Words % WriteWords == 0)
  `AXELRAM_REQUIRE(bits_at_least_1, Bits >= 1)

  logic [Bits-1:0] word[Words];
  for (genvar s = 0; s < Steps; s++) begin : g_step
    logic open;
    axelram_clock_gate u_gate (.clk_i, .en_i(write_i[s]), .clk_o(open));
    logic [WriteWords*Bits-1:0] entry_q;
    always_latch if (open) entry_q = data_i;
    for (genvar w = 0; w < WriteWords; w++) begin : g_word
      assign word[s*WriteWords+w] = entry_q[w*Bits+:Bits];
    end
  end
  assign word_o = word[address_i];
endmodule

`default_nettype wire

// Checks of parameters and of behaviour, one line each. Every module includes this file.
//
// AXELRAM_REQUIRE(label, condition): stops elaboration if the condition on parameters is false. The
//   label says what is required. An unknown module stops tools for which the error is a warning,
//   and Icarus 11, which has no elaboration tasks.
// AXELRAM_ASSERT(label, property): in every cycle outside reset, if AXELRAM_SVA is defined.
// AXELRAM_COVER(label, expression): the same, if AXELRAM_COVERS is defined: covers slow simulations
//   down. Both use clk_i and rst_ni of their module.
// AXELRAM_KNOWN(label, value_): no bit is X or Z outside reset, if AXELRAM_SVA is defined, in
// simulators
//   with four states.
//
// Sizes of modules with the parameters HeadDim, IndexBits, Residual, SplitBits and States, in one
// place:
// AXELRAM_RECORD_BITS: of a record (bit-contract.md#write-5, bit-contract.md#two-parts).
// AXELRAM_LEVELS(bits_), AXELRAM_BOUNDARIES(bits_): levels of a codebook of so many index bits, 0
// for 0 bits, and
//   its words of 20 bits: boundaries, or the upper half of the levels of a trellis.
// AXELRAM_WORDS: words of both codebooks, and of the reconstructions of residuals.
// AXELRAM_SIZE: log2 of the elements of a vector, or of a sub-vector. With SigBits, Center and Rows
// besides:
// AXELRAM_ROOT_BITS: of the root N of a key; AXELRAM_ROW_DELAY: cycles that a rotated row waits for
// it.
`ifndef AXELRAM_MACROS_SVH
`define AXELRAM_MACROS_SVH

`define AXELRAM_RECORD_BITS ((SplitBits > 0) ? HeadDim / 2 * (IndexBits + SplitBits) + 32 : \
    HeadDim * (IndexBits + 32'(Residual)) + (Residual ? 32 : 16))
`define AXELRAM_LEVELS(bits_) (((bits_) == 0) ? 0 : (States > 0) ? 2 << (bits_) : 1 << (bits_))
`define AXELRAM_BOUNDARIES(bits_) (((bits_) == 0) ? 0 : (1 << (bits_)) - ((States > 0) ? 0 : 1))
`define AXELRAM_WORDS (`AXELRAM_BOUNDARIES(IndexBits) + `AXELRAM_BOUNDARIES(SplitBits) + \
    (Residual ? (1 << IndexBits) / 2 : 0))
`define AXELRAM_SIZE $clog2((SplitBits > 0) ? HeadDim / 2 : HeadDim)
`define AXELRAM_ROOT_BITS ((2 * (SigBits + 32'(Center) - 1) + `AXELRAM_SIZE + 1) / 2)
`define AXELRAM_ROW_DELAY ((`AXELRAM_ROOT_BITS + 5 - $clog2(Rows) > Rows + 2) ? \
    `AXELRAM_ROOT_BITS + 5 - $clog2(Rows) : Rows + 2)

`ifdef __ICARUS__
`define AXELRAM_REQUIRE(label, condition) \
  if (!(condition)) begin : label \
    axelram_illegal_parameter u_illegal (); \
  end
`else
`define AXELRAM_REQUIRE(label, condition) \
  if (!(condition)) begin : label \
    $error(`"illegal parameter: not label`"); \
    axelram_illegal_parameter u_illegal (); \
  end
`endif

`ifndef AXELRAM_SVA
`define AXELRAM_ASSERT(label, property_)
`define AXELRAM_KNOWN(label, value_)
`elsif __ICARUS__
`define AXELRAM_ASSERT(label, property_)
`define AXELRAM_KNOWN(label, value_) \
  always @(posedge clk_i) \
    if (rst_ni === 1'b1 && (^(value_)) === 1'bx) begin : label \
      $display("%m: unknown bits"); \
      $stop; \
    end
`else
`define AXELRAM_ASSERT(label, property_) \
  label: assert property (@(posedge clk_i) disable iff (!rst_ni) property_);
`define AXELRAM_KNOWN(label, value_) \
  label: assert property (@(posedge clk_i) disable iff (!rst_ni) !$isunknown(value_));
`endif

`ifdef AXELRAM_COVERS
`define AXELRAM_COVER(label, expression) \
  label: cover property (@(posedge clk_i) disable iff (!rst_ni) expression);
`else
`define AXELRAM_COVER(label, expression)
`endif

`endif

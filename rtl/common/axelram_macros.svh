// Checks of parameters and of behaviour, one line each. Every module includes this file.
//
// AXELRAM_REQUIRE(label, condition): stops elaboration if the condition on parameters is false. The
//   label says what is required. An unknown module stops tools for which the error is a warning,
//   and Icarus 11, which has no elaboration tasks.
// AXELRAM_ASSERT(label, property): in every cycle outside reset, if AXELRAM_SVA is defined.
// AXELRAM_COVER(label, expression): the same, if AXELRAM_COVERS is defined: covers slow simulations
//   down. Both use clk_i and rst_ni of their module.
// AXELRAM_KNOWN(label, value_): no bit is X or Z outside reset, if AXELRAM_SVA is defined, in
//   simulators with four states.
`ifndef AXELRAM_MACROS_SVH
`define AXELRAM_MACROS_SVH

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

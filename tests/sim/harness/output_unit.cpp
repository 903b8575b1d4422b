// Clocks the bench of output_unit_test.cpp. output_unit_io.hpp precedes this text.

#include <memory>

#include "Voutput_unit.h"
#include "verilated.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

extern "C" __attribute__((visibility("default"))) void output_unit_run(
    const OutputUnitInput* inputs, OutputUnitOutput* outputs, std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Voutput_unit>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const OutputUnitInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->divide_i = in.divide;
    bench->valid_i = in.valid;
    bench->denominator_i = in.denominator;
    bench->value_scale_i = in.value_scale;
    bench->maximum_i = static_cast<std::uint32_t>(in.maximum) & 0xffffU;
    bench->reference_i = static_cast<std::uint32_t>(in.reference) & 0xffffU;
    bench->shift_i = in.shift;
    bench->rotated_i =
        (static_cast<std::uint32_t>(in.rotated[0]) & 0x7fffffU) |
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(in.rotated[1]) & 0x7fffffU) << 23;
    bench->clk_i = 0;
    bench->eval();
    OutputUnitOutput& out = outputs[i];
    out.divided = bench->divided_o;
    out.reciprocal = bench->reciprocal_o;
    out.length = bench->length_o;
    out.asserted = asserted;
    for (std::size_t u = 0; u < 2; ++u) {
      out.valid[u] = bench->valid_o >> u & 1;
      out.saturated[u] = bench->saturated_o >> u & 1;
      out.half[u] = bench->half_o >> (16 * u) & 0xffffU;
      out.single[u] = static_cast<std::uint32_t>(bench->single_o >> (32 * u));
    }
    asserted = false;
    bench->clk_i = 1;
    bench->eval();
  }
}

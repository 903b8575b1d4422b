// Clocks the bench of scale_test.cpp. scale_unit_io.hpp precedes this text.

#include <memory>

#include "Vscale_unit.h"
#include "verilated.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

extern "C" __attribute__((visibility("default"))) void scale_unit_run(const ScaleInput* inputs,
                                                                      ScaleOutput* outputs,
                                                                      std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vscale_unit>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const ScaleInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->sum_valid_i = in.sum_valid[0] | in.sum_valid[1] << 1;
    bench->correlation_valid_i = in.correlation_valid[0] | in.correlation_valid[1] << 1;
    bench->exponent_i = in.exponent;
    bench->sum_i = in.sum;
    bench->correlation_i = static_cast<std::uint64_t>(in.correlation);
    bench->clk_i = 0;
    bench->eval();
    ScaleOutput& out = outputs[i];
    for (std::size_t u = 0; u < 2; ++u) {
      out.valid[u] = bench->valid_o >> u & 1;
      out.saturated[u] = bench->saturated_o >> u & 1;
      out.refused[u] = bench->refused_o >> u & 1;
      out.norm[u] = static_cast<std::uint16_t>(bench->norm_o >> (16 * u));
    }
    out.asserted = asserted;
    asserted = false;
    bench->clk_i = 1;
    bench->eval();
  }
}

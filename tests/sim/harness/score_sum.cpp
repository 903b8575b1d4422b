// Clocks the bench of score_sum_test.cpp. score_sum_io.hpp precedes this text.

#include <memory>

#include "Vscore_sum.h"
#include "verilated.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

extern "C" __attribute__((visibility("default"))) void score_sum_run(const ScoreSumInput* inputs,
                                                                     ScoreSumOutput* outputs,
                                                                     std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vscore_sum>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const ScoreSumInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->valid_i = in.valid;
    bench->first_i = static_cast<std::uint32_t>(in.first);
    bench->second_i = static_cast<std::uint32_t>(in.second);
    bench->first_norm_i = in.first_norm;
    bench->second_norm_i = in.second_norm;
    bench->first_exponent_i = static_cast<std::uint32_t>(in.first_exponent) & 0xfffU;
    bench->second_exponent_i = static_cast<std::uint32_t>(in.second_exponent) & 0xfffU;
    bench->clk_i = 0;
    bench->eval();
    ScoreSumOutput& out = outputs[i];
    for (std::size_t u = 0; u < 2; ++u) {
      out.valid[u] = bench->valid_o >> u & 1;
      out.saturated[u] = bench->saturated_o >> u & 1;
      out.score[u] = static_cast<std::uint32_t>(bench->score_o >> (32 * u));
    }
    out.asserted = asserted;
    asserted = false;
    bench->clk_i = 1;
    bench->eval();
  }
}

// Clocks the bench of softmax_unit_test.cpp. softmax_unit_io.hpp precedes this text.

#include <memory>

#include "Vsoftmax_unit.h"
#include "verilated.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

/// The lowest `bits` bits of a word with a sign.
static std::int32_t with_sign(std::uint32_t word, int bits) {
  return static_cast<std::int32_t>(word << (32 - bits)) >> (32 - bits);
}

extern "C" __attribute__((visibility("default"))) void softmax_unit_run(
    const SoftmaxUnitInput* inputs, SoftmaxUnitOutput* outputs, std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vsoftmax_unit>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const SoftmaxUnitInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->start_i = in.start;
    bench->valid_i = in.valid;
    bench->score_i = in.score;
    bench->norm_i = in.norm;
    bench->scale_i = in.scale;
    bench->scale_exponent_i = static_cast<std::uint32_t>(in.scale_exponent) & 0xffU;
    bench->clk_i = 0;
    bench->eval();
    SoftmaxUnitOutput& out = outputs[i];
    out.logit_valid = bench->logit_valid_o;
    out.logit_saturated = bench->logit_saturated_o;
    out.logit = with_sign(bench->logit_o, 27);
    out.power_valid = bench->power_valid_o;
    out.ceiling = with_sign(bench->ceiling_o, 16);
    out.mantissa = bench->mantissa_o;
    for (std::size_t u = 0; u < 3; ++u) {
      out.valid[u] = bench->valid_o >> u & 1;
      out.weighted[u] = bench->weighted_o >> u & 1;
      out.first[u] = bench->first_o >> u & 1;
      out.shift[u] = bench->shift_o >> (6 * u) & 63;
      out.weight[u] = bench->weight_o[u];
      out.maximum[u] = with_sign(static_cast<std::uint32_t>(bench->maximum_o >> (16 * u)), 16);
      out.reference[u] = with_sign(static_cast<std::uint32_t>(bench->reference_o >> (16 * u)), 16);
      out.denominator[u] = bench->denominator_o[2 * u] |
                           static_cast<std::uint64_t>(bench->denominator_o[2 * u + 1]) << 32;
    }
    out.asserted = asserted;
    asserted = false;
    bench->clk_i = 1;
    bench->eval();
  }
}

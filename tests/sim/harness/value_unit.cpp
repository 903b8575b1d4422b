// Clocks the bench of value_unit_test.cpp. value_unit_io.hpp precedes this text.

#include <memory>

#include "Vvalue_unit.h"
#include "verilated.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

/// Field `field` of `bits` bits, with a sign.
template <class Wide>
static std::int64_t field_of(const Wide& words, std::size_t field, std::size_t bits) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bits; ++i) {
    const std::size_t at = field * bits + i;
    value |= static_cast<std::uint64_t>(words[at / 32] >> (at % 32) & 1) << i;
  }
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

extern "C" __attribute__((visibility("default"))) void value_unit_run(const ValueUnitInput* inputs,
                                                                      ValueUnitOutput* outputs,
                                                                      std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vvalue_unit>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const ValueUnitInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->valid_i = in.valid;
    bench->first_i = in.first;
    bench->row_i = in.row;
    bench->shift_i = in.shift;
    bench->weight_i = in.weight;
    for (std::size_t word = 0; word < 3; ++word) bench->levels_i[word] = 0;
    for (std::size_t c = 0; c < kValueChannels; ++c)
      for (std::size_t bit = 3 * c; bit < 3 * c + 3; ++bit)
        bench->levels_i[bit / 32] |= static_cast<std::uint32_t>(in.levels[c] >> (bit - 3 * c) & 1)
                                     << (bit % 32);
    bench->early_i = in.early;
    bench->late_i = in.late;
    bench->clk_i = 0;
    bench->eval();
    ValueUnitOutput& out = outputs[i];
    for (std::size_t c = 0; c < kValueChannels; ++c) {
      out.sums[0][c] = field_of(bench->sums_o, c, 40);
      out.sums[1][c] = field_of(bench->folded_sums_o, c, 40);
      out.elements[c] = static_cast<std::int32_t>(field_of(bench->elements_o, c, 16));
    }
    out.rounded = bench->rounded_o;
    out.shift = bench->late_shift_o;
    out.asserted = asserted;
    asserted = false;
    bench->clk_i = 1;
    bench->eval();
  }
}

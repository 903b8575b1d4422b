// Clocks the bench of baseline_units_test.cpp. baseline_units_io.hpp precedes this text.

#include <cstring>
#include <memory>

#include "Vbaseline_units.h"
#include "verilated.h"

void vl_stop(const char*, int, const char*) VL_MT_UNSAFE {}
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

extern "C" __attribute__((visibility("default"))) void baseline_units_run(
    const BaselineInput* inputs, BaselineOutput* outputs, std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vbaseline_units>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const BaselineInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->valid_i = in.valid;
    bench->load_i = in.load;
    bench->a_i = in.a;
    bench->b_i = in.b;
    bench->norm_i = in.norm;
    bench->x_i = in.x;
    bench->y_i = in.y;
    bench->record_i = in.record & 0xffffffU;
    std::memcpy(&bench->query_i, in.query.data(), sizeof in.query);
    std::memcpy(&bench->key_i, in.key.data(), sizeof in.key);
    bench->clk_i = 0;
    bench->eval();
    BaselineOutput& out = outputs[i];
    for (std::size_t u = 0; u < 5; ++u) out.valid[u] = bench->valid_o >> u & 1;
    std::memcpy(out.value.data(), &bench->value_o, sizeof out.value);
    bench->clk_i = 1;
    bench->eval();
  }
}

// Clocks the bench of counters_test.cpp. counters_io.hpp precedes this text.

#include <memory>

#include "Vcounters.h"
#include "verilated.h"

void vl_stop(const char*, int, const char*) VL_MT_UNSAFE {}
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

extern "C" __attribute__((visibility("default"))) void counters_run(const CountersInput* inputs,
                                                                    CountersOutput* outputs,
                                                                    std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vcounters>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const CountersInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->clear_i = in.clear;
    bench->event_i = in.events;
    bench->twice_i = in.twice;
    bench->valid_i = in.decoded;
    bench->status_i = in.statuses;
    bench->address_i = in.address;
    bench->scrubbed_i = in.written_back;
    bench->clk_i = 0;
    bench->eval();
    CountersOutput& out = outputs[i];
    out.sticky = bench->sticky_o;
    for (std::size_t e = 0; e < out.counts.size(); ++e)
      out.counts[e] = bench->count_o >> (4 * e) & 15U;
    for (std::size_t e = 0; e < out.code_counts.size(); ++e)
      out.code_counts[e] = bench->code_count_o >> (4 * e) & 15U;
    out.first_valid = bench->first_valid_o;
    out.first_address = bench->first_address_o;
    bench->clk_i = 1;
    bench->eval();
  }
}

// Clocks the bench of attention_paths_test.cpp. attention_paths_io.hpp precedes this text.

#include <memory>

#include "Vattention_paths.h"
#include "verilated.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

extern "C" __attribute__((visibility("default"))) void attention_paths_run(
    const AttentionPathsInput* inputs, AttentionPathsOutput* outputs, std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vattention_paths>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const AttentionPathsInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->start_i = in.start;
    bench->valid_i = in.valid;
    bench->end_i = in.end;
    bench->score_i = in.score;
    for (std::size_t word = 0; word < in.record.size(); ++word)
      bench->record_i[word] = in.record[word];
    bench->clk_i = 0;
    bench->eval();
    AttentionPathsOutput& out = outputs[i];
    out.scored = bench->scored_o;
    out.logit_saturated = bench->logit_saturated_o;
    out.valid = bench->valid_o;
    out.last = bench->last_o;
    out.saturated = bench->saturated_o;
    for (std::size_t lane = 0; lane < out.row.size(); ++lane) out.row[lane] = bench->row_o[lane];
    out.maximum = static_cast<std::int16_t>(bench->maximum_o);
    out.reference = static_cast<std::int16_t>(bench->reference_o);
    out.denominator = bench->denominator_o;
    out.asserted = asserted;
    asserted = false;
    bench->clk_i = 1;
    bench->eval();
  }
}

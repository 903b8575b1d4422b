// Clocks the bench of segments_unit_test.cpp. segments_unit_io.hpp precedes this text.

#include <memory>

#include "Vsegments_unit.h"
#include "verilated.h"

static bool asserted = false;
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { asserted = true; }
void vl_fatal(const char*, int, const char*, const char*) VL_MT_UNSAFE {}

extern "C" __attribute__((visibility("default"))) void segments_unit_run(
    const SegmentsUnitInput* inputs, SegmentsUnitOutput* outputs, std::size_t cycles) {
  static VerilatedContext context;
  static const auto bench = std::make_unique<Vsegments_unit>(&context);
  for (std::size_t i = 0; i < cycles; ++i) {
    const SegmentsUnitInput& in = inputs[i];
    bench->rst_ni = !in.reset;
    bench->valid_i = in.valid;
    bench->kind_i = in.kind;
    bench->segment_i = in.segment;
    bench->base_i = in.base;
    bench->capacity_i = in.capacity;
    bench->sinks_i = in.sinks;
    bench->rotation_i = in.rotation;
    bench->wrap_i = in.wrap;
    bench->n_i = in.n;
    bench->clk_i = 0;
    bench->eval();
    SegmentsUnitOutput& out = outputs[i];
    out.valid = bench->valid_o;
    out.rejected = bench->rejected_o;
    out.full = bench->full_o;
    out.place = bench->place_o;
    out.base = bench->base_o;
    out.sinks = bench->sinks_o;
    out.ring = bench->ring_o;
    out.start = bench->start_o;
    out.count = bench->count_o;
    out.rotation = bench->rotation_o;
    out.asserted = asserted;
    asserted = false;
    bench->clk_i = 1;
    bench->eval();
  }
}

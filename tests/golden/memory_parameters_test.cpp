#include "axelram/memory_parameters.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "check.hpp"

using namespace axelram;

namespace {

template <class Change>
void check_rejected(const std::string& message, Change change) {
  MemoryOptions options;
  Parameters parameters;
  ErasurePolicy erasure = ErasurePolicy::keep;
  change(options, parameters, erasure);
  CHECK_THROWS_WITH_AS(memory_parameters(options, parameters, erasure), message.c_str(),
                       std::invalid_argument);
}

}  // namespace

TEST_CASE("memory parameters: defaults of the contract") {
  const MemoryParameters m = memory_parameters({}, {});
  CHECK(m.slots() == 384);
  CHECK(m.bank() == 64);
  CHECK(m.novel == 44290);
  CHECK(m.match == 56945);
  CHECK(m.gate_exact == 26);
  CHECK(m.gate_summary == 13);
  CHECK(m.blend == 12);
  CHECK(m.evict == EvictKind::gate);
  MemoryOptions high;
  high.novel = 0.95;
  CHECK(memory_parameters(high, {}).match == memory_parameters(high, {}).novel);
}

TEST_CASE(
    "memory parameters out of range are rejected with the parameter, its value and its range") {
  using O = MemoryOptions;
  using P = Parameters;
  using E = ErasurePolicy;
  check_rejected("memory.window is 0; it must lie in 1..65536", [](O& o, P&, E&) { o.window = 0; });
  check_rejected("memory.exact is -1; it must lie in 0..65536", [](O& o, P&, E&) { o.exact = -1; });
  check_rejected("memory.summary is 65537; it must lie in 0..65536",
                 [](O& o, P&, E&) { o.summary = 65537; });
  check_rejected("memory.window + memory.exact + memory.summary is 65600; it must be at most 65536",
                 [](O& o, P&, E&) { o.window = 65472; });
  check_rejected("memory.sinks is 65; it must lie in 0..64, the value of memory.exact",
                 [](O& o, P&, E&) { o.sinks = 65; });
  check_rejected("memory.novel is 2.5; it must lie in 0..2", [](O& o, P&, E&) { o.novel = 2.5; });
  check_rejected("memory.novel is nan; it must lie in 0..2",
                 [](O& o, P&, E&) { o.novel = std::numeric_limits<double>::quiet_NaN(); });
  check_rejected("memory.match is 0.5; it must lie in 0.7..2, from memory.novel on",
                 [](O& o, P&, E&) { o.match = 0.5; });
  check_rejected("memory.gate_exact is -0.1; it must lie in 0..1",
                 [](O& o, P&, E&) { o.gate_exact = -0.1; });
  check_rejected("memory.gate_summary is 1.5; it must lie in 0..1",
                 [](O& o, P&, E&) { o.gate_summary = 1.5; });
  check_rejected("memory.blend is 2; it must lie in 0..1", [](O& o, P&, E&) { o.blend = 2; });
  check_rejected(
      "memory.summary_key is band; it needs memory.store fp16 or f32; records need newest, since "
      "no record is a blend",
      [](O& o, P&, E&) { o.summary_key = SummaryKey::band; });
}

TEST_CASE("parameters of a macro that a memory excludes are rejected") {
  using O = MemoryOptions;
  using P = Parameters;
  using E = ErasurePolicy;
  check_rejected(
      "centroid_bits is 9; with a memory it must be at most 8, so that similarities fit 64 bits",
      [](O&, P& p, E&) { p.centroid_bits = 9; });
  check_rejected("element_format is bf16; with a memory it must be fp16",
                 [](O&, P& p, E&) { p.element_format = ElementFormat::bf16; });
  check_rejected("quantizer.kind is trellis; with a memory it must be mse",
                 [](O&, P& p, E&) { p.kind = QuantizerKind::trellis; });
  check_rejected("quantizer.scale is unbiased; with a memory it must be norm",
                 [](O&, P& p, E&) { p.scale = ScaleKind::unbiased; });
  check_rejected(
      "ecc.erasure is interpolate; with a memory it must be keep or zero: slots have no neighbours "
      "in time",
      [](O&, P&, E& e) { e = ErasurePolicy::interpolate; });
  check_rejected("head_dim is 48; it must be 32, 64, 128 or 256",
                 [](O&, P& p, E&) { p.head_dim = 48; });
}

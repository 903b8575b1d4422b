#include "axelram/sim/timing_diagram.hpp"

#include <map>

#include "axelram/sim/cycle_model.hpp"
#include "check.hpp"
#include "driven_top.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

const std::map<std::string, std::uint64_t> kStates = {
    {"accept", 0}, {"rotate", 1}, {"build", 2}, {"read", 3}};

/// What a port shows in a cycle; nothing for a bus without a value.
std::optional<std::uint64_t> shown(const Signal& signal, std::uint64_t cycle) {
  for (const Span& span : signal.spans)
    if (span.first <= cycle && cycle <= span.last) {
      const auto state = kStates.find(span.value);
      return state != kStates.end() ? state->second : std::stoull(span.value);
    }
  if (signal.bit) return 0;
  return std::nullopt;
}

bool is_number(const Signal& signal) {
  return signal.name != "vector_data_i" && signal.name != "score_data_o";
}

class Top : public DrivenTop {
 public:
  using DrivenTop::DrivenTop;

  void store(std::uint64_t keys) {
    set("vector_valid_i", 1);
    for (std::uint64_t beats = keys * static_cast<std::uint64_t>(layout().rows); beats > 0; step())
      beats -= get("vector_ready_o");
    set("vector_valid_i", 0);
    while (get("busy_o") != 0) step();
    step(layout().key_interval);  // until the last of them keeps no other waiting
  }

  /// Drives the inputs of the diagram and compares every output with it.
  void play(const TimingDiagram& diagram) {
    for (std::uint64_t cycle = 0; cycle < diagram.cycles; ++cycle, step()) {
      for (const Signal& signal : diagram.signals)
        if (signal.bit && signal.name.back() == 'i') set(signal.name, *shown(signal, cycle));
      for (const Signal& signal : diagram.signals) {
        if (!is_number(signal)) continue;
        CASE(cycle, signal.name);
        const std::optional<std::uint64_t> value = shown(signal, cycle);
        if (!value) REQUIRE(get("score_valid_o") == 0);
        if (value) REQUIRE(get(signal.name) == *value);
      }
    }
  }
};

std::vector<std::pair<std::string, files::Config>> every_kind() {
  return {{"parallel", test::small_parallel()},
          {"folded", test::small_folded()},
          {"unbiased", test::small_unbiased()},
          {"unbiased, folded", test::small_unbiased_folded()},
          {"trellis", test::small_trellis()},
          {"trellis, folded", test::small_trellis_folded()},
          {"prod", test::small_prod()},
          {"prod, folded", test::small_prod_folded()},
          {"split", test::small_split()},
          {"split, folded", test::small_split_folded()},
          {"split trellis", test::small_split_trellis()},
          {"half table, folded", test::small_half_table(true)},
          {"multiplier", test::small_multiplier(false)},
          {"exact", test::small_exact()},
          {"exact, folded", test::small_exact_folded()},
          {"coded", test::small_coded()},
          {"coded, deep", test::small_coded_deep()},
          {"one key", test::small("macro: {head_dim: 32, max_keys: 1}\n")}};
}

}  // namespace

TEST_CASE("timing diagrams are what the RTL does, in every cycle") {
  for (const auto& [name, config] : every_kind()) {
    CASE(name);
    Top empty(config), full(config);
    empty.play(write_timing(config));
    full.store(timing_keys(config));
    full.play(query_timing(config));
  }
}

TEST_CASE("timing diagrams have the cycles of the closed form") {
  for (const auto& [name, config] : every_kind()) {
    CASE(name);
    const rtl::Layout layout(config);
    const std::uint64_t keys = timing_keys(config);
    const Cycles written = cycle_model(layout, {std::min<std::uint64_t>(keys, 2), 0}, 0);
    const Cycles with_query = cycle_model(layout, {keys, 0}, 1);
    const TimingDiagram write = write_timing(config), query = query_timing(config);
    CHECK(write.signals[3].spans.back().last + 1 == written.write);
    const std::vector<Span>& states = query.signals[4].spans;
    CHECK(states[3].last + 1 - states[3].first == with_query.read);
    CHECK(states[2].last + 1 - states[2].first == with_query.build);
    for (const TimingDiagram& diagram : {write, query})
      for (const Signal& signal : diagram.signals)
        for (std::size_t i = 0; i < signal.spans.size(); ++i) {
          CASE(diagram.cycles, signal.name, i);
          CHECK(signal.spans[i].first <= signal.spans[i].last);
          CHECK(signal.spans[i].last < diagram.cycles);
          if (i > 0) CHECK(signal.spans[i].first > signal.spans[i - 1].last);
        }
  }
}

}  // namespace axelram::sim

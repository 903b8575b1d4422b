#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "counters_io.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

constexpr unsigned kMost = 15;

const char* const kBench = R"(`default_nettype none
module counters (
    input  wire logic clk_i, rst_ni, clear_i,
    input  wire logic [2:0] event_i, twice_i,
    input  wire logic valid_i,
    input  wire logic [9:0] status_i,
    input  wire logic [3:0] address_i,
    input  wire logic scrubbed_i,
    output logic [2:0] sticky_o,
    output logic [11:0] count_o,
    output logic [15:0] code_count_o,
    output logic first_valid_o,
    output logic [3:0] first_address_o
);
  axelram_status #(.Events(3), .CounterBits(4)) u_status (
      .clk_i, .rst_ni, .clear_i, .event_i, .twice_i, .sticky_o, .count_o
  );
  axelram_code_status #(.Words(5), .AddressBits(4), .CounterBits(4)) u_code_status (
      .clk_i, .rst_ni, .clear_i, .valid_i, .status_i, .address_i, .scrubbed_i,
      .count_o(code_count_o), .first_valid_o, .first_address_o
  );
endmodule
`default_nettype wire
)";

std::vector<CountersOutput> run_rtl_counters(const std::vector<CountersInput>& inputs) {
  return run_unit<CountersInput, CountersOutput>(
      {"counters", kBench, {"axelram_macros.svh", "axelram_status.sv", "axelram_code_status.sv"}},
      inputs);
}

/// Expected counters after each edge, of unlimited width.
struct Expected {
  CountersOutput now;
  CountersInput before, earlier;  ///< events of decoders are counted two cycles later
  unsigned saturated = 0, events_at_clear = 0;

  void add(unsigned amount, bool clear, unsigned* count) {
    const unsigned sum = (clear ? 0 : *count) + amount;
    saturated += sum > kMost && *count < kMost;
    events_at_clear += clear && amount > 0;
    *count = std::min(sum, kMost);
  }
  void edge(const CountersInput& in) {
    if (in.reset) {
      *this = {{}, {}, {}, saturated, events_at_clear};
      return;
    }
    now.sticky = static_cast<std::uint8_t>(in.events | (in.clear ? 0 : now.sticky));
    for (std::size_t e = 0; e < now.counts.size(); ++e)
      add((in.events >> e & 1U) + (in.twice >> e & 1U), in.clear, &now.counts[e]);
    unsigned words[4] = {};
    for (int w = 0; w < 5 && earlier.decoded; ++w) ++words[earlier.statuses >> (2 * w) & 3];
    for (std::size_t e = 0; e < 3; ++e) add(words[e + 1], in.clear, &now.code_counts[e]);
    add(earlier.written_back, in.clear, &now.code_counts[3]);
    const bool error = words[1] + words[2] + words[3] > 0;
    if (error && (!now.first_valid || in.clear)) now.first_address = earlier.address;
    now.first_valid = error || (now.first_valid && !in.clear);
    earlier = before;
    before = in;
  }
};

bool same(const CountersOutput& a, const CountersOutput& b) {
  return a.sticky == b.sticky && a.counts == b.counts && a.code_counts == b.code_counts &&
         a.first_valid == b.first_valid && (!a.first_valid || a.first_address == b.first_address);
}

}  // namespace

// Counters of the macro have 32 bits. Here the same modules have four, so that they saturate.
TEST_CASE("counters saturate, and an event in the cycle of a clear survives it") {
  std::mt19937 random(3);
  std::vector<CountersInput> inputs(20000);
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    CountersInput& in = inputs[t];
    in.reset = t < 2 || random() % 1000 == 0;
    in.clear = random() % 40 == 0;
    in.events = static_cast<std::uint8_t>(random() & random() & 7U);
    in.twice = static_cast<std::uint8_t>(random() & in.events);
    in.decoded = random() % 4 == 0;
    in.statuses = static_cast<std::uint16_t>(random() % 3 == 0 ? 0 : random() & 0x3ffU);
    in.address = static_cast<std::uint8_t>(random() & 15U);
    in.written_back = random() % 3 == 0;
  }
  const std::vector<CountersOutput> outputs = run_rtl_counters(inputs);
  Expected expected;
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    // The reset is asynchronous.
    if (inputs[t].reset) expected.edge(inputs[t]);
    wrong += t > 0 && !same(outputs[t], expected.now);
    expected.edge(inputs[t]);
  }
  CHECK(wrong == 0);
  CHECK(expected.saturated > 100);
  CHECK(expected.events_at_clear > 500);
}

}  // namespace axelram::sim

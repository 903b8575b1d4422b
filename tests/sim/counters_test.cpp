#include <algorithm>
#include <random>

#include "check.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for axelram_status and axelram_code_status with counters of four bits.
struct Input {
  bool reset = false, clear = false;
  std::uint8_t events = 0;     ///< of axelram_status, one bit each
  std::uint8_t twice = 0;      ///< of these, those that count twice
  bool decoded = false;        ///< a record of five words
  std::uint16_t statuses = 0;  ///< two bits per word
  std::uint8_t address = 0;
  bool written_back = false;
};

/// Outputs before the clock edge of the cycle.
struct Output {
  std::uint8_t sticky = 0;
  std::array<unsigned, 3> counts{};
  std::array<unsigned, 4> code_counts{};
  bool first_valid = false;
  std::uint8_t first_address = 0;
};

}  // namespace
}  // namespace axelram::sim

FIELDS(axelram::sim::Output, sticky, counts, code_counts, first_valid, first_address);

namespace axelram::sim {
namespace {

constexpr unsigned kMost = 15;

const UnitBench<Input, Output> kBench{
    "counters",
    R"(
  axelram_status #(.Events(3), .CounterBits(4)) u_status (
      .clk_i, .rst_ni, .clear_i, .event_i, .twice_i, .sticky_o, .count_o
  );
  axelram_code_status #(.Words(5), .AddressBits(4), .CounterBits(4)) u_code_status (
      .clk_i, .rst_ni, .clear_i, .valid_i, .status_i, .address_i, .scrubbed_i,
      .count_o(code_count_o), .first_valid_o, .first_address_o
  );
)",
    {port("clear_i", &Input::clear, 1), port("event_i", &Input::events, 3),
     port("twice_i", &Input::twice, 3), port("valid_i", &Input::decoded, 1),
     port("status_i", &Input::statuses, 10), port("address_i", &Input::address, 4),
     port("scrubbed_i", &Input::written_back, 1)},
    {port("sticky_o", &Output::sticky, 3), port("count_o", &Output::counts, 4),
     port("code_count_o", &Output::code_counts, 4), port("first_valid_o", &Output::first_valid, 1),
     port("first_address_o", &Output::first_address, 4)}};

/// Expected counters after each edge, of unlimited width.
struct Expected {
  Output now;
  Input before, earlier;  ///< events of decoders are counted two cycles later
  unsigned saturated = 0, events_at_clear = 0;

  void add(unsigned amount, bool clear, unsigned* count) {
    const unsigned sum = (clear ? 0 : *count) + amount;
    saturated += sum > kMost && *count < kMost;
    events_at_clear += clear && amount > 0;
    *count = std::min(sum, kMost);
  }
  void edge(const Input& in) {
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

/// Without an address that is not valid.
Output valid(Output output) {
  if (!output.first_valid) output.first_address = 0;
  return output;
}

}  // namespace

// Counters of the macro have 32 bits. Here the same modules have four, so that they saturate.
TEST_CASE("counters saturate, and an event in the cycle of a clear survives it") {
  std::mt19937 random(3);
  std::vector<Input> inputs(20000);
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    Input& in = inputs[t];
    in.reset = t < 2 || random() % 1000 == 0;
    in.clear = random() % 40 == 0;
    in.events = static_cast<std::uint8_t>(random() & random() & 7U);
    in.twice = static_cast<std::uint8_t>(random() & in.events);
    in.decoded = random() % 4 == 0;
    in.statuses = static_cast<std::uint16_t>(random() % 3 == 0 ? 0 : random() & 0x3ffU);
    in.address = static_cast<std::uint8_t>(random() & 15U);
    in.written_back = random() % 3 == 0;
  }
  const std::vector<Output> outputs = run_unit(kBench, inputs);
  Expected expected;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    CASE(t);
    // The reset is asynchronous.
    if (inputs[t].reset) expected.edge(inputs[t]);
    if (t > 0) CHECK_SAME(valid(outputs[t]), valid(expected.now));
    expected.edge(inputs[t]);
  }
  CHECK(expected.saturated > 100);
  CHECK(expected.events_at_clear > 500);
}

}  // namespace axelram::sim

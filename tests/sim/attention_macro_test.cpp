// A macro with attention in RTL against golden: all tensors of a trace with commands, without and
// with stalls.
#include <algorithm>
#include <random>

#include "attention_configs.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/build.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "axelram/sim/engine.hpp"
#include "check.hpp"
#include "planted.hpp"

namespace axelram::sim {
namespace {

using files::SegmentCommand;
using Kind = SegmentCommand::Kind;

/// Items and commands of every kind, some of which are bad, and vectors with NaN or infinity among
/// others. Segment s has its share of the places.
files::Trace trace_of(const files::Config& config, std::size_t count) {
  std::mt19937_64 random(14);
  const auto below = [&](std::size_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  const auto segments = static_cast<std::uint32_t>(config.store.segments);
  const auto share = static_cast<std::uint32_t>(config.max_keys) / segments;
  const auto d = static_cast<std::size_t>(config.parameters.head_dim);
  files::Trace trace;
  trace.head_dim = config.parameters.head_dim;
  trace.values.emplace();
  const auto add = [&](std::vector<std::uint16_t>* to) {
    const std::size_t kind = below(20);
    const std::uint32_t exponent = 8 + below(12);
    for (std::size_t i = 0; i < d; ++i)
      to->push_back(static_cast<std::uint16_t>(
          kind == 1 ? 0 : below(2) << 15 | (exponent + below(4)) << 10 | below(1024)));
    if (kind == 0) to->back() = below(2) != 0 ? 0x7c00 : 0xfe01;
  };
  std::vector<SegmentCommand> commands;
  for (std::uint32_t s = 0; s < segments; ++s)
    commands.push_back({Kind::allocate, s, {s * share, share, s % 3, 0, s != 0}});
  while (commands.size() < count) {
    const std::uint32_t segment = below(50) == 0 ? 200 : below(segments);
    switch (below(24)) {
      case 0:
        if (below(3) == 0) commands.push_back({Kind::free, segment});
        break;
      case 1:
      case 2: {
        const std::uint32_t capacity = below(share) + 1;
        const auto rotations = static_cast<std::size_t>(config.store.rotations);
        commands.push_back({Kind::allocate,
                            segment,
                            {segment % segments * share, capacity, below(capacity + 2),
                             below(rotations + (below(4) == 0)), below(2) != 0}});
        break;
      }
      case 3:
        commands.push_back({Kind::evict, segment, {}, below(share)});
        break;
      case 4:
      case 5:
      case 6:
        commands.push_back({Kind::attend, segment});
        for (int g = 0; g < config.attention.parameters.group; ++g) add(&trace.queries);
        break;
      default:
        commands.push_back({Kind::append, segment});
        add(&trace.keys);
        add(&*trace.values);
    }
  }
  trace.commands = std::move(commands);
  return trace;
}

std::vector<std::uint64_t> counts_of(const AttentionCounters& events) {
  return {events.tokens_nonfinite, events.tokens_full,      events.groups_nonfinite,
          events.bad_commands,     events.norms_saturated,  events.scales_refused,
          events.scores_saturated, events.logits_saturated, events.outputs_saturated};
}

struct Outcome {
  std::string difference;  ///< from golden; empty: none
  std::size_t refused = 0, commands = 0;
};

Outcome outcome_of(const files::Config& config, const files::Trace& trace,
                   const std::string& library, double stalls) {
  const run::AttentionRun golden = run::golden_attention(config, trace);
  Outcome found;
  const std::vector<std::uint8_t>& refused = golden.result.refused;
  found.refused = static_cast<std::size_t>(std::count(refused.begin(), refused.end(), 1));
  found.commands = refused.size();
  try {
    const RtlRun rtl = run_rtl_attention(config, trace, library, {stalls, stalls, 8}, 3, "");
    const auto difference = files::first_difference(golden.result, rtl.result);
    if (difference)
      found.difference = difference->text();
    else if (counts_of(golden.events) != counts_of(*rtl.events))
      found.difference = "events";
  } catch (const SimulationError& error) {
    found.difference = error.what();
  }
  return found;
}

}  // namespace

TEST_CASE("a macro with attention in RTL equals golden in all tensors, with and without stalls") {
  for (const files::Config& config : {attends_parallel(), attends_folded(), attends_largest(),
                                      attends_centered(), attends_coded()}) {
    CASE(config.parameters.head_dim, config.attention.parameters.group);
    const files::Trace trace = trace_of(config, 300);
    const std::string library = build_model(rtl::generate_observed(config), {false, true, {}});
    for (const double stalls : {0.0, 0.3}) {
      CASE(stalls);
      const Outcome found = outcome_of(config, trace, library, stalls);
      CHECK(found.difference == "");
      CHECK(found.refused > found.commands / 20);
      CHECK(found.refused < found.commands / 2);
    }
  }
}

TEST_CASE("a macro with attention in RTL takes the cycles of the closed form") {
  for (const files::Config& config : {attends_parallel(), attends_folded(), attends_largest(),
                                      attends_centered(), attends_coded()}) {
    CASE(config.parameters.head_dim, config.attention.parameters.group);
    const std::string library = build_model(rtl::generate_observed(config), {false, true, {}});
    const auto group = static_cast<std::size_t>(config.attention.parameters.group);
    for (const std::size_t tokens : {std::size_t{1}, std::size_t{2}, std::size_t{19}}) {
      CASE(tokens);
      const auto d = static_cast<std::size_t>(config.parameters.head_dim);
      files::Trace trace;
      trace.head_dim = config.parameters.head_dim;
      trace.keys.assign(tokens * d, 0x3c00);
      trace.values.emplace(tokens * d, 0x3800);
      trace.queries.assign(3 * group * d, 0x3a00);
      const RtlRun rtl = run_rtl_attention(config, trace, library, {}, 1, "");
      const Cycles expected = attention_cycle_model(rtl::Layout(config), tokens, 3);
      CHECK(rtl.cycles.write == expected.write);
      CHECK(rtl.cycles.rotate == expected.rotate);
      CHECK(rtl.cycles.build == expected.build);
      CHECK(rtl.cycles.read == expected.read);
      CHECK(rtl.cycles.tail == expected.tail);
      CHECK(rtl.cycles.total == expected.total);
    }
  }
}

TEST_CASE("a fault planted in the macro with attention shows") {
  struct Planted {
    files::Config config;
    Mutant mutant;
  };
  const Planted all[] = {
      {attends_centered(),
       {"a value as a key", "axelram_items", "kind == Append && vector_q != '0;", "1'b0;"}},
      {attends_folded(),
       {"the neighbour's value", "axelram_token_store", "addresses[1] = value_address;",
        "addresses[1] = value_address ^ AddressBits'(1);"}},
      {attends_folded(),
       {"a value read late", "axelram_attention_macro",
        ".ValueDelay(ReadRows + $clog2(ReadLanes) + 11)",
        ".ValueDelay(ReadRows + $clog2(ReadLanes) + 12)"}},
      {attends_folded(),
       {"sums before the last", "axelram_attention_core", "+ $clog2(ReadLanes) + 17)",
        "+ $clog2(ReadLanes) + 16 - ReadRows)"}},
      {attends_folded(),
       {"head g with the query of another", "axelram_attention_core", "head_q == HeadBits'(g);",
        "head_q == HeadBits'(g ^ 1);"}},
      {attends_folded(),
       {"the exponent of the last query", "axelram_head", ".exponent_i     (exponent_q)",
        ".exponent_i"}},
      {attends_folded(),
       {"signs before the transform too", "axelram_rotate",
        ".second_i  (Kinds == 2 && back_valid_i)", ".second_i  (1'b0)"}},
      {attends_folded(),
       {"signs of the next item", "axelram_items", "rotation_free = front_q == '0 ||",
        "rotation_free = 1'b1 ||"}},
      {attends_folded(),
       {"sums not cleared", "axelram_attention_macro", "(start && attend)", "(1'b0)"}},
      {attends_folded(),
       {"the maximum of head 0", "axelram_group_output", "{maxima[head],", "{maxima[0],"}},
      {attends_folded(),
       {"a group answered in spite of NaN", "axelram_attention_control",
        "finish = all_loaded && tokens_stored && some_rejected;", "finish = 1'b0;"}},
      {attends_folded(),
       {"a key without its value", "axelram_attention_control",
        "fate_store_o = records_q[5:4] == 2'b11 &&", "fate_store_o = records_q[5] &&"}},
      {attends_largest(),
       {"a token behind the start of a query", "axelram_attention_control",
        "tokens_stored = in_flight_q == 8'(tokens_done_i);", "tokens_stored = 1'b1;"}},
      {attends_folded(),
       {"a ring read beyond its end", "axelram_token_reads", "(position_q + 1'b1 == ring_i) ? '0",
        "(position_q == ring_i) ? '0"}},
      {attends_folded(),
       {"sinks read from the ring", "axelram_token_reads", "(token < sinks_i) ? token",
        "(token + 1'b1 < sinks_i) ? token"}},
      {attends_centered(),
       {"the center's exponent of another rotation", "axelram_attention_constants",
        "exponents[RotationBits'(rotation_i)]", "exponents[0]"}},
      {attends_folded(),
       {"a bad command counted as none", "axelram_attention_control", "bad_command_o = bad_item ||",
        "bad_command_o ="}},
      {attends_coded(),
       {"outputs before the decoder", "axelram_attention_core", ".EndDelay     (Late + ",
        ".EndDelay     ("}},
      {attends_largest(),
       {"no clock for sums", "axelram_write_path", "(valid_i || sums_valid_i)", "(valid_i)"}},
      {attends_largest(),
       {"no wait for the search", "axelram_attention_macro", "HeadDim + 4 - Rows : 0",
        "HeadDim - Rows : 0"}},
  };
  for (const Planted& one : all) {
    CASE(one.mutant.name);
    const std::vector<rtl::GeneratedFile> generated = planted(one.config, one.mutant);
    const Outcome found = outcome_of(one.config, trace_of(one.config, 300),
                                     build_model(generated, {false, true, {}}), 0);
    CHECK(found.difference != "");
    MESSAGE(one.mutant.name, ": ", found.difference);
  }
}

}  // namespace axelram::sim

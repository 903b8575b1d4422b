// Resets at any cycle of everything that a macro does: what follows is as behind the first one.
#include <algorithm>
#include <random>

#include "attention_configs.hpp"
#include "axelram/rtl/layout.hpp"
#include "axelram/sim/build.hpp"
#include "check.hpp"
#include "small_configs.hpp"
#include "verify/attention/comparison.hpp"
#include "verify/attention/stimulus.hpp"
#include "verify/macro/scoreboard.hpp"
#include "verify/macro/stimulus.hpp"

namespace axelram::sim {
namespace {

constexpr Stalls kNone = {0, 0, 1}, kSome = {0.2, 0.2, 6};

/// Traffic of every kind in turn.
std::vector<Command> commands_of(Stimulus& stimulus, const files::Config& config, int round) {
  const bool coded = config.ecc.code != "none", scrubs = config.ecc.scrub_interval > 0;
  switch (round % 8) {
    case 0:
      return stimulus.records();
    case 1:
      return stimulus.clears();
    case 2:
      if (coded) return stimulus.errors();
      break;
    case 3:
      if (coded) return stimulus.erasures();
      break;
    case 4:
      if (scrubs) return stimulus.scrubs();
      break;
    case 5:
      return stimulus.directed();
    default:
      break;
  }
  return stimulus.random(40);
}

/// Parts of traffic, each cut off by a reset, or by several.
std::vector<Command> interrupted(const files::Config& config, int rounds, std::uint64_t seed) {
  Stimulus stimulus(config, seed);
  const int rows = rtl::Layout(config).rows;
  std::vector<Command> commands;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Command> all = commands_of(stimulus, config, round);
    const std::size_t kept = stimulus.below(std::min<std::size_t>(all.size(), 60) + 1);
    commands.insert(commands.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
    const std::uint64_t longest[] = {4, 40, 400};
    for (std::uint64_t resets = 1 + stimulus.below(2); resets > 0; --resets) {
      const int after = static_cast<int>(stimulus.below(longest[stimulus.below(3)]));
      // In the middle of a vector: a whole one would be a key that is not expected.
      const bool sends = after < rows && stimulus.below(2) != 0;
      commands.push_back(command::Reset{after, sends ? stimulus.any() : Vector()});
    }
    const std::vector<Command> behind = stimulus.random(4);
    commands.insert(commands.end(), behind.begin(), behind.end());
    commands.push_back(command::Drain{});
  }
  return commands;
}

run::AttentionScript script_of(AttentionStimulus& stimulus, const files::Config& config,
                               int round) {
  switch (round % 8) {
    case 0:
      if (config.ecc.code != "none") return stimulus.errors();
      break;
    case 1:
      return stimulus.scales();
    case 2:
      return stimulus.held();
    case 3:
      if (config.store.rotation_memory == files::RotationMemory::ram) return stimulus.rotations();
      break;
    case 4:
      if (config.ecc.scrub_interval > 0) return stimulus.scrubs();
      break;
    case 5:
      return stimulus.directed();
    default:
      break;
  }
  return stimulus.random(60);
}

void check_resets(const files::Config& config) {
  CASE(config.parameters.head_dim, config.ecc.code);
  const std::string library = build_model(rtl::generate_observed(config), {false, true, {}});
  for (const Stalls stalls : {kNone, kSome}) {
    CASE(stalls.input);
    const std::vector<Command> commands = interrupted(config, 24, stalls.input == 0 ? 5 : 6);
    RtlModel model(library, 3);
    Scoreboard scoreboard(config, model, commands);
    Driver driver(config, model, stalls, 4);
    scoreboard.watch(&driver);
    std::string found;
    try {
      driver.run(commands, scoreboard);
      scoreboard.finish();
    } catch (const MismatchError& error) {
      found = error.tensor + ": " + error.what();
    } catch (const SimulationError& error) {
      found = error.what();
    }
    CASE(driver.commands_done(), driver.cycle());
    CHECK(found == "");
    CHECK(scoreboard.compared() > 1000);
  }
}

void check_attention_resets(const files::Config& config) {
  CASE(config.parameters.head_dim, config.ecc.code);
  const std::string library = build_model(rtl::generate_observed(config), {false, true, {}});
  std::mt19937_64 random(8);
  AttentionStimulus stimulus(config, 9);
  for (const Stalls stalls : {kNone, kSome}) {
    CASE(stalls.input);
    run::AttentionScript before = stimulus.random(1);
    RtlModel model(library, 3);
    AttentionDriver driver(config, before, model, stalls, 4, true);
    int cut = 0;
    for (int round = 0; round < 24; ++round) {
      const std::uint64_t longest[] = {60, 600, 6000};
      for (std::uint64_t resets = 1 + random() % 2; resets > 0; --resets) {
        before = script_of(stimulus, config, round);
        driver.restart(before);
        cut += driver.run_for(random() % longest[random() % 3]) ? 1 : 0;
      }
      const run::AttentionScript after = stimulus.random(12);
      driver.restart(after);
      const run::GoldenScript golden = run::golden_script(config, after);
      const auto found = run_and_compare(config, "reset", golden, driver);
      CASE(round, driver.cycle());
      REQUIRE((found ? found->tensor + ": " + found->text : "") == "");
    }
    CHECK(cut > 12);
  }
}

}  // namespace

TEST_CASE("a macro is as new behind a reset at any cycle, whatever it is doing") {
  check_resets(test::small_coded_deep());
}

TEST_CASE("a macro with attention is as new behind a reset at any cycle, whatever it is doing") {
  check_attention_resets(attends_exact_coded());
}

TEST_CASE("every kind of macro is as new behind a reset at any cycle") {
  using namespace test;
  for (const files::Config& config :
       {small_coded(), small_exact_folded(), small_trellis_folded(), small_split_folded(),
        small_prod_folded(), small_unbiased_folded()}) {
    CASE(files::canonical_yaml(config));
    check_resets(config);
  }
  for (const files::Config& config :
       {attends_coded(), attends_loaded(), attends_exact(), attends_folded()}) {
    CASE(files::canonical_yaml(config));
    check_attention_resets(config);
  }
}

}  // namespace axelram::sim

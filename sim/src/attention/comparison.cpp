#include "comparison.hpp"

#include <utility>
#include <vector>

#include "axelram/files/result.hpp"
#include "verify/scoreboard.hpp"

namespace axelram::sim {
namespace {

/// Counters of both engines, in one order.
std::vector<std::pair<const char*, std::uint64_t>> counters_of(const AttentionCounters& c) {
  return {{"tokens with NaN or infinity", c.tokens_nonfinite},
          {"tokens without room", c.tokens_full},
          {"groups with NaN or infinity", c.groups_nonfinite},
          {"bad commands", c.bad_commands},
          {"norms saturated", c.norms_saturated},
          {"scales refused", c.scales_refused},
          {"scores saturated", c.scores_saturated},
          {"logits saturated", c.logits_saturated},
          {"outputs saturated", c.outputs_saturated}};
}

/// Counters of the code, unless scrubs, which count as well, come at times of their own.
template <class Make>
std::optional<Mismatch> code_mismatch(const files::Config& config, const GoldenScript& golden,
                                      const AttentionDriver& driver, const Make& mismatch) {
  const std::vector<std::uint64_t> seen = driver.code_events();
  if (seen.empty() || config.ecc.scrub_interval > 0) return std::nullopt;
  const KeyStoreEvents &k = golden.key_events, &v = golden.value_events;
  const std::pair<const char*, std::uint64_t> expected[] = {
      {"words corrected", k.corrected + v.corrected},
      {"words with only their parity bit wrong", k.parity_only + v.parity_only},
      {"words detected", k.detected + v.detected},
      {"records written back", k.scrubbed + v.scrubbed}};
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (expected[i].second != seen[i])
      return mismatch("errors", std::string(expected[i].first) + ": " +
                                    std::to_string(expected[i].second) + " against " +
                                    std::to_string(seen[i]));
  return std::nullopt;
}

}  // namespace

std::optional<Mismatch> run_and_compare(const files::Config& config, const std::string& phase,
                                        const GoldenScript& golden, AttentionDriver& driver) {
  const auto mismatch = [&](const std::string& tensor, const std::string& text) {
    return Mismatch{phase, tensor, driver.cycle(), text};
  };
  try {
    driver.run();
    const files::Result result = driver.take_result();
    if (const auto difference = files::first_difference(golden.result, result))
      return mismatch(difference->name, difference->text());
  } catch (const AssertionError& error) {
    return mismatch("assertion", error.what());
  } catch (const SimulationError& error) {
    return mismatch("protocol", error.what());
  }
  for (std::size_t i = 0; i < golden.refused.size(); ++i)
    if (golden.refused[i] != driver.refused()[i])
      return mismatch("refused", "step " + std::to_string(i) + ": " +
                                     std::to_string(golden.refused[i]) + " against " +
                                     std::to_string(driver.refused()[i]));
  const auto expected = counters_of(golden.events), seen = counters_of(driver.events());
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i].second != seen[i].second)
      return mismatch("errors", std::string(expected[i].first) + ": " +
                                    std::to_string(expected[i].second) + " against " +
                                    std::to_string(seen[i].second));
  return code_mismatch(config, golden, driver, mismatch);
}

}  // namespace axelram::sim

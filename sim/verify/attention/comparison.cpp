#include "verify/attention/comparison.hpp"

#include <utility>
#include <vector>

#include "axelram/files/result.hpp"
#include "axelram/run/script.hpp"
#include "axelram/sim/errors.hpp"

namespace axelram::sim {
namespace {

using Counters = std::vector<std::pair<const char*, std::uint64_t>>;

Counters counters_of(const AttentionCounters& c) {
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

Counters code_counters_of(const std::vector<std::uint64_t>& code) {
  return {{"words corrected", code[0]},
          {"words with only their parity bit wrong", code[1]},
          {"words detected", code[2]},
          {"records written back", code[3]}};
}

/// The first counter that differs, as text; "": none.
std::string difference_of(const Counters& expected, const Counters& seen) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i].second != seen[i].second)
      return std::string(expected[i].first) + ": " + std::to_string(expected[i].second) +
             " against " + std::to_string(seen[i].second);
  return "";
}

}  // namespace

std::optional<Mismatch> run_and_compare(const files::Config& config, const std::string& phase,
                                        const run::GoldenScript& golden, AttentionDriver& driver) {
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
  std::string counters = difference_of(counters_of(golden.events), counters_of(driver.events()));
  // Scrubs, which count as well, come at times of their own.
  const std::vector<std::uint64_t> code = driver.code_events();
  if (counters.empty() && !code.empty() && config.ecc.scrub_interval == 0) {
    const KeyStoreEvents &k = golden.key_events, &v = golden.value_events;
    counters =
        difference_of(code_counters_of({k.corrected + v.corrected, k.parity_only + v.parity_only,
                                        k.detected + v.detected, k.scrubbed + v.scrubbed}),
                      code_counters_of(code));
  }
  if (!counters.empty()) return mismatch("errors", counters);
  return std::nullopt;
}

}  // namespace axelram::sim

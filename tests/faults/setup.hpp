#pragma once

#include <string>

#include "axelram/faults/campaign.hpp"
#include "axelram/faults/golden_engine.hpp"
#include "axelram/philox.hpp"
#include "check.hpp"

namespace test {

using namespace axelram;

/// A small macro and a trace whose keys drift, so that neighbours resemble each other.
struct Setup {
  files::Config config = files::parse_config("macro: {head_dim: 32, max_keys: 64}\n", "test", ".");
  files::Trace trace;

  /// The same with records of two parts.
  static Setup prod(std::size_t keys, std::size_t queries) {
    Setup setup(keys, queries);
    setup.config.parameters.kind = QuantizerKind::prod;
    setup.config.head_rotation = seeded_rotation(setup.config.parameters, 42, 0, 0);
    return setup;
  }
  static Setup split(std::size_t keys, std::size_t queries) {
    Setup setup(keys, queries);
    Parameters& p = setup.config.parameters;
    p.scale = ScaleKind::unbiased;
    p.split_high = 4;
    p.split_low = 1;
    std::vector<std::uint16_t> high(16);
    for (std::size_t i = 0; i < high.size(); ++i) high[i] = static_cast<std::uint16_t>(2 * i);
    setup.config.head_rotation = seeded_rotation(p, 42, 0, 0, high);
    return setup;
  }

  explicit Setup(std::size_t keys = 16, std::size_t queries = 3) {
    trace.head_dim = 32;
    for (std::size_t i = 0; i < (keys + queries) * 32; ++i) {
      const auto words = philox4x32({static_cast<std::uint32_t>(i), 0, 0, 0}, {7, 7});
      // FP16 of either sign between 1/8 and 16; elements of successive keys share the exponent.
      const auto exponent = static_cast<std::uint32_t>(12 + i % 32 % 7);
      const auto half =
          static_cast<std::uint16_t>((i % 32 % 2) << 15 | exponent << 10 | (words[0] & 0x3FF));
      (i < keys * 32 ? trace.keys : trace.queries).push_back(half);
    }
  }

  faults::CampaignOptions options() const {
    faults::CampaignOptions result;
    result.codes = {"hamming84"};
    result.policies = {ErasurePolicy::keep};
    result.rates = {0.01};
    result.trials = 50;
    result.score_trials = 0;
    result.strata_samples = 2000;
    result.engine = faults::golden_engines(config, trace);
    return result;
  }

  faults::CampaignReport run(const faults::CampaignOptions& options,
                             std::size_t threads = 1) const {
    faults::ThreadDistributor distributor(threads);
    return faults::run_campaign(config, options, distributor);
  }

  faults::Workload workload(const std::string& code) const {
    const auto engine = faults::golden_engines(config, trace)(code);
    return faults::Workload(code, config.parameters, *engine);
  }
};

}  // namespace test

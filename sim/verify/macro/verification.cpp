#include "verify/macro/verification.hpp"

#include <algorithm>
#include <utility>

#include "axelram/sim/cycle_model.hpp"
#include "axelram/sim/driver.hpp"
#include "axelram/sim/rtl_model.hpp"
#include "verify/macro/coverage.hpp"
#include "verify/macro/mismatch_dump.hpp"
#include "verify/macro/phase_stalls.hpp"
#include "verify/macro/scoreboard.hpp"
#include "verify/macro/stimulus.hpp"

namespace axelram::sim {
namespace {

void count_vectors(const std::vector<Command>& commands, VerifyPhase* phase) {
  for (const Command& command : commands) {
    phase->keys += std::holds_alternative<command::Key>(command);
    phase->records += std::holds_alternative<command::Record>(command);
    phase->queries += std::holds_alternative<command::Query>(command);
  }
}

std::string text_of(const Cycles& c) {
  return "write " + std::to_string(c.write) + ", rotate " + std::to_string(c.rotate) + ", build " +
         std::to_string(c.build) + ", read " + std::to_string(c.read) + ", total " +
         std::to_string(c.total);
}

/// Keys, then queries, then a drain: the order that the cycle model predicts.
std::vector<Command> plain(const files::Config& config, const std::vector<std::uint16_t>& keys,
                           const std::vector<std::uint16_t>& queries) {
  const auto d = static_cast<std::ptrdiff_t>(config.parameters.head_dim);
  std::vector<Command> commands;
  for (auto at = keys.begin(); at != keys.end(); at += d)
    commands.push_back(command::Key{{at, at + d}});
  for (auto at = queries.begin(); at != queries.end(); at += d)
    commands.push_back(command::Query{{at, at + d}});
  commands.push_back(command::Drain{});
  return commands;
}

class Verification {
 public:
  Verification(const files::Config& config, const std::vector<rtl::GeneratedFile>& generated,
               const std::string& library, const VerifyOptions& options)
      : config_(config), generated_(generated), options_(options), library_(library) {}

  VerifyReport run(const std::optional<files::Trace>& trace) {
    Stimulus stimulus(config_, options_.seed);
    if (trace) {
      const std::vector<Command> commands = plain(config_, trace->keys, trace->queries);
      phase("trace, no stalls", commands, kNoStalls, true);
      phase("trace, light stalls", commands, kLightStalls, false);
    }
    corner_sizes(stimulus);
    const std::vector<Command> directed = stimulus.directed();
    phase("directed, no stalls", directed, kNoStalls, false);
    phase("directed, heavy stalls", directed, kHeavyStalls, false);
    const std::size_t third = options_.vectors / 3 + 1;
    phase("random, no stalls", stimulus.random(third), kNoStalls, false);
    phase("random, light stalls", stimulus.random(third), kLightStalls, false);
    phase("random, heavy stalls", stimulus.random(third), kHeavyStalls, false);
    phase("random, output blocked", stimulus.random(third / 4 + 1), kBlockedOutput, false);
    phase("clears", stimulus.clears(), kNoStalls, false);
    phase("clears, heavy stalls", stimulus.clears(), kHeavyStalls, false);
    if (config_.ecc.code != "none") {
      phase("errors", stimulus.errors(), kNoStalls, false);
      phase("errors, heavy stalls", stimulus.errors(), kHeavyStalls, false);
      phase("erasures", stimulus.erasures(), kNoStalls, false);
      phase("erasures, heavy stalls", stimulus.erasures(), kHeavyStalls, false);
    }
    if (scrubs_often(config_)) {
      phase("scrubs", stimulus.scrubs(), kNoStalls, false);
      phase("scrubs, light stalls", stimulus.scrubs(), kLightStalls, false);
    }
    phase("resets", stimulus.resets(), kNoStalls, false);
    phase("resets, light stalls", stimulus.resets(), kLightStalls, false);
    // A larger store takes too long to fill. Coverage then reports that it was not hit.
    if (config_.max_keys <= 65536) phase("full store", stimulus.full_store(), kNoStalls, false);
    phase("records", stimulus.records(), kNoStalls, false);
    phase("records, light stalls", stimulus.records(), kLightStalls, false);
    return std::move(report_);
  }

 private:
  /// Phases for the corners of the cycle model: no keys, no queries, one of each, and more keys
  /// than the score FIFO can hold.
  void corner_sizes(Stimulus& stimulus) {
    const auto vectors = [&](std::size_t count) {
      std::vector<std::uint16_t> all;
      for (std::size_t i = 0; i < count; ++i) {
        const Vector one = stimulus.any();
        all.insert(all.end(), one.begin(), one.end());
      }
      return all;
    };
    const auto few = static_cast<std::size_t>(std::min(3, config_.max_keys));
    const auto most = static_cast<std::size_t>(std::min(64, config_.max_keys));
    for (const auto& [keys, queries] :
         {std::pair<std::size_t, std::size_t>{0, 2}, {1, 0}, {1, 1}, {few, 2}, {most, 2}})
      phase("cycles, " + std::to_string(keys) + " keys, " + std::to_string(queries) + " queries",
            plain(config_, vectors(keys), vectors(queries)), kNoStalls, true);
  }

  void phase(const std::string& name, const std::vector<Command>& commands, Stalls stalls,
             bool predicted) {
    if (report_.mismatch) return;
    if (options_.progress) options_.progress("verifying: " + name);
    VerifyPhase result;
    result.name = name;
    count_vectors(commands, &result);

    RtlModel model(library_, seed());
    Scoreboard scoreboard(config_, model, commands);
    Driver driver(config_, model, stalls, seed());
    scoreboard.watch(&driver);
    try {
      driver.run(commands, scoreboard);
      scoreboard.finish();
      result.cycles = driver.cycles();
      if (predicted) {
        result.predicted = cycle_model(rtl::Layout(config_), {result.keys, 0}, result.queries);
        if (*result.predicted != result.cycles)
          throw MismatchError("cycles", "predicted " + text_of(*result.predicted) +
                                            "; the RTL took " + text_of(result.cycles));
      }
      result.holds = true;
      add_coverage(config_, scoreboard.corners(), driver.stall_counts(), scoreboard.code_corners(),
                   &report_.coverage);
      if (options_.covers) add_covers(model.covers(), &report_.coverage);
    } catch (const MismatchError& error) {
      note(name, error.tensor, driver.cycle(), error.what());
    } catch (const AssertionError& error) {
      note(name, "assertion", driver.cycle(), error.what());
    } catch (const ProtocolError& error) {
      note(name, "protocol", driver.cycle(), error.what());
    }
    result.compared = scoreboard.compared();
    report_.phases.push_back(std::move(result));
    if (report_.mismatch && !options_.directory.empty()) dump(commands, stalls);
  }

  void note(const std::string& name, const std::string& tensor, std::uint64_t cycle,
            const std::string& text) {
    report_.mismatch = Mismatch{name, tensor, cycle, text};
  }

  void dump(const std::vector<Command>& commands, Stalls stalls) {
    if (options_.before_files) options_.before_files(report_);
    if (options_.progress) options_.progress("recording the mismatch");
    report_.dumped =
        dump_mismatch({config_, generated_, commands, stalls, seed(), *report_.mismatch, options_});
  }

  unsigned seed() const { return phase_seed(options_, report_.phases.size()); }

  const files::Config& config_;
  const std::vector<rtl::GeneratedFile>& generated_;
  const VerifyOptions& options_;
  const std::string& library_;
  VerifyReport report_;
};

}  // namespace

VerifyReport verify_macro(const files::Config& config,
                          const std::vector<rtl::GeneratedFile>& generated,
                          const std::string& library, const std::optional<files::Trace>& trace,
                          const VerifyOptions& options) {
  return Verification(config, generated, library, options).run(trace);
}

}  // namespace axelram::sim

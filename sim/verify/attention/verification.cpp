#include "verify/attention/verification.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "axelram/run/script.hpp"
#include "axelram/sim/cycle_model.hpp"
#include "verify/attention/comparison.hpp"
#include "verify/attention/corners.hpp"
#include "verify/attention/mismatch.hpp"
#include "verify/attention/stimulus.hpp"
#include "verify/macro/coverage.hpp"
#include "verify/macro/phase_stalls.hpp"

namespace axelram::sim {
namespace {

std::string text_of(const Cycles& c) {
  return "write " + std::to_string(c.write) + ", rotate " + std::to_string(c.rotate) + ", build " +
         std::to_string(c.build) + ", read " + std::to_string(c.read) + ", tail " +
         std::to_string(c.tail) + ", total " + std::to_string(c.total);
}

class AttentionVerification {
 public:
  AttentionVerification(const files::Config& config,
                        const std::vector<rtl::GeneratedFile>& generated,
                        const std::string& library, const VerifyOptions& options)
      : config_(config),
        generated_(generated),
        library_(library),
        options_(options),
        corners_(config) {}

  VerifyReport run(const std::optional<files::Trace>& trace) {
    AttentionStimulus stimulus(config_, options_.seed);
    if (trace) {
      const run::AttentionScript script = run::script_of(config_, *trace);
      phase("trace, no stalls", script, kNoStalls, !trace->commands);
      phase("trace, light stalls", script, kLightStalls);
    }
    const auto most = static_cast<std::size_t>(std::min(64, config_.max_keys));
    for (const auto& [tokens, groups] : {std::pair<std::size_t, std::size_t>{0, 2},
                                         {1, 0},
                                         {1, 1},
                                         {std::min<std::size_t>(3, most), 2},
                                         {most, 2}})
      phase("cycles, " + std::to_string(tokens) + " tokens, " + std::to_string(groups) + " groups",
            stimulus.plain(tokens, groups), kNoStalls, true);
    phase("directed, no stalls", stimulus.directed(), kNoStalls);
    phase("directed, heavy stalls", stimulus.directed(), kHeavyStalls);
    phase("maxima", stimulus.maxima(), kNoStalls);
    const std::size_t third = options_.vectors / 3 + 1;
    phase("random, no stalls", stimulus.random(third), kNoStalls);
    phase("random, light stalls", stimulus.random(third), kLightStalls);
    phase("random, heavy stalls", stimulus.random(third), kHeavyStalls);
    phase("random, output blocked", stimulus.random(third / 4 + 1), kBlockedOutput);
    phase("outputs held", stimulus.held(), kNoStalls);
    phase("scales", stimulus.scales(), kLightStalls);
    if (config_.store.rotation_memory == files::RotationMemory::ram) {
      phase("rotations", stimulus.rotations(), kNoStalls);
      phase("rotations, heavy stalls", stimulus.rotations(), kHeavyStalls);
    }
    if (config_.ecc.code != "none") {
      phase("errors", stimulus.errors(), kNoStalls);
      phase("errors, heavy stalls", stimulus.errors(), kHeavyStalls);
    }
    if (scrubs_often(config_)) {
      phase("scrubs", stimulus.scrubs(), kNoStalls);
      phase("scrubs, appends", stimulus.appends(), kNoStalls);
    }
    resets("resets", stimulus, kNoStalls);
    resets("resets, light stalls", stimulus, kLightStalls);
    report_.coverage = corners_.bins(streams_);
    if (options_.covers) add_rtl_coverage();
    return std::move(report_);
  }

 private:
  /// Covers beside corners of the same name, and those that the RTL alone can count.
  void add_rtl_coverage() {
    const rtl::Layout layout(config_);
    const Parameters& p = config_.parameters;
    const bool copies = p.copies() != 0;
    const std::vector<CoverageBin> alone = {
        {"scores: reads throttled", "no place left in the score FIFO"},
        {"clear: waits for tokens", "that are on their way"},
        {"stream: held behind a vector", "until its path is found", 0, layout.key_wait > 0},
        {"stream: held by a rotation", "until the signs of the vector before are of no more use", 0,
         config_.store.rotations > 1},
        {"copy: of a first token", "it scores the token in place of its record", 0,
         p.exact_first > 0},
        {"copy: of a newest token", "", 0, p.exact_last > 0},
        {"copy: behind forgotten tokens", "first tokens of a segment may be among these", 0,
         copies},
        {"copy: awaited by a read", "its accumulator is not there", 0, copies},
        {"copy: dropped", "of a token that is not stored, or is neither first nor newest", 0,
         copies},
        {"copy: waits for its fate", "the value of its key comes late", 0, copies},
        {"write-back: lost to a token", "a scrub's, whose word a token has taken", 0,
         scrubs_often(config_)},
    };
    report_.coverage.insert(report_.coverage.end(), alone.begin(), alone.end());
    add_covers(covers_, &report_.coverage);
    for (auto bin = report_.coverage.end() - static_cast<std::ptrdiff_t>(alone.size());
         bin != report_.coverage.end(); ++bin)
      bin->hits = bin->rtl_hits.value_or(0);
  }

  unsigned seed() const { return phase_seed(options_, report_.phases.size()); }

  void count(const run::AttentionScript& script, VerifyPhase* phase) const {
    phase->keys += script.vectors.key_count();
    phase->queries += script.vectors.query_count();
  }

  void progress(const std::string& name) const {
    if (options_.progress) options_.progress("verifying: " + name);
  }

  void phase(const std::string& name, const run::AttentionScript& script, Stalls stalls,
             bool predicted = false) {
    if (report_.mismatch) return;
    progress(name);
    VerifyPhase result;
    result.name = name;
    count(script, &result);
    // A prediction is of items that follow each other.
    const Manner manner{stalls, seed(), !predicted};
    RtlModel model(library_, manner.seed);
    AttentionDriver driver(config_, script, model, manner.stalls, manner.seed, manner.early);
    corners_.note_vectors(script);
    const run::GoldenScript golden =
        run::golden_script(config_, script, reference_units(), &corners_);
    corners_.note_events(golden);
    std::optional<Mismatch> found = run_and_compare(config_, name, golden, driver);
    result.cycles = driver.cycles();
    if (!found && predicted) {
      const auto group = static_cast<std::size_t>(config_.attention.parameters.group);
      result.predicted = attention_cycle_model(rtl::Layout(config_), script.vectors.key_count(),
                                               (script.vectors.query_count() + group - 1) / group);
      if (!(*result.predicted == result.cycles))
        found = Mismatch{
            name, "cycles", driver.cycle(),
            "predicted " + text_of(*result.predicted) + "; the RTL took " + text_of(result.cycles)};
    }
    result.compared = files::value_count(golden.result);
    finish(std::move(result), driver, model, found, script, manner);
  }

  /// Resets in every state, some inside an item, each followed by a short script.
  void resets(const std::string& name, AttentionStimulus& stimulus, Stalls stalls) {
    if (report_.mismatch) return;
    progress(name);
    VerifyPhase result;
    result.name = name;
    const Manner manner{stalls, seed(), true};
    std::mt19937_64 random(manner.seed);
    RtlModel model(library_, manner.seed);
    run::AttentionScript before = stimulus.random(60);
    AttentionDriver driver(config_, before, model, manner.stalls, manner.seed, manner.early);
    std::optional<Mismatch> found;
    for (int round = 0; round < 18 && !found; ++round) {
      const auto state = static_cast<AttentionState>(round % 6);
      before = stimulus.random(60);
      const run::AttentionScript after = stimulus.random(20);
      count(after, &result);
      try {
        driver.restart(before);
        // A command has few cycles; the first round meets the first cycle of each state.
        const std::uint64_t cycles =
            round < 6 ? 1 : 1 + random() % (state == AttentionState::command ? 3 : 20);
        const bool inside = round == 6;
        if (driver.run_until(state, cycles, inside))
          corners_.note_reset(state, driver.inside_item());
      } catch (const SimulationError& error) {
        found = Mismatch{name, "protocol", driver.cycle(), error.what()};
        break;
      }
      driver.restart(after);
      const run::GoldenScript golden = run::golden_script(config_, after);
      found = run_and_compare(config_, name, golden, driver);
      result.compared += files::value_count(golden.result);
      result.cycles.total += driver.cycles().total;
      if (found) {
        before = after;
        break;
      }
    }
    finish(std::move(result), driver, model, found, before, manner);
  }

  /// Adds a phase to the report, with the mismatch that `script` showed, if any.
  void finish(VerifyPhase result, const AttentionDriver& driver, RtlModel& model,
              const std::optional<Mismatch>& found, const run::AttentionScript& script,
              const Manner& manner) {
    result.holds = !found;
    streams_ += driver.streams();
    if (options_.covers)
      for (const auto& [label, hits] : model.covers()) covers_[label] += hits;
    report_.phases.push_back(std::move(result));
    if (found) note(*found, script, manner);
  }

  void note(const Mismatch& found, const run::AttentionScript& script, const Manner& manner) {
    report_.mismatch = found;
    if (options_.directory.empty()) return;
    if (options_.before_files) options_.before_files(report_);
    if (options_.progress) options_.progress("recording the mismatch");
    report_.dumped =
        dump_attention_mismatch({config_, generated_, library_, script, manner, found, options_});
  }

  const files::Config& config_;
  const std::vector<rtl::GeneratedFile>& generated_;
  const std::string& library_;
  const VerifyOptions& options_;
  AttentionCorners corners_;
  AttentionStreams streams_;
  std::map<std::string, std::uint64_t> covers_;
  VerifyReport report_;
};

}  // namespace

VerifyReport verify_attention(const files::Config& config,
                              const std::vector<rtl::GeneratedFile>& generated,
                              const std::string& library, const std::optional<files::Trace>& trace,
                              const VerifyOptions& options) {
  return AttentionVerification(config, generated, library, options).run(trace);
}

}  // namespace axelram::sim

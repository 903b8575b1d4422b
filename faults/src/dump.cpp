#include "axelram/faults/dump.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/faults/text.hpp"

namespace axelram::faults {
namespace {

/// Runs a trial rerun and keeps all its data.
class Rerun {
 public:
  Rerun(const files::Config& config, const std::string& code, const EngineFactory& engines)
      : engine(engines(code)), workload(code, config.parameters, *engine) {}

  std::vector<std::uint8_t> masks(const FaultModel& model, const Site& site,
                                  std::uint64_t trial) const {
    const FaultSource source(model, site, workload.code().words(), workload.code().code().n);
    const TrialPlan plan{&workload, &source, {}, {}, {}};
    return TrialRunner(plan).draw(static_cast<std::uint32_t>(trial));
  }

  std::unique_ptr<FaultEngine> engine;
  Workload workload;
};

/// The key with the largest score error.
std::uint32_t worst_token(const Workload& workload, const std::vector<float>& scores) {
  std::size_t worst = 0;
  double largest = -1;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double error = std::fabs(static_cast<double>(scores[i]) - workload.scores()[i]);
    if (error > largest) {
      largest = error;
      worst = i % workload.tokens();
    }
  }
  return static_cast<std::uint32_t>(worst);
}

Case make_case(const files::Config& config, const CampaignOptions& options, const Point& point,
               Rerun& rerun, std::uint64_t trial) {
  Case c;
  c.configuration = config.name;
  c.code = point.code;
  c.policy = point.policy;
  c.model = point.model;
  c.seed = options.seed;
  c.trial = trial;
  c.masks = rerun.masks(point.model, site_of(config, options.seed), trial);
  FaultOutcome outcome = rerun.engine->read(c.masks, c.policy);
  const Workload::ScoreError error = rerun.workload.score_error(outcome.scores);
  c.token = worst_token(rerun.workload, outcome.scores);
  c.statuses = std::move(outcome.statuses);
  c.decoded = std::move(outcome.decoded);
  c.repaired = std::move(outcome.repaired);
  c.score_rms = error.rms;
  c.score_max = error.max;
  return c;
}

}  // namespace

std::vector<Case> interesting_cases(const files::Config& config, const CampaignOptions& options,
                                    const CampaignReport& report) {
  std::vector<Case> cases;
  for (const std::string& code : options.codes) {
    Rerun rerun(config, code, options.engine);
    const Point* before = nullptr;
    for (const Point& point : report.points) {
      if (point.code != code) continue;
      const bool first_policy = before == nullptr || before->model.rate != point.model.rate;
      before = &point;
      if (first_policy && point.miscorrected_trial) {
        cases.push_back(make_case(config, options, point, rerun, *point.miscorrected_trial));
        cases.back().kind = "miscorrection";
        cases.back().token = point.sum.first_miscorrection.token;
      }
      if (point.worst.rms > 0) {
        cases.push_back(make_case(config, options, point, rerun, point.worst.trial));
        cases.back().kind = "score";
      }
    }
  }
  return cases;
}

std::string file_name(const Case& c) {
  const std::string rate =
      c.model.kind == ModelKind::single_flip ? name_of(c.model.kind) : number_text(c.model.rate);
  const std::string policy = c.kind == "score" ? "-" + name_of(c.policy) : "";
  return c.code + "-" + rate + "-" + c.kind + policy + ".safetensors";
}

Replay replay(const files::Config& config, const EngineFactory& engines, const Case& c,
              const std::string& path) {
  Rerun rerun(config, c.code, engines);
  const std::size_t tokens = rerun.workload.tokens();
  const auto bytes = static_cast<std::size_t>(config.parameters.record_bytes());
  if (c.masks.size() != rerun.workload.stored().size() || c.repaired.size() != tokens * bytes)
    throw files::InputError(path + ": tensor masks: " + std::to_string(c.masks.size()) +
                            " bytes; this macro and trace have " +
                            std::to_string(rerun.workload.stored().size()) + " with code " +
                            c.code + "; give those of configuration '" + c.configuration + "'");
  const auto check = [&](const char* name, std::uint64_t value, std::uint64_t count) {
    if (value >= count)
      throw files::InputError(path + ": metadata " + name + ": " + std::to_string(value) +
                              "; here there are " + std::to_string(count) +
                              ", counted from 0; give a file that `axelram faults --dump` wrote");
  };
  check("token", c.token, tokens);
  if (c.model.kind == ModelKind::single_flip)
    check("trial", c.trial, rerun.workload.code().stored_bits());
  FaultOutcome outcome = rerun.engine->read(c.masks, c.policy);
  const Workload::ScoreError error = rerun.workload.score_error(outcome.scores);
  const bool same_masks = rerun.masks(c.model, site_of(config, c.seed), c.trial) == c.masks;
  const bool same_outcome = outcome.statuses == c.statuses && outcome.decoded == c.decoded &&
                            outcome.repaired == c.repaired && error.rms == c.score_rms &&
                            error.max == c.score_max;
  return {std::move(rerun.workload),
          std::move(outcome.decoded),
          std::move(outcome.repaired),
          std::move(outcome.statuses),
          std::move(outcome.scores),
          error,
          same_masks,
          same_outcome};
}

}  // namespace axelram::faults

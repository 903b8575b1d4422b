#include "axelram/commands/faults.hpp"
#include "axelram/faults/text.hpp"
#include "json.hpp"

namespace axelram::commands {
namespace {

Json statistic_json(const faults::Statistic& s) {
  return {{"name", s.name},
          {"events", s.events},
          {"of", s.of},
          {"rate", s.rate},
          {"low", s.interval.known() ? Json(s.interval.low) : Json()},
          {"high", s.interval.known() ? Json(s.interval.high) : Json()},
          {"expected", or_null(s.expected)},
          {"p_value", or_null(s.p_value)},
          {"method", s.method},
          {"holds", s.p_value ? Json(s.holds) : Json()}};
}

Json strata_json(const faults::Point& point) {
  Json strata = Json::array();
  for (const faults::Stratum& stratum : point.strata)
    strata.push_back({{"weight", stratum.weight},
                      {"samples", stratum.samples},
                      {"exhaustive", stratum.exhaustive},
                      {"corrected", stratum.words[faults::kCorrected]},
                      {"parity_only", stratum.words[faults::kParityOnly]},
                      {"detected", stratum.words[faults::kDetected]},
                      {"miscorrected", stratum.words[faults::kMiscorrected]}});
  return strata;
}

Json model_json(const faults::FaultModel& model) {
  Json json = {{"kind", name_of(model.kind)}, {"interleave", model.interleave}};
  if (!model.widths.empty()) json["widths"] = faults::widths_text(model.widths);
  return json;
}

}  // namespace

std::string to_json(const FaultsResult& result) {
  Json list = Json::array();
  for (const faults::Point& point : result.report.points) {
    const faults::Statistic& failure = point.at("word_failure");
    Json statistics = Json::array();
    for (const faults::Statistic& s : point.statistics) statistics.push_back(statistic_json(s));
    const bool rated = point.model.kind != faults::ModelKind::single_flip;
    list.push_back({{"code", point.code},
                    {"erasure", name_of(point.policy)},
                    {"p", rated ? Json(point.model.rate) : Json()},
                    {"codewords", point.codewords},
                    {"injected", point.sum.injected},
                    {"clean", point.sum.words[faults::kClean]},
                    {"corrected", point.sum.words[faults::kCorrected]},
                    {"parity_only", point.sum.words[faults::kParityOnly]},
                    {"detected", point.sum.words[faults::kDetected]},
                    {"miscorrected", point.sum.words[faults::kMiscorrected]},
                    {"expected", or_null(failure.expected)},
                    {"low", failure.interval.low},
                    {"high", failure.interval.high},
                    {"holds", failure.holds},
                    {"all_hold", point.holds()},
                    {"engine_differed", point.engine_differed},
                    {"trials", point.trials},
                    {"scored_trials", point.scored},
                    {"configuration", result.config.name},
                    {"trace", result.trace},
                    {"engine", name_of(result.engine)},
                    {"seed", result.seed},
                    {"model", model_json(point.model)},
                    {"statistics", statistics},
                    {"strata", strata_json(point)}});
  }
  return text_of(list);
}

}  // namespace axelram::commands

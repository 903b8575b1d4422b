#include <nlohmann/json.hpp>

#include "perplexity_report.hpp"

namespace axelram::cli {
namespace {

using Json = nlohmann::ordered_json;

Json events_json(const transformer::MemoryEvents& e) {
  return {{"stored_bits", e.stored_bits},  {"injected", e.injected},       {"words", e.words},
          {"corrected", e.corrected},      {"parity_only", e.parity_only}, {"detected", e.detected},
          {"miscorrected", e.miscorrected}};
}

Json scores_json(const PerplexityReport& report, const perplexity::Scores& scores) {
  return {{"nll", scores.mean_nll()},
          {"perplexity", scores.perplexity()},
          {"bits_per_byte", report.bytes ? Json(report.bits_per_byte(scores)) : Json()},
          {"top1", scores.top1},
          {"top5", scores.top5}};
}

Json run_json(const PerplexityReport& report, const PerplexityRun& run) {
  Json json = {{"seed", run.seed ? Json(*run.seed) : Json()}};
  json.update(scores_json(report, run.scores));
  json["delta"] = delta_of(report, run);
  json["kl"] = run.scores.kl;
  json["keys"] = events_json(run.scores.events.keys);
  json["values"] = events_json(run.scores.events.values);
  return json;
}

Json spread_json(const PerplexityReport::Spread& s) {
  return {{"mean", s.mean},
          {"std", s.interval.known() ? Json(s.deviation) : Json()},
          {"worst", s.worst},
          {"low", s.interval.known() ? Json(s.interval.low) : Json()},
          {"high", s.interval.known() ? Json(s.interval.high) : Json()}};
}

}  // namespace

std::string perplexity_json(const PerplexityReport& r) {
  Json seeds = Json::array(), runs = Json::array();
  double bits = 0;
  for (const PerplexityRun& run : r.runs) {
    if (run.seed) seeds.push_back(*run.seed);
    runs.push_back(run_json(r, run));
    if (r.bytes) bits += r.bits_per_byte(run.scores) / static_cast<double>(r.runs.size());
  }
  Json baseline = scores_json(r, r.baseline);
  baseline["cache"] = r.baseline_cache;
  baseline["cache_bytes_per_token"] = r.baseline_bytes;
  const Json json = {{"model", r.model},
                     {"text", r.text},
                     {"window", r.window},
                     {"stride", r.stride},
                     {"tokens", r.baseline.nll.size()},
                     {"cache", r.cache},
                     {"engine", r.engine},
                     {"device", r.device},
                     {"device_name", r.device_name.empty() ? Json() : Json(r.device_name)},
                     {"nll", r.spread(nll_of).mean},
                     {"perplexity", r.spread(perplexity_of).mean},
                     {"delta", r.spread(delta_of).mean},
                     {"bits_per_byte", r.bytes ? Json(bits) : Json()},
                     {"kl", r.spread(kl_of).mean},
                     {"top1", r.spread(top1_of).mean},
                     {"top5", r.spread(top5_of).mean},
                     {"cache_bytes_per_token", r.cache_bytes},
                     {"baseline", baseline},
                     {"seeds", seeds},
                     {"per_seed", runs},
                     {"statistics",
                      {{"perplexity", spread_json(r.spread(perplexity_of))},
                       {"delta", spread_json(r.spread(delta_of))},
                       {"kl", spread_json(r.spread(kl_of))}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace axelram::cli

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "axelram/commands/perplexity.hpp"
#include "json.hpp"

namespace axelram::commands {
namespace {

Json events_json(const transformer::MemoryEvents& e) {
  return {{"stored_bits", e.stored_bits},  {"injected", e.injected},       {"words", e.words},
          {"corrected", e.corrected},      {"parity_only", e.parity_only}, {"detected", e.detected},
          {"miscorrected", e.miscorrected}};
}

Json scores_json(const PerplexityResult& report, const perplexity::Scores& scores) {
  return {{"nll", scores.mean_nll()},
          {"perplexity", scores.perplexity()},
          {"bits_per_byte", report.bytes ? Json(report.bits_per_byte(scores)) : Json()},
          {"top1", scores.top1},
          {"top5", scores.top5},
          {"agreement", scores.agreement}};
}

Json known(double noise) { return std::isnan(noise) ? Json() : Json(noise); }

Json finding(double delta, double noise) {
  return std::isnan(noise) ? Json() : Json(is_finding(delta, noise));
}

Json noise_json(const std::optional<DeltaNoise>& noise) {
  if (!noise) return {};
  return {{"simd", noise->simd},
          {"compared_with", noise->other},
          {"predictions", noise->predictions},
          {"nll", noise->nll}};
}

/// Means over the predictions of each window.
Json windows_json(const PerplexityResult& report, const perplexity::Scores& scores) {
  Json all = Json::array();
  std::size_t first = 0;
  for (const std::size_t count : report.window_predictions) {
    double nll = 0, kl = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      nll += scores.nll[i];
      kl += scores.kls[i];
    }
    const auto n = static_cast<double>(count);
    all.push_back({{"tokens", count}, {"nll", nll / n}, {"kl", kl / n}});
    first += count;
  }
  return all;
}

/// What became of the tokens of each layer and head. fill: of the slots at the end of a window;
/// life: mean of the tokens that left, in tokens.
Json memories_json(const PerplexityResult& report, const transformer::CacheEvents& events) {
  Json all = Json::array();
  for (std::size_t pair = 0; pair < events.memories.size(); ++pair) {
    const transformer::MemoryCounts& of = events.memories[pair];
    const auto mean = [](std::uint64_t sum, double count) {
      return count == 0 ? Json() : Json(static_cast<double>(sum) / count);
    };
    all.push_back({{"layer", pair / report.kv_heads},
                   {"head", pair % report.kv_heads},
                   {"evicted", of.evicted},
                   {"gated_out", of.gated_out},
                   {"novel", of.novel},
                   {"hits", of.hits},
                   {"between", of.between},
                   {"displaced", of.displaced},
                   {"spawned", of.spawned},
                   {"merged", of.merged},
                   {"life", mean(of.lives, static_cast<double>(of.freed))},
                   {"fill", mean(of.used, static_cast<double>(of.sequences * report.slots))}});
  }
  return all;
}

Json run_json(const PerplexityResult& report, const PerplexityRun& run) {
  Json json = {{"seed", or_null(run.seed)}};
  json.update(scores_json(report, run.scores));
  json["delta"] = delta_of(report, run);
  json["delta_noise"] = known(delta_noise_of(report, run));
  json["finding"] = finding(delta_of(report, run), delta_noise_of(report, run));
  json["kl"] = run.scores.kl;
  json["windows"] = windows_json(report, run.scores);
  json["keys"] = events_json(run.scores.events.keys);
  json["values"] = events_json(run.scores.events.values);
  if (report.slots != 0) json["memories"] = memories_json(report, run.scores.events);
  return json;
}

Json spread_json(const PerplexityResult::Spread& s) {
  return {{"mean", s.mean},
          {"std", s.interval.known() ? Json(s.deviation) : Json()},
          {"worst", s.worst},
          {"low", s.interval.known() ? Json(s.interval.low) : Json()},
          {"high", s.interval.known() ? Json(s.interval.high) : Json()}};
}

}  // namespace

double nll_of(const PerplexityResult&, const PerplexityRun& run) { return run.scores.mean_nll(); }
double perplexity_of(const PerplexityResult&, const PerplexityRun& run) {
  return run.scores.perplexity();
}
double delta_of(const PerplexityResult& result, const PerplexityRun& run) {
  return run.scores.perplexity() - result.baseline.perplexity();
}
double delta_noise_of(const PerplexityResult& result, const PerplexityRun& run) {
  return result.noise ? result.noise->nll * run.scores.perplexity()
                      : std::numeric_limits<double>::quiet_NaN();
}
bool is_finding(double delta, double noise) { return std::abs(delta) > noise; }
double mean_delta_noise(const PerplexityResult& result) {
  return result.spread(delta_noise_of).mean / std::sqrt(static_cast<double>(result.runs.size()));
}
double kl_of(const PerplexityResult&, const PerplexityRun& run) { return run.scores.kl; }
double top1_of(const PerplexityResult&, const PerplexityRun& run) { return run.scores.top1; }
double top5_of(const PerplexityResult&, const PerplexityRun& run) { return run.scores.top5; }
double agreement_of(const PerplexityResult&, const PerplexityRun& run) {
  return run.scores.agreement;
}

double PerplexityResult::bits_per_byte(const perplexity::Scores& scores) const {
  return scores.mean_nll() * static_cast<double>(scores.nll.size()) / std::numbers::ln2 / *bytes;
}

PerplexityResult::Spread PerplexityResult::spread(double (*of)(const PerplexityResult&,
                                                               const PerplexityRun&)) const {
  std::vector<double> values;
  for (const PerplexityRun& run : runs) values.push_back(of(*this, run));
  const faults::Mean mean = faults::mean_interval(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean.value) * (value - mean.value);
  const double deviation =
      values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
  return {mean.value, deviation, *std::max_element(values.begin(), values.end()), mean.interval};
}

namespace {

/// Null if the scores were not looked at.
Json heads_json(const PerplexityResult& r) {
  Json heads;
  for (std::size_t pair = 0; pair < r.heads.size(); ++pair) {
    const calibration::ScoreFigures& of = r.heads[pair];
    heads.push_back({{"layer", pair / r.kv_heads},
                     {"head", pair % r.kv_heads},
                     {"score_slope", of.slope},
                     {"score_deviation", of.deviation},
                     {"score_error", of.error},
                     {"weighted_score_error", of.weighted_error},
                     {"divergence", of.divergence}});
  }
  return heads;
}

/// Null of a cache that grows.
Json memory_json(const PerplexityResult& r) {
  if (r.slots == 0) return {};
  return {{"slots", r.slots},
          {"bytes", r.cache_bytes.per_sequence},
          {"baseline_bytes", r.full_bytes()}};
}

Json result_json(const PerplexityResult& r) {
  Json seeds = Json::array(), runs = Json::array();
  double bits = 0;
  for (const PerplexityRun& run : r.runs) {
    if (run.seed) seeds.push_back(*run.seed);
    runs.push_back(run_json(r, run));
    if (r.bytes) bits += r.bits_per_byte(run.scores) / static_cast<double>(r.runs.size());
  }
  Json baseline = scores_json(r, r.baseline);
  baseline["cache"] = r.baseline_cache;
  baseline["windows"] = windows_json(r, r.baseline);
  baseline["cache_bytes_per_token"] = r.baseline_bytes.per_token;
  baseline["cache_bytes_per_sequence"] = r.baseline_bytes.per_sequence;
  return {{"model", r.model},
          {"text", r.text},
          {"window", r.window},
          {"stride", r.stride},
          {"tokens", r.baseline.nll.size()},
          {"cache", r.cache},
          {"engine", r.engine},
          {"device", r.device},
          {"device_name", or_null(r.device_name)},
          {"nll", r.spread(nll_of).mean},
          {"perplexity", r.spread(perplexity_of).mean},
          {"delta", r.spread(delta_of).mean},
          {"delta_noise", known(mean_delta_noise(r))},
          {"finding", finding(r.spread(delta_of).mean, mean_delta_noise(r))},
          {"noise", noise_json(r.noise)},
          {"bits_per_byte", r.bytes ? Json(bits) : Json()},
          {"kl", r.spread(kl_of).mean},
          {"top1", r.spread(top1_of).mean},
          {"top5", r.spread(top5_of).mean},
          {"agreement", r.spread(agreement_of).mean},
          {"cache_bytes_per_token", r.cache_bytes.per_token},
          {"cache_bytes_per_sequence", r.cache_bytes.per_sequence},
          {"memory", memory_json(r)},
          {"baseline", baseline},
          {"heads", heads_json(r)},
          {"seeds", seeds},
          {"per_seed", runs},
          {"statistics",
           {{"perplexity", spread_json(r.spread(perplexity_of))},
            {"delta", spread_json(r.spread(delta_of))},
            {"kl", spread_json(r.spread(kl_of))}}}};
}

}  // namespace

std::string to_json(const std::vector<PerplexityResult>& results) {
  if (results.size() == 1) return text_of(result_json(results.front()));
  Json all = Json::array();
  for (const PerplexityResult& result : results) all.push_back(result_json(result));
  return text_of({{"caches", all}});
}

}  // namespace axelram::commands

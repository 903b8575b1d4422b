#include "perplexity_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "text.hpp"

namespace axelram::cli {
namespace {

std::string digits(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

using Quantity = double (*)(const PerplexityReport&, const PerplexityRun&);

std::vector<std::string> spread_row(const PerplexityReport& report, const char* name, Quantity of,
                                    int decimals) {
  const PerplexityReport::Spread s = report.spread(of);
  const auto cell = [&](double value) { return digits(value, decimals); };
  return {name, cell(s.mean), cell(s.deviation), cell(s.worst),
          s.interval.known() ? cell(s.interval.low) + " .. " + cell(s.interval.high) : "-"};
}

std::string events_text(const PerplexityReport& report, const char* name,
                        transformer::MemoryEvents transformer::CacheEvents::*events) {
  transformer::MemoryEvents sum;
  for (const PerplexityRun& run : report.runs) sum += run.scores.events.*events;
  if (sum.injected == 0 && sum.words == 0) return "";
  return std::string(name) + ": " + std::to_string(sum.injected) + " of " +
         std::to_string(sum.stored_bits) + " stored bits flipped; " + std::to_string(sum.words) +
         " words, " + std::to_string(sum.corrected) + " corrected, " +
         std::to_string(sum.parity_only) + " parity bit, " + std::to_string(sum.detected) +
         " detected, " + std::to_string(sum.miscorrected) + " miscorrected\n";
}

}  // namespace

double nll_of(const PerplexityReport&, const PerplexityRun& run) { return run.scores.mean_nll(); }
double perplexity_of(const PerplexityReport&, const PerplexityRun& run) {
  return run.scores.perplexity();
}
double delta_of(const PerplexityReport& report, const PerplexityRun& run) {
  return run.scores.perplexity() - report.baseline.perplexity();
}
double kl_of(const PerplexityReport&, const PerplexityRun& run) { return run.scores.kl; }
double top1_of(const PerplexityReport&, const PerplexityRun& run) { return run.scores.top1; }
double top5_of(const PerplexityReport&, const PerplexityRun& run) { return run.scores.top5; }

double PerplexityReport::bits_per_byte(const perplexity::Scores& scores) const {
  return scores.mean_nll() * static_cast<double>(scores.nll.size()) / std::numbers::ln2 / *bytes;
}

PerplexityReport::Spread PerplexityReport::spread(Quantity of) const {
  std::vector<double> values;
  for (const PerplexityRun& run : runs) values.push_back(of(*this, run));
  const faults::Mean mean = faults::mean_interval(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean.value) * (value - mean.value);
  const double deviation =
      values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
  return {mean.value, deviation, *std::max_element(values.begin(), values.end()), mean.interval};
}

std::string perplexity_text(const PerplexityReport& r) {
  std::string text = "model          " + r.model + "\ntext           " + r.text + ", " +
                     std::to_string(r.baseline.nll.size()) + " predictions, windows of " +
                     std::to_string(r.window) + ", stride " + std::to_string(r.stride) +
                     "\ncache          " + r.cache + ", engine " + r.engine +
                     (r.device_name.empty() ? "" : ", " + r.device_name) + "\n\n";
  const auto row = [&](const std::string& name, const perplexity::Scores& s, double bytes) {
    return std::vector<std::string>{name,
                                    digits(s.mean_nll(), 6),
                                    digits(s.perplexity(), 4),
                                    digits(s.perplexity() - r.baseline.perplexity(), 4),
                                    r.bytes ? digits(r.bits_per_byte(s), 4) : "-",
                                    digits(s.kl, 6),
                                    digits(100 * s.top1, 2),
                                    digits(100 * s.top5, 2),
                                    digits(bytes, 1)};
  };
  std::vector<std::vector<std::string>> rows = {
      {"", "nll", "perplexity", "delta", "bits/byte", "kl", "top-1 %", "top-5 %", "bytes/token"}};
  rows.push_back(row(r.baseline_cache, r.baseline, r.baseline_bytes));
  for (const PerplexityRun& run : r.runs)
    rows.push_back(
        row(run.seed ? "seed " + std::to_string(*run.seed) : "cache", run.scores, r.cache_bytes));
  text += table(rows);
  if (r.runs.size() > 1)
    text += "\n" + table({{"over seeds", "mean", "std", "worst", "95 % of the mean"},
                          spread_row(r, "perplexity", perplexity_of, 4),
                          spread_row(r, "delta", delta_of, 4),
                          spread_row(r, "kl", kl_of, 6)});
  const std::string events = events_text(r, "keys", &transformer::CacheEvents::keys) +
                             events_text(r, "values", &transformer::CacheEvents::values);
  if (!events.empty()) text += "\n" + events;
  return text + "\n" + digits(r.seconds, 1) + " s, " +
         digits(static_cast<double>(r.passed) / std::max(r.seconds, 1e-9), 0) + " tokens/s\n";
}

}  // namespace axelram::cli

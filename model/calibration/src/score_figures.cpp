#include "axelram/calibration/score_figures.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "scored_queries.hpp"

namespace axelram::calibration {
namespace {

/// Logarithm of the sum of exp(score).
double log_sum(const std::vector<double>& scores) {
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - most);
  return most + std::log(sum);
}

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

/// Sums over the queries of a head.
class Sums {
 public:
  explicit Sums(const ExactRange& range) : range_(range) {}

  /// exact, measured: scores of the keys oldest .. token of a sequence.
  void add(const std::vector<double>& exact, const std::vector<double>& measured,
           std::size_t oldest) {
    const std::size_t count = exact.size(), token = oldest + count - 1;
    const double exact_mean = mean_of(exact), measured_mean = mean_of(measured);
    const double exact_sum = log_sum(exact), measured_sum = log_sum(measured);
    double weighted_mean = 0, weighted_squares = 0;
    for (std::size_t t = 0; t < count; ++t) {
      const double x = exact[t] - exact_mean, y = measured[t] - measured_mean;
      xx_ += x * x;
      xy_ += x * y;
      yy_ += y * y;
      const double error = measured[t] - exact[t], weight = std::exp(exact[t] - exact_sum);
      weighted_mean += weight * error;
      weighted_squares += weight * error * error;
      if (oldest + t < range_.first)
        first_ += weight;
      else if (oldest + t + range_.newest > token)
        newest_ += weight;
    }
    weighted_ += weighted_squares - weighted_mean * weighted_mean;
    divergence_ += measured_sum - exact_sum - weighted_mean;
    scores_ += static_cast<double>(count);
    ++queries_;
  }

  ScoreFigures figures() const {
    ScoreFigures all;
    if (queries_ == 0) return all;
    const auto root = [](double square) { return std::sqrt(std::max(0.0, square)); };
    all.slope = xx_ > 0 ? xy_ / xx_ : 1;
    all.deviation = root((yy_ - all.slope * xy_) / scores_);
    all.error = root((yy_ - 2 * xy_ + xx_) / scores_);
    all.weighted_error = root(weighted_ / queries_);
    all.divergence = divergence_ / queries_;
    all.first_weight = first_ / queries_;
    all.newest_weight = newest_ / queries_;
    return all;
  }

 private:
  ExactRange range_;
  double xx_ = 0, xy_ = 0, yy_ = 0, weighted_ = 0, divergence_ = 0, first_ = 0, newest_ = 0;
  double scores_ = 0, queries_ = 0;
};

}  // namespace

std::vector<ScoreFigures> score_figures(const Keys& keys, const Queries& queries,
                                        const transformer::KvCache& cache, const ExactRange& range,
                                        transformer::Workers& workers) {
  std::vector<ScoreFigures> all(keys.layers * keys.heads);
  workers.run(all.size(), [&](std::size_t, std::size_t pair) {
    const std::size_t layer = pair / keys.heads, head = pair % keys.heads;
    const std::unique_ptr<transformer::KeyCache> of_head =
        cache.keys(static_cast<int>(layer), static_cast<int>(head));
    Sums sums(range);
    for_each_scored(keys, queries, *of_head, layer, head, {queries.places.size()},
                    [&](const std::vector<double>& exact, const std::vector<double>& measured,
                        std::size_t oldest) { sums.add(exact, measured, oldest); });
    all[pair] = sums.figures();
  });
  return all;
}

}  // namespace axelram::calibration

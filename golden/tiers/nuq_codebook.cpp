#include "axelram/nuq_codebook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "axelram/half.hpp"
#include "axelram/tier_row.hpp"

namespace axelram {
namespace {

using Sums = NuqHistogram::Sums;

/// Calls add(y, weight) for the elements of a row whose radius is not 0.
template <typename Add>
void for_each_element(const NuqRow& row, const double* weights, Add add) {
  for (std::size_t i = 0; i < row.y.size(); ++i)
    if (row.radii[i] != 0) add(row.y[i], weights == nullptr ? 1.0 : weights[i]);
}

/// False for an element that no codebook is made from.
bool add_element(double y, double weight, Sums* sums) {
  if (std::abs(y) > 1) return false;
  sums->w += weight;
  sums->wy += weight * y;
  sums->wyy += weight * y * y;
  return true;
}

/// FP16 RNE, a zero as +0.
std::uint16_t positive_zero_half(double value) {
  const std::uint16_t half = double_to_half(value);
  return half == 0x8000 ? std::uint16_t{0} : half;
}

/// Sums of the bins before each bin, and of all.
std::vector<Sums> prefix_sums(const NuqHistogram& histogram) {
  std::vector<Sums> before(NuqHistogram::kBins + 1);
  for (std::size_t i = 0; i < NuqHistogram::kBins; ++i) {
    const Sums& bin = histogram.bins()[i];
    before[i + 1] = {before[i].w + bin.w, before[i].wy + bin.wy, before[i].wyy + bin.wyy};
  }
  return before;
}

Sums sums_between(const Sums& begin, const Sums& end) {
  return {end.w - begin.w, end.wy - begin.wy, end.wyy - begin.wyy};
}

/// Weighted squared distance of the elements of a run to their mean.
double run_cost(const Sums& run) { return run.w == 0 ? 0 : run.wyy - run.wy * run.wy / run.w; }

}  // namespace

NuqRange nuq_range_ref(std::vector<std::uint16_t> values, double share) {
  nuq_outlier_count(share, 0);  // checks the share
  if (values.empty()) throw std::invalid_argument("a channel of keys has no values");
  check_finite(values.data(), values.size());
  std::vector<double> sorted;
  for (const std::uint16_t value : values) sorted.push_back(half_to_double(value));
  std::sort(sorted.begin(), sorted.end());
  const auto k = static_cast<std::size_t>(static_cast<double>(sorted.size()) * share / 2);
  const double low = sorted[k], high = sorted[sorted.size() - 1 - k];
  return {positive_zero_half((high + low) / 2), positive_zero_half((high - low) / 2)};
}

std::size_t NuqHistogram::bin(double y) {
  constexpr double kHalf = 0.5 * kBins;
  return std::min(kBins - 1, static_cast<std::size_t>(kHalf + std::floor(kHalf * y)));
}

void NuqHistogram::add(const NuqRow& row, const double* weights) {
  for_each_element(row, weights, [&](double y, double weight) { add(y, weight); });
}

void NuqHistogram::add(double y, double weight) {
  if (std::abs(y) <= 1) add_element(y, weight, &bins_[bin(y)]);
}

std::vector<std::size_t> nuq_runs_ref(const NuqHistogram& histogram, int bits) {
  constexpr std::size_t kEnd = NuqHistogram::kBins;
  const std::vector<Sums> before = prefix_sums(histogram);
  const std::size_t count = std::size_t{1} << bits;
  // least[j][k]: cost of the bins below j in k runs; from[j][k]: where the last of them begins.
  // Runs of every k at once: the cost of a run is then computed once.
  std::vector<std::vector<double>> least(
      kEnd + 1, std::vector<double>(count + 1, std::numeric_limits<double>::infinity()));
  std::vector<std::vector<std::size_t>> from(kEnd + 1, std::vector<std::size_t>(count + 1));
  least[0][0] = 0;
  for (std::size_t j = 1; j <= kEnd; ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const double cost = run_cost(sums_between(before[i], before[j]));
      for (std::size_t k = 1; k <= count; ++k)
        if (const double sum = least[i][k - 1] + cost; sum < least[j][k]) {
          least[j][k] = sum;
          from[j][k] = i;
        }
    }
  std::vector<std::size_t> runs(count);
  for (std::size_t k = count, end = kEnd; k > 0; --k) runs[k - 1] = end = from[end][k];
  return runs;
}

std::vector<std::uint16_t> nuq_centroids_ref(const NuqHistogram& histogram,
                                             const std::vector<std::size_t>& runs) {
  const std::vector<Sums> before = prefix_sums(histogram);
  std::vector<std::uint16_t> centroids;
  double last = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::size_t end = k + 1 < runs.size() ? runs[k + 1] : NuqHistogram::kBins;
    const Sums run = sums_between(before[runs[k]], before[end]);
    // 0 / 0 is no number and does not ascend.
    const std::uint16_t centroid = positive_zero_half(run.wy / run.w);
    if (!(half_to_double(centroid) > last))
      throw std::runtime_error(
          "the centroids of a KVQuant codebook do not ascend strictly: too few elements");
    last = half_to_double(centroid);
    centroids.push_back(centroid);
  }
  return centroids;
}

NuqNorm::NuqNorm(const std::vector<std::uint16_t>& centroids)
    : boundaries_(nuq_boundaries_ref(centroids)), weights_(centroids.size()) {
  for (const std::uint16_t centroid : centroids) centroids_.push_back(half_to_double(centroid));
}

void NuqNorm::add(const NuqRow& row, const double* weights) {
  for_each_element(row, weights, [&](double y, double weight) { add(y, weight); });
}

void NuqNorm::add(double y, double weight) {
  if (add_element(y, weight, &sums_))
    weights_[static_cast<std::size_t>(nuq_index_ref(boundaries_, y))] += weight;
}

std::vector<std::uint16_t> NuqNorm::levels() const {
  const double mean = sums_.wy / sums_.w;
  double quantized_mean = 0, quantized_variance = 0;
  for (std::size_t j = 0; j < centroids_.size(); ++j)
    quantized_mean += weights_[j] * centroids_[j] / sums_.w;
  for (std::size_t j = 0; j < centroids_.size(); ++j) {
    const double off = centroids_[j] - quantized_mean;
    quantized_variance += weights_[j] * off * off / sums_.w;
  }
  const double variance = std::max(0.0, run_cost(sums_) / sums_.w);
  const double ratio = std::sqrt(variance) / std::sqrt(quantized_variance);
  std::vector<std::uint16_t> levels;
  for (const double centroid : centroids_) {
    levels.push_back(positive_zero_half(centroid * ratio + mean - quantized_mean * ratio));
    if (!is_finite(levels.back(), ElementFormat::fp16))
      throw std::runtime_error("Q-Norm has no finite levels: all elements have one index");
  }
  return levels;
}

}  // namespace axelram

#include "tier_codebooks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"
#include "axelram/nuq_codebook.hpp"

namespace axelram::calibration {
namespace {

/// Weights of a row, as doubles, or null.
class RowWeights {
 public:
  RowWeights(const TierRows& rows, const std::vector<float>* all, std::size_t layer)
      : rows_(rows), all_(all), layer_(layer), row_(rows.d) {}

  const double* of(std::size_t token, std::size_t head) {
    if (all_ == nullptr) return nullptr;
    const float* const from =
        &(*all_)[((layer_ * rows_.rows + token) * rows_.heads + head) * rows_.d];
    std::copy_n(from, rows_.d, row_.begin());
    return row_.data();
  }

 private:
  const TierRows& rows_;
  const std::vector<float>* all_;
  std::size_t layer_;
  std::vector<double> row_;
};

/// Weighted squared distances of y to the numbers that they decode to.
class Distances {
 public:
  Distances(const std::vector<std::uint16_t>& centroids, const std::vector<std::uint16_t>& levels)
      : boundaries_(nuq_boundaries_ref(centroids)) {
    for (const std::uint16_t one : centroids) centroids_.push_back(half_to_double(one));
    for (const std::uint16_t one : levels) levels_.push_back(half_to_double(one));
  }

  void add(const NuqRow& row, const double* weights) {
    for (std::size_t i = 0; i < row.y.size(); ++i) {
      const double y = row.y[i], weight = weights == nullptr ? 1 : weights[i];
      if (row.radii[i] == 0 || std::abs(y) > 1) continue;
      const auto index = static_cast<std::size_t>(nuq_index_ref(boundaries_, y));
      weight_ += weight;
      to_centroids_ += weight * (y - centroids_[index]) * (y - centroids_[index]);
      to_levels_ += weight * (y - levels_[index]) * (y - levels_[index]);
    }
  }
  double to_centroids() const { return to_centroids_ / weight_; }
  double to_levels() const { return to_levels_ / weight_; }

 private:
  std::vector<double> boundaries_, centroids_, levels_;
  double weight_ = 0, to_centroids_ = 0, to_levels_ = 0;
};

/// Cost of the runs that begin at these bins, over the weight of all.
double mean_cost(const NuqHistogram& histogram, const std::vector<std::size_t>& runs) {
  double cost = 0, weight = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::size_t end = k + 1 < runs.size() ? runs[k + 1] : NuqHistogram::kBins;
    NuqHistogram::Sums run;
    for (std::size_t bin = runs[k]; bin < end; ++bin) {
      run.w += histogram.bins()[bin].w;
      run.wy += histogram.bins()[bin].wy;
      run.wyy += histogram.bins()[bin].wyy;
    }
    if (run.w > 0) cost += run.wyy - run.wy * run.wy / run.w;
    weight += run.w;
  }
  return cost / weight;
}

void store(const std::vector<std::uint16_t>& numbers, std::size_t layer,
           std::vector<std::uint16_t>* all) {
  std::copy(numbers.begin(), numbers.end(),
            all->begin() + static_cast<std::ptrdiff_t>(layer * numbers.size()));
}

/// Codebooks of all widths from rows that for_each_row(add) passes to add(row, weights), in the
/// order token, head.
template <class ForEachRow>
void make_codebooks(std::size_t layer, const ForEachRow& for_each_row,
                    files::TierConstants::ByBits* centroids, files::TierConstants::ByBits* levels,
                    std::array<CodebookFigures, 3>* figures) {
  NuqHistogram histogram;
  for_each_row([&](const NuqRow& row, const double* weights) { histogram.add(row, weights); });
  std::vector<std::vector<std::uint16_t>> found;
  std::vector<NuqNorm> norms;
  for (std::size_t at = 0; at < figures->size(); ++at) {
    CodebookFigures& told = (*figures)[at];
    told.bits = static_cast<int>(at) + 2;
    const std::vector<std::size_t> runs = nuq_runs_ref(histogram, told.bits);
    told.cost = mean_cost(histogram, runs);
    found.push_back(nuq_centroids_ref(histogram, runs));
    store(found.back(), layer, &(*centroids)[at]);
    norms.emplace_back(found.back());
  }
  for_each_row([&](const NuqRow& row, const double* weights) {
    for (NuqNorm& norm : norms) norm.add(row, weights);
  });
  std::vector<Distances> distances;
  for (std::size_t at = 0; at < figures->size(); ++at) {
    const std::vector<std::uint16_t> normed = norms[at].levels();
    store(normed, layer, &(*levels)[at]);
    distances.emplace_back(found[at], normed);
  }
  for_each_row([&](const NuqRow& row, const double* weights) {
    for (Distances& one : distances) one.add(row, weights);
  });
  for (std::size_t at = 0; at < figures->size(); ++at) {
    (*figures)[at].error = distances[at].to_centroids();
    (*figures)[at].levels = distances[at].to_levels();
  }
}

/// make_codebooks whose failure names its place.
template <class ForEachRow>
void make_codebooks_of(const char* what, std::size_t layer, const ForEachRow& for_each_row,
                       files::TierConstants::ByBits* centroids,
                       files::TierConstants::ByBits* levels,
                       std::array<CodebookFigures, 3>* figures) {
  try {
    make_codebooks(layer, for_each_row, centroids, levels, figures);
  } catch (const std::runtime_error& error) {
    throw files::InputError("layer " + std::to_string(layer) + ", " + what + ": " + error.what() +
                            "; take more samples, or longer windows");
  }
}

/// Ranges of the channels of one head.
void store_ranges(const TierRows& rows, std::size_t layer, std::size_t head,
                  files::TierConstants* all) {
  const std::uint16_t* const keys = rows.of(rows.keys, layer, head);
  std::vector<std::uint16_t> channel(rows.rows);
  for (std::size_t i = 0; i < rows.d; ++i) {
    for (std::size_t t = 0; t < rows.rows; ++t) channel[t] = keys[t * rows.d + i];
    const NuqRange range = nuq_range_ref(channel, all->outliers);
    const std::size_t place = (layer * rows.heads + head) * rows.d + i;
    all->key_middles[place] = range.middle;
    all->key_radii[place] = range.radius;
  }
}

}  // namespace

void key_codebooks(const TierRows& rows, const ElementWeights* weights, std::size_t layer,
                   files::TierConstants* all, std::array<CodebookFigures, 3>* figures) {
  for (std::size_t head = 0; head < rows.heads; ++head) store_ranges(rows, layer, head, all);
  const NuqLayout layout{2, rows.d, nuq_outlier_count(all->outliers, rows.d), false};
  RowWeights of_rows(rows, weights == nullptr ? nullptr : &weights->keys, layer);
  const auto for_each_row = [&](const auto& add) {
    for (std::size_t token = 0; token < rows.rows; ++token)
      for (std::size_t head = 0; head < rows.heads; ++head)
        add(nuq_key_ref(layout, all->ranges(layer, head),
                        rows.of(rows.keys, layer, head) + token * rows.d),
            of_rows.of(token, head));
  };
  make_codebooks_of("keys", layer, for_each_row, &all->key_codebooks, &all->key_levels, figures);
}

void value_codebooks(const TierRows& rows, const ElementWeights* weights, std::size_t layer,
                     files::TierConstants* all, std::array<CodebookFigures, 3>* figures) {
  const NuqLayout layout{2, rows.d, nuq_outlier_count(all->outliers, rows.d), true};
  RowWeights of_rows(rows, weights == nullptr ? nullptr : &weights->values, layer);
  const auto for_each_row = [&](const auto& add) {
    for (std::size_t token = 0; token < rows.rows; ++token)
      for (std::size_t head = 0; head < rows.heads; ++head)
        add(nuq_value_ref(layout, rows.of(rows.values, layer, head) + token * rows.d),
            of_rows.of(token, head));
  };
  make_codebooks_of("values", layer, for_each_row, &all->value_codebooks, &all->value_levels,
                    figures);
}

}  // namespace axelram::calibration

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/nuq.hpp"

namespace axelram {

// Calibration of KVQuant (bit-contract.md#nuq-calibration): ranges of the channels of keys, and the
// codebook of a layer's keys or values. All sums are FP64, in the order in which rows are added:
// token, head, channel.

struct NuqRange {
  std::uint16_t middle = 0, radius = 0;  ///< FP16
};

/// Range of a channel of keys: with k = floor(N * share / 2), element k of N sorted values from
/// either end. values: FP16, N >= 1. Throws std::invalid_argument for a share out of range, a value
/// that is not finite, or no value.
NuqRange nuq_range_ref(std::vector<std::uint16_t> values, double share);

/// Weighted sums of the normalized elements y with |y| <= 1, in bins of width 2^-11.
class NuqHistogram {
 public:
  static constexpr std::size_t kBins = 4096;
  struct Sums {
    double w = 0, wy = 0, wyy = 0;
  };

  /// min(4095, 2048 + floor(2048 * y)), exact. |y| <= 1.
  static std::size_t bin(double y);

  /// Elements whose radius is 0 are left out. weights: d numbers >= 0, or null for 1.
  void add(const NuqRow& row, const double* weights);
  /// |y| > 1 is left out.
  void add(double y, double weight);

  const std::array<Sums, kBins>& bins() const { return bins_; }

 private:
  std::array<Sums, kBins> bins_{};
};

/// First bins of the 2^bits runs of least cost: weighted means of the bins between them. Of equal
/// costs the one whose last run begins first, then the one before it.
std::vector<std::size_t> nuq_runs_ref(const NuqHistogram& histogram, int bits);

/// FP16 RNE of the weighted mean of each run. Throws std::runtime_error unless they ascend
/// strictly: there are too few elements.
std::vector<std::uint16_t> nuq_centroids_ref(const NuqHistogram& histogram,
                                             const std::vector<std::size_t>& runs);

/// Q-Norm: levels for which quantized elements have the mean and the deviation of the elements.
class NuqNorm {
 public:
  /// centroids: as nuq_boundaries_ref.
  explicit NuqNorm(const std::vector<std::uint16_t>& centroids);

  /// The rows that the codebook was made from, as NuqHistogram::add.
  void add(const NuqRow& row, const double* weights);
  void add(double y, double weight);

  /// Levels that decode. Throws std::runtime_error if all elements have one index, or a level is
  /// not finite.
  std::vector<std::uint16_t> levels() const;

 private:
  std::vector<double> centroids_, boundaries_;
  std::vector<double> weights_;  ///< by index
  NuqHistogram::Sums sums_;
};

}  // namespace axelram

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/result.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::report {

/// Scores of a result, times score_scale, against <q, k> in FP64 (<q, k - c> with a center), over
/// all queries and all keys. A figure is NaN if it is undefined: no pairs, or only zeros.
struct ScoreAccuracy {
  std::uint64_t pairs = 0;
  double relative_rms_error;  ///< sqrt(sum of squared errors / sum of squared exact values)
  double max_abs_error;
  double correlation;  ///< Pearson, over all pairs at once
  double
      attention_kl;  ///< nats, mean over the queries of KL(exact || macro) of softmax(. / sqrt(d))
  double attention_top1;  ///< fraction of queries whose largest score has the same key
};
ScoreAccuracy score_accuracy(const files::Config& config, const files::Trace& trace,
                             const files::Result& result);

/// Errors of the same scores, each divided by |q| |k| / sqrt(d): the exact scores of random vectors
/// have a standard deviation of 1 on this scale. Pairs of a zero vector are left out.
struct ScoreErrors {
  std::uint64_t pairs = 0;
  double mean = 0, standard_deviation = 0, largest = 0;  ///< `largest` in magnitude
  double width = 0;                   ///< of a bin; bin i of n begins at (i - n / 2) * width
  std::vector<std::uint64_t> counts;  ///< an even number of bins
  std::uint64_t outside = 0;          ///< beyond the bins
};
/// The bins reach to five standard deviations. No bins if there are no errors.
ScoreErrors score_errors(const files::Config& config, const files::Trace& trace,
                         const files::Result& result);

/// Mean squared error of a coordinate of the rotated keys, each key scaled to a mean square of one
/// (references.md#axelram, section II). On this scale Lloyd-Max of N(0,1) has 0.1175, 0.03455,
/// 0.009501.
struct KeyDistortion {
  std::uint64_t coordinates = 0;  ///< coordinates of keys that are not zero
  double exact;                   ///< an index is decoded to the centroid gamma_j
  double stored;                  ///< an index is decoded to its ROM word, C_j / kappa
};
KeyDistortion key_distortion(const files::Config& config, const files::Trace& trace,
                             const files::Result& result);

/// The Gaussian keys and queries that a report measures on: 4096 and 16, seed 1. The macro is that
/// of `config` without its center, which does not fit these keys, and with room for them.
struct GaussianTest {
  files::Config config;
  files::Trace trace;
};
GaussianTest gaussian_test(const files::Config& config);

}  // namespace axelram::report

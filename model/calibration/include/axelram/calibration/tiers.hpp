#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "axelram/calibration/squat.hpp"
#include "axelram/calibration/tier_rows.hpp"
#include "axelram/files/tier_constants.hpp"

namespace axelram::calibration {

/// How constants of tiers are chosen (bit-contract.md#squat-calibration,
/// bit-contract.md#nuq-calibration).
struct TierOptions {
  double outliers = 0.01;  ///< share of exact elements in a row of KVQuant, 0..0.25
  SquatOptions squat;
};

/// Weights of elements in the codebooks of KVQuant, such as squared gradients: F32 [layers, rows,
/// heads, d] each, rows as in TierRows.
struct ElementWeights {
  std::vector<float> keys, values;
};

/// Reads `keys` and `values` of the shape of the rows. Throws files::InputError for another type or
/// shape, and for a weight that is not finite or negative.
ElementWeights read_element_weights(const std::string& path, const TierRows& rows);

/// A codebook of a layer's keys or values. Errors are weighted means over the y with |y| <= 1.
struct CodebookFigures {
  int bits = 0;
  double cost = 0;    ///< squared distance to the mean of the run
  double error = 0;   ///< to the centroid of the index: rounded to FP16, boundaries as stored
  double levels = 0;  ///< to the level of Q-Norm
};

struct TierLayer {
  std::array<CodebookFigures, 3> keys, values;  ///< [bits - 2]
};

/// A KV head whose key blocks of 32 calibration rows were coded with 2 bits. Both are mean squared
/// errors of the scores of the calibration queries, over the mean square of these scores.
struct TierHead {
  std::vector<int> exponents;        ///< of the matrices of SQuat
  std::optional<double> kivi_error;  ///< none: fewer than 32 rows, or all scores are 0
  std::optional<double> squat_error;
};

struct CalibratedTiers {
  files::TierConstants constants;  ///< `model` is empty
  std::vector<TierLayer> layers;
  std::vector<TierHead> heads;  ///< [layers, heads]
};

/// Constants of all layers and heads, b = 2, 3, 4. weights: null for 1. Results do not depend on
/// the number of workers. Throws files::InputError, with layer and head, if SQuat's feedback is too
/// strong for its format or a codebook has too few different elements.
CalibratedTiers calibrate_tiers(const TierRows& rows, const TierOptions& options,
                                const ElementWeights* weights, transformer::Workers& workers,
                                const Progress& progress = {});

/// Mean of e^T C e over rows, e the errors [rows, d] of keys and C a moment [d, d].
double mean_score_error(const std::vector<double>& errors, const double* moment, std::size_t d);

}  // namespace axelram::calibration

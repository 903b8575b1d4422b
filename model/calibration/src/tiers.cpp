#include "axelram/calibration/tiers.hpp"

#include <mutex>

#include "axelram/fast_kivi.hpp"
#include "axelram/fast_squat.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"
#include "tier_codebooks.hpp"

namespace axelram::calibration {
namespace {

constexpr std::size_t kBlock = 32;  // tokens of the key blocks whose errors are told
constexpr int kToldBits = 2;

/// Errors of key blocks as they decode, [rows, d]; rows beyond the last whole block are left out.
template <class Encode>
std::vector<double> errors_of_blocks(const std::uint16_t* keys, std::size_t rows,
                                     const KiviLayout& layout, const Encode& encode) {
  std::vector<double> errors;
  std::vector<std::uint8_t> block(layout.bytes());
  std::vector<float> decoded(layout.elements());
  for (std::size_t first = 0; first + kBlock <= rows; first += kBlock) {
    const std::uint16_t* const x = keys + first * layout.groups;
    encode(x, block.data());
    decode_kivi(layout, block.data(), decoded.data());
    for (std::size_t i = 0; i < decoded.size(); ++i)
      errors.push_back(double{decoded[i]} - half_to_double(x[i]));
  }
  return errors;
}

void tell_errors(const TierRows& rows, std::size_t layer, std::size_t head,
                 const SquatFeedback& feedback, TierHead* told) {
  const std::uint16_t* const keys = rows.of(rows.keys, layer, head);
  const double* const moment = rows.moment(layer, head);
  const KiviLayout layout = kivi_key_layout(kToldBits, rows.d, kBlock);
  std::vector<double> exact;
  for (std::size_t i = 0; i < rows.rows / kBlock * kBlock * rows.d; ++i)
    exact.push_back(half_to_double(keys[i]));
  const double square = exact.empty() ? 0 : mean_score_error(exact, moment, rows.d);
  if (!(square > 0)) return;
  const auto error = [&](const auto& encode) {
    return mean_score_error(errors_of_blocks(keys, rows.rows, layout, encode), moment, rows.d) /
           square;
  };
  told->kivi_error =
      error([&](const std::uint16_t* x, std::uint8_t* block) { encode_kivi(layout, x, block); });
  told->squat_error = error([&](const std::uint16_t* x, std::uint8_t* block) {
    encode_squat(layout, feedback, x, block);
  });
}

SquatFeedback feedback_of(const TierRows& rows, const TierOptions& options, std::size_t layer,
                          std::size_t head) {
  try {
    return squat_feedback(rows.moment(layer, head), rows.d, options.squat);
  } catch (const std::runtime_error& error) {
    throw files::InputError("layer " + std::to_string(layer) + ", KV head " + std::to_string(head) +
                            ": " + error.what() + "; take a smaller strength of SQuat");
  }
}

/// Places of all constants, so that layers and heads can be filled in any order.
files::TierConstants empty_constants(const TierRows& rows, const TierOptions& options) {
  files::TierConstants all;
  all.layers = rows.layers, all.heads = rows.heads, all.d = rows.d;
  all.rope = rows.rope;
  all.outliers = options.outliers;
  all.squat_channels = std::min(options.squat.channels, rows.d);
  all.key_middles.resize(rows.layers * rows.heads * rows.d);
  all.key_radii.resize(all.key_middles.size());
  for (std::size_t at = 0; at < 3; ++at)
    for (auto* const books :
         {&all.key_codebooks, &all.value_codebooks, &all.key_levels, &all.value_levels})
      (*books)[at].resize(rows.layers << (at + 2));
  return all;
}

}  // namespace

CalibratedTiers calibrate_tiers(const TierRows& rows, const TierOptions& options,
                                const ElementWeights* weights, transformer::Workers& workers,
                                const Progress& progress) {
  CalibratedTiers all{empty_constants(rows, options), {}, {}};
  all.layers.resize(rows.layers);
  all.heads.resize(rows.layers * rows.heads);
  std::vector<SquatFeedback> feedback(all.heads.size());
  std::mutex mutex;
  std::size_t done = 0;
  // Pieces of a layer: its keys, its values, and the matrices of each head.
  const std::size_t of_layer = rows.heads + 2, pieces = rows.layers * of_layer;
  workers.run(pieces, [&](std::size_t, std::size_t piece) {
    const std::size_t layer = piece / of_layer, part = piece % of_layer;
    if (part == 0) {
      key_codebooks(rows, weights, layer, &all.constants, &all.layers[layer].keys);
    } else if (part == 1) {
      value_codebooks(rows, weights, layer, &all.constants, &all.layers[layer].values);
    } else {
      const std::size_t head = part - 2, pair = layer * rows.heads + head;
      feedback[pair] = feedback_of(rows, options, layer, head);
      all.heads[pair].exponents = feedback[pair].exponents;
      tell_errors(rows, layer, head, feedback[pair], &all.heads[pair]);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    if (progress) progress(++done, pieces);
  });
  for (const SquatFeedback& one : feedback) {
    all.constants.squat_matrices.insert(all.constants.squat_matrices.end(), one.matrices.begin(),
                                        one.matrices.end());
    all.constants.squat_exponents.insert(all.constants.squat_exponents.end(), one.exponents.begin(),
                                         one.exponents.end());
  }
  return all;
}

}  // namespace axelram::calibration

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "axelram/calibration/keys.hpp"
#include "axelram/parameters.hpp"

namespace axelram::calibration {

/// The mean key of every layer and head, rounded to the element format: [layers, heads, d].
std::vector<std::uint16_t> mean_keys(const Keys& keys, ElementFormat format);

/// The signs that a seed gives to every layer and head: [layers, heads, d].
std::vector<std::int8_t> signs_of_seed(std::uint64_t seed, const Keys& keys);

struct Request {
  Parameters parameters;  ///< uses head_dim, index_bits, codebook and element_format
  std::uint64_t seed = 1;
  std::size_t candidates = 200;            ///< 1 or more
  bool per_head = false;                   ///< a choice for each head, not for each layer
  std::vector<std::int8_t> default_signs;  ///< [layers, heads, d], to compare with
  std::vector<std::uint16_t> center;  ///< [layers, heads, d] subtracted from the keys, or empty
};

/// A layer, or a head of it, for which one candidate was chosen. Errors are mean squared errors per
/// element of keys divided by their norm and multiplied by sqrt(d): Algorithm 1's MSE times d.
struct Choice {
  std::size_t layer = 0;
  std::optional<std::size_t> head;  ///< none: all heads of the layer
  double mean_norm = 0;             ///< of the keys
  double centered_norm = 0;         ///< mean norm after the center, or the mean key, is subtracted
  double center_share = 0;          ///< norm of the mean key (mean over heads) / mean_norm, 0..1
  double default_error = 0;
  double mean_error = 0, best_error = 0, worst_error = 0;  ///< of the candidates
  std::size_t candidate = 0;                               ///< the best one; the first of equals
};

struct Calibration {
  std::vector<std::int8_t> signs;  ///< [layers, heads, d]
  std::vector<Choice> choices;     ///< by layer, then head
  double norm_ratio = 0;           ///< largest / smallest mean key norm of a layer
  double centered_norm_ratio = 0;  ///< the same after centering
};

/// Algorithm 1 (references.md#axelram, section V.A) for every layer, or every layer and head.
/// Candidate c = 0 .. candidates - 1 of a layer is sign_vector(seed + c, layer, 0, d) for all its
/// heads; of a head sign_vector(seed + c, layer, head, d). Results do not depend on the number of
/// workers. Throws files::InputError: a layer or head whose keys are all zero, or all equal to the
/// center.
Calibration choose_signs(const Keys& keys, const Request& request, transformer::Workers& workers,
                         const Progress& progress = {});

/// Recommendation for a ratio of mean key norms across layers (references.md#axelram, section VII).
enum class Advice {
  default_signs,  ///< ratio < 2: any signs are good enough
  neither,        ///< between both: no recommendation
  calibrate       ///< ratio > 5
};
Advice advice(double norm_ratio);

}  // namespace axelram::calibration

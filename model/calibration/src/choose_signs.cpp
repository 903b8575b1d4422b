#include "axelram/calibration/choose_signs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "axelram/calibration/quantization_error.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/half.hpp"
#include "axelram/signs.hpp"

namespace axelram::calibration {
namespace {

/// Candidates that one worker tries on a block of keys while it is in the cache.
constexpr std::size_t kCandidatesOfPiece = 8;

std::vector<double> mean_key(const Keys& keys, std::size_t layer, std::size_t head) {
  const float* const rows = keys.of(layer, head);
  std::vector<double> mean(keys.head_dim);
  for (std::size_t t = 0; t < keys.rows; ++t)
    for (std::size_t i = 0; i < keys.head_dim; ++i) mean[i] += double{rows[t * keys.head_dim + i]};
  for (double& value : mean) value /= static_cast<double>(keys.rows);
  return mean;
}

double norm_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

double mean_norm(const Keys& keys, std::size_t layer, std::size_t head, const double* center) {
  const float* const rows = keys.of(layer, head);
  double total = 0;
  std::vector<double> key(keys.head_dim);
  for (std::size_t t = 0; t < keys.rows; ++t) {
    for (std::size_t i = 0; i < keys.head_dim; ++i)
      key[i] = double{rows[t * keys.head_dim + i]} - (center == nullptr ? 0.0 : center[i]);
    total += norm_of(key);
  }
  return total / static_cast<double>(keys.rows);
}

/// The heads that share a choice.
struct Heads {
  std::size_t layer, first, count;
};

class Search {
 public:
  Search(const Keys& keys, const Request& request)
      : keys_(keys),
        request_(request),
        codebook_(solve_codebook(request.parameters.codebook, request.parameters.head_dim,
                                 request.parameters.index_bits)),
        means_(mean_keys(keys, request.parameters.element_format)) {}

  Choice choose(const Heads& heads, transformer::Workers& workers, std::int8_t* signs) const {
    const std::size_t d = keys_.head_dim;
    Choice choice;
    choice.layer = heads.layer;
    if (request_.per_head) choice.head = heads.first;
    describe(heads, &choice);

    std::vector<UnitKeys> units;
    for (std::size_t h = heads.first; h < heads.first + heads.count; ++h)
      units.emplace_back(keys_.of(heads.layer, h), keys_.rows, d,
                         request_.center.empty() ? nullptr : center(heads.layer, h).data());
    const double elements = element_count(units, heads);

    double default_sum = 0;
    for (std::size_t h = 0; h < heads.count; ++h) {
      double sum = 0;
      quantization_errors(units[h], codebook_,
                          request_.default_signs.data() + at(heads.layer, heads.first + h), 1,
                          &sum);
      default_sum += sum;
    }
    choice.default_error = default_sum / elements;

    const std::vector<std::int8_t> candidates = candidate_signs(heads);
    const std::vector<double> sums = candidate_sums(units, candidates, workers);
    const auto best = std::min_element(sums.begin(), sums.end());
    choice.candidate = static_cast<std::size_t>(best - sums.begin());
    choice.best_error = *best / elements;
    choice.worst_error = *std::max_element(sums.begin(), sums.end()) / elements;
    for (const double sum : sums)
      choice.mean_error += sum / elements / static_cast<double>(sums.size());
    for (std::size_t h = heads.first; h < heads.first + heads.count; ++h)
      std::copy_n(candidates.data() + choice.candidate * d, d, signs + at(heads.layer, h));
    return choice;
  }

 private:
  std::size_t at(std::size_t layer, std::size_t head) const {
    return (layer * keys_.heads + head) * keys_.head_dim;
  }

  /// The center that keys lose, or would lose.
  std::vector<double> center(std::size_t layer, std::size_t head) const {
    const std::vector<std::uint16_t>& raw = request_.center.empty() ? means_ : request_.center;
    std::vector<double> values;
    for (std::size_t i = 0; i < keys_.head_dim; ++i)
      values.push_back(
          element_to_double(raw[at(layer, head) + i], request_.parameters.element_format));
    return values;
  }

  void describe(const Heads& heads, Choice* choice) const {
    const auto count = static_cast<double>(heads.count);
    double mean_keys_norm = 0;
    for (std::size_t h = heads.first; h < heads.first + heads.count; ++h) {
      choice->mean_norm += mean_norm(keys_, heads.layer, h, nullptr) / count;
      choice->centered_norm +=
          mean_norm(keys_, heads.layer, h, center(heads.layer, h).data()) / count;
      mean_keys_norm += norm_of(mean_key(keys_, heads.layer, h)) / count;
    }
    if (choice->mean_norm > 0) choice->center_share = mean_keys_norm / choice->mean_norm;
  }

  double element_count(const std::vector<UnitKeys>& units, const Heads& heads) const {
    std::size_t count = 0;
    for (const UnitKeys& unit : units) count += unit.count();
    if (count == 0)
      throw files::InputError(
          "layer " + std::to_string(heads.layer) +
          (request_.per_head ? ", KV head " + std::to_string(heads.first) : std::string()) +
          (request_.center.empty() ? ": all keys are zero" : ": all keys equal the center") +
          "; there is nothing to choose signs by");
    return static_cast<double>(count * keys_.head_dim);
  }

  std::vector<std::int8_t> candidate_signs(const Heads& heads) const {
    std::vector<std::int8_t> signs(request_.candidates * keys_.head_dim);
    for (std::size_t c = 0; c < request_.candidates; ++c)
      sign_vector(request_.seed + c, static_cast<int>(heads.layer),
                  request_.per_head ? static_cast<int>(heads.first) : 0,
                  static_cast<int>(keys_.head_dim), signs.data() + c * keys_.head_dim);
    return signs;
  }

  std::vector<double> candidate_sums(const std::vector<UnitKeys>& units,
                                     const std::vector<std::int8_t>& signs,
                                     transformer::Workers& workers) const {
    std::vector<double> sums(request_.candidates);
    const std::size_t pieces = (sums.size() + kCandidatesOfPiece - 1) / kCandidatesOfPiece;
    workers.run(pieces, [&](std::size_t, std::size_t piece) {
      const std::size_t first = piece * kCandidatesOfPiece;
      const std::size_t count = std::min(kCandidatesOfPiece, sums.size() - first);
      double of_head[kCandidatesOfPiece];
      for (const UnitKeys& unit : units) {
        quantization_errors(unit, codebook_, signs.data() + first * keys_.head_dim, count, of_head);
        for (std::size_t c = 0; c < count; ++c) sums[first + c] += of_head[c];
      }
    });
    return sums;
  }

  const Keys& keys_;
  const Request& request_;
  Codebook codebook_;
  std::vector<std::uint16_t> means_;
};

double ratio_of_layers(const Calibration& calibration, std::size_t layers, double Choice::*norm) {
  std::vector<double> sums(layers);
  for (const Choice& choice : calibration.choices) sums[choice.layer] += choice.*norm;
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  return *least > 0 ? *most / *least : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<std::uint16_t> mean_keys(const Keys& keys, ElementFormat format) {
  std::vector<std::uint16_t> means;
  for (std::size_t layer = 0; layer < keys.layers; ++layer)
    for (std::size_t head = 0; head < keys.heads; ++head)
      for (const double value : mean_key(keys, layer, head))
        means.push_back(double_to_element(value, format));
  return means;
}

std::vector<std::int8_t> signs_of_seed(std::uint64_t seed, const Keys& keys) {
  std::vector<std::int8_t> signs(keys.layers * keys.heads * keys.head_dim);
  for (std::size_t layer = 0; layer < keys.layers; ++layer)
    for (std::size_t head = 0; head < keys.heads; ++head)
      sign_vector(seed, static_cast<int>(layer), static_cast<int>(head),
                  static_cast<int>(keys.head_dim),
                  signs.data() + (layer * keys.heads + head) * keys.head_dim);
  return signs;
}

Calibration choose_signs(const Keys& keys, const Request& request, transformer::Workers& workers,
                         const Progress& progress) {
  const Search search(keys, request);
  const std::size_t together = request.per_head ? 1 : keys.heads;
  Calibration calibration;
  calibration.signs.resize(keys.layers * keys.heads * keys.head_dim);
  for (std::size_t layer = 0; layer < keys.layers; ++layer) {
    for (std::size_t head = 0; head < keys.heads; head += together)
      calibration.choices.push_back(
          search.choose({layer, head, together}, workers, calibration.signs.data()));
    if (progress) progress(layer + 1, keys.layers);
  }
  calibration.norm_ratio = ratio_of_layers(calibration, keys.layers, &Choice::mean_norm);
  calibration.centered_norm_ratio =
      ratio_of_layers(calibration, keys.layers, &Choice::centered_norm);
  return calibration;
}

Advice advice(double norm_ratio) {
  if (norm_ratio < 2) return Advice::default_signs;
  return norm_ratio > 5 ? Advice::calibrate : Advice::neither;
}

}  // namespace axelram::calibration

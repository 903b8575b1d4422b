#include "axelram/datapath.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "axelram/half.hpp"

namespace axelram {
namespace {

void check_signs(const std::vector<std::int8_t>& signs, const Parameters& parameters) {
  if (signs.size() != static_cast<std::size_t>(parameters.head_dim))
    throw std::invalid_argument("signs: head_dim values are needed");
  for (const std::int8_t sign : signs)
    if (sign != 1 && sign != -1) throw std::invalid_argument("signs: values are +1 or -1");
}

void check_center(const std::vector<std::uint16_t>& center, const Parameters& parameters) {
  const int size = parameters.centered ? parameters.head_dim : 0;
  if (center.size() != static_cast<std::size_t>(size))
    throw std::invalid_argument("center: head_dim values are needed if centered, none otherwise");
  for (const std::uint16_t element : center)
    if (!is_finite(element, parameters.element_format))
      throw std::invalid_argument("center: values must be finite");
}

}  // namespace

Datapath::Datapath(const Parameters& parameters, std::shared_ptr<const CodebookRom> rom,
                   std::vector<std::int8_t> signs, std::vector<std::uint16_t> center,
                   const UnitTable& units)
    : parameters_(parameters),
      rom_(std::move(rom)),
      signs_(std::move(signs)),
      center_(std::move(center)),
      units_(&units),
      y_(static_cast<std::size_t>(parameters.head_dim)) {
  check_signs(signs_, parameters_);
  check_center(center_, parameters_);
}

bool Datapath::align_key(const std::uint16_t* key, std::int32_t* m, int* e) const {
  const Parameters& p = parameters_;
  if (!p.centered)
    return units_->align(key, p.head_dim, p.element_format, p.significand_bits, m, e);
  return units_->center(key, center_.data(), p.head_dim, p.element_format, p.significand_bits, m,
                        e);
}

/// The norm of a key whose e, N and indices are in `result`; sets the correlation. levels: those of
/// the codebook times N, with feedback.
Norm Datapath::norm_of(const std::int32_t* y, std::uint64_t square_sum, const float* levels,
                       KeyResult* result) const {
  const Parameters& p = parameters_;
  if (p.scale == ScaleKind::norm) return units_->norm(result->root, result->exponent);
  const std::vector<std::uint8_t>& chosen = p.trellis() ? result->levels : result->indices;
  result->correlation =
      units_->correlation(y, chosen.data(), p.head_dim, rom_->centroids.data(), p.levels());
  result->scale_refused = square_sum != 0 && result->correlation <= 0;
  const int exponent = p.log2_dim() + p.centroid_bits - 2 + result->exponent;
  const Norm norm = units_->unbiased_norm(square_sum, result->correlation, exponent);
  if (feedback_ == nullptr || !feedback_->full() || result->correlation <= 0) return norm;
  const double factor = norm_factor_ref(*feedback_, y, p.head_dim, levels, chosen.data());
  const double weighted = std::ldexp(
      factor * static_cast<double>(square_sum) / static_cast<double>(result->correlation),
      exponent);
  const bool saturated = weighted > 65504;
  return {double_to_element(saturated ? 65504.0 : weighted, ElementFormat::fp16), saturated};
}

void Datapath::set_feedback(std::shared_ptr<const Feedback> feedback) {
  const Parameters& p = parameters_;
  if (feedback != nullptr && p.scale != ScaleKind::unbiased)
    throw std::invalid_argument("feedback needs the scale unbiased");
  feedback_ = std::move(feedback);
  if (feedback_ == nullptr) return;
  levels_ = p.trellis() ? trellis_levels(p.index_bits)
                        : solve_codebook(p.codebook, p.head_dim, p.index_bits).centroids;
}

/// Steps up to the rotation; false if an element is not finite.
bool Datapath::rotate(const std::uint16_t* key, std::int32_t* y, std::uint64_t* square_sum,
                      KeyResult* result) const {
  if (!align_key(key, y, &result->exponent)) {
    *result = {};
    result->status = KeyStatus::rejected_nonfinite;
    return false;
  }
  result->status = KeyStatus::stored;
  *square_sum = units_->square_sum(y, parameters_.head_dim);
  result->root = units_->root(*square_sum);
  units_->rotate(signs_.data(), y, parameters_.head_dim);
  return true;
}

/// Steps behind the indices.
void Datapath::finish(const std::int32_t* y, std::uint64_t square_sum, const float* levels,
                      KeyResult* result) {
  const Parameters& p = parameters_;
  const Norm norm = norm_of(y, square_sum, levels, result);
  result->norm = norm.half;
  result->norm_saturated = norm.saturated;
  result->record.resize(static_cast<std::size_t>(p.record_bytes()));
  units_->pack_record(result->indices.data(), result->norm, p.head_dim, p.index_bits,
                      result->record.data());
  if (p.copies() != 0) copy_key(y, result);
}

bool Datapath::write(const std::uint16_t* key, KeyResult* result) {
  write(key, 1, result);
  return result->status == KeyStatus::stored;
}

void Datapath::write(const std::uint16_t* keys, std::size_t count, KeyResult* results) {
  const auto d = static_cast<std::size_t>(parameters_.head_dim);
  if (feedback_ == nullptr) {
    for (std::size_t k = 0; k < count; ++k) {
      std::uint64_t square_sum = 0;
      if (!rotate(keys + k * d, y_.data(), &square_sum, &results[k])) continue;
      if (parameters_.trellis())
        encode(y_.data(), &results[k]);
      else
        quantize(y_.data(), &results[k]);
      finish(y_.data(), square_sum, nullptr, &results[k]);
    }
    return;
  }
  if (y_.size() < count * d) y_.resize(count * d);
  square_sums_.resize(count);
  for (std::size_t k = 0; k < count; ++k)  // a key that is not finite becomes a zero key
    if (!rotate(keys + k * d, &y_[k * d], &square_sums_[k], &results[k]))
      std::fill_n(&y_[k * d], d, 0);
  encode_with_feedback(count, results);
  for (std::size_t k = 0; k < count; ++k)
    if (results[k].status == KeyStatus::stored)
      finish(&y_[k * d], square_sums_[k], &scaled_levels_[k * levels_.size()], &results[k]);
}

std::vector<std::uint8_t> Datapath::records(const std::uint16_t* keys, std::size_t count) {
  constexpr std::size_t kTogether = 64;
  const auto d = static_cast<std::size_t>(parameters_.head_dim);
  std::vector<KeyResult> written(std::min(count, kTogether));
  std::vector<std::uint8_t> all;
  for (std::size_t first = 0; first < count; first += kTogether) {
    const std::size_t together = std::min(kTogether, count - first);
    write(keys + first * d, together, written.data());
    for (std::size_t k = 0; k < together; ++k)
      all.insert(all.end(), written[k].record.begin(), written[k].record.end());
  }
  return all;
}

void Datapath::quantize(const std::int32_t* y, KeyResult* result) const {
  const Parameters& p = parameters_;
  result->thresholds.resize(rom_->boundaries.size());
  thresholds_ref(rom_->boundaries.data(), p.boundaries(), result->root, p.boundary_fraction_bits,
                 result->thresholds.data());
  result->indices.resize(static_cast<std::size_t>(p.head_dim));
  units_->quantize(y, p.head_dim, result->thresholds.data(), p.boundaries(),
                   result->indices.data());
}

void Datapath::encode(const std::int32_t* y, KeyResult* result) const {
  const Parameters& p = parameters_;
  result->reconstructions.resize(rom_->reconstructions.size());
  reconstructions_ref(rom_->reconstructions.data(), p.levels(), result->root,
                      p.boundary_fraction_bits, result->reconstructions.data());
  result->indices.resize(static_cast<std::size_t>(p.head_dim));
  result->path_cost =
      units_->encode_trellis(y, p.head_dim, result->reconstructions.data(), p.index_bits,
                             result->root, p.states, result->indices.data());
  result->levels.resize(static_cast<std::size_t>(p.head_dim));
  units_->trellis_level(result->indices.data(), p.head_dim, p.states, result->levels.data());
}

/// Indices of the keys whose rotated vectors are in y_.
void Datapath::encode_with_feedback(std::size_t count, KeyResult* results) {
  const Parameters& p = parameters_;
  const auto d = static_cast<std::size_t>(p.head_dim);
  scaled_levels_.resize(count * levels_.size());
  indices_.resize(count * d);
  for (std::size_t k = 0; k < count; ++k) {
    const auto root = static_cast<float>(results[k].root);
    std::transform(levels_.begin(), levels_.end(), &scaled_levels_[k * levels_.size()],
                   [root](double level) { return static_cast<float>(level) * root; });
  }
  units_->encode_feedback(*feedback_, y_.data(), count, p.head_dim, scaled_levels_.data(),
                          p.index_bits, p.trellis() ? p.states : 0, indices_.data());
  for (std::size_t k = 0; k < count; ++k) {
    KeyResult& result = results[k];
    if (result.status != KeyStatus::stored) continue;
    result.thresholds.clear();
    result.reconstructions.clear();
    result.path_cost = 0;
    result.indices.assign(&indices_[k * d], &indices_[k * d] + d);
    if (!p.trellis()) continue;
    result.levels.resize(d);
    units_->trellis_level(result.indices.data(), p.head_dim, p.states, result.levels.data());
  }
}

void Datapath::copy_key(const std::int32_t* y, KeyResult* result) {
  h_.resize(static_cast<std::size_t>(parameters_.head_dim));
  const int shift = units_->round_query(y, parameters_.head_dim, parameters_.exact_bits, h_.data());
  result->copy.exponent = result->exponent + shift;
  result->copy.elements.resize(h_.size());
  for (std::size_t i = 0; i < h_.size(); ++i)
    result->copy.elements[i] = static_cast<std::int16_t>(h_[i]);
}

bool Datapath::round(const std::uint16_t* query, QueryResult* result) {
  const Parameters& p = parameters_;
  int exponent = 0;
  if (!units_->align(query, p.head_dim, p.element_format, p.significand_bits, y_.data(),
                     &exponent)) {
    *result = {};
    result->status = QueryStatus::rejected_nonfinite;
    return false;
  }
  result->status = QueryStatus::scored;
  units_->rotate(signs_.data(), y_.data(), p.head_dim);
  result->u.resize(static_cast<std::size_t>(p.head_dim));
  result->exponent =
      exponent + units_->round_query(y_.data(), p.head_dim, p.query_bits, result->u.data());
  return true;
}

std::size_t Datapath::score(const QueryResult& query, const std::uint8_t* records,
                            std::size_t count, float* scores, std::int64_t* acc) const {
  const ScoreQuery rounded{query.u.data(),         query.exponent,
                           parameters_.head_dim,   parameters_.index_bits,
                           rom_->centroids.data(), parameters_.trellis() ? parameters_.states : 0};
  return units_->score_keys(rounded, records, count, scores, acc);
}

float Datapath::score(const QueryResult& query, const KeyCopy& copy, std::int64_t* acc,
                      bool* saturated) const {
  *acc = units_->accumulate_copy(query.u.data(), copy.elements.data(), parameters_.head_dim);
  return score_copy_ref(*acc, query.exponent, copy.exponent, parameters_.centroid_bits, saturated);
}

}  // namespace axelram

#include "axelram/datapath.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "axelram/half.hpp"

namespace axelram {
namespace {

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
                   HeadRotation rotation, std::vector<std::uint16_t> center, const UnitTable& units)
    : parameters_(parameters),
      rom_(std::move(rom)),
      rotation_(std::move(rotation)),
      center_(std::move(center)),
      units_(&units),
      channels_(channel_order(rotation_.high_channels, parameters.head_dim)),
      y_(static_cast<std::size_t>(parameters.head_dim)) {
  const Parameters& p = parameters_;
  check_rotation(rotation_, p);
  check_center(center_, p);
  for (const int exponent : rotation_.balance)
    key_powers_.push_back(static_cast<std::int8_t>(-exponent));
  const auto whole = [](KeyResult* result) -> VectorResult* { return result; };
  const auto second = [](KeyResult* result) { return &result->second; };
  parts_.push_back({p.split() ? p.part(0) : p, rom_.get(), 0, whole});
  if (p.split()) parts_.push_back({p.part(1), rom_->second.get(), y_.size() / 2, second});
}

bool Datapath::align_key(const std::uint16_t* key, std::int32_t* m, int* e) const {
  const Parameters& p = parameters_;
  const std::int8_t* const powers = p.balanced ? key_powers_.data() : nullptr;
  if (!p.centered)
    return units_->align(key, p.head_dim, p.element_format, p.significand_bits, m, e, powers);
  return units_->center(key, center_.data(), p.head_dim, p.element_format, p.significand_bits, m, e,
                        powers);
}

/// The norm of a vector whose N and indices are in `result`; sets the correlation. levels: those of
/// the codebook times N, with feedback.
Norm Datapath::norm_of(const Part& part, const std::int32_t* y, int exponent,
                       std::uint64_t square_sum, const float* levels, VectorResult* result) const {
  const Parameters& p = part.parameters;
  if (p.scale == ScaleKind::norm) return units_->norm(result->root, exponent);
  const std::vector<std::uint8_t>& chosen = p.trellis() ? result->levels : result->indices;
  result->correlation =
      units_->correlation(y, chosen.data(), p.head_dim, part.rom->centroids.data(), p.levels());
  result->scale_refused = square_sum != 0 && result->correlation <= 0;
  exponent += p.log2_dim() + p.centroid_bits - 2;
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
  if (feedback != nullptr && p.split())
    throw std::invalid_argument("feedback and a split exclude each other");
  feedback_ = std::move(feedback);
  if (feedback_ == nullptr) return;
  levels_ = p.trellis() ? trellis_levels(p.index_bits)
                        : solve_codebook(p.codebook, p.head_dim, p.index_bits).centroids;
}

void Datapath::order_channels(std::int32_t* m) {
  if (!parameters_.split()) return;
  h_.resize(channels_.size());
  for (std::size_t i = 0; i < channels_.size(); ++i) h_[i] = m[channels_[i]];
  std::copy(h_.begin(), h_.end(), m);
}

/// Steps up to the rotation; false if an element is not finite. square_sums: one for each part.
bool Datapath::rotate(const std::uint16_t* key, std::int32_t* y, std::uint64_t* square_sums,
                      KeyResult* result) {
  if (!align_key(key, y, &result->exponent)) {
    *result = {};
    result->status = KeyStatus::rejected_nonfinite;
    return false;
  }
  result->status = KeyStatus::stored;
  order_channels(y);
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const Part& part = parts_[j];
    const int d = part.parameters.head_dim;
    square_sums[j] = units_->square_sum(y + part.first, d);
    part.result(result)->root = units_->root(square_sums[j]);
    units_->rotate(&rotation_.signs[part.first], y + part.first, d);
  }
  return true;
}

/// Steps behind the indices.
void Datapath::finish(const std::int32_t* y, const std::uint64_t* square_sums, const float* levels,
                      KeyResult* result) {
  for (std::size_t j = 0; j < parts_.size(); ++j) {
    const Part& part = parts_[j];
    VectorResult* const vector = part.result(result);
    const Norm norm =
        norm_of(part, y + part.first, result->exponent, square_sums[j], levels, vector);
    vector->norm = norm.half;
    vector->norm_saturated = norm.saturated;
  }
  if (parameters_.prod()) quantize_residual(y, result);
  pack(result);
  if (parameters_.copies() != 0) copy_key(y, result);
}

/// Residual of a key whose N and indices are in `result`: its signs and its norm.
void Datapath::quantize_residual(const std::int32_t* y, KeyResult* result) {
  const Parameters& p = parameters_;
  result->reconstructions.resize(rom_->reconstructions.size());
  reconstructions_ref(rom_->reconstructions.data(), p.levels(), result->root,
                      p.boundary_fraction_bits, result->reconstructions.data());
  ResidualResult& residual = result->residual;
  h_.resize(static_cast<std::size_t>(p.head_dim));
  residual.shift =
      units_->residual(y, result->indices.data(), p.head_dim, result->reconstructions.data(),
                       p.levels(), p.aligned_bits(), h_.data());
  const std::uint32_t root = units_->root(units_->square_sum(h_.data(), p.head_dim));
  units_->rotate(rotation_.residual_signs.data(), h_.data(), p.head_dim);
  residual.signs.resize(h_.size());
  units_->residual_signs(h_.data(), p.head_dim, residual.signs.data());
  const Norm norm = units_->norm(root, result->exponent + residual.shift - p.log2_dim() / 2);
  residual.norm = norm.half;
  result->norm_saturated |= norm.saturated;
}

void Datapath::pack(KeyResult* result) const {
  const Parameters& p = parameters_;
  result->record.resize(static_cast<std::size_t>(p.record_bytes()));
  if (!p.two_parts()) {
    units_->pack_record(result->indices.data(), result->norm, p.head_dim, p.index_bits,
                        result->record.data());
    return;
  }
  const auto part = [](const Parameters& of, VectorResult* vector) {
    return RecordPart{vector->indices.data(), of.head_dim, of.codebook_bits(), vector->norm};
  };
  const RecordPart second =
      p.prod() ? RecordPart{result->residual.signs.data(), p.head_dim, 1, result->residual.norm}
               : part(parts_[1].parameters, &result->second);
  units_->pack_parts(part(parts_[0].parameters, result), second, result->record.data());
}

bool Datapath::write(const std::uint16_t* key, KeyResult* result) {
  write(key, 1, result);
  return result->status == KeyStatus::stored;
}

void Datapath::write(const std::uint16_t* keys, std::size_t count, KeyResult* results) {
  const auto d = static_cast<std::size_t>(parameters_.head_dim);
  if (feedback_ == nullptr) {
    for (std::size_t k = 0; k < count; ++k) {
      std::array<std::uint64_t, 2> square_sums{};
      if (!rotate(keys + k * d, y_.data(), square_sums.data(), &results[k])) continue;
      for (const Part& part : parts_) {
        if (parameters_.trellis())
          encode(part, &y_[part.first], part.result(&results[k]));
        else
          quantize(part, &y_[part.first], part.result(&results[k]));
      }
      finish(y_.data(), square_sums.data(), nullptr, &results[k]);
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
      finish(&y_[k * d], &square_sums_[k], &scaled_levels_[k * levels_.size()], &results[k]);
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

void Datapath::quantize(const Part& part, const std::int32_t* y, VectorResult* result) const {
  const Parameters& p = part.parameters;
  result->thresholds.resize(part.rom->boundaries.size());
  thresholds_ref(part.rom->boundaries.data(), p.boundaries(), result->root,
                 p.boundary_fraction_bits, result->thresholds.data());
  result->indices.resize(static_cast<std::size_t>(p.head_dim));
  units_->quantize(y, p.head_dim, result->thresholds.data(), p.boundaries(),
                   result->indices.data());
}

void Datapath::encode(const Part& part, const std::int32_t* y, VectorResult* result) const {
  const Parameters& p = part.parameters;
  result->reconstructions.resize(part.rom->reconstructions.size());
  reconstructions_ref(part.rom->reconstructions.data(), p.levels(), result->root,
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

}  // namespace axelram

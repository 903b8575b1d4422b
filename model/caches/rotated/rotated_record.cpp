#include "rotated/rotated_record.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "rows/float_vectors.hpp"

namespace axelram::caches {
namespace {

double norm_at(const std::uint8_t* record, std::size_t byte) {
  const NormValue value =
      decode_norm(static_cast<std::uint16_t>(record[byte] | record[byte + 1] << 8));
  // Exponents -24..6: a power of two without ldexp.
  constexpr double kUnit = 1.0 / (1 << 24);
  return value.significand * static_cast<double>(std::uint64_t{1} << (value.exponent + 24)) * kUnit;
}

/// Calls take(i, bits) with each of `count` indices of b bits. Eight of them are b whole bytes.
template <class Take>
void for_each_index(const std::uint8_t* bytes, std::size_t count, int b, const Take& take) {
  for (std::size_t first = 0; first < count; first += 8, bytes += b) {
    std::uint32_t bits = 0;
    for (int byte = 0; byte < b; ++byte) bits |= std::uint32_t{bytes[byte]} << (8 * byte);
    for (std::size_t i = 0; i < 8; ++i)
      take(first + i, bits >> (i * static_cast<std::size_t>(b)) & ((1U << b) - 1));
  }
}

}  // namespace

RotatedRecord::RotatedRecord(const AxelramSetup& setup, const CacheSite& site)
    : parameters_(setup.parameters(site.value)), rom_(setup.rom()) {
  const Parameters& p = parameters_;
  const auto d = static_cast<std::size_t>(p.head_dim);
  scratch_.resize(d);
  levels_.resize(d);
  const HeadRotation rotation = setup.rotation(site.layer, site.head);
  for (const std::int8_t sign : rotation.signs)
    scale_.push_back(static_cast<float>(sign * rom_->score_scale));
  const double factor = std::ldexp(rom_->residual_scale, p.log2_dim() / 2 - 16 - p.log2_dim());
  for (const std::int8_t sign : rotation.residual_signs)
    residual_scale_.push_back(static_cast<float>(sign * factor));
  residual_.resize(residual_scale_.size());
  channels_ = channel_order(rotation.high_channels, p.head_dim);
  std::size_t norm = static_cast<std::size_t>(p.record_bytes()) - (p.two_parts() ? 4 : 2);
  for (const RecordField& field : record_fields(p)) {
    if (field.kind == RecordField::Kind::norm) continue;
    parts_.push_back({field, parts_.empty() || p.prod() ? rom_.get() : rom_->second.get(), norm});
    norm += 2;
  }
}

void RotatedRecord::unpack(const std::uint8_t* record, float* rotated) {
  std::size_t first = 0;
  for (const Part& part : parts_) {
    if (part.field.kind == RecordField::Kind::residual_sign) {
      add_residual(record, rotated);
      continue;
    }
    unpack_part(part, record, rotated + first);
    first += static_cast<std::size_t>(part.field.count);
  }
}

void RotatedRecord::unpack_part(const Part& part, const std::uint8_t* record, float* rotated) {
  const auto count = static_cast<std::size_t>(part.field.count);
  const std::uint8_t* const indices = record + part.field.first / 8;
  const double norm = norm_at(record, part.norm);
  float levels[32];
  std::transform(part.rom->centroids.begin(), part.rom->centroids.end(), levels,
                 [norm](std::int32_t word) { return static_cast<float>(norm * word); });
  if (parameters_.trellis()) {
    for_each_index(indices, count, part.field.bits, [this](std::size_t i, std::uint32_t index) {
      levels_[i] = static_cast<std::uint8_t>(index);
    });
    trellis_level(levels_.data(), part.field.count, parameters_.states, levels_.data());
    std::transform(levels_.begin(), levels_.begin() + part.field.count, rotated,
                   [&levels](std::uint8_t level) { return levels[level]; });
    return;
  }
  for_each_index(indices, count, part.field.bits,
                 [&](std::size_t i, std::uint32_t index) { rotated[i] = levels[index]; });
}

void RotatedRecord::add_residual(const std::uint8_t* record, float* rotated) {
  const Part& part = parts_.back();
  const auto norm = static_cast<float>(norm_at(record, part.norm));
  for_each_index(record + part.field.first / 8, residual_.size(), 1,
                 [this](std::size_t i, std::uint32_t negative) {
                   residual_[i] = negative != 0 ? -1.0F : 1.0F;
                 });
  hadamard(residual_.data(), scratch_.data(), parameters_.head_dim);
  for (std::size_t i = 0; i < residual_.size(); ++i)
    rotated[i] += norm * residual_scale_[i] * residual_[i];
}

void RotatedRecord::rotate_back(float* rotated) {
  std::size_t first = 0;
  for (const Part& part : parts_) {
    if (part.field.kind == RecordField::Kind::residual_sign) continue;
    hadamard(rotated + first, scratch_.data(), part.field.count);
    first += static_cast<std::size_t>(part.field.count);
  }
  for (std::size_t i = 0; i < scale_.size(); ++i) rotated[i] *= scale_[i];
  if (channels_.empty()) return;
  std::copy_n(rotated, channels_.size(), scratch_.data());
  for (std::size_t i = 0; i < channels_.size(); ++i) rotated[channels_[i]] = scratch_[i];
}

}  // namespace axelram::caches

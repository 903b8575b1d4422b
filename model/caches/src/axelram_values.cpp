#include <algorithm>

#include "axelram/half.hpp"
#include "axelram_stores.hpp"
#include "float_hadamard.hpp"

namespace axelram::caches {
namespace {

double as_read(std::uint16_t norm) {
  const NormValue value = decode_norm(norm);
  // Exponents -24..6: a power of two without ldexp.
  constexpr double kUnit = 1.0 / (1 << 24);
  return value.significand * static_cast<double>(std::uint64_t{1} << (value.exponent + 24)) * kUnit;
}

}  // namespace

AxelramValues::AxelramValues(const AxelramUnits& units, const Place& place)
    : d_(static_cast<std::size_t>(units.family().parameters().head_dim)),
      rows_(units, place),
      products_(d_),
      last_(d_),
      scratch_(d_) {
  for (const std::int8_t sign : units.family().signs(place.layer, place.head))
    scale_.push_back(static_cast<float>(sign * units.family().rom()->score_scale));
}

void AxelramValues::unpack(const std::uint8_t* record, float* rotated) const {
  const int b = rows_.datapath().parameters().index_bits;
  const std::uint8_t* const end = record + d_ * static_cast<std::size_t>(b) / 8;
  const double norm = as_read(static_cast<std::uint16_t>(end[0] | end[1] << 8));
  float levels[16];
  std::transform(rows_.datapath().rom().centroids.begin(), rows_.datapath().rom().centroids.end(),
                 levels, [norm](std::int32_t word) { return static_cast<float>(norm * word); });
  // Eight indices are b whole bytes.
  for (; record != end; record += b, rotated += 8) {
    std::uint32_t bits = 0;
    for (int byte = 0; byte < b; ++byte) bits |= std::uint32_t{record[byte]} << (8 * byte);
    for (int i = 0; i < 8; ++i) rotated[i] = levels[bits >> (i * b) & ((1U << b) - 1)];
  }
}

void AxelramValues::inverse_rotate(float* rotated) {
  hadamard(rotated, scratch_.data(), static_cast<int>(d_));
  for (std::size_t i = 0; i < d_; ++i) rotated[i] *= scale_[i];
}

void AxelramValues::write(const float* rows, std::size_t count) {
  const std::size_t first = rows_.write(rows, count);
  const RowMemory& memory = rows_.memory();
  rotated_.resize(memory.size() * d_);
  for (std::size_t t = first; t < memory.size(); ++t) unpack(memory.row(t), &rotated_[t * d_]);
}

void AxelramValues::weighted_sum(const float* weights, std::size_t count, std::size_t first,
                                 std::size_t stride, float* out) {
  products_.weighted_sum(rotated_.data(), weights, count, first, stride, out);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t token = first + i;
    float* const sum = out + i * d_;
    if (const std::uint8_t* const last = rows_.memory().as_last(token)) {
      unpack(last, last_.data());
      const float weight = weights[i * stride + token];
      const float* const row = &rotated_[token * d_];
      for (std::size_t j = 0; j < d_; ++j) sum[j] += weight * (last_[j] - row[j]);
    }
    inverse_rotate(sum);
  }
}

}  // namespace axelram::caches

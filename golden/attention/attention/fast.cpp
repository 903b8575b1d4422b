#include <algorithm>
#include <cstring>

#include "axelram/attention.hpp"
#include "axelram/fast_attention.hpp"
#include "axelram/fast_keys.hpp"
#include "axelram/logit.hpp"
#include "axelram/power_of_two.hpp"
#include "axelram/rounding.hpp"
#include "axelram/softmax.hpp"
#include "simd/level_units.hpp"

namespace axelram {
namespace {

constexpr std::size_t kTokens = 64;  ///< whose levels wait in the first-level cache
constexpr int kMaxDim = 256;

/// Eight indices of `bits` bits, each in a byte of its own.
template <int bits>
std::uint64_t spread(std::uint64_t packed) {
  constexpr std::uint64_t kFour = (std::uint64_t{1} << 4 * bits) - 1;
  constexpr std::uint64_t kTwo = ((std::uint64_t{1} << 2 * bits) - 1) * 0x0000000100000001;
  constexpr std::uint64_t kOne = ((std::uint64_t{1} << bits) - 1) * 0x0001000100010001;
  packed = (packed & kFour) | packed >> 4 * bits << 32;
  packed = (packed & kTwo) | (packed & kTwo << 2 * bits) << (16 - 2 * bits);
  return (packed & kOne) | (packed & kOne << bits) << (8 - bits);
}

template <int bits>
void unpack(const std::uint8_t* record, int d, std::uint8_t* indices) {
  for (int i = 0; i < d; i += 8, record += bits) {
    std::uint64_t packed = 0;
    for (int byte = 0; byte < bits; ++byte)
      packed |= static_cast<std::uint64_t>(record[byte]) << 8 * byte;
    const std::uint64_t eight = spread<bits>(packed);
    for (int j = 0; j < 8; ++j) indices[i + j] = static_cast<std::uint8_t>(eight >> 8 * j);
  }
}

/// The logit without functions of the library.
std::int32_t logit(float score, const BinaryScale& scale, bool* saturated) {
  std::uint32_t bits;
  std::memcpy(&bits, &score, sizeof bits);
  const auto field = static_cast<int>(bits >> 23 & 255);
  const std::uint64_t fraction = bits & 0x7FFFFF;
  const std::uint64_t significand = field == 0 ? fraction : fraction | 0x800000;
  const std::uint64_t product = significand * scale.significand;
  *saturated = false;
  if (product == 0) return 0;
  const int shift = (field == 0 ? 1 : field) - 150 + scale.exponent + kLogitFractionBits;
  std::int64_t z = std::int64_t{kLargestLogit} + 1;
  if (bit_length(product) + shift <= 27)
    z = shift >= 0 ? static_cast<std::int64_t>(product << shift)
                   : shift_right_rne(static_cast<std::int64_t>(product), -shift);
  *saturated = z > kLargestLogit;
  if (*saturated) z = kLargestLogit;
  return static_cast<std::int32_t>(bits >> 31 != 0 ? -z : z);
}

/// The sums of a query. Between rises of the weights' reference they are sums of integers, and
/// their order does not matter: tokens are kept, and added together.
class Sums {
 public:
  Sums(const LevelUnits& units, const Parameters& p, const CodebookRom& rom, std::int64_t* acc)
      : units_(units), p_(p), rom_(rom), acc_(acc) {}

  void add(const TokenWeight& token, const std::uint8_t* record) {
    if (!token.present) return;
    if (token.shift != 0 || held_ == kTokens) flush();
    if (token.shift != 0)
      for (int i = 0; i < p_.head_dim; ++i) acc_[i] = shift_right_half_up(acc_[i], token.shift);
    if (token.weight == 0) return;
    weights_[held_] = token.weight;
    std::uint8_t* const row = levels_ + held_ * static_cast<std::size_t>(p_.head_dim);
    if (p_.index_bits == 2) unpack<2>(record, p_.head_dim, row);
    if (p_.index_bits == 3) unpack<3>(record, p_.head_dim, row);
    if (p_.index_bits == 4) unpack<4>(record, p_.head_dim, row);
    if (p_.trellis()) trellis_level(row, p_.head_dim, p_.states, row);
    ++held_;
  }
  void flush() {
    units_.weighted_sums(levels_, weights_, held_, p_.head_dim, rom_.centroids.data(), p_.levels(),
                         acc_);
    held_ = 0;
  }

 private:
  const LevelUnits& units_;
  const Parameters& p_;
  const CodebookRom& rom_;
  std::int64_t* acc_;
  std::size_t held_ = 0;
  std::uint32_t weights_[kTokens];
  std::uint8_t levels_[kTokens * kMaxDim];
};

}  // namespace

void attend(const AttentionParameters& attention, const Parameters& parameters,
            const CodebookRom& rom, const std::int8_t* signs, const float* scores,
            const std::uint8_t* records, std::size_t count, AttentionResult* result,
            SimdLevel level) {
  const BinaryScale scale = softmax_scale(rom.score_scale, attention.scale);
  const auto stride = static_cast<std::size_t>(parameters.record_bytes());
  *result = {};
  result->sums.resize(static_cast<std::size_t>(parameters.head_dim));
  result->logits.resize(count);
  result->weights.resize(count);
  result->weight_references.resize(count);
  result->logit_saturated.resize(count);
  Sums sums(level_units(level), parameters, rom, result->sums.data());
  SoftmaxState state;
  for (std::size_t t = 0; t < count; ++t) {
    const std::uint8_t* const record = records + t * stride;
    const auto norm = static_cast<std::uint16_t>(record[stride - 2] | record[stride - 1] << 8);
    bool saturated = false;
    const std::int32_t z = logit(scores[t], scale, &saturated);
    const TokenWeight token = softmax_ref(&state, power_of_two_ref(z), norm, attention.weight_bits);
    sums.add(token, record);
    result->logits[t] = z;
    result->weights[t] = token.weight;
    result->weight_references[t] = state.weight_reference;
    result->logit_saturated[t] = saturated ? 1 : 0;
  }
  sums.flush();
  finish_attention(attention, parameters, rom, signs, state, result);
}

}  // namespace axelram

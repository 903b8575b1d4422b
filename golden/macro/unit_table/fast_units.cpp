#include <algorithm>
#include <bit>
#include <cmath>

#include "axelram/fast.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/half.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/record.hpp"
#include "axelram/rounding.hpp"
#include "axelram/scale.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {
namespace {

struct Format {
  int fraction_bits;
  int bias;
  std::uint16_t infinity;
};

constexpr Format format_of(ElementFormat format) {
  return format == ElementFormat::fp16 ? Format{10, 15, 0x7C00} : Format{7, 127, 0x7F80};
}

/// e of a vector whose largest magnitude is `magnitude`.
int aligned_exponent(std::uint16_t magnitude, Format format, int significand_bits) {
  const int field = std::max(magnitude >> format.fraction_bits, 1);
  return field - format.bias - (significand_bits - 2);
}

void scale(const LevelUnits& units, const std::uint16_t* x, int d, ElementFormat format, int e,
           std::int32_t* m) {
  const auto scale_format = format == ElementFormat::fp16 ? units.scale_fp16 : units.scale_bf16;
  scale_format(x, d, e, m);
}

// Vectors of a level take whole groups of elements; the units of the macro always are.
constexpr int kGroup = 32;

}  // namespace

bool align(const std::uint16_t* x, int d, ElementFormat format, int significand_bits,
           std::int32_t* m, int* e, SimdLevel level) {
  const LevelUnits& units = level_units(d % kGroup == 0 ? level : SimdLevel::portable);
  const std::uint16_t magnitude = units.max_magnitude(x, d);
  if (magnitude >= format_of(format).infinity) return false;
  const DefaultFloatEnvironment environment;
  *e = aligned_exponent(magnitude, format_of(format), significand_bits);
  scale(units, x, d, format, *e, m);
  return true;
}

bool center(const std::uint16_t* x, const std::uint16_t* c, int d, ElementFormat format,
            int significand_bits, std::int32_t* m, int* e, SimdLevel level) {
  constexpr int kBlock = 256;
  const LevelUnits& units = level_units(d % kGroup == 0 ? level : SimdLevel::portable);
  const std::uint16_t magnitude = std::max(units.max_magnitude(x, d), units.max_magnitude(c, d));
  if (magnitude >= format_of(format).infinity) return false;
  const DefaultFloatEnvironment environment;
  *e = aligned_exponent(magnitude, format_of(format), significand_bits);
  scale(units, x, d, format, *e, m);
  std::int32_t aligned_center[kBlock];
  for (int first = 0; first < d; first += kBlock) {
    const int count = std::min(kBlock, d - first);
    scale(units, c + first, count, format, *e, aligned_center);
    for (int i = 0; i < count; ++i) m[first + i] -= aligned_center[i];
  }
  return true;
}

std::uint64_t square_sum(const std::int32_t* m, int d, SimdLevel level) {
  return level_units(d % kGroup == 0 ? level : SimdLevel::portable).square_sum(m, d);
}

std::uint32_t root(std::uint64_t square_sum) {
  // Below 2^48 the root lies at least 2^-27 from any N + 1/2, and its binary64 value at most 2^-28
  // from itself: truncation after adding 1/2 cannot err.
  if (square_sum >> 48 != 0) return root_ref(square_sum);
  return static_cast<std::uint32_t>(std::sqrt(static_cast<double>(square_sum)) + 0.5);
}

Norm norm(std::uint32_t root, int e) {
  constexpr int kFractionBits = 10;
  constexpr int kSmallestUnit = -24;
  constexpr int kMaxExponent = 15;
  constexpr std::uint32_t kMaxSignificand = 2047u << 20;  // 65504 with its leading bit at bit 30
  if (root == 0) return {};
  const int width = static_cast<int>(std::bit_width(root));
  const int exponent = width - 1 + e;
  if (exponent > kMaxExponent ||
      (exponent == kMaxExponent && root << (31 - width) > kMaxSignificand))
    return {kHalfMax, true};
  const int unit = std::max(exponent - kFractionBits, kSmallestUnit);
  const std::int64_t rounded =
      unit > e ? shift_right_rne(root, unit - e) : static_cast<std::int64_t>(root) << (e - unit);
  const std::int64_t half = (std::int64_t{unit - kSmallestUnit} << kFractionBits) + rounded;
  return {static_cast<std::uint16_t>(half), false};
}

void hadamard(std::int32_t* x, int d, SimdLevel level) { level_units(level).hadamard(x, d); }

void rotate(const std::int8_t* signs, std::int32_t* x, int d, SimdLevel level) {
  level_units(d % kGroup == 0 ? level : SimdLevel::portable).apply_signs(signs, x, d);
  level_units(level).hadamard(x, d);
}

int round_query(const std::int32_t* y, int d, int query_bits, std::int32_t* u, SimdLevel level) {
  return level_units(level).round_elements(y, d, query_bits, u);
}

void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices, SimdLevel level) {
  const bool macro_shape =
      d % kGroup == 0 && (count == 1 || count == 3 || count == 7 || count == 15);
  level_units(macro_shape ? level : SimdLevel::portable).quantize(y, d, thresholds, count, indices);
}

std::uint32_t encode_trellis(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                             int index_bits, std::uint32_t root, int states, std::uint8_t* indices,
                             SimdLevel level) {
  const LevelUnits& units = level_units(d % kGroup == 0 && d <= 512 ? level : SimdLevel::portable);
  return units.encode_trellis(y, d, reconstructions, index_bits, root, states, indices);
}

void encode_feedback(const Feedback& feedback, const std::int32_t* y, std::size_t keys, int d,
                     const float* levels, int index_bits, int states, std::uint8_t* indices,
                     SimdLevel level) {
  const LevelUnits& units = level_units(level);
  if (units.encode_feedback == nullptr || d % kGroup != 0 || d > 512 || index_bits < 2 ||
      index_bits > 4)
    return encode_feedback_ref(feedback, y, keys, d, levels, index_bits, states, indices);
  const auto pointer = [](const std::vector<float>& values) {
    return values.empty() ? nullptr : values.data();
  };
  const FeedbackRows rows{pointer(feedback.weights), pointer(feedback.u), pointer(feedback.a),
                          pointer(feedback.columns)};
  if (states == 0)
    units.encode_feedback(rows, y, keys, d, levels, index_bits, indices);
  else
    units.encode_feedback_path(rows, y, keys, d, levels, index_bits, states, indices);
}

void trellis_level(const std::uint8_t* indices, int d, int states, std::uint8_t* levels) {
  constexpr int kFront = 4, kMaxDim = 512;  // lowest bits in front of the first index: 0
  if (d > kMaxDim) return trellis_level_ref(indices, d, states, levels);
  std::uint8_t lowest[kFront + kMaxDim] = {};
  std::uint8_t* const x = lowest + kFront;
  for (int i = 0; i < d; ++i) x[i] = indices[i] & 1U;
  const int first = states == 4 ? 2 : 1, second = states == 8 ? 3 : 4;
  const int z0 = states == 4 ? 1 : 2;
  const auto taps = static_cast<std::uint8_t>(states == 4 ? 0 : 1);  // of z1 beyond the first
  for (int i = 0; i < d; ++i) {
    const unsigned z1 = x[i] ^ x[i - first] ^ (x[i - second] & taps);
    levels[i] = static_cast<std::uint8_t>((indices[i] >> 1) * 4U + 2 * z1 + x[i - z0]);
  }
}

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int levels, SimdLevel level) {
  const bool macro_shape = d % kGroup == 0 && (levels == 2 || levels == 4 || levels == 8 ||
                                               levels == 16 || levels == 32);
  const LevelUnits& units = level_units(macro_shape ? level : SimdLevel::portable);
  return units.correlation(y, indices, d, centroids, levels);
}

std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d,
                             SimdLevel level) {
  return level_units(d % kGroup == 0 ? level : SimdLevel::portable).accumulate_copy(u, copy, d);
}

Norm unbiased_norm(std::uint64_t square_sum, std::int64_t correlation, int exponent) {
  constexpr int kQuotientBits = 13;  // the first may be 0
  if (square_sum == 0 || correlation <= 0) return {};
  const auto divisor = static_cast<std::uint64_t>(correlation);
  const int shift = static_cast<int>(std::bit_width(divisor)) + kQuotientBits -
                    static_cast<int>(std::bit_width(square_sum));
  if (shift < 0) return unbiased_norm_ref(square_sum, correlation, exponent);
  const std::uint64_t dividend = square_sum << shift;
  const std::uint64_t quotient = dividend / divisor;
  const std::uint64_t sticky = dividend != quotient * divisor ? 1 : 0;
  return norm(static_cast<std::uint32_t>(2 * quotient + sticky), exponent - shift - 1);
}

namespace {

void put_norm(std::uint16_t norm, std::uint8_t* bytes) {
  bytes[0] = static_cast<std::uint8_t>(norm & 0xFF);
  bytes[1] = static_cast<std::uint8_t>(norm >> 8);
}

/// Indices from a whole byte on; returns the byte behind them. count: a multiple of 8.
std::uint8_t* put_indices(const std::uint8_t* indices, int count, int index_bits,
                          std::uint8_t* record, SimdLevel level) {
  level_units(count % kGroup == 0 ? level : SimdLevel::portable)
      .pack(indices, count, index_bits, record);
  return record + count * index_bits / 8;
}

}  // namespace

void pack_record(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                 std::uint8_t* record, SimdLevel level) {
  if (d % 8 != 0) return pack_record_ref(indices, norm, d, index_bits, record);
  put_norm(norm, put_indices(indices, d, index_bits, record, level));
}

void pack_parts(const RecordPart& first, const RecordPart& second, std::uint8_t* record,
                SimdLevel level) {
  if (first.count % 8 != 0 || second.count % 8 != 0) return pack_parts_ref(first, second, record);
  for (const RecordPart& part : {first, second})
    record = put_indices(part.indices, part.count, part.index_bits, record, level);
  put_norm(first.norm, record);
  put_norm(second.norm, record + 2);
}

}  // namespace axelram

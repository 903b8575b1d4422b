#include <climits>

#include "simd/level_units.hpp"

namespace axelram::portable {
namespace {

/// RNE(x * 2^(powers[i] - e)) of an element with `fraction_bits` fraction bits, without branches.
/// The significand is shifted left for the largest binade, plus one bit so that the shift back is
/// never zero. powers(i): power of element i.
template <int fraction_bits, int bias, int max_field, class Powers>
void scale_by(const std::uint16_t* x, const Powers& powers, int d, int e, std::int32_t* m) {
  // x = significand * 2^(field - bias - fraction_bits); m = RNE(significand * 2^-shift).
  const int offset = e + bias + fraction_bits;
  for (int i = 0; i < d; ++i) {
    const int raw_field = (x[i] >> fraction_bits) & max_field;
    const int hidden = raw_field == 0 ? 0 : 1 << fraction_bits;
    const int significand = (x[i] & ((1 << fraction_bits) - 1)) | hidden;
    const int shift = offset - (raw_field == 0 ? 1 : raw_field) - powers(i);
    constexpr int kLift = 12;  // 20-bit significands lift the largest binade by up to 11
    const int total = shift + kLift < 31 ? shift + kLift : 31;
    const std::int32_t lifted = significand << kLift;
    const std::int32_t below_half = ((1 << (total - 1)) - 1) + ((lifted >> total) & 1);
    const std::int32_t magnitude = (lifted + below_half) >> total;
    m[i] = (x[i] & 0x8000) != 0 ? -magnitude : magnitude;
  }
}

template <int fraction_bits, int bias, int max_field>
void scale(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m) {
  if (powers == nullptr)
    scale_by<fraction_bits, bias, max_field>(
        x, [](int) { return 0; }, d, e, m);
  else
    scale_by<fraction_bits, bias, max_field>(
        x, [powers](int i) { return int{powers[i]}; }, d, e, m);
}

}  // namespace

std::uint16_t max_magnitude(const std::uint16_t* x, int d) {
  int max = 0;
  for (int i = 0; i < d; ++i) {
    const int magnitude = x[i] & 0x7FFF;
    max = magnitude > max ? magnitude : max;
  }
  return static_cast<std::uint16_t>(max);
}

int max_field(const std::uint16_t* x, const std::int8_t* powers, int d, int fraction_bits) {
  int max = INT_MIN;
  for (int i = 0; i < d; ++i) {
    const int raw_field = (x[i] & 0x7FFF) >> fraction_bits;
    const int field = (raw_field > 1 ? raw_field : 1) + powers[i];
    max = field > max ? field : max;
  }
  return max;
}

void scale_fp16(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m) {
  scale<10, 15, 31>(x, powers, d, e, m);
}

void scale_bf16(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m) {
  scale<7, 127, 255>(x, powers, d, e, m);
}

}  // namespace axelram::portable

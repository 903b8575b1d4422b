#include "axelram/blend.hpp"
#include "axelram/half.hpp"

namespace axelram {
namespace {

/// m + eta * (v - m) in three roundings. The sources are compiled without contraction.
float blended(float eta, float v, float m) {
  const float difference = v - m;
  const float product = eta * difference;
  return m + product;
}

}  // namespace

float blend_rate(int blend, int gate) { return static_cast<float>(double(blend * gate) / 65025); }

void begin_master_ref(const float* row, std::size_t d, std::uint16_t* master) {
  for (std::size_t i = 0; i < d; ++i) master[i] = saturated_half(double{row[i]});
}

void blend_ref(float eta, const float* row, std::size_t d, std::uint16_t* master) {
  for (std::size_t i = 0; i < d; ++i) {
    const auto m = static_cast<float>(half_to_double(master[i]));
    master[i] = saturated_half(double{blended(eta, row[i], m)});
  }
}

void blend_wide_ref(float eta, const float* row, std::size_t d, float* master) {
  for (std::size_t i = 0; i < d; ++i) master[i] = blended(eta, row[i], master[i]);
}

}  // namespace axelram

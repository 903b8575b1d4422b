#include <algorithm>
#include <cstdlib>

#include "axelram/residual.hpp"
#include "axelram/rounding.hpp"

namespace axelram {

int residual_ref(const std::int32_t* y, const std::uint8_t* indices, int d,
                 const std::int32_t* reconstructions, int /*levels*/, int bits, std::int32_t* rho) {
  std::int32_t largest = 0;
  for (int i = 0; i < d; ++i) {
    rho[i] = y[i] - reconstructions[indices[i]];
    largest = std::max(largest, std::abs(rho[i]));
  }
  const int shift = std::max(0, bit_length(static_cast<std::uint64_t>(largest)) - (bits - 1));
  // A rounded magnitude can reach 2^(bits - 1).
  const std::int64_t limit = (std::int64_t{1} << (bits - 1)) - 1;
  for (int i = 0; i < d; ++i)
    rho[i] = static_cast<std::int32_t>(std::clamp(shift_right_rne(rho[i], shift), -limit, limit));
  return shift;
}

void residual_signs_ref(const std::int32_t* z, int d, std::uint8_t* signs) {
  for (int i = 0; i < d; ++i) signs[i] = std::uint8_t{z[i] < 0};
}

std::int64_t residual_sum_ref(const std::int32_t* v, const std::uint8_t* signs, int d) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += signs[i] != 0 ? -v[i] : v[i];
  return sum;
}

}  // namespace axelram

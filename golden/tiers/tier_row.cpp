#include "axelram/tier_row.hpp"

#include <stdexcept>

#include "axelram/half.hpp"

namespace axelram {

bool hot_row_ref(const float* x, std::size_t d, std::uint16_t* row) {
  bool finite = true;
  for (std::size_t i = 0; i < d; ++i) {
    row[i] = double_to_half(x[i]);
    finite = finite && is_finite(row[i], ElementFormat::fp16);
  }
  return finite;
}

void recoded_row_ref(const float* decoded, std::size_t d, std::uint16_t* row) {
  constexpr std::uint16_t kMinusZero = 0x8000;
  for (std::size_t i = 0; i < d; ++i) {
    row[i] = saturated_half(decoded[i]);
    if (row[i] == kMinusZero) row[i] = 0;
  }
}

void check_finite(const std::uint16_t* x, std::size_t count, std::size_t next) {
  for (std::size_t i = 0; i < count; ++i)
    if (!is_finite(x[i * next], ElementFormat::fp16))
      throw std::invalid_argument("an element of a tiered cache is not finite");
}

}  // namespace axelram

#include "axelram/query_rounding.hpp"

#include <algorithm>
#include <cstdlib>

#include "axelram/rounding.hpp"

namespace axelram {

int round_query_ref(const std::int32_t* y, int d, int query_bits, std::int32_t* u) {
  std::int32_t max = 0;
  for (int i = 0; i < d; ++i) max = std::max(max, std::abs(y[i]));
  const int shift = std::max(0, bit_length(static_cast<std::uint64_t>(max)) - (query_bits - 1));
  const std::int64_t limit = (std::int64_t{1} << (query_bits - 1)) - 1;
  for (int i = 0; i < d; ++i) {
    const std::int64_t rounded = shift_right_rne(y[i], shift);
    u[i] = static_cast<std::int32_t>(std::clamp(rounded, -limit, limit));
  }
  return shift;
}

}  // namespace axelram

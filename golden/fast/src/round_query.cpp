#include <algorithm>
#include <bit>
#include <cstdint>

#include "axelram/fast.hpp"

namespace axelram {
namespace {

std::uint32_t magnitude(std::int32_t y) {
  const std::int32_t sign = y >> 31;
  return static_cast<std::uint32_t>((y ^ sign) - sign);
}

}  // namespace

// Plain loops over whole vectors, without a branch inside.
int round_query(const std::int32_t* y, int d, int query_bits, std::int32_t* u) {
  std::uint32_t most = 0;  // only its length counts, so that bits may be gathered
  for (int i = 0; i < d; ++i) most |= magnitude(y[i]);
  const int shift = std::max(0, static_cast<int>(std::bit_width(most)) - (query_bits - 1));
  const std::int32_t limit = (std::int32_t{1} << (query_bits - 1)) - 1;
  if (shift == 0) {
    std::copy_n(y, d, u);
    return 0;
  }
  const std::int32_t below = (std::int32_t{1} << shift) - 1;
  const std::int32_t half = std::int32_t{1} << (shift - 1);
  for (int i = 0; i < d; ++i) {
    const std::int32_t down = y[i] >> shift;
    // An odd quotient takes ties up: as if its remainder were one more.
    const std::int32_t up = (y[i] & below) + (down & 1) > half ? 1 : 0;
    const std::int32_t rounded = down + up;
    const std::int32_t capped = rounded > limit ? limit : rounded;
    u[i] = capped < -limit ? -limit : capped;
  }
  return shift;
}

}  // namespace axelram

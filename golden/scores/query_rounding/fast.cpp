#include "axelram/fast_scores.hpp"
#include "simd/level_units.hpp"

namespace axelram {

int round_query(const std::int32_t* y, int d, int query_bits, std::int32_t* u, SimdLevel level) {
  return level_units(level).round_elements(y, d, query_bits, u);
}

}  // namespace axelram

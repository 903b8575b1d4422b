#include "round_elements.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {

int round_elements(const std::int32_t* y, int d, int bits, std::int32_t* u) {
  return round_all_elements(y, d, bits, u);
}

}  // namespace axelram::portable

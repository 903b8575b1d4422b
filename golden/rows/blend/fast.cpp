#include "axelram/fast_rows.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {

void begin_master(const float* row, std::size_t d, std::uint16_t* master, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  level_units(level).begin_master(row, d, master);
}

void blend(float eta, const float* row, std::size_t d, std::uint16_t* master, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  level_units(level).blend(eta, row, d, master);
}

}  // namespace axelram

#include "axelram/blend.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {

void begin_master(const float* row, std::size_t d, std::uint16_t* master) {
  begin_master_ref(row, d, master);
}

void blend(float eta, const float* row, std::size_t d, std::uint16_t* master) {
  blend_ref(eta, row, d, master);
}

}  // namespace axelram::portable

#include "axelram/blend.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {

NearestSlot nearest_slot(const SlotCosines& of) {
  NearestSlot nearest{of.acc[0], of.roots[0], of.slots[0]};
  for (std::size_t i = 1; i < of.count; ++i) {
    const NearestSlot one{of.acc[i], of.roots[i], of.slots[i]};
    if (nearer_slot(one, nearest)) nearest = one;
  }
  return nearest;
}

void scale_row(const RowScaling& of) { scale_sums(of); }

void begin_master(const float* row, std::size_t d, std::uint16_t* master) {
  begin_master_ref(row, d, master);
}

void blend(float eta, const float* row, std::size_t d, std::uint16_t* master) {
  blend_ref(eta, row, d, master);
}

}  // namespace axelram::portable

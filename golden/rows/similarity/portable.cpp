#include "rows/similarity/arguments.hpp"
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

}  // namespace axelram::portable

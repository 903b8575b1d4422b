#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// Slots that are compared. Arrays have a multiple of kNearestStep elements;
/// those that pad them are nearer than no slot.
struct SlotCosines {
  const std::int32_t* acc;
  const std::uint32_t* roots;
  const std::int32_t* slots;
  std::size_t count;  ///< at least 1, without padding
};

struct NearestSlot {
  std::int32_t acc;
  std::uint32_t root;
  std::int32_t slot;
};

constexpr std::size_t kNearestStep = 8;

/// Sums of real slots lie above it by far, so that it loses to them with any root.
constexpr std::int32_t kFarthest = -(1 << 30);

/// Whether a is nearer than b; of equal ones the lower slot is. Internal, so that no level shares
/// it.
static constexpr bool nearer_slot(const NearestSlot& a, const NearestSlot& b) {
  const std::int64_t of_a = std::int64_t{a.acc} * b.root, of_b = std::int64_t{b.acc} * a.root;
  return of_a > of_b || (of_a == of_b && a.slot < b.slot);
}

}  // namespace axelram

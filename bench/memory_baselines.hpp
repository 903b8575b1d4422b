#pragma once

#include <cstddef>
#include <cstdint>

/// Baselines of a bounded memory, compiled with -O3 and the instruction set of the level under
/// test.
namespace baselines {

/// Slot of the record that nearest_ref finds nearest. records: `count` of them with d = 128 and
/// b = 3; slots: as many.
int nearest(const std::int32_t* centroids, const std::uint8_t* record, const int* slots,
            const std::uint8_t* const* records, std::size_t count);

}  // namespace baselines

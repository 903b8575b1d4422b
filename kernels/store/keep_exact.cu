#include <string>

#include "common/check_exact.hpp"
#include "device/launch.cuh"
#include "units/exact_rows.cuh"

namespace axelram::kernels {
namespace {

constexpr int kThreads = 128;

/// A warp a row of d elements, 16 bytes a lane at a time: reads and writes each byte once.
AXELRAM_KERNEL AXELRAM_BOUNDS(kThreads, 1) void keep_rows(ExactRows to, TokenPositions positions,
                                                          const std::uint16_t* elements,
                                                          const std::int32_t* exponents) {
  const std::uint64_t row = std::uint64_t{block_x()} * (kThreads / 32) + warp_index();
  const auto heads = static_cast<std::uint32_t>(to.heads);
  if (row >= std::uint64_t{positions.count} * heads) return;
  const std::uint64_t entry = row / heads;
  const std::int32_t token = load(positions.position + entry);
  if (to.last == 0 && token >= to.first) return;
  const std::int64_t slot = exact_row(to, load(positions.sequence + entry),
                                      static_cast<std::int32_t>(row % heads), token);
  const std::uint64_t vectors = static_cast<std::uint64_t>(to.head_dim) / 8;
  if (lane_index() < vectors)
    store_vector(reinterpret_cast<Words4*>(to.elements) +
                     static_cast<std::uint64_t>(slot) * vectors + lane_index(),
                 load(reinterpret_cast<const Words4*>(elements) + row * vectors + lane_index()));
  if (exponents != nullptr && lane_index() == 0) to.exponents[slot] = load(exponents + row);
}

}  // namespace

void keep_exact(Stream& stream, const ExactRows& to, const TokenPositions& positions,
                const std::uint16_t* elements, const std::int32_t* exponents) {
  constexpr const char* kName = "keep_exact";
  check_exact(kName, to, exponents != nullptr);
  if (positions.count == 0) return;
  const Launch shape{kName,
                     "rows [" + std::to_string(positions.count) + ", " + std::to_string(to.heads) +
                         ", " + std::to_string(to.head_dim) + "]",
                     (positions.count * static_cast<std::size_t>(to.heads) + 3) / 4,
                     1,
                     1,
                     kThreads};
  if (elements == nullptr || reinterpret_cast<std::uintptr_t>(elements) % 16 != 0)
    throw DeviceError(shape.text() + ": rows must be 16-byte aligned");
  launch(stream, shape, keep_rows, to, positions, elements, exponents);
}

}  // namespace axelram::kernels

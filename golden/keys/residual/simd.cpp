#include "simd/words.hpp"

/// Rotated elements less the reconstructions of their indices.

namespace axelram::AXELRAM_LEVEL {
namespace {

template <int levels>
void subtract(const std::int32_t* y, const std::uint8_t* indices, int d,
              const std::int32_t* reconstructions, std::int32_t* difference) {
  const Words<levels> words(reconstructions);
  for (int i = 0; i < d; i += kLanes32)
    store(difference + i, sub32(load(y + i), words.at(load_indices(indices + i))));
}

}  // namespace

void residual(const std::int32_t* y, const std::uint8_t* indices, int d,
              const std::int32_t* reconstructions, int levels, std::int32_t* difference) {
  if (levels == 2) return subtract<2>(y, indices, d, reconstructions, difference);
  if (levels == 4) return subtract<4>(y, indices, d, reconstructions, difference);
  subtract<8>(y, indices, d, reconstructions, difference);
}

}  // namespace axelram::AXELRAM_LEVEL

#include "simd/level_units.hpp"
#include "tiers/kivi/codes.hpp"
#include "tiers/nuq/arguments.hpp"

namespace axelram::portable {

void decode_nuq_rows(const NuqRows& of) {
  const std::size_t index_bytes = of.d * static_cast<std::size_t>(of.bits) / 8;
  for (std::size_t t = 0; t < of.row_count; ++t) {
    const std::uint8_t* const row = of.rows + t * of.row_bytes;
    float* const x = of.x + t * of.d;
    if (of.middles == nullptr) {
      const double least = half_at(row + index_bytes), largest = half_at(row + index_bytes + 2);
      const double middle = (largest + least) / 2, radius = (largest - least) / 2;
      float table[16];
      // Rounded to FP64, then to FP32; -0 becomes +0 (bit-contract.md#nuq).
      for (int j = 0; j < 1 << of.bits; ++j)
        table[j] = static_cast<float>(middle + radius * of.levels[j] + 0.0);
      look_up(table, of.bits, row, of.d, x);
      continue;
    }
    look_up(of.levels, of.bits, row, of.d, x);
    for (std::size_t c = 0; c < of.d; ++c) {
      const double middle = widened(of.middles[c]), radius = widened(of.radii[c]);
      x[c] = static_cast<float>(middle + radius * x[c] + 0.0);
    }
  }
}

}  // namespace axelram::portable

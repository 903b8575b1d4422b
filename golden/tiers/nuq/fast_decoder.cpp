#include "axelram/fast_nuq.hpp"
#include "decoder.hpp"
#include "simd/float_environment.hpp"
#include "tiers/kivi/codes.hpp"
#include "tiers/nuq/arguments.hpp"

namespace axelram {
NuqDecoder::NuqDecoder(const NuqLayout& layout, const std::vector<std::uint16_t>& levels,
                       const NuqRanges& ranges, SimdLevel level)
    : layout_(layout),
      ranges_(layout.values ? NuqRanges{nullptr, nullptr} : ranges),
      units_(level_units(level, layout.d % kLevelGroup == 0)) {
  for (std::size_t j = 0; j < 16; ++j) levels_[j] = widened(levels[j % levels.size()]);
}

void NuqDecoder::decode(const std::uint8_t* rows, std::size_t count, float* x) const {
  const std::size_t bytes = layout_.bytes(), d = layout_.d, m = layout_.outliers;
  units_.decode_nuq_rows(
      {rows, count, bytes, d, layout_.bits, levels_, ranges_.middles, ranges_.radii, x});
  const std::uint8_t* channels = rows + layout_.index_bytes() + (layout_.values ? 4 : 0);
  for (std::size_t t = 0; t < count; ++t, channels += bytes)
    for (std::size_t i = 0; i < m; ++i)
      x[t * d + channels[i]] =
          widened(static_cast<std::uint16_t>(load_codes(channels + m + 2 * i, 2)));
}

void decode_nuq(const NuqLayout& layout, const std::vector<std::uint16_t>& levels,
                const NuqRanges& ranges, const std::uint8_t* row, float* x, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  NuqDecoder(layout, levels, ranges, level).decode(row, 1, x);
}

}  // namespace axelram

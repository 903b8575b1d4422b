#include <algorithm>
#include <cstring>
#include <vector>

#include "axelram/fast_kivi.hpp"
#include "axelram/half.hpp"
#include "codes.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"
#include "tiers/int4/group_steps.hpp"
#include "tiers/kivi/arguments.hpp"

namespace axelram {
namespace {

constexpr std::size_t kMostTogether = 256;  // groups, and elements of a group, of a level

template <int bits>
void encode_groups(const KiviLayout& layout, const std::uint16_t* x, std::uint8_t* block) {
  constexpr int kMost = (1 << bits) - 1;
  std::vector<float> elements(layout.size);
  std::vector<std::uint8_t> codes(layout.size);
  std::uint8_t* scales = block + layout.code_bytes();
  std::uint8_t* minima = scales + 2 * layout.groups;
  for (std::size_t g = 0; g < layout.groups; ++g, scales += 2, minima += 2) {
    const std::uint16_t* const group = x + layout.at(g, 0);
    int largest = 0;
    for (std::size_t i = 0; i < layout.size; ++i) {
      const std::uint16_t element = group[i * layout.next_element];
      largest = std::max(largest, element & 0x7FFF);
      elements[i] = widened(element);
    }
    if (largest > kHalfMax)
      kivi_group_ref(group, layout.size, layout.next_element, kMost);  // throws
    float low = elements[0], high = low;
    for (const float element : elements) {
      low = element < low ? element : low;
      high = element > high ? element : high;
    }
    const std::uint16_t scale = group_scale(high, low, kMost);
    store_half(scale, scales);
    store_half(low == 0 ? std::uint16_t{0} : double_to_half(low), minima);
    const GroupSteps steps(low, half_to_double(scale), kMost);
    for (std::size_t i = 0; i < layout.size; ++i)
      codes[i] = static_cast<std::uint8_t>(steps.count<kMost>(elements[i]));
    for (std::size_t i = 0; i < layout.size; i += kCodes, block += bits) {
      std::uint64_t packed = 0;
      for (std::size_t k = 0; k < kCodes; ++k) packed |= std::uint64_t{codes[i + k]} << (bits * k);
      store_codes(packed, bits, block);
    }
  }
}

template <int bits>
void decode_groups(const KiviLayout& layout, const std::uint8_t* block, float* x) {
  constexpr std::uint64_t kMask = (1 << bits) - 1;
  const std::uint8_t* scales = block + layout.code_bytes();
  const std::uint8_t* minima = scales + 2 * layout.groups;
  for (std::size_t g = 0; g < layout.groups; ++g, scales += 2, minima += 2) {
    const KiviGroup group{static_cast<std::uint16_t>(load_codes(scales, 2)),
                          static_cast<std::uint16_t>(load_codes(minima, 2))};
    float values[1 << bits];
    const double scale = half_to_double(group.scale), minimum = half_to_double(group.minimum);
    for (int code = 0; code < 1 << bits; ++code)
      values[code] = static_cast<float>(minimum + layout.step * code * scale);
    float* const elements = x + layout.at(g, 0);
    for (std::size_t i = 0; i < layout.size; i += kCodes, block += bits) {
      const std::uint64_t packed = load_codes(block, bits);
      for (std::size_t k = 0; k < kCodes; ++k)
        elements[(i + k) * layout.next_element] = values[packed >> (bits * k) & kMask];
    }
  }
}

/// Whether elements lie as the levels take them: eight groups, or eight of a group, together.
bool in_eights(const KiviLayout& layout) {
  const bool keys = layout.next_group == 1 && layout.groups % kCodes == 0;
  const bool values = layout.next_element == 1 && layout.next_group == layout.size;
  return keys || values;
}

/// floor((code + 2) / 5) of both codes of a byte.
struct NestedPairs {
  std::uint8_t of[256];
  NestedPairs() {
    for (int byte = 0; byte < 256; ++byte)
      of[byte] = static_cast<std::uint8_t>(((byte & 15) + 2) / 5 | ((byte >> 4) + 2) / 5 << 2);
  }
};

}  // namespace

void encode_kivi(const KiviLayout& layout, const std::uint16_t* x, std::uint8_t* block,
                 SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const LevelUnits& units = level_units(level);
  if (units.encode_kivi != nullptr && in_eights(layout) && layout.groups <= kMostTogether &&
      layout.size <= kMostTogether &&
      units.encode_kivi({layout.bits, layout.groups, layout.size, layout.next_element,
                         layout.next_group, x, block}))
    return;  // otherwise the portable path throws
  if (layout.bits == 2) return encode_groups<2>(layout, x, block);
  if (layout.bits == 3) return encode_groups<3>(layout, x, block);
  encode_groups<4>(layout, x, block);
}

void decode_kivi(const KiviLayout& layout, const std::uint8_t* block, float* x, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const LevelUnits& units = level_units(level);
  if (units.decode_kivi != nullptr && in_eights(layout))
    return units.decode_kivi({layout.bits, layout.step, layout.groups, layout.size,
                              layout.next_element, layout.next_group, block, x});
  if (layout.bits == 2) return decode_groups<2>(layout, block, x);
  if (layout.bits == 3) return decode_groups<3>(layout, block, x);
  decode_groups<4>(layout, block, x);
}

void nest_kivi(const KiviLayout& four_bits, const std::uint8_t* warm, std::uint8_t* block) {
  static const NestedPairs pairs;
  const std::size_t bytes = nested_kivi_layout(four_bits).code_bytes();
  for (std::size_t i = 0; i < bytes; ++i)
    block[i] = static_cast<std::uint8_t>(pairs.of[warm[2 * i]] | pairs.of[warm[2 * i + 1]] << 4);
  std::memcpy(block + bytes, warm + four_bits.code_bytes(), 4 * four_bits.groups);
}

}  // namespace axelram

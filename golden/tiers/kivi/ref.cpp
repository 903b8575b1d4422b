#include <algorithm>
#include <stdexcept>
#include <string>

#include "axelram/bit_string.hpp"
#include "axelram/group_scale.hpp"
#include "axelram/half.hpp"
#include "axelram/kivi.hpp"
#include "axelram/tier_row.hpp"

namespace axelram {
namespace {

// 15 = 5 * 3: every fifth of 16 steps is one of 4.
constexpr int kNestedStep = 5;

void check_kivi_bits(int bits) {
  if (bits < 2 || bits > 4)
    throw std::invalid_argument("KIVI has codes of 2, 3 or 4 bits, not " + std::to_string(bits));
}

void check_kivi_group(std::size_t size) {
  if (size == 0 || size % 8 != 0)
    throw std::invalid_argument("a KIVI group is a multiple of 8 elements, not " +
                                std::to_string(size));
}

/// Scales and minima behind the codes.
std::size_t kivi_scale_bit(const KiviLayout& layout, std::size_t group) {
  return 8 * layout.code_bytes() + 16 * group;
}
std::size_t kivi_minimum_bit(const KiviLayout& layout, std::size_t group) {
  return kivi_scale_bit(layout, layout.groups + group);
}

void write_kivi_group(const KiviLayout& layout, std::size_t group, const KiviGroup& of,
                      std::uint8_t* block) {
  write_bits(block, kivi_scale_bit(layout, group), 16, of.scale);
  write_bits(block, kivi_minimum_bit(layout, group), 16, of.minimum);
}

}  // namespace

KiviLayout kivi_key_layout(int bits, std::size_t d, std::size_t group) {
  check_kivi_bits(bits);
  check_kivi_group(group);
  return {bits, d, group, d, 1};
}

KiviLayout kivi_value_layout(int bits, std::size_t d, std::size_t value_group) {
  check_kivi_bits(bits);
  check_kivi_group(value_group);
  if (d % value_group != 0)
    throw std::invalid_argument("a KIVI group of " + std::to_string(value_group) +
                                " does not divide the " + std::to_string(d) + " channels of a row");
  return {bits, d / value_group, value_group, 1, value_group};
}

KiviLayout nested_kivi_layout(const KiviLayout& four_bits) {
  KiviLayout nested = four_bits;
  nested.bits = 2;
  nested.step = kNestedStep;
  return nested;
}

KiviGroup kivi_group_ref(const std::uint16_t* x, std::size_t size, std::size_t next, int most) {
  check_finite(x, size, next);
  double low = half_to_double(x[0]), high = low;
  for (std::size_t i = 0; i < size; ++i) {
    low = std::min(low, half_to_double(x[i * next]));
    high = std::max(high, half_to_double(x[i * next]));
  }
  return {group_scale_ref(high, low, most), low == 0 ? std::uint16_t{0} : double_to_half(low)};
}

int kivi_code_ref(const KiviGroup& group, std::uint16_t x, int most) {
  return group_steps_ref(half_to_double(x), half_to_double(group.minimum),
                         half_to_double(group.scale), most);
}

double kivi_value(const KiviGroup& group, int steps) {
  // Multiples of 2^-24 below 2^21: doubles hold the product and the sum.
  return half_to_double(group.minimum) + steps * half_to_double(group.scale);
}

KiviGroup read_kivi_group(const KiviLayout& layout, const std::uint8_t* block, std::size_t group) {
  return {static_cast<std::uint16_t>(read_bits(block, kivi_scale_bit(layout, group), 16)),
          static_cast<std::uint16_t>(read_bits(block, kivi_minimum_bit(layout, group), 16))};
}

int read_kivi_code(const KiviLayout& layout, const std::uint8_t* block, std::size_t group,
                   std::size_t i) {
  return static_cast<int>(read_bits(block, layout.code_bit(group, i), layout.bits));
}

void encode_kivi_ref(const KiviLayout& layout, const std::uint16_t* x, std::uint8_t* block) {
  for (std::size_t g = 0; g < layout.groups; ++g) {
    const KiviGroup group =
        kivi_group_ref(x + layout.at(g, 0), layout.size, layout.next_element, layout.most());
    write_kivi_group(layout, g, group, block);
    for (std::size_t i = 0; i < layout.size; ++i) {
      const int code = kivi_code_ref(group, x[layout.at(g, i)], layout.most());
      write_bits(block, layout.code_bit(g, i), layout.bits, static_cast<std::uint64_t>(code));
    }
  }
}

void decode_kivi_ref(const KiviLayout& layout, const std::uint8_t* block, float* x) {
  for (std::size_t g = 0; g < layout.groups; ++g) {
    const KiviGroup group = read_kivi_group(layout, block, g);
    for (std::size_t i = 0; i < layout.size; ++i) {
      const int code = read_kivi_code(layout, block, g, i);
      // The one rounding is that to FP32.
      x[layout.at(g, i)] = static_cast<float>(kivi_value(group, layout.step * code));
    }
  }
}

void nest_kivi_ref(const KiviLayout& four_bits, const std::uint8_t* warm, std::uint8_t* block) {
  const KiviLayout nested = nested_kivi_layout(four_bits);
  for (std::size_t g = 0; g < nested.groups; ++g) {
    write_kivi_group(nested, g, read_kivi_group(four_bits, warm, g), block);
    for (std::size_t i = 0; i < nested.size; ++i) {
      const std::uint64_t code = read_bits(warm, four_bits.code_bit(g, i), four_bits.bits);
      // Rounds code / 5 to nearest; no integer is half-way between two multiples of 5.
      write_bits(block, nested.code_bit(g, i), nested.bits, (code + kNestedStep / 2) / kNestedStep);
    }
  }
}

}  // namespace axelram

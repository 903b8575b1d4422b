#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

// Key blocks and value rows with asymmetric groups (bit-contract.md#kivi; references.md#kivi). Both
// are groups of elements with a scale and a minimum each; they differ in where a group's elements
// lie.

/// Shape of a key block or of a value row. Bytes: the codes of group 0, 1, ..., element i of a
/// group at its bits i * bits; then the scales; then the minima, FP16 each.
struct KiviLayout {
  int bits = 4;                  ///< of a code: 2, 3, 4
  std::size_t groups = 0;        ///< channels of a block, or runs of channels of a row
  std::size_t size = 0;          ///< elements of a group, a multiple of 8
  std::size_t next_element = 1;  ///< distance of the elements of a group
  std::size_t next_group = 0;    ///< distance of the first elements of groups
  int step = 1;                  ///< scales between codes: 5 where nested

  int most() const { return (1 << bits) - 1; }
  std::size_t elements() const { return groups * size; }
  std::size_t code_bytes() const { return elements() * static_cast<std::size_t>(bits) / 8; }
  std::size_t bytes() const { return code_bytes() + 4 * groups; }
  /// Position of an element in [tokens, d] or [d].
  std::size_t at(std::size_t group, std::size_t i) const {
    return group * next_group + i * next_element;
  }
  std::size_t code_bit(std::size_t group, std::size_t i) const {
    return (group * size + i) * static_cast<std::size_t>(bits);
  }
};

/// A key block: `group` tokens of d channels, x being [group, d]. A group is one channel. Throws
/// std::invalid_argument unless bits are 2, 3 or 4 and group is a multiple of 8.
KiviLayout kivi_key_layout(int bits, std::size_t d, std::size_t group);

/// A value row: d channels of one token. A group is `value_group` of them. Throws
/// std::invalid_argument unless bits are 2, 3 or 4 and value_group is a multiple of 8 that divides
/// d.
KiviLayout kivi_value_layout(int bits, std::size_t d, std::size_t value_group);

/// What 4-bit blocks of a shape become when they are nested (bit-contract.md#kivi-nested): 2 bits,
/// step 5.
KiviLayout nested_kivi_layout(const KiviLayout& four_bits);

/// FP16 bits of a group.
struct KiviGroup {
  std::uint16_t scale = 0;
  std::uint16_t minimum = 0;  ///< +0 where it is zero
};

/// Scale and minimum of `size` FP16 elements that lie `next` apart, for codes 0 .. most. Throws
/// std::invalid_argument for an element that is not finite.
KiviGroup kivi_group_ref(const std::uint16_t* x, std::size_t size, std::size_t next, int most);

/// clamp(RNE((x - minimum) / scale), 0, most) of an FP16 element; 0 where the scale is 0.
int kivi_code_ref(const KiviGroup& group, std::uint16_t x, int most);

/// minimum + steps * scale, exact; never -0. steps: 0..15.
double kivi_value(const KiviGroup& group, int steps);

/// Scale and minimum of a group of a block.
KiviGroup read_kivi_group(const KiviLayout& layout, const std::uint8_t* block, std::size_t group);

/// Code of element i of a group of a block.
int read_kivi_code(const KiviLayout& layout, const std::uint8_t* block, std::size_t group,
                   std::size_t i);

/// Encodes one block. x: FP16 elements. block: layout.bytes(). layout.step is 1. Throws as
/// kivi_group_ref.
void encode_kivi_ref(const KiviLayout& layout, const std::uint16_t* x, std::uint8_t* block);

/// Decodes one block. x: FP32 RNE of kivi_value of each code times layout.step.
void decode_kivi_ref(const KiviLayout& layout, const std::uint8_t* block, float* x);

/// Codes of 4 bits to codes of 2, scales and minima as they are (bit-contract.md#kivi-nested).
/// block: nested_kivi_layout(four_bits).bytes(); it must not overlap the input.
void nest_kivi_ref(const KiviLayout& four_bits, const std::uint8_t* warm, std::uint8_t* block);

}  // namespace axelram

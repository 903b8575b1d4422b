#pragma once

#include <cstdint>

#include "axelram/half.hpp"
#include "axelram/interpolate.hpp"
#include "axelram/rounding.hpp"
#include "device/platform.cuh"
#include "units/codewords.cuh"

/// Replacement of erased elements of a row (references.md#ecc-kv-cache, section 5.3 and equation
/// 29; bit-contract.md#erasures). Elements are repaired in groups of eight, which are whole bytes.
/// Rare: written for few registers, not for speed.
namespace axelram::kernels {

/// decode_norm on the grid of 2^-24.
AXELRAM_HD std::uint64_t norm_on_grid(std::uint16_t norm) {
  const std::uint32_t field = norm >> 10 & 31U, fraction = norm & 1023U;
  return field == 0 ? fraction : std::uint64_t{1024 + fraction} << (field - 1);
}
/// Twin of golden's mean_norm_ref.
AXELRAM_HD std::uint16_t mean_norm(std::uint16_t a, std::uint16_t b) {
  const std::uint64_t sum = norm_on_grid(a) + norm_on_grid(b);  // on the grid of 2^-25
  if (sum > std::uint64_t{2047} << 30) return kHalfMax;
  return static_cast<std::uint16_t>(encode_rne(sum, -25, 10, 15));
}

/// Mask of the erased bits among first .. first + count - 1 of a decoded row, count <= 32.
AXELRAM_HD std::uint32_t erased_bits(int k, const std::uint8_t* statuses, int first, int count) {
  std::uint32_t erased = 0;
  int word = first / k;
  AXELRAM_ROLLED
  for (int at = word * k - first; at < count; at += k, ++word)
    if ((statuses[word / 4] >> (2 * (word % 4)) & 3) == static_cast<int>(WordStatus::detected))
      erased |= low_bits(at + k < count ? at + k : count) & ~low_bits(at);
  return erased;
}

/// Bytes `byte` .. byte + count - 1, count <= 4.
AXELRAM_HD std::uint32_t bytes_at(const std::uint8_t* bytes, int byte, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= static_cast<std::uint32_t>(bytes[byte + i]) << (8 * i);
  return value;
}

/// Three rows of a sequence as decoded, and the elements they hold. before.record and after.record
/// are null at the ends.
struct RowRepair {
  ErasurePolicy policy;
  int k;           ///< data bits of a codeword
  bool is_signed;  ///< elements in two's complement
  DecodedRecord before, current, after;

  /// The `count` bits from the byte-aligned bit `first` on, element by element of `bits` bits.
  /// zero(i) is the value of element i if the policy is zero; mean(a, b) is that of two neighbours.
  template <class Zero, class Mean>
  AXELRAM_HD std::uint32_t repaired(int first, int count, int bits, Zero zero, Mean mean) const {
    const int byte = first / 8, bytes = count / 8;
    const std::uint32_t received = bytes_at(current.record, byte, bytes);
    const std::uint32_t erased = erased_bits(k, current.statuses, first, count);
    if (erased == 0 || policy == ErasurePolicy::keep) return received;
    const Side left = side(before, first, count), right = side(after, first, count);
    std::uint32_t result = received;
    AXELRAM_ROLLED
    for (int at = 0, i = 0; at < count; at += bits, ++i) {
      const std::uint32_t field = low_bits(bits) << at;
      if ((erased & field) == 0) continue;
      std::uint32_t value = received >> at;
      if (policy == ErasurePolicy::zero)
        value = zero(i);
      else if ((left.usable & field) == field && (right.usable & field) == field)
        value = mean(left.value >> at & low_bits(bits), right.value >> at & low_bits(bits));
      else if ((left.usable & field) == field)
        value = left.value >> at;
      else if ((right.usable & field) == field)
        value = right.value >> at;
      result = select_bits(field, value << at, result);
    }
    return result;
  }

  /// 8 elements of `bits` bits, 1..4, from the byte-aligned bit `first` on: `bits` bytes.
  template <class Zero>
  AXELRAM_HD std::uint32_t elements(int first, int bits, Zero zero) const {
    const int sign = is_signed ? 1 << (bits - 1) : 0;
    return repaired(first, 8 * bits, bits, zero, [&](std::uint32_t a, std::uint32_t b) {
      const auto value = [&](std::uint32_t x) { return (static_cast<int>(x) ^ sign) - sign; };
      return static_cast<std::uint32_t>(mean_ref(value(a), value(b))) & low_bits(bits);
    });
  }
  /// The norm at the byte-aligned bit `first`.
  AXELRAM_HD std::uint32_t norm(int first) const {
    return repaired(
        first, 16, 16, [](int) { return 0U; },
        [](std::uint32_t a, std::uint32_t b) {
          return std::uint32_t{
              mean_norm(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b))};
        });
  }

 private:
  struct Side {
    std::uint32_t value = 0, usable = 0;
  };
  AXELRAM_HD Side side(const DecodedRecord& row, int first, int count) const {
    if (row.record == nullptr || policy != ErasurePolicy::interpolate) return {};
    return {bytes_at(row.record, first / 8, count / 8),
            ~erased_bits(k, row.statuses, first, count)};
  }
};

/// The index next to zero, with which ErasurePolicy::zero replaces an erased one.
AXELRAM_HD std::uint32_t zero_index(int index_bits) { return 1U << (index_bits - 1); }

}  // namespace axelram::kernels

#pragma once

#include <cstdint>

namespace axelram {

/// A positive number as an integer and a power of two: significand * 2^exponent.
struct BinaryScale {
  std::uint32_t significand = 0;
  int exponent = 0;

  bool operator==(const BinaryScale& other) const {
    return significand == other.significand && exponent == other.exponent;
  }
};

/// The scale of exactly `bits` bits that is nearest to x, ties to even
/// (bit-contract.md#binary-scale). x: finite, > 0, taken exactly; bits: 1..32.
BinaryScale binary_scale(double x, int bits);

}  // namespace axelram

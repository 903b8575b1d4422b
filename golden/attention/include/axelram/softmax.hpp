#pragma once

#include <cstdint>

#include "axelram/power_of_two.hpp"

namespace axelram {

/// Reference of a query that has seen no token, or no weight.
constexpr int kNoReference = -(1 << 15);

/// State of a softmax between the tokens of a query (bit-contract.md#softmax).
/// Both references are whole powers of two, so a larger one is a shift of what was summed below it.
struct SoftmaxState {
  int maximum = kNoReference;           ///< m: the largest exponent of a power so far
  std::uint64_t denominator = 0;        ///< L, in units of 2^(m - 32); up to T * 2^32
  int weight_reference = kNoReference;  ///< r: the largest exponent of a power times its norm
};

/// The weight of a token's value in units of 2^(r - FW).
struct TokenWeight {
  bool present = false;      ///< false: the norm of the value is 0, and the sums stay as they are
  bool first = false;        ///< the first one of the query: the sums begin with it
  int shift = 0;             ///< by which r rose: that of the sums so far, unless it is the first
  std::uint32_t weight = 0;  ///< w < 2^FW; may be 0
};

/// The next token: its power joins the denominator, and its value gets a weight
/// (bit-contract.md#denominator, bit-contract.md#weight). norm: FP16 bits of the value's record,
/// read as decode_norm does; weight_bits: FW, 12..28.
TokenWeight softmax_ref(SoftmaxState* state, const PowerOfTwo& power, std::uint16_t norm,
                        int weight_bits);

}  // namespace axelram

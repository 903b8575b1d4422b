#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::kernels {

/// Rotations of KV heads (golden's HeadRotation), in device memory. Signs are +1 or -1.
struct Rotations {
  const std::int8_t* signs = nullptr;           ///< [heads, d]; with a split sub-vector 0 first
  const std::int8_t* residual_signs = nullptr;  ///< [heads, d], of the second rotation of prod
  /// [heads, d]: the channels of sub-vector 0 of a split, then all others, each ascending.
  const std::uint16_t* channels = nullptr;

  // Implicit: signs alone are rotations without a split or a residual.
  constexpr Rotations(const std::int8_t* all_signs) : signs(all_signs) {}
  constexpr Rotations(const std::int8_t* all_signs, const std::int8_t* of_residuals,
                      const std::uint16_t* in_order)
      : signs(all_signs), residual_signs(of_residuals), channels(in_order) {}
  constexpr Rotations() = default;
};

/// Rotations of keys and queries. Values are not balanced: theirs have no exponents.
struct KeyRotations : Rotations {
  /// [heads, d] exponents, -8..7, in the order of the elements (bit-contract.md#exponents); read
  /// only if constants.balanced.
  const std::int8_t* balance = nullptr;

  // Implicit, as those of Rotations are.
  constexpr KeyRotations(const std::int8_t* all_signs) : Rotations(all_signs) {}
  constexpr KeyRotations(const Rotations& rotations, const std::int8_t* exponents = nullptr)
      : Rotations(rotations), balance(exponents) {}
  constexpr KeyRotations(const std::int8_t* all_signs, const std::int8_t* of_residuals,
                         const std::uint16_t* in_order, const std::int8_t* exponents = nullptr)
      : Rotations(all_signs, of_residuals, in_order), balance(exponents) {}
  constexpr KeyRotations() = default;
};

/// Vectors of head_dim raw FP16 or BF16 elements in device memory: that of token t and head h
/// begins `t * token_stride + h * head_stride` elements after `data`. Row number t * heads + h.
struct ElementRows {
  const std::uint16_t* data = nullptr;
  std::size_t tokens = 0, heads = 1;
  std::size_t token_stride = 0, head_stride = 0;

  constexpr std::size_t rows() const { return tokens * heads; }
  /// [tokens, heads, d] without gaps.
  static ElementRows dense(const std::uint16_t* data, std::size_t tokens, std::size_t heads,
                           std::size_t d) {
    return {data, tokens, heads, heads * d, d};
  }
};

}  // namespace axelram::kernels

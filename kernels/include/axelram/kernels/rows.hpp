#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::kernels {

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

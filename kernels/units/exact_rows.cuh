#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/exact.hpp"
#include "device/platform.cuh"

/// Which tokens are exact, and where their rows lie (bit-contract.md#exact).
namespace axelram::kernels {

/// Tokens begin .. end - 1 of a query, which it reads from pages alone. All others that it sees are
/// exact.
struct PagedTokens {
  std::int32_t begin, end;
};
/// Of a query that sees `visible` tokens, the first `first` and the newest `last` of them exact.
AXELRAM_HD constexpr PagedTokens paged_tokens(std::int32_t first, std::int32_t last,
                                              std::int32_t visible) {
  const std::int32_t begin = first < visible ? first : visible;
  const std::int32_t end = visible - (last < visible ? last : visible);
  return {begin, end > begin ? end : begin};
}

AXELRAM_HD bool is_exact(const ExactRows& rows, std::int32_t token, std::int32_t visible) {
  return token < rows.first || token >= visible - rows.last;
}

/// The first and the newest tokens that are exact in keys or in values.
struct ExactSpan {
  std::int32_t first, last;
};
AXELRAM_HD ExactSpan exact_span(const ExactRows& keys, const ExactRows& values) {
  return {keys.first > values.first ? keys.first : values.first,
          keys.last > values.last ? keys.last : values.last};
}

/// Number of the row of an exact token: of d elements, and of its exponent.
AXELRAM_HD std::int64_t exact_row(const ExactRows& rows, std::int32_t sequence, std::int32_t head,
                                  std::int32_t token) {
  const std::int32_t slot =
      token < rows.first ? token : rows.first + (token - rows.first) % rows.ring;
  return (static_cast<std::int64_t>(sequence) * rows.heads + head) * (rows.first + rows.ring) +
         slot;
}

}  // namespace axelram::kernels

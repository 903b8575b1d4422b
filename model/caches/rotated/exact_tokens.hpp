#pragma once

#include <algorithm>
#include <cstddef>

#include "axelram/exact.hpp"

namespace axelram::caches {

/// Tokens begin .. end - 1 of a query, which it reads from their records. All others that it sees
/// are exact (bit-contract.md#exact).
struct RecordRange {
  std::size_t begin, end;
};

/// The range of a query over tokens oldest .. tokens - 1. Tokens before `oldest` have left the
/// attention span, the first ones of the sequence too. oldest < tokens.
inline RecordRange record_range(std::size_t oldest, std::size_t tokens, const Parameters& p) {
  const auto first = static_cast<std::size_t>(p.exact_first);
  const auto last = static_cast<std::size_t>(p.exact_last);
  const std::size_t begin = std::clamp(first, oldest, tokens);
  return {begin, std::max(begin, tokens - std::min(tokens, last))};
}

/// Calls visit(token) for the exact tokens of the same query, in order.
template <class Visit>
void for_each_exact(std::size_t oldest, std::size_t tokens, const Parameters& p,
                    const Visit& visit) {
  const RecordRange records = record_range(oldest, tokens, p);
  for (std::size_t t = oldest; t < records.begin; ++t) visit(t);
  for (std::size_t t = records.end; t < tokens; ++t) visit(t);
}

/// Whether some query finds the token exact: any token is the newest one once.
inline bool ever_exact(std::size_t token, const Parameters& p) {
  return is_exact(token, token + 1, p);
}

}  // namespace axelram::caches

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/parameters.hpp"

namespace axelram {

/// Copy of a rotated key, which scores an exact token instead of its record
/// (bit-contract.md#exact).
struct KeyCopy {
  std::vector<std::int16_t> elements;  ///< h_i, d; |h_i| < 2^(X-1)
  int exponent = 0;                    ///< e_k = e + sh
};

/// Whether token `token` of `tokens` is one of the first or of the newest ones.
inline bool is_exact(std::size_t token, std::size_t tokens, const Parameters& p) {
  return token < static_cast<std::size_t>(p.exact_first) ||
         token + static_cast<std::size_t>(p.exact_last) >= tokens;
}

/// Place of the copy of an exact token: S of the first tokens, then a ring of R.
inline std::size_t copy_place(std::size_t token, const Parameters& p) {
  const auto first = static_cast<std::size_t>(p.exact_first);
  return token < first ? token : first + (token - first) % static_cast<std::size_t>(p.exact_last);
}

/// acc = sum of u_i * h_i, exact. u: d rounded elements of the query, |u_i| < 2^15; copy: d
/// elements.
std::int64_t accumulate_copy_ref(const std::int32_t* u, const std::int16_t* copy, int d);

/// The score of a copy: FP32 RNE of acc * 2^(e_u + e_k + WC - 2), rounded once as score_ref.
float score_copy_ref(std::int64_t acc, int e_u, int e_k, int centroid_bits, bool* saturated);

/// Copies of the first and of the newest tokens of a sequence, in order of arrival. A token without
/// a copy takes its place too: one that was written as a record.
class ExactStore {
 public:
  explicit ExactStore(const Parameters& parameters);

  /// The next token. copy: of its key, or null if it has none.
  void write(const KeyCopy* copy);
  void clear() { tokens_ = 0; }
  std::size_t size() const { return tokens_; }  ///< tokens since construction or clear()

  /// The copy that scores a token in a query over all tokens, or null if its record does.
  const KeyCopy* find(std::size_t token) const;

 private:
  Parameters parameters_;
  std::size_t tokens_ = 0;
  std::vector<KeyCopy> places_;  ///< empty: no copy
};

}  // namespace axelram

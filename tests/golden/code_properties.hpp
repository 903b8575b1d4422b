#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "axelram/code.hpp"

/// A code's matrices and words from the rows of P alone, so that nothing here leans on the encoder
/// or the decoder under test.
namespace code_properties {

using axelram::Code;
using Row = std::bitset<76>;  // bit i: column i of a matrix with at most 76 columns

inline bool bit(std::uint64_t word, int i) { return (word >> i & 1U) != 0; }
inline int weight(std::uint32_t word) { return __builtin_popcount(word); }

/// G = [I | P] (references.md#ecc-kv-cache, equation 11).
inline std::vector<Row> generator(const Code& code) {
  std::vector<Row> rows(static_cast<std::size_t>(code.k));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].set(i);
    for (int j = 0; j < code.check_bits(); ++j)
      rows[i].set(static_cast<std::size_t>(code.k + j), bit(code.parity_rows[i], j));
  }
  return rows;
}

/// Columns of H = [P^T | I] (equation 13), row j of H in bit j.
inline std::vector<std::uint32_t> columns(const Code& code) {
  std::vector<std::uint32_t> result = code.parity_rows;
  for (int j = 0; j < code.check_bits(); ++j) result.push_back(1U << j);
  return result;
}

/// H itself.
inline std::vector<Row> parity_check(const Code& code) {
  std::vector<Row> rows(static_cast<std::size_t>(code.check_bits()));
  const std::vector<std::uint32_t> h = columns(code);
  for (std::size_t j = 0; j < rows.size(); ++j)
    for (std::size_t i = 0; i < h.size(); ++i) rows[j].set(i, bit(h[i], static_cast<int>(j)));
  return rows;
}

/// dG for every d, in order of d: all codewords (equation 10). Bit i is c_i; n <= 32.
inline std::vector<std::uint32_t> codewords(const Code& code) {
  std::vector<std::uint32_t> words = {0};
  for (const Row& row : generator(code)) {
    const auto g = static_cast<std::uint32_t>(row.to_ulong());
    const std::size_t half = words.size();
    for (std::size_t i = 0; i < half; ++i) words.push_back(words[i] ^ g);
  }
  return words;
}

/// Number of words by weight.
inline std::map<int, int> weights(const std::vector<std::uint32_t>& words) {
  std::map<int, int> result;
  for (const std::uint32_t word : words) ++result[weight(word)];
  return result;
}

inline std::uint32_t joined(const Code& code, const axelram::Word& word) {
  return static_cast<std::uint32_t>(word.data) | word.check << code.k;
}
inline axelram::Word split(const Code& code, std::uint32_t word) {
  return {word & ((1U << code.k) - 1), word >> code.k};
}

/// Calls visit(word) for every word of `n` bits and weight `w`, n <= 31.
template <typename Visit>
void for_each_of_weight(int n, int w, Visit visit) {
  if (w == 0) return visit(0U);
  for (std::uint32_t word = (1U << w) - 1; word < 1U << n;) {
    visit(word);
    const std::uint32_t low = word & -word, next = word + low;  // Gosper: the next of equal weight
    word = next | (((word ^ next) / low) >> 2);
  }
}

/// The weights of the lightest words of every coset, by syndrome, and how many they are.
struct Cosets {
  std::vector<int> lightest, leaders;
  int covering_radius() const { return *std::max_element(lightest.begin(), lightest.end()); }
};

/// By all 2^n words.
inline Cosets cosets(const Code& code) {
  const std::vector<std::uint32_t> h = columns(code);
  std::vector<std::uint32_t> syndromes = {0};  // syndromes of all words, by doubling
  for (const std::uint32_t column : h) {
    const std::size_t half = syndromes.size();
    for (std::size_t i = 0; i < half; ++i) syndromes.push_back(syndromes[i] ^ column);
  }
  const auto count = std::size_t{1} << code.check_bits();
  Cosets result{std::vector<int>(count, code.n + 1), std::vector<int>(count)};
  for (std::uint32_t word = 0; word < syndromes.size(); ++word) {
    const std::uint32_t z = syndromes[word];
    const int w = weight(word);
    if (w > result.lightest[z]) continue;
    result.leaders[z] = w < result.lightest[z] ? 1 : result.leaders[z] + 1;
    result.lightest[z] = w;
  }
  return result;
}

}  // namespace code_properties

#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <vector>

#include "axelram/datapath.hpp"
#include "axelram/files/result.hpp"

/// Rows of an allocated result from what a golden macro computes.
namespace axelram::run {

/// Fills a row with the values of the parts of a key, or of a query. Throws std::logic_error if
/// they are not as many.
template <class T, class... Values>
void fill(std::span<T> row, const Values&... parts) {
  if ((parts.size() + ...) != row.size())
    throw std::logic_error("values of a tensor do not fill its row");
  auto at = row.begin();
  ((at = std::transform(parts.begin(), parts.end(), at,
                        [](const auto& value) { return static_cast<T>(value); })),
   ...);
}

/// Fills a row with as many of these values as it has: one for each part, or none.
template <class T>
void fill(std::span<T> row, std::initializer_list<T> parts) {
  if (row.size() > parts.size()) throw std::logic_error("a row of a tensor has more parts");
  std::copy_n(parts.begin(), row.size(), row.begin());
}

/// Fills the row of a token with those of one key, record and codeword among them.
void fill_key(const KeyResult& key, std::size_t token, files::Result* result);

/// States that a token has a copy, and appends it. Tokens come in ascending order.
void append_copy(const KeyCopy& copy, std::size_t token, files::Result* result);

/// Fills the row of a query with what it is after its rotations, without its scores.
void fill_rotated_query(const QueryResult& query, std::size_t number, files::Result* result);

}  // namespace axelram::run

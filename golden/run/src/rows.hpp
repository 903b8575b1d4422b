#pragma once

#include <cstddef>
#include <vector>

#include "axelram/datapath.hpp"
#include "axelram/files/result.hpp"

/// Rows of a result from what a golden macro computes.
namespace axelram::run {

template <typename T>
void append(std::vector<T>* to, const std::vector<T>& values) {
  to->insert(to->end(), values.begin(), values.end());
}

template <typename T>
void append_zeros(std::vector<T>* to, std::size_t count) {
  to->resize(to->size() + count);
}

/// Appends the tensors of one key, record and codeword among them.
void append_key(const KeyResult& key, files::Result* result);

/// Appends those of a key that was not stored: zeros.
void append_no_key(files::Result* result);

/// Appends the copy of the next token, or that it has none (null).
void append_copy(const KeyCopy* copy, files::Result* result);

/// Appends what a query is after its rotations, without its scores.
void append_rotated_query(const QueryResult& query, files::Result* result);

}  // namespace axelram::run

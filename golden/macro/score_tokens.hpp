#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/datapath.hpp"

namespace axelram {

/// Scores the tokens of a query, the oldest first: by the copy that copy_of(token) points to, or by
/// the record where it is null. records: of `count` tokens, one after the other. Sizes and sets
/// acc, second_acc, exact and scores of `result`, and adds to its saturated.
template <typename CopyOf>
void score_tokens(const Datapath& path, const std::uint8_t* records, std::size_t count,
                  const CopyOf& copy_of, QueryResult* result) {
  const Parameters& p = path.parameters();
  const auto record_bytes = static_cast<std::size_t>(p.record_bytes());
  result->acc.resize(count);
  if (p.two_parts()) result->second_acc.resize(count);
  result->scores.resize(count);
  if (p.copies() != 0) result->exact.resize(count);
  for (std::size_t token = 0; token < count;) {
    if (const KeyCopy* const copy = copy_of(token)) {
      bool saturated = false;
      result->exact[token] = 1;
      result->scores[token] = path.score(*result, *copy, &result->acc[token], &saturated);
      result->saturated += saturated ? 1 : 0;
      ++token;
      continue;
    }
    std::size_t end = token + 1;
    while (end < count && copy_of(end) == nullptr) ++end;
    std::int64_t* const second_acc =
        result->second_acc.empty() ? nullptr : &result->second_acc[token];
    result->saturated +=
        static_cast<int>(path.score(*result, records + token * record_bytes, end - token,
                                    &result->scores[token], &result->acc[token], second_acc));
    token = end;
  }
}

/// 1 for each token whose score is clamped, of a query that score_tokens scored. Few queries have
/// one.
template <typename CopyOf>
std::vector<std::uint8_t> saturated_tokens(const Datapath& path, const std::uint8_t* records,
                                           const CopyOf& copy_of, const QueryResult& query) {
  std::vector<std::uint8_t> flags(query.scores.size());
  if (query.saturated == 0) return flags;
  const auto record_bytes = static_cast<std::size_t>(path.parameters().record_bytes());
  for (std::size_t token = 0; token < flags.size(); ++token) {
    std::int64_t acc = 0;
    float score = 0;
    bool saturated = false;
    if (const KeyCopy* const copy = copy_of(token))
      path.score(query, *copy, &acc, &saturated);
    else
      saturated = path.score(query, records + token * record_bytes, 1, &score) != 0;
    flags[token] = saturated ? 1 : 0;
  }
  return flags;
}

}  // namespace axelram

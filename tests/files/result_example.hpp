#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/files/result.hpp"

namespace test {

/// start, start + 1 and so on, from `start` on again after 50.
template <class T>
std::vector<T> counting(std::size_t count, int start) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(start + static_cast<int>(i % 50));
  return values;
}

/// A result with two bits an index, made of such numbers.
inline axelram::files::Result example(std::size_t tokens = 3, std::size_t queries = 2,
                                      std::size_t codeword_bytes = 0) {
  axelram::files::Result r;
  r.tokens = tokens;
  r.queries = queries;
  r.parameters.head_dim = 32;
  r.parameters.index_bits = 2;
  r.codeword_bytes = codeword_bytes;
  allocate(&r);
  r.indices = counting<std::uint8_t>(tokens * 32, 0);
  r.norms = counting<std::uint16_t>(tokens, 0x3c00);
  r.thresholds = counting<std::int32_t>(tokens * 3, -40);
  r.records = counting<std::uint8_t>(tokens * 10, 100);
  r.codewords = counting<std::uint8_t>(tokens * codeword_bytes, 7);
  r.rotated_queries = counting<std::int32_t>(queries * 32, -20);
  r.query_exponents = counting<std::int32_t>(queries, -9);
  r.accumulators = counting<std::int64_t>(queries * tokens, -2);
  r.scores = counting<float>(queries * tokens, -1);
  r.kappa = 58.0 / 1.5;
  r.score_scale = 1 / (r.kappa * 32);
  r.centroids = {-120, -36, 36, 120};
  r.boundaries = {-8000, 0, 8000};
  return r;
}

}  // namespace test

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/parameters.hpp"
#include "axelram/record.hpp"
#include "axelram/score.hpp"
#include "axelram/trellis.hpp"
#include "tiles.hpp"

namespace test {

/// Golden's result for one record and query.
struct Scored {
  std::int64_t acc = 0;
  float score = 0;
  bool saturated = false;
};
template <class Integer>
Scored golden_score(const axelram::Parameters& p, const axelram::CodebookRom& rom, const Integer* u,
                    std::int32_t exponent, const std::uint8_t* record) {
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(p.head_dim));
  std::uint16_t norm = 0;
  axelram::unpack_record_ref(record, p.head_dim, p.index_bits, indices.data(), &norm);
  if (p.trellis()) axelram::trellis_level_ref(indices.data(), p.head_dim, p.states, indices.data());
  Scored s;
  for (std::size_t i = 0; i < indices.size(); ++i)
    s.acc += std::int64_t{u[i]} * rom.centroids[indices[i]];
  s.score = axelram::score_ref(s.acc, norm, exponent, &s.saturated);
  return s;
}

inline axelram::Parameters parameters_of(int d, int b, int query_bits, int centroid_bits) {
  axelram::Parameters p{
      .head_dim = d, .index_bits = b, .query_bits = query_bits, .centroid_bits = centroid_bits};
  return p;
}

/// states: of a trellis; 0: none.
inline axelram::Parameters with_trellis(axelram::Parameters p, int states) {
  if (states == 0) return p;
  p.kind = axelram::QuantizerKind::trellis;
  p.states = states;
  return p;
}

/// Random records of `bytes` bytes each; some of all ones, and some with a single lowest bit of an
/// index, which shows on its own which levels of a trellis depend on it.
inline std::vector<std::uint8_t> records_of_every_kind(const axelram::Parameters& p,
                                                       std::size_t count, std::uint64_t seed) {
  const auto bytes = static_cast<std::size_t>(p.record_bytes());
  std::vector<std::uint8_t> records = random_bytes(count * bytes, seed);
  for (std::size_t t = 0; t < count; ++t) {
    std::uint8_t* const record = records.data() + t * bytes;
    if (t % 3 == 1) std::fill_n(record, bytes - 2, static_cast<std::uint8_t>(t % 2 == 0 ? 0 : 255));
    if (t % 6 != 4) continue;
    const int bit =
        static_cast<int>((seed + t / 6) % static_cast<std::size_t>(p.head_dim)) * p.index_bits;
    record[bit / 8] = static_cast<std::uint8_t>(1U << (bit % 8));
  }
  return records;
}

/// Random, and its most extreme values more often than chance would have them.
template <class Integer>
std::vector<Integer> random_queries(std::size_t count, int query_bits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::int32_t most = (1 << (query_bits - 1)) - 1;
  std::uniform_int_distribution<std::int32_t> any(-most, most);
  std::vector<Integer> u(count);
  for (Integer& x : u)
    x = static_cast<Integer>(random() % 8 == 0 ? (random() % 2 == 0 ? most : -most) : any(random));
  return u;
}

/// Ordinary ones, those at which scores begin to saturate and to underflow, and absurd ones.
inline std::vector<std::int32_t> exponents_of(std::size_t count, bool plain) {
  const std::vector<std::int32_t> ordinary = {-12, 0, -28, 20, -100, 80};
  const std::vector<std::int32_t> odd = {-12,  -101, 81,    -130,       -140,       -149,
                                         -165, 95,   105,   110,        128,        -200,
                                         200,  9999, -9999, 1000000000, -1000000000};
  std::vector<std::int32_t> exponents;
  for (std::size_t i = 0; i < count; ++i)
    exponents.push_back(plain ? ordinary[i % ordinary.size()] : odd[i % odd.size()]);
  return exponents;
}

}  // namespace test

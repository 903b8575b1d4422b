#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

// Similarity of two records of values, in integers (bit-contract.md#similarity). All is of records
// as read: after bit errors and decoding.

/// Shape of records and their centroid words, |C_j| <= 127 (bit-contract.md#read-2).
struct RecordWords {
  const std::int32_t* centroids;  ///< 2^b
  int head_dim;                   ///< d: 32, 64, 128 or 256
  int index_bits;                 ///< b: 2, 3 or 4
};

/// acc = sum of C[idx_i of a] * C[idx_i of b], 0 where bits 0 to 14 of either norm are 0. At most
/// 23 bits with its sign.
std::int32_t similarity_ref(const RecordWords& words, const std::uint8_t* a, const std::uint8_t* b);

/// N: the integer nearest to sqrt(Q * 2^16), Q the sum of squares of the centroid words of a
/// record, whatever its norm. Never a tie, never 0, below 2^19.
std::uint32_t record_root_ref(const RecordWords& words, const std::uint8_t* record);

/// T = RNE(tau * (1 - distortion) * 2^16), in FP64: two records of vectors with cosine tau have
/// this cosine on average. tau: 0..2; distortion: of the codebook, 0..1.
std::uint32_t similarity_threshold(double tau, double distortion);

/// Whether the cosine acc * 2^16 / (root_a * root_b) is at least threshold / 2^16. Equality
/// reaches. |acc| < 2^22, threshold < 2^18, roots < 2^19: both sides fit 64 bits.
constexpr bool reaches(std::int32_t acc, std::uint32_t threshold, std::uint32_t root_a,
                       std::uint32_t root_b) {
  return std::int64_t{acc} * (std::int64_t{1} << 32) >=
         std::int64_t{threshold} * root_a * std::int64_t{root_b};
}

/// Whether slot p is strictly nearer than slot q to a record: acc_p * N_q > acc_q * N_p.
constexpr bool nearer(std::int32_t acc_p, std::uint32_t root_p, std::int32_t acc_q,
                      std::uint32_t root_q) {
  return std::int64_t{acc_p} * root_q > std::int64_t{acc_q} * root_p;
}

/// The nearest of some slots to a record.
struct Nearest {
  int slot = -1;  ///< -1: there is none
  std::int32_t acc = 0;
  std::uint32_t root = 1;  ///< N of its record
};

inline bool operator==(const Nearest& a, const Nearest& b) {
  return a.slot == b.slot && a.acc == b.acc && a.root == b.root;
}

/// The nearest of `count` slots, by their records `of_slots`; of equal ones the lowest slot. slots:
/// ascending.
Nearest nearest_ref(const RecordWords& words, const std::uint8_t* record, const int* slots,
                    const std::uint8_t* const* of_slots, std::size_t count);

}  // namespace axelram

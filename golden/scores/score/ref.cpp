#include <cstring>
#include <vector>

#include "axelram/half.hpp"
#include "axelram/int128.hpp"
#include "axelram/record.hpp"
#include "axelram/rounding.hpp"
#include "axelram/score.hpp"
#include "axelram/score_table.hpp"
#include "axelram/trellis.hpp"

namespace axelram {

std::int64_t accumulate_ref(const std::int32_t* table, int d, int levels,
                            const std::uint8_t* indices) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += table[i * levels + indices[i]];
  return sum;
}

namespace {

/// FP32 RNE of magnitude * 2^exponent with a sign, saturated (bit-contract.md#read-4). magnitude
/// < 2^62.
float round_score(bool negative, std::uint64_t magnitude, int exponent, bool* saturated) {
  constexpr std::uint32_t kSign = 0x80000000;
  constexpr std::uint32_t kFltMax = 0x7F7FFFFF;
  constexpr std::uint64_t kMaxSignificand = 0xFFFFFF;  // FLT_MAX = (2^24 - 1) * 2^104
  constexpr int kMaxExponent = 104;

  *saturated = exceeds(magnitude, exponent, kMaxSignificand, kMaxExponent);
  std::uint32_t bits =
      *saturated ? kFltMax : static_cast<std::uint32_t>(encode_rne(magnitude, exponent, 23, 127));
  if (negative) bits |= kSign;
  float score;
  std::memcpy(&score, &bits, sizeof score);
  return score;
}

}  // namespace

float score_ref(std::int64_t acc, std::uint16_t norm, int e_u, bool* saturated) {
  const NormValue value = decode_norm(norm);
  const std::int64_t scaled = acc * value.significand;
  const auto magnitude = static_cast<std::uint64_t>(scaled < 0 ? -scaled : scaled);
  return round_score(scaled < 0, magnitude, e_u + value.exponent, saturated);
}

float score_sum_ref(const ScoreTerm& first, const ScoreTerm& second, bool* saturated) {
  const auto product = [](const ScoreTerm& term) {
    return Int128{term.acc} * decode_norm(term.norm).significand * term.factor;
  };
  const auto exponent_of = [](const ScoreTerm& term) {
    return term.exponent + decode_norm(term.norm).exponent;
  };
  Int128 a = product(first), b = product(second);
  int exponent = exponent_of(first);
  // A term of 0 has no say in the exponent: it may lie further away than a sum has bits.
  if (a == 0) exponent = exponent_of(second);
  const int apart = b == 0 ? 0 : exponent_of(second) - exponent;
  if (apart >= 0) {
    b *= Int128{1} << apart;
  } else {
    a *= Int128{1} << -apart;
    exponent += apart;
  }
  const Int128 sum = a + b;
  auto magnitude = static_cast<UInt128>(sum < 0 ? -sum : sum);
  constexpr int kKept = 62;
  std::uint64_t sticky = 0;
  for (; magnitude >> kKept != 0; magnitude >>= 1, ++exponent)
    sticky |= static_cast<std::uint64_t>(magnitude & 1);
  return round_score(sum < 0, static_cast<std::uint64_t>(magnitude) | sticky, exponent, saturated);
}

std::size_t score_keys_ref(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                           float* scores, std::int64_t* acc) {
  const int d = query.head_dim;
  const int levels = (query.states != 0 ? 2 : 1) << query.index_bits;
  std::vector<std::int32_t> table(static_cast<std::size_t>(d * levels));
  score_table_ref(query.u, d, query.centroids, levels, table.data());
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
  std::size_t saturations = 0;
  for (std::size_t k = 0; k < count; ++k, records += record_bytes(d, query.index_bits)) {
    std::uint16_t norm = 0;
    unpack_record_ref(records, d, query.index_bits, indices.data(), &norm);
    if (query.states != 0) trellis_level_ref(indices.data(), d, query.states, indices.data());
    const std::int64_t sum = accumulate_ref(table.data(), d, levels, indices.data());
    if (acc != nullptr) acc[k] = sum;
    bool saturated = false;
    scores[k] = score_ref(sum, norm, query.exponent, &saturated);
    saturations += saturated ? 1 : 0;
  }
  return saturations;
}

namespace {

/// Exact sums of the parts of records with a query.
class PartSums {
 public:
  explicit PartSums(const ScorePart& part)
      : part_(&part),
        levels_((part.states != 0 ? 2 : 1) << part.index_bits),
        table_(static_cast<std::size_t>(part.d * levels_)) {
    score_table_ref(part.u, part.d, part.centroids, levels_, table_.data());
  }

  std::int64_t operator()(std::uint8_t* indices) const {
    if (part_->states != 0) trellis_level_ref(indices, part_->d, part_->states, indices);
    return accumulate_ref(table_.data(), part_->d, levels_, indices);
  }

 private:
  const ScorePart* part_;
  int levels_;
  std::vector<std::int32_t> table_;
};

}  // namespace

std::size_t score_parts_ref(const ScorePart& first, const ScorePart& second,
                            const std::uint8_t* records, std::size_t count, float* scores,
                            std::int64_t* first_acc, std::int64_t* second_acc) {
  const PartSums first_sum(first), second_sum(second);
  std::vector<std::uint8_t> first_indices(static_cast<std::size_t>(first.d));
  std::vector<std::uint8_t> second_indices(static_cast<std::size_t>(second.d));
  RecordPart parts[2] = {{first_indices.data(), first.d, first.index_bits, 0},
                         {second_indices.data(), second.d, second.index_bits, 0}};
  const int stride = record_bytes(parts[0], parts[1]);
  std::size_t saturations = 0;
  for (std::size_t k = 0; k < count; ++k, records += stride) {
    unpack_parts_ref(records, &parts[0], &parts[1]);
    const ScoreTerm a = {first_sum(parts[0].indices), parts[0].norm, first.factor, first.exponent};
    const ScoreTerm b = {second_sum(parts[1].indices), parts[1].norm, second.factor,
                         second.exponent};
    if (first_acc != nullptr) first_acc[k] = a.acc;
    if (second_acc != nullptr) second_acc[k] = b.acc;
    bool saturated = false;
    scores[k] = score_sum_ref(a, b, &saturated);
    saturations += saturated ? 1 : 0;
  }
  return saturations;
}

}  // namespace axelram

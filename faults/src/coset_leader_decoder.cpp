#include "axelram/faults/coset_leader_decoder.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "axelram/faults/record_code.hpp"
#include "axelram/faults/weights.hpp"

namespace axelram::faults {
namespace {

void flip(ErrorPattern* pattern, std::size_t bit, std::size_t k) {
  if (bit < k)
    pattern->error.data ^= std::uint64_t{1} << bit;
  else
    pattern->error.check ^= 1U << (bit - k);
}

std::uint64_t* counter_of(DecodeCounts* counts, WordStatus status) {
  switch (status) {
    case WordStatus::clean:
      return &counts->clean;
    case WordStatus::corrected:
      return &counts->corrected;
    case WordStatus::parity_only:
      return &counts->parity_only;
    case WordStatus::detected:
      return &counts->detected;
  }
  throw std::logic_error("a word status has no counter");
}

}  // namespace

int correction_radius(const Code& code) {
  // Patterns of syndrome 0 are the codewords.
  return correction_radius(code, coset_weights(columns_of(code), code.check_bits())[0]);
}

int correction_radius(const Code& code, const WeightCounts& codewords) {
  std::size_t distance = 1;
  while (codewords[distance] == 0) ++distance;
  const int radius = static_cast<int>(distance - 1) / 2;
  if (code.family != nullptr && radius != code.family->correction_radius)
    throw std::logic_error("code " + code.name + " has minimum distance " +
                           std::to_string(distance) + " and does not correct " +
                           std::to_string(code.family->correction_radius) + " errors");
  return radius;
}

CosetLeaderDecoder::CosetLeaderDecoder(const Code& code, int radius)
    : n_(static_cast<std::size_t>(code.n)),
      k_(static_cast<std::size_t>(code.k)),
      columns_(columns_of(code)),
      by_syndrome_(std::size_t{1} << code.check_bits(), {{}, WordStatus::detected}) {
  by_syndrome_[0].status = WordStatus::clean;
  // Patterns of one bit more, up to t: each known pattern with each bit after its last one.
  struct Known {
    std::size_t syndrome, next;
  };
  std::vector<Known> lighter = {{0, 0}};
  for (int weight = 1; weight <= radius; ++weight) {
    std::vector<Known> found;
    for (const Known& from : lighter)
      for (std::size_t bit = from.next; bit < n_; ++bit) {
        const std::size_t s = from.syndrome ^ columns_[bit];
        if (by_syndrome_[s].status != WordStatus::detected)
          throw std::logic_error("code " + code.name +
                                 ": two patterns within its correction radius share a syndrome");
        by_syndrome_[s] = {by_syndrome_[from.syndrome].error, WordStatus::corrected};
        flip(&by_syndrome_[s], bit, k_);
        found.push_back({s, bit + 1});
      }
    lighter = std::move(found);
  }
  // An error in the overall parity bit leaves the data right (bit-contract.md#hamming84).
  if (code.family != nullptr && code.family->parity_bit >= 0)
    by_syndrome_[columns_[k_ + static_cast<std::size_t>(code.family->parity_bit)]].status =
        WordStatus::parity_only;
}

DecodeCounts CosetLeaderDecoder::decode(const std::uint8_t* codewords, std::size_t words,
                                        std::uint8_t* data, std::uint8_t* statuses) const {
  std::fill_n(data, (words * k_ + 7) / 8, std::uint8_t{0});
  std::fill_n(statuses, status_bytes(words), std::uint8_t{0});
  DecodeCounts counts;
  for (std::size_t word = 0; word < words; ++word) {
    std::size_t syndrome = 0;
    for (std::size_t bit = 0; bit < n_; ++bit) {
      if (!get_bit(codewords, word * n_ + bit)) continue;
      syndrome ^= columns_[bit];
      if (bit < k_) toggle_bit(data, word * k_ + bit);
    }
    const ErrorPattern& leader = by_syndrome_[syndrome];
    for (std::uint64_t left = leader.error.data; left != 0; left &= left - 1)
      toggle_bit(data, word * k_ + static_cast<std::size_t>(std::countr_zero(left)));
    const auto status = static_cast<unsigned>(leader.status);
    statuses[word / 4] = static_cast<std::uint8_t>(statuses[word / 4] | status << 2 * (word % 4));
    ++*counter_of(&counts, leader.status);
  }
  return counts;
}

}  // namespace axelram::faults

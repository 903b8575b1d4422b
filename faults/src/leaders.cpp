#include "axelram/faults/leaders.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "axelram/faults/bits.hpp"
#include "axelram/faults/weights.hpp"

namespace axelram::faults {
namespace {

void flip(ErrorPattern* pattern, std::size_t bit, std::size_t k) {
  if (bit < k)
    pattern->error.data ^= std::uint64_t{1} << bit;
  else
    pattern->error.check ^= 1U << (bit - k);
}

}  // namespace

int promised_errors(const std::string& name) {
  if (name == "none") return 0;
  return name == "golay24" ? 3 : 1;  // Hamming, and Hsiao's SECDED
}

Leaders::Leaders(const Code& code)
    : n_(static_cast<std::size_t>(code.n)),
      k_(static_cast<std::size_t>(code.k)),
      columns_(columns_of(code)),
      by_syndrome_(std::size_t{1} << code.check_bits(), {{}, WordStatus::detected}) {
  by_syndrome_[0].status = WordStatus::clean;
  // Patterns of one bit more, until t: each known one with each bit behind its last.
  struct Known {
    std::size_t syndrome, next;
  };
  std::vector<Known> lighter = {{0, 0}};
  for (int weight = 1; weight <= promised_errors(code.name); ++weight) {
    std::vector<Known> found;
    for (const Known& from : lighter)
      for (std::size_t bit = from.next; bit < n_; ++bit) {
        const std::size_t s = from.syndrome ^ columns_[bit];
        if (by_syndrome_[s].status != WordStatus::detected)
          throw std::logic_error("code " + code.name + " does not put right every " +
                                 std::to_string(weight) + " errors that it promises");
        by_syndrome_[s] = {by_syndrome_[from.syndrome].error, WordStatus::corrected};
        flip(&by_syndrome_[s], bit, k_);
        found.push_back({s, bit + 1});
      }
    lighter = std::move(found);
  }
  // The last bit of hamming84 is the overall parity: the data are right without it.
  if (code.name == "hamming84") by_syndrome_[columns_.back()].status = WordStatus::parity_only;
}

DecodeCounts Leaders::decode(const std::uint8_t* codewords, std::size_t words, std::uint8_t* data,
                             std::uint8_t* statuses) const {
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
    ++(leader.status == WordStatus::clean         ? counts.clean
       : leader.status == WordStatus::corrected   ? counts.corrected
       : leader.status == WordStatus::parity_only ? counts.parity_only
                                                  : counts.detected);
  }
  return counts;
}

}  // namespace axelram::faults

#include "axelram/faults/profiles.hpp"

#include <bit>
#include <stdexcept>

#include "axelram/faults/coset_leader_decoder.hpp"

namespace axelram::faults {
namespace {

std::size_t weight_of(const Word& word) {
  return static_cast<std::size_t>(std::popcount(word.data) + std::popcount(word.check));
}

/// Adds the patterns of `rest` with `weight` more bits set.
void add_shifted(WeightCounts* to, const WeightCounts& rest, std::size_t weight) {
  for (std::size_t w = 0; w < rest.counts.size(); ++w)
    if (rest[w] != 0) (*to)[w + weight] += rest[w];
}

/// Consecutive bits of a word, and the error patterns of the other bits.
class WordPart {
 public:
  WordPart(const Code& code, int first, int count)
      : first_(first), count_(count), columns_(columns_of(code)) {
    std::vector<std::uint32_t> others = columns_;
    others.erase(others.begin() + first, others.begin() + first + count);
    rest_ = coset_weights(others, code.check_bits());
  }

  /// Adds the patterns with syndrome `s` and the given error on the part.
  void add(WeightCounts* to, std::size_t s, std::uint64_t error) const {
    for (int i = 0; i < count_; ++i)
      if ((error >> i & 1) != 0) s ^= columns_[static_cast<std::size_t>(first_ + i)];
    add_shifted(to, rest_[s], static_cast<std::size_t>(std::popcount(error)));
  }

  /// Bits of the part that the correction `error` flips.
  std::uint64_t correction(const Word& error) const {
    const std::uint64_t bits = error.data >> first_;
    return count_ == 64 ? bits : bits & ((std::uint64_t{1} << count_) - 1);
  }

 private:
  int first_, count_;
  std::vector<std::uint32_t> columns_;
  std::vector<WeightCounts> rest_;
};

WeightCounts& counts_of(WordProfile* profile, WordStatus status) {
  switch (status) {
    case WordStatus::clean:
      return profile->clean;
    case WordStatus::corrected:
      return profile->corrected;
    case WordStatus::parity_only:
      return profile->parity_only;
    case WordStatus::detected:
      return profile->detected;
  }
  throw std::logic_error("a word status has no weights");
}

}  // namespace

WeightCounts WordProfile::failed() const {
  WeightCounts sum = detected;
  return sum += miscorrected;
}

WordProfile word_profile(const Code& code) {
  const WeightCounts none(code.n);
  WordProfile profile{none, none, none, none, none};
  const std::vector<WeightCounts> cosets = coset_weights(columns_of(code), code.check_bits());
  const CosetLeaderDecoder decoder(code, correction_radius(code, cosets[0]));
  for (std::size_t s = 0; s < cosets.size(); ++s) {
    const ErrorPattern& leader = decoder[s];
    if (leader.status == WordStatus::detected) {
      profile.detected += cosets[s];
      continue;
    }
    const std::size_t weight = weight_of(leader.error);
    counts_of(&profile, leader.status)[weight] += 1;
    profile.miscorrected += cosets[s];
    profile.miscorrected[weight] -= 1;
  }
  return profile;
}

PartProfile part_profile(const Code& code, int first, int count, bool resolve) {
  const WeightCounts none(code.n);
  PartProfile profile{std::vector<WeightCounts>(resolve ? std::size_t{1} << count : 2, none), none,
                      none};
  const std::vector<WeightCounts> cosets = coset_weights(columns_of(code), code.check_bits());
  const WordPart part(code, first, count);
  const CosetLeaderDecoder decoder(code, correction_radius(code, cosets[0]));
  for (std::size_t s = 0; s < cosets.size(); ++s) {
    if (decoder[s].status == WordStatus::detected) {
      part.add(&profile.detected_right, s, 0);
      profile.detected_wrong += cosets[s];
      continue;
    }
    const std::uint64_t flipped = part.correction(decoder[s].error);
    if (resolve) {
      for (std::uint64_t error = 0; error < profile.undetected.size(); ++error)
        part.add(&profile.undetected[error], s, error ^ flipped);
    } else {
      part.add(&profile.undetected[0], s, flipped);
      profile.undetected[1] += cosets[s];
    }
  }
  // Counts of light patterns are whole numbers below 2^53, so these differences are exact.
  profile.detected_wrong -= profile.detected_right;
  if (!resolve) profile.undetected[1] -= profile.undetected[0];
  return profile;
}

}  // namespace axelram::faults

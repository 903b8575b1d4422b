#include "axelram/faults/strata.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "axelram/bit_string.hpp"
#include "axelram/philox.hpp"

namespace axelram::faults {
namespace {

constexpr std::uint32_t kStrata = 0xB0000000;

/// A sequence of uniform numbers below `n`.
class Draws {
 public:
  Draws(const Site& site, int weight, std::uint32_t sample)
      : site_(site),
        first_(kStrata + (static_cast<std::uint32_t>(weight) << 16)),
        sample_(sample) {}

  int below(int n) {
    if (used_ % 4 == 0)
      words_ = philox4x32(
          {first_ + used_ / 4, sample_, site_.layer << 16 | site_.head << 1, 0},
          {static_cast<std::uint32_t>(site_.seed), static_cast<std::uint32_t>(site_.seed >> 32)});
    return static_cast<int>(std::uint64_t{words_[used_++ % 4]} * static_cast<std::uint64_t>(n) >>
                            32);
  }

 private:
  Site site_;
  std::uint32_t first_, sample_, used_ = 0;
  std::array<std::uint32_t, 4> words_{};
};

void flip(const Code& code, Word* word, int bit) {
  if (bit < code.k)
    word->data ^= std::uint64_t{1} << bit;
  else
    word->check ^= 1U << (bit - code.k);
}

/// Flips `weight` different bits of `stored`; a bit that is already flipped is drawn again.
Word hit(const Code& code, const Word& stored, int weight, Draws draws) {
  Word word = stored;
  std::array<bool, 76> flipped{};
  for (int left = weight; left > 0;) {
    const int bit = draws.below(code.n);
    if (flipped[static_cast<std::size_t>(bit)]) continue;
    flipped[static_cast<std::size_t>(bit)] = true;
    flip(code, &word, bit);
    --left;
  }
  return word;
}

/// Calls visit(bits) for every choice of `weight` of n bits.
template <class Visit>
void for_each_choice(int n, int weight, Visit visit) {
  std::vector<int> bits(static_cast<std::size_t>(weight));
  std::iota(bits.begin(), bits.end(), 0);
  for (;;) {
    visit(bits);
    int i = weight - 1;
    while (i >= 0 && bits[static_cast<std::size_t>(i)] == n - weight + i) --i;
    if (i < 0) return;
    std::iota(bits.begin() + i, bits.end(), bits[static_cast<std::size_t>(i)] + 1);
  }
}

/// Stored words in a fixed order.
class StoredWords {
 public:
  explicit StoredWords(const Workload& workload) : workload_(workload) {}

  Word at(std::uint64_t i) const {
    const Code& code = workload_.code().code();
    const std::size_t word = i / workload_.tokens() % workload_.code().words();
    return encode_ref(code, read_bits(workload_.data(i % workload_.tokens()),
                                      word * static_cast<std::size_t>(code.k), code.k));
  }

 private:
  const Workload& workload_;
};

void count(const Code& code, const Word& stored, const Word& received, Stratum* stratum) {
  const Decoded decoded = decode_ref(code, received);
  const bool wrong = decoded.status != WordStatus::detected && decoded.word != stored;
  const auto status = static_cast<std::size_t>(decoded.status);  // in the order of outcomes
  ++stratum->words[wrong ? std::size_t{kMiscorrected} : status];
  ++stratum->samples;
}

double heavier(int n, double p) {
  double sum = 0;
  for (int w = n; w > kMaxWeight; --w) sum += weight_probability(n, w, p);
  return sum;
}

int bits_of(const WeightCounts& counts) { return static_cast<int>(counts.counts.size()) - 1; }

}  // namespace

std::vector<Stratum> sample_strata(const Workload& workload, const Site& site,
                                   std::uint64_t samples) {
  const Code& code = workload.code().code();
  const StoredWords words(workload);
  std::vector<Stratum> strata;
  for (int weight = 1; weight <= std::min(code.n, kMaxWeight); ++weight) {
    Stratum stratum;
    stratum.weight = weight;
    stratum.exhaustive = choose(code.n, weight) <= kMaxEnumerated;
    if (stratum.exhaustive) {
      for_each_choice(code.n, weight, [&](const std::vector<int>& bits) {
        const Word stored = words.at(stratum.samples);
        Word received = stored;
        for (const int bit : bits) flip(code, &received, bit);
        count(code, stored, received, &stratum);
      });
    } else {
      for (std::uint64_t i = 0; i < samples; ++i) {
        const Word stored = words.at(i);
        const Draws draws(site, weight, static_cast<std::uint32_t>(i));
        count(code, stored, hit(code, stored, weight, draws), &stratum);
      }
    }
    stratum.words[kFailed] = stratum.words[kDetected] + stratum.words[kMiscorrected];
    strata.push_back(stratum);
  }
  return strata;
}

StratifiedRate stratified_rate(const std::vector<Stratum>& strata, Outcome outcome,
                               const WeightCounts& expected, double p) {
  const int n = bits_of(expected);
  StratifiedRate result;
  double below = 0, above = 0, smallest = 1;
  for (const Stratum& stratum : strata) {
    const auto events = static_cast<double>(stratum.words[outcome]);
    const auto samples = static_cast<double>(stratum.samples);
    const double share = weight_probability(n, stratum.weight, p), rate = events / samples;
    const double right =
        expected[static_cast<std::size_t>(stratum.weight)] / choose(n, stratum.weight);
    result.rate += share * rate;
    if (stratum.exhaustive) {
      smallest = std::min(smallest, std::fabs(rate - right) < 1e-9 ? 1.0 : 0.0);
      continue;
    }
    const Interval interval = wilson(events, samples);
    below += std::pow(share * (rate - interval.low), 2);
    above += std::pow(share * (interval.high - rate), 2);
    smallest = std::min(smallest, binomial_p_value(events, samples, std::min(1.0, right)));
  }
  result.interval = {std::max(0.0, result.rate - std::sqrt(below)),
                     result.rate + std::sqrt(above) + heavier(n, p)};
  result.p_value = std::min(1.0, smallest * static_cast<double>(strata.size()));
  return result;
}

bool strata_suffice(const WeightCounts& expected, double p) {
  return heavier(bits_of(expected), p) < 1e-3 * expected.at(p);
}

}  // namespace axelram::faults

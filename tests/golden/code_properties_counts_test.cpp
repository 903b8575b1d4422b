#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "check.hpp"
#include "golden/code_properties.hpp"

using namespace axelram;
using namespace code_properties;

namespace {

/// Mean counts of a decoder for one word of a binary symmetric channel: exact, from all
/// 2^n error patterns.
class Channel {
 public:
  explicit Channel(const std::string& name) : code_(make_code(name)) {
    for (std::uint32_t error = 0; error < 1U << code_.n; ++error) {
      const Decoded decoded = decode_ref(code_, split(code_, error));
      const auto w = static_cast<std::size_t>(weight(error));
      const std::uint32_t left = joined(code_, decoded.word);
      ++words_[static_cast<std::size_t>(decoded.status)][w];
      rightly_[w] += decoded.status == WordStatus::corrected && left == 0;
      bits_[w] += weight(left ^ error);
    }
  }
  double words(WordStatus status, double p) const {
    return mean(words_[static_cast<std::size_t>(status)], p);
  }
  double rightly_corrected(double p) const { return mean(rightly_, p); }
  double flipped_bits(double p) const { return mean(bits_, p); }

 private:
  using ByWeight = std::array<double, 25>;
  double mean(const ByWeight& counts, double p) const {
    double sum = 0;
    for (int w = 0; w <= code_.n; ++w)
      sum += counts[static_cast<std::size_t>(w)] * std::pow(p, w) * std::pow(1 - p, code_.n - w);
    return sum;
  }

  Code code_;
  std::array<ByWeight, 4> words_{};
  ByWeight rightly_{}, bits_{};
};

/// Standard deviations between a ratio of two printed counts and the ratio expected, the counts
/// taken for Poisson.
double deviation(double a, double b, double expected) {
  return std::abs(a / b / expected - 1) / std::sqrt(1 / a + 1 / b);
}

// references.md#ecc-kv-cache, tables 7 and 8, at bit error rates 1e-4, 1e-3, 1e-2.
const std::array<double, 3> kRates = {1e-4, 1e-3, 1e-2};
const std::array<double, 3> kHamming74 = {57848, 577332, 5606766};
const std::array<double, 3> kHamming84 = {58154, 575589, 5394530};
const std::array<double, 3> kGolay = {66266, 665996, 6642140};
const std::array<double, 3> kHamming84Detected = {47, 2340, 218139};

}  // namespace

TEST_CASE("Table 7 counts hamming84 without the hits of its parity bit") {
  const Channel hamming74("hamming74"), hamming84("hamming84");
  for (std::size_t i = 0; i < 3; ++i) {
    CASE(i);
    const double p = kRates[i];
    const double words74 = hamming74.words(WordStatus::corrected, p);
    const double without = hamming84.words(WordStatus::corrected, p);
    const double with = without + hamming84.words(WordStatus::parity_only, p);
    CHECK(deviation(kHamming84[i], kHamming74[i], without / words74) < 3);
    CHECK(deviation(kHamming84[i], kHamming74[i], with / words74) > 20);
  }
}

TEST_CASE("Table 7's \"successfully corrected\" words of hamming74 include the miscorrected ones") {
  const Channel channel("hamming74");
  const auto ratio = [&](auto mean) { return mean(1e-2) / mean(1e-3); };
  const double all = ratio([&](double p) { return channel.words(WordStatus::corrected, p); });
  const double rightly = ratio([&](double p) { return channel.rightly_corrected(p); });
  CHECK(deviation(kHamming74[2], kHamming74[1], all) < 3);
  CHECK(deviation(kHamming74[2], kHamming74[1], rightly) > 15);
  // Nearly three in a hundred at a rate of 1 %.
  CHECK(1 - channel.rightly_corrected(1e-2) / channel.words(WordStatus::corrected, 1e-2) ==
        doctest::Approx(0.0298).epsilon(0.01));
}

TEST_CASE("Table 7 counts bits for golay24 and words for the Hamming codes") {
  const Channel channel("golay24");
  const auto ratio = [&](auto mean) { return mean(1e-2) / mean(1e-4); };
  const double words = ratio([&](double p) { return channel.words(WordStatus::corrected, p); });
  const double bits = ratio([&](double p) { return channel.flipped_bits(p); });
  CHECK(words == doctest::Approx(89.4).epsilon(1e-3));
  CHECK(bits == doctest::Approx(99.9).epsilon(1e-3));
  CHECK(deviation(kGolay[2], kGolay[0], bits) < 3);
  CHECK(deviation(kGolay[2], kGolay[0], words) > 20);
}

TEST_CASE("Table 8 flags twice as many words of hamming84 at 1e-4 as independent hits would") {
  const Channel channel("hamming84");
  const auto expected = [&](std::size_t i) {
    return kHamming84[i] * channel.words(WordStatus::detected, kRates[i]) /
           channel.words(WordStatus::corrected, kRates[i]);
  };
  CHECK(expected(0) == doctest::Approx(23.3).epsilon(0.01));
  CHECK(std::abs(kHamming84Detected[0] - expected(0)) > 4.5 * std::sqrt(expected(0)));
  for (const std::size_t i : {1U, 2U})
    CHECK_AT(i, std::abs(kHamming84Detected[i] - expected(i)) < 3 * std::sqrt(expected(i)));
}

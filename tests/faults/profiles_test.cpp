#include "axelram/faults/profiles.hpp"

#include <bit>
#include <cmath>

#include "check.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

Word word_of(const Code& code, std::uint64_t bits) {
  return {bits & ((std::uint64_t{1} << code.k) - 1), static_cast<std::uint32_t>(bits >> code.k)};
}

std::size_t weight(std::uint64_t bits) { return static_cast<std::size_t>(std::popcount(bits)); }

/// Decodes all 2^n patterns.
WordProfile enumerate(const Code& code) {
  const WeightCounts none(code.n);
  WordProfile profile{none, none, none, none, none};
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << code.n; ++bits) {
    const Decoded decoded = decode_ref(code, word_of(code, bits));
    const bool right = decoded.word == Word{};
    WeightCounts& counts = decoded.status == WordStatus::detected    ? profile.detected
                           : !right                                  ? profile.miscorrected
                           : decoded.status == WordStatus::clean     ? profile.clean
                           : decoded.status == WordStatus::corrected ? profile.corrected
                                                                     : profile.parity_only;
    counts[weight(bits)] += 1;
  }
  return profile;
}

const std::vector<const char*> kSmall = {"hamming74", "hamming84", "hsiao_7_3", "hsiao_13_8",
                                         "golay24"};

TEST_CASE("outcomes by weight equal the decoding of all 2^n patterns") {
  for (const char* name : kSmall) {
    CASE(name);
    const Code code = make_code(name);
    const WordProfile closed = word_profile(code), all = enumerate(code);
    CHECK_SAME(closed.clean.counts, all.clean.counts);
    CHECK_SAME(closed.corrected.counts, all.corrected.counts);
    CHECK_SAME(closed.parity_only.counts, all.parity_only.counts);
    CHECK_SAME(closed.detected.counts, all.detected.counts);
    CHECK_SAME(closed.miscorrected.counts, all.miscorrected.counts);
  }
}

TEST_CASE("known weights: the paper's statements") {
  const WordProfile hamming = word_profile(make_code("hamming74"));
  CHECK(hamming.miscorrected[2] ==
        21);  // every double error (references.md#ecc-kv-cache, section 5.1.4)
  CHECK(hamming.corrected[1] == 7);
  const WordProfile secded = word_profile(make_code("hamming84"));
  CHECK(secded.detected[2] == 28);  // every double error (references.md#ecc-kv-cache, section 5.2)
  CHECK(secded.parity_only[1] == 1);
  CHECK(secded.corrected[1] == 7);
  const WordProfile golay = word_profile(make_code("golay24"));
  CHECK(1 + golay.corrected[1] + golay.corrected[2] + golay.corrected[3] ==
        2325);                          // (references.md#ecc-kv-cache, equation 37)
  CHECK(golay.detected[4] == 10626);    // C(24, 4)
  CHECK(golay.miscorrected[8] >= 759);  // the codewords of weight 8 among them
  double detected = 0;
  for (const double count : golay.detected.counts) detected += count;
  CHECK(detected == 1771.0 * 4096);  // of 2^12 patterns each
}

TEST_CASE("the syndrome distribution is the Walsh-Hadamard formula's") {
  for (const char* name : {"hamming74", "hamming84", "golay24", "hsiao_22_16", "hsiao_72_64"}) {
    CASE(name);
    const Code code = make_code(name);
    const std::vector<std::uint32_t> columns = columns_of(code);
    const std::vector<WeightCounts> cosets = coset_weights(columns, code.check_bits());
    const double p = 0.03;
    for (std::uint32_t s = 0; s < cosets.size();
         s += static_cast<std::uint32_t>(cosets.size() / 8)) {
      CASE(s);
      double sum = 0;
      for (std::uint32_t u = 0; u < cosets.size(); ++u) {
        int ones = 0;
        for (const std::uint32_t column : columns) ones += std::popcount(column & u) & 1;
        sum += (std::popcount(u & s) % 2 == 0 ? 1 : -1) * std::pow(1 - 2 * p, ones);
      }
      CHECK(cosets[s].at(p) ==
            doctest::Approx(sum / static_cast<double>(cosets.size())).epsilon(1e-9));
    }
  }
}

TEST_CASE("outcomes add up to one at any rate") {
  for (const char* name : {"hamming84", "golay24", "hsiao_72_64", "hsiao_39_32"})
    for (const double p : {0.0, 1e-9, 1e-4, 0.1, 0.5, 1.0}) {
      CASE(name, p);
      const WordProfile profile = word_profile(make_code(name));
      CHECK(profile.clean.at(p) + profile.corrected.at(p) + profile.parity_only.at(p) +
                profile.failed().at(p) ==
            doctest::Approx(1).epsilon(1e-12));
    }
  // Rare events keep their digits: the lightest miscorrected error of golay24 has weight 5.
  const double p = 1e-6;
  const WordProfile golay = word_profile(make_code("golay24"));
  CHECK(golay.miscorrected.at(p) ==
        doctest::Approx(golay.miscorrected[5] * std::pow(p, 5)).epsilon(1e-4));
}

TEST_CASE("parts of a word equal the decoding of all 2^n patterns") {
  for (const char* name : {"hamming74", "hamming84", "hsiao_13_8"}) {
    const Code code = make_code(name);
    for (int first = 0; first < code.k; ++first)
      for (int count = 1; count <= std::min(4, code.k - first); ++count) {
        CASE(name, first, count);
        const PartProfile part = part_profile(code, first, count, true);
        const PartProfile whole = part_profile(code, first, count, false);
        PartProfile all = part;
        for (WeightCounts& counts : all.undetected) counts = WeightCounts(code.n);
        all.detected_right = all.detected_wrong = WeightCounts(code.n);
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << code.n; ++bits) {
          const Decoded decoded = decode_ref(code, word_of(code, bits));
          const std::uint64_t left = decoded.word.data >> first & ((1U << count) - 1);
          if (decoded.status != WordStatus::detected)
            all.undetected[left][weight(bits)] += 1;
          else
            (left == 0 ? all.detected_right : all.detected_wrong)[weight(bits)] += 1;
        }
        for (std::size_t error = 0; error < all.undetected.size(); ++error) {
          CASE(error);
          CHECK_SAME(part.undetected[error].counts, all.undetected[error].counts);
        }
        CHECK_SAME(part.detected_right.counts, all.detected_right.counts);
        CHECK_SAME(part.detected_wrong.counts, all.detected_wrong.counts);
        CHECK_SAME(whole.undetected[0].counts, all.undetected[0].counts);
        WeightCounts wrong(code.n);
        for (std::size_t error = 1; error < all.undetected.size(); ++error)
          wrong += all.undetected[error];
        CHECK_SAME(whole.undetected[1].counts, wrong.counts);
      }
  }
}

}  // namespace

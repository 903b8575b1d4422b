#include "axelram/fast_nuq.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/float_mode.hpp"
#include "golden/tier_oracle.hpp"

using namespace axelram;

namespace {

using namespace tier_oracle;
using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

void check_decoded(const NuqLayout& layout, const Row& levels, const NuqRanges& ranges,
                   const Bytes& row, unsigned mode) {
  Floats expected(layout.d), x(layout.d);
  decode_nuq_ref(layout, levels, ranges, row.data(), expected.data());
  run_in_mode(mode, [&] { decode_nuq(layout, levels, ranges, row.data(), x.data()); });
  REQUIRE(test::same_bits(x, expected));
}

}  // namespace

TEST_CASE("fast KVQuant rows equal golden's, whatever the caller's modes") {
  tier_oracle::Rng rng(141);
  // As usual; flush; down; up; to zero.
  for (const unsigned mode : {0x1F80U, 0x9FC0U, 0x3F80U, 0x5F80U, 0x7F80U})
    for (const int bits : {2, 3, 4})
      for (const std::size_t d : {8, 32, 64, 128, 256})
        for (const std::size_t outliers : {std::size_t{0}, std::size_t{2}, d / 4})
          for (int trial = 0; trial < 12; ++trial) {
            CASE(mode, bits, d, outliers, trial);
            const Row centroids = tier_oracle::random_centroids(rng, bits);
            const Row levels = tier_oracle::random_centroids(rng, bits);
            const std::vector<double> boundaries = nuq_boundaries_ref(centroids);
            const int most = (1 << bits) - 1;
            const Row x = tier_oracle::adversarial_group(rng, d, most);

            const NuqLayout values{bits, d, outliers, true};
            Bytes expected(values.bytes()), row;
            encode_nuq_value_ref(values, boundaries, x.data(), expected.data());
            for (const SimdLevel level : fast_test::levels()) {
              CASE(level);
              row.assign(values.bytes(), 0xA5);
              run_in_mode(
                  mode, [&] { encode_nuq_value(values, boundaries, x.data(), row.data(), level); });
              REQUIRE_SAME(row, expected);
            }
            check_decoded(values, levels, {nullptr, nullptr}, row, mode);

            const NuqLayout keys{bits, d, outliers, false};
            const Row middles = tier_oracle::adversarial_group(rng, d, most);
            Row radii = tier_oracle::adversarial_group(rng, d, most);
            for (Half& radius : radii) radius = radius & 0x7FFF;
            const NuqRanges ranges{middles.data(), radii.data()};
            expected.resize(keys.bytes());
            encode_nuq_key_ref(keys, boundaries, ranges, x.data(), expected.data());
            for (const SimdLevel level : fast_test::levels()) {
              CASE(level);
              row.assign(keys.bytes(), 0xA5);
              run_in_mode(mode, [&] {
                encode_nuq_key(keys, boundaries, ranges, x.data(), row.data(), level);
              });
              REQUIRE_SAME(row, expected);
            }
            check_decoded(keys, levels, ranges, row, mode);
          }
}

TEST_CASE("fast KVQuant: a sum that is rounded twice") {
  const NuqLayout layout{2, 32, 0, true};
  const Row levels = {0xBC00, 0x0003, 0x3800, 0x3C00};
  Bytes row(layout.bytes(), 0x55);
  const Bytes extremes = {0x20, 0x80, 0xAB, 0x7A};
  std::copy(extremes.begin(), extremes.end(), row.begin() + 8);
  check_decoded(layout, levels, {nullptr, nullptr}, row, 0x1F80);
}

TEST_CASE("fast KVQuant rejects what golden rejects") {
  const std::vector<double> boundaries = nuq_boundaries_ref({0xBA00, 0xB400, 0x3400, 0x3A00});
  const Row ones(32, 0x3C00);
  for (const std::size_t at : {0, 17, 31}) {
    CASE(at);
    Row x(32, 0);
    x[at] = 0x7C00;
    Bytes row(64);
    for (const SimdLevel level : fast_test::levels()) {
      CASE(level);
      CHECK_THROWS_WITH_AS(
          encode_nuq_value({2, 32, 2, true}, boundaries, x.data(), row.data(), level),
          doctest::Contains("not finite"), std::invalid_argument);
      CHECK_THROWS_WITH_AS(encode_nuq_key({2, 32, 2, false}, boundaries, {ones.data(), ones.data()},
                                          x.data(), row.data(), level),
                           doctest::Contains("not finite"), std::invalid_argument);
    }
  }
}

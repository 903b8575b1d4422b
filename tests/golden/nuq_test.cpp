#include "axelram/nuq.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "axelram/tier_bytes.hpp"
#include "check.hpp"
#include "golden/tier_oracle.hpp"

using namespace axelram;

namespace {

using namespace tier_oracle;
using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

int length(Int128 magnitude) {
  int bits = 0;
  for (; magnitude != 0; magnitude /= 2) ++bits;
  return bits;
}

/// RNE to `bits` significant bits.
Int128 to_bits(Int128 value, int bits) {
  const int surplus = length(value < 0 ? -value : value) - bits;
  if (surplus <= 0) return value;
  const Int128 unit = Int128{1} << surplus;
  return tier_oracle::rounded(value, unit) * unit;
}

/// FP64 RNE of numerator / denominator, denominator > 0.
double quotient(Int128 numerator, Int128 denominator) {
  if (numerator == 0) return 0;
  const Int128 magnitude = numerator < 0 ? -numerator : numerator;
  // 2^shift * magnitude / denominator lies in [2^52, 2^54): one of two shifts has 53 bits.
  int shift = 53 - length(magnitude) + length(denominator);
  const auto scaled = [&](Int128 x, int by) { return by > 0 ? x << by : x; };
  while (tier_oracle::rounded(scaled(magnitude, shift), scaled(denominator, -shift)) > Int128{1}
                                                                                           << 53)
    --shift;
  const auto digits = static_cast<double>(
      tier_oracle::rounded(scaled(magnitude, shift), scaled(denominator, -shift)));
  return std::ldexp(numerator < 0 ? -digits : digits, -shift);
}

/// Multiples of 2^-25.
struct Span {
  std::int64_t middle, radius;
};

struct Expected {
  std::vector<double> y;
  std::set<std::size_t> outliers;
  std::vector<Span> spans;
  Half least = 0, largest = 0;
};

/// The next of `left` that `better` prefers to all others, lower channels first.
template <typename Better>
std::size_t best(const std::set<std::size_t>& left, Better better) {
  std::size_t chosen = *left.begin();
  for (const std::size_t channel : left)
    if (better(channel, chosen)) chosen = channel;
  return chosen;
}

Expected expected_key(const Row& x, const Row& middles, const Row& radii, std::size_t outliers) {
  Expected of;
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < x.size(); ++i) {
    of.spans.push_back({2 * tier_oracle::units(middles[i]), 2 * tier_oracle::units(radii[i])});
    const Int128 above = tier_oracle::units(x[i]) - tier_oracle::units(middles[i]);
    of.y.push_back(of.spans[i].radius == 0 ? 0 : quotient(above, tier_oracle::units(radii[i])));
    left.insert(i);
  }
  while (of.outliers.size() < outliers) {
    const std::size_t channel = best(
        left, [&](std::size_t a, std::size_t b) { return std::abs(of.y[a]) > std::abs(of.y[b]); });
    of.outliers.insert(channel);
    left.erase(channel);
  }
  return of;
}

Expected expected_value(const Row& x, std::size_t outliers) {
  Expected of;
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < x.size(); ++i) left.insert(i);
  const auto less = [&](std::size_t a, std::size_t b) {
    return tier_oracle::units(x[a]) < tier_oracle::units(x[b]);
  };
  const auto greater = [&](std::size_t a, std::size_t b) { return less(b, a); };
  for (std::size_t i = 0; i < outliers; ++i) {
    const std::size_t channel = i < outliers / 2 ? best(left, less) : best(left, greater);
    of.outliers.insert(channel);
    left.erase(channel);
  }
  const std::int64_t least = tier_oracle::units(x[best(left, less)]);
  const std::int64_t largest = tier_oracle::units(x[best(left, greater)]);
  of.least = tier_oracle::nearest(least, 1);
  of.largest = tier_oracle::nearest(largest, 1);
  const Span span{largest + least, largest - least};
  for (std::size_t i = 0; i < x.size(); ++i) {
    of.spans.push_back(span);
    const Int128 above = 2 * tier_oracle::units(x[i]) - span.middle;
    of.y.push_back(span.radius == 0 ? 0 : quotient(above, span.radius));
  }
  return of;
}

std::size_t expected_index(const Row& centroids, double y) {
  std::size_t index = 0;
  for (std::size_t j = 0; j + 1 < centroids.size(); ++j) {
    const std::int64_t both =
        tier_oracle::units(centroids[j]) + tier_oracle::units(centroids[j + 1]);
    index += static_cast<double>(both) * 0x1p-25 < y ? 1 : 0;
  }
  return index;
}

Bytes expected_bytes(const NuqLayout& layout, const Row& centroids, const Expected& of,
                     const Row& x) {
  Bytes row(layout.index_bytes());
  for (std::size_t i = 0; i < layout.d; ++i)
    for (std::size_t k = 0; k < static_cast<std::size_t>(layout.bits); ++k) {
      const std::size_t bit = i * static_cast<std::size_t>(layout.bits) + k;
      if ((expected_index(centroids, of.y[i]) >> k & 1) != 0)
        row[bit / 8] = static_cast<std::uint8_t>(row[bit / 8] | 1 << bit % 8);
    }
  const auto append = [&](Half half) {
    row.push_back(static_cast<std::uint8_t>(half & 0xFF));
    row.push_back(static_cast<std::uint8_t>(half >> 8));
  };
  if (layout.values) {
    append(of.least);
    append(of.largest);
  }
  for (const std::size_t channel : of.outliers) row.push_back(static_cast<std::uint8_t>(channel));
  for (const std::size_t channel : of.outliers) append(x[channel]);
  return row;
}

Floats expected_decoded(const Row& centroids, const Row& levels, const Expected& of, const Row& x) {
  Floats decoded;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (of.outliers.count(i) != 0) {
      const float element = tier_oracle::decoded(tier_oracle::units(x[i]));
      decoded.push_back(x[i] == 0x8000 ? -0.0F : element);
      continue;
    }
    const std::int64_t level = tier_oracle::units(levels[expected_index(centroids, of.y[i])]);
    const Int128 exact = (Int128{of.spans[i].middle} << 24) + Int128{of.spans[i].radius} * level;
    const Int128 rounded = to_bits(to_bits(exact, 53), 24);
    decoded.push_back(static_cast<float>(std::ldexp(static_cast<double>(rounded), -49)));
  }
  return decoded;
}

Bytes encoded(const NuqLayout& layout, const Row& centroids, const NuqRow& of, const Row& x) {
  Bytes row(layout.bytes(), 0xA5);
  encode_nuq_ref(layout, nuq_boundaries_ref(centroids), of, x.data(), row.data());
  return row;
}

Floats decoded(const NuqLayout& layout, const Row& levels, const NuqRanges& ranges,
               const Bytes& row) {
  Floats x(layout.d, std::numeric_limits<float>::quiet_NaN());
  decode_nuq_ref(layout, levels, ranges, row.data(), x.data());
  return x;
}

const Row kQuarters = {0xBA00, 0xB400, 0x3400, 0x3A00};  // -0.75, -0.25, 0.25, 0.75
const Row kRow = {0x3800, 0xC000, 0x3C00, 0x3C00, 0x4200, 0xBC00, 0x0000, 0x4200};

}  // namespace

TEST_CASE("KVQuant: the contract's vectors") {
  const NuqLayout values{2, 8, 2, true};
  const NuqRow value = nuq_value_ref(values, kRow.data());
  CHECK(value.least == 0xBC00);
  CHECK(value.largest == 0x4200);
  CHECK_SAME(value.y, std::vector<double>{-0.25, -1.5, 0, 0, 1, -1, -0.5, 1});
  CHECK_SAME(encoded(values, kQuarters, value, kRow),
             Bytes{0x51, 0xC3, 0x00, 0xBC, 0x00, 0x42, 0x01, 0x04, 0x00, 0xC0, 0x00, 0x42});

  const NuqLayout keys{2, 8, 2, false};
  const Row middles(8, 0x3C00);
  const Row radii = {0x4000, 0x4000, 0x0000, 0x4000, 0x4000, 0x4000, 0x4000, 0x4000};
  const NuqRow key = nuq_key_ref(keys, {middles.data(), radii.data()}, kRow.data());
  CHECK_SAME(encoded(keys, kQuarters, key, kRow),
             Bytes{0x51, 0xC3, 0x01, 0x04, 0x00, 0xC0, 0x00, 0x42});
}

TEST_CASE("KVQuant: rows are the contract's in exact arithmetic, for every shape") {
  tier_oracle::Rng rng(81);
  for (const int bits : {2, 3, 4})
    for (const std::size_t d : {32, 64, 128, 256})
      for (const double share : {0.0, 0.01, 0.05, 0.25})
        for (int trial = 0; trial < 12; ++trial) {
          CASE(bits, d, share, trial);
          const std::size_t outliers = nuq_outlier_count(share, d);
          const Row centroids = tier_oracle::random_centroids(rng, bits);
          const Row levels = tier_oracle::uniform(rng, 0, 1) == 0
                                 ? centroids
                                 : tier_oracle::random_centroids(rng, bits);
          const Row x = tier_oracle::adversarial_group(rng, d, (1 << bits) - 1);

          const NuqLayout values{bits, d, outliers, true};
          const NuqRow value = nuq_value_ref(values, x.data());
          const Expected of_value = expected_value(x, outliers);
          REQUIRE_SAME(value.y, of_value.y);
          const Bytes value_row = encoded(values, centroids, value, x);
          REQUIRE_SAME(value_row, expected_bytes(values, centroids, of_value, x));
          REQUIRE(test::same_bits(decoded(values, levels, {nullptr, nullptr}, value_row),
                                  expected_decoded(centroids, levels, of_value, x)));

          const NuqLayout keys{bits, d, outliers, false};
          Row middles = tier_oracle::adversarial_group(rng, d, (1 << bits) - 1);
          Row radii = tier_oracle::adversarial_group(rng, d, (1 << bits) - 1);
          for (Half& radius : radii) radius = radius & 0x7FFF;
          const NuqRanges ranges{middles.data(), radii.data()};
          const NuqRow key = nuq_key_ref(keys, ranges, x.data());
          const Expected of_key = expected_key(x, middles, radii, outliers);
          REQUIRE_SAME(key.y, of_key.y);
          const Bytes key_row = encoded(keys, centroids, key, x);
          REQUIRE_SAME(key_row, expected_bytes(keys, centroids, of_key, x));
          const std::vector<double> boundaries = nuq_boundaries_ref(centroids);
          Bytes at_once(keys.bytes()), value_at_once(values.bytes());
          encode_nuq_key_ref(keys, boundaries, ranges, x.data(), at_once.data());
          encode_nuq_value_ref(values, boundaries, x.data(), value_at_once.data());
          REQUIRE_SAME(at_once, key_row);
          REQUIRE_SAME(value_at_once, value_row);
          REQUIRE(test::same_bits(decoded(keys, levels, ranges, key_row),
                                  expected_decoded(centroids, levels, of_key, x)));
        }
}

TEST_CASE("KVQuant: outliers of a row, and bytes") {
  CHECK(nuq_outlier_count(0, 128) == 0);
  for (const std::size_t d : {32, 64, 128}) CHECK_AT(d, nuq_outlier_count(0.01, d) == 2);
  CHECK(nuq_outlier_count(0.01, 256) == 4);
  CHECK(nuq_outlier_count(1.0 / 64, 128) == 2);
  CHECK(nuq_outlier_count(std::nextafter(1.0 / 64, 1), 128) == 4);
  CHECK(nuq_outlier_count(0.25, 256) == 64);
  CHECK(nuq_outlier_count(1e-300, 32) == 2);
  for (const double share : {-0.01, 0.2501, std::numeric_limits<double>::quiet_NaN()}) {
    CASE(share);
    CHECK_THROWS_WITH_AS(nuq_outlier_count(share, 128), doctest::Contains("0 to 0.25"),
                         std::invalid_argument);
  }
  for (const int bits : {2, 3, 4})
    for (const std::size_t d : {32, 64, 128, 256}) {
      CASE(bits, d);
      const std::size_t outliers = nuq_outlier_count(0.01, d);
      const TierShape shape{d, 32, 32, outliers};
      const TierStore store{TierFormat::kvquant, bits};
      CHECK(block_bytes_ref(TierPart::values, store, shape).total() ==
            NuqLayout{bits, d, outliers, true}.bytes());
      CHECK(block_bytes_ref(TierPart::keys, store, shape).total() ==
            32 * NuqLayout{bits, d, outliers, false}.bytes());
    }
}

TEST_CASE("KVQuant: a tie takes the lower index, the next number the upper") {
  const std::vector<double> boundaries = nuq_boundaries_ref(kQuarters);
  CHECK_SAME(boundaries, std::vector<double>{-0.5, 0, 0.5});
  for (int j = 0; j < 3; ++j) {
    CASE(j);
    const double boundary = boundaries[static_cast<std::size_t>(j)];
    CHECK(nuq_index_ref(boundaries, boundary) == j);
    CHECK(nuq_index_ref(boundaries, std::nextafter(boundary, 2)) == j + 1);
    CHECK(nuq_index_ref(boundaries, std::nextafter(boundary, -2)) == j);
  }
  CHECK(nuq_index_ref(boundaries, -1e300) == 0);
  CHECK(nuq_index_ref(boundaries, 1e300) == 3);
  // Midpoints of neighbours need a bit more than FP16 has.
  CHECK_SAME(nuq_boundaries_ref({0x0001, 0x0002, 0x7BFE, 0x7BFF}),
             std::vector<double>{0x1.8p-24, 32736 + 0x1p-24, 65488});
}

TEST_CASE("KVQuant: a decoded element is rounded to FP64, then to FP32") {
  // 54624 and -2^-19: the middle and the radius times 3 * 2^-24 add up to just more than half-way
  // between two FP32 numbers, by less than FP64 holds. The tie then goes to the even one.
  const NuqLayout layout{2, 32, 0, true};
  Bytes row(layout.bytes(), 0x55);
  const Bytes extremes = {0x20, 0x80, 0xAB, 0x7A};
  std::copy(extremes.begin(), extremes.end(), row.begin() + 8);
  const Row levels = {0xBC00, 0x0003, 0x3800, 0x3C00};
  const Floats x = decoded(layout, levels, {nullptr, nullptr}, row);
  const Int128 exact = (Int128{1707} << 53) + (Int128{5120} << 29) + 96;  // times 2^-49
  CHECK(x[0] == std::ldexp(static_cast<double>(to_bits(to_bits(exact, 53), 24)), -49));
  CHECK(to_bits(to_bits(exact, 53), 24) != to_bits(exact, 24));
}

TEST_CASE("KVQuant: zeros, constant rows, elements kept as they came") {
  const NuqLayout values{2, 8, 2, true};
  for (const int element : {0x0000, 0x8000, 0x0001, 0xFBFF, 0x7BFF}) {
    CASE(element);
    const Row x(8, static_cast<Half>(element));
    const NuqRow of = nuq_value_ref(values, x.data());
    const auto stored = static_cast<Half>(element == 0x8000 ? 0 : element);
    CHECK_SAME(of.y, std::vector<double>(8, 0));
    CHECK_SAME(of.outliers, Bytes{0, 1});
    CHECK(of.least == stored);
    CHECK(of.largest == stored);
    const Floats back =
        decoded(values, kQuarters, {nullptr, nullptr}, encoded(values, kQuarters, of, x));
    CHECK(std::signbit(back[0]) == (element >= 0x8000));  // an outlier, -0 included
    CHECK(std::signbit(back[2]) == (element > 0x8000));
    CHECK(back[2] == tier_oracle::decoded(tier_oracle::units(stored)));
  }
  // -0 and +0 are equal: the lower channels are outliers.
  const Row zeros = {0x0000, 0x8000, 0x0000, 0x8000, 0x8000, 0x0000, 0x0000, 0x8000};
  CHECK_SAME(nuq_value_ref(values, zeros.data()).outliers, Bytes{0, 1});
  // A middle that a file has as -0, with a radius of 0.
  const NuqLayout keys{2, 8, 0, false};
  const Row middles(8, 0x8000), radii(8, 0);
  const NuqRanges ranges{middles.data(), radii.data()};
  const NuqRow key = nuq_key_ref(keys, ranges, zeros.data());
  for (const double y : key.y) CHECK_AT(y, !std::signbit(y));
  for (const float element : decoded(keys, kQuarters, ranges, encoded(keys, kQuarters, key, zeros)))
    CHECK_AT(element, (element == 0 && !std::signbit(element)));
  const Row ones(8, 0x3C00);
  for (const double y : nuq_key_ref(keys, {zeros.data(), ones.data()}, middles.data()).y)
    CHECK_AT(y, (y == 0 && !std::signbit(y)));
}

TEST_CASE("KVQuant: what is rejected") {
  const NuqLayout values{2, 8, 2, true};
  for (const int bad : {0x7C00, 0xFC00, 0x7E00}) {
    CASE(bad);
    Row x(8, 0);
    x[7] = static_cast<Half>(bad);
    CHECK_THROWS_WITH_AS(nuq_value_ref(values, x.data()), doctest::Contains("not finite"),
                         std::invalid_argument);
    const Row ones(8, 0x3C00);
    CHECK_THROWS_WITH_AS(nuq_key_ref(values, {ones.data(), ones.data()}, x.data()),
                         doctest::Contains("not finite"), std::invalid_argument);
  }
  for (const Row& centroids :
       {Row{0x3400, 0x3400}, Row{0x0000, 0x8000}, Row{0x3800, 0x3400}, Row{0x3400, 0x7C00},
        Row{0xFC00, 0x3400}, Row{0x7E00, 0x3400}, Row{0x3400, 0x7E00}}) {
    CASE(centroids);
    CHECK_THROWS_WITH_AS(nuq_boundaries_ref(centroids), doctest::Contains("ascend strictly"),
                         std::invalid_argument);
  }
}

#include <cmath>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/norm.hpp"
#include "axelram/quantizer.hpp"
#include "axelram/query_rounding.hpp"
#include "axelram/record.hpp"
#include "axelram/scale.hpp"
#include "check.hpp"
#include "element_rows.hpp"
#include "units/norm.cuh"
#include "units/quantizer.cuh"
#include "units/query_rounding.cuh"
#include "units/record.cuh"
#include "units/scale.cuh"

using namespace axelram;

// The kernels' arithmetic alone, on inputs at which it could go wrong.

namespace {

/// Right from every estimate that `kSteps` steps must mend, and by itself.
template <int kSteps>
bool root_holds(std::uint64_t square_sum) {
  const std::uint32_t expected = root_ref(square_sum);
  for (int off = -kSteps; off <= kSteps; ++off) {
    const std::int64_t estimate = std::int64_t{expected} + off;
    // An estimate of 0 is made of S = 0 alone.
    if (estimate < (square_sum == 0 ? 0 : 1)) continue;
    if (kernels::root_near<kSteps>(square_sum, static_cast<std::uint32_t>(estimate)) != expected)
      return false;
  }
  return kernels::root<kSteps>(square_sum) == expected;
}

}  // namespace

TEST_CASE("norm: the root is the nearest integer, around squares and where it changes") {
  test::Random random(1);
  for (int i = 0; i < 40000; ++i) {
    CASE(i);
    const int bits = test::between(random, 1, 24);
    const std::uint64_t k = i < 2000
                                ? static_cast<std::uint64_t>(i)
                                : (std::uint64_t{1} << bits) - 1 - random() % (1U << (bits - 1));
    for (const std::uint64_t centre : {k * k, k * k + k})
      for (int off = -2; off <= 2; ++off) {
        const std::uint64_t s = centre + static_cast<std::uint64_t>(off);
        if (s >> 48 != 0) continue;  // below 0, or too large
        CASE(centre, off, s);
        REQUIRE(root_holds<3>(s));
        if (k < (1U << 22) - 1) REQUIRE(root_holds<1>(s));
      }
  }
  REQUIRE(root_holds<3>((std::uint64_t{1} << 48) - 1));
}

TEST_CASE("norm: FP16 as golden rounds it, for every exponent") {
  test::Random random(2);
  for (int e = -150; e <= 130; ++e)
    for (int i = 0; i < 400; ++i) {
      const std::uint32_t root = static_cast<std::uint32_t>(
          i < 4 ? static_cast<std::uint64_t>(i) : (random() & 0xFFFFFF) >> (random() % 24));
      bool saturated = false;
      const std::uint16_t half = kernels::norm(root, e, &saturated);
      const Norm expected = norm_ref(root, e);
      CASE(i, root, e);
      REQUIRE(half == expected.half);
      REQUIRE(saturated == expected.saturated);
    }
  for (std::uint32_t root = 65500; root <= 65540; ++root) {
    CASE(root);
    bool saturated = false;
    CHECK(kernels::norm(root, 0, &saturated) == norm_ref(root, 0).half);
    CHECK(saturated == norm_ref(root, 0).saturated);
  }
}

namespace {

/// Every y beside a threshold, and far from all, gets golden's index.
template <int b>
void check_indices(const std::vector<std::int32_t>& boundaries, std::uint32_t root, int f) {
  constexpr int kCount = (1 << b) - 1, kPositive = kCount / 2;
  std::int32_t thresholds[kCount];
  thresholds_ref(boundaries.data(), kCount, root, f, thresholds);
  float a[kPositive];
  for (int j = 0; j < kPositive; ++j)
    a[j] = kernels::magnitude_threshold(boundaries[static_cast<std::size_t>(kPositive + 1 + j)],
                                        root, f);
  std::vector<std::int32_t> ys = {0, 1, -1, 1 << 22, -(1 << 22), (1 << 23) - 1, 1 - (1 << 23)};
  for (int j = 0; j < kCount; ++j) {
    CASE(j);
    REQUIRE(kernels::threshold(boundaries[static_cast<std::size_t>(j)], root, f) == thresholds[j]);
    for (int off = -2; off <= 2; ++off) ys.push_back(thresholds[j] + off);
  }
  for (const std::int32_t y : ys) {
    std::uint8_t expected = 0;
    quantize_ref(&y, 1, thresholds, kCount, &expected);
    const float index =
        kernels::centered_index<b>(static_cast<float>(y) - kernels::kQuarter, a) + kCount / 2.0F;
    CASE(b, y, root);
    REQUIRE(index == static_cast<float>(expected));
  }
}

}  // namespace

TEST_CASE(
    "scale: the unbiased norm as golden rounds it, about every quotient of 13 bits and more") {
  test::Random random(3);
  const auto check = [](std::uint64_t square_sum, std::uint64_t correlation, int exponent) {
    const auto a = static_cast<std::int64_t>(correlation);
    bool saturated = false;
    const std::uint16_t half = kernels::unbiased_norm(square_sum, a, exponent, &saturated);
    const Norm expected = unbiased_norm_ref(square_sum, a, exponent);
    CASE(square_sum, correlation, exponent);
    REQUIRE(half == expected.half);
    REQUIRE(saturated == expected.saturated);
  };
  for (int i = 0; i < 100000; ++i) {
    CASE(i);
    const std::uint64_t correlation = (random() >> 17 >> (random() % 46)) + 1;
    const std::uint64_t quotient = i % 2 == 0 ? random() % 8192 : random() >> 44;
    const std::uint64_t off = random() % 3;
    std::uint64_t square_sum = correlation * quotient + off;
    if (square_sum > 0 && i % 4 == 3) square_sum -= 1;
    if (square_sum >> 48 != 0 || square_sum >> 20 > correlation) continue;
    check(square_sum, correlation, test::between(random, -180, 130));
  }
  for (int i = 0; i < 100000; ++i) {
    CASE(i);
    const std::uint64_t square_sum = random() >> 16 >> (random() % 48);
    const std::uint64_t correlation = (random() >> 17 >> (random() % 46)) + 1;
    if (square_sum >> 20 > correlation) continue;
    check(square_sum, correlation, test::between(random, -60, 40));
  }
}

TEST_CASE("quantizer: an index follows from magnitude and sign, at every threshold") {
  test::Random random(3);
  for (const auto kind : {CodebookKind::gaussian, CodebookKind::beta})
    for (const int f : {10, 13, 16}) {
      const auto words = [&](int b) { return boundary_words(solve_codebook(kind, 64, b), f); };
      const auto two = words(2), three = words(3), four = words(4);
      for (int i = 0; i < 300; ++i) {
        // Multiples of 2^F make a_j integers: ties.
        const auto root = static_cast<std::uint32_t>(
            i < 30   ? static_cast<std::uint64_t>(i)
            : i < 60 ? static_cast<std::uint64_t>(i - 29) << f
                     : random() % (std::uint64_t{1} << test::between(random, 0, 20)));
        if (root > 1482910) continue;  // 2^20.5
        check_indices<2>(two, root, f);
        check_indices<3>(three, root, f);
        check_indices<4>(four, root, f);
      }
    }
}

namespace {

template <int b>
void check_pack(test::Random& random, int d) {
  std::vector<std::uint8_t> indices, record(static_cast<std::size_t>(record_bytes(d, b))), bytes;
  for (int i = 0; i < d; ++i)
    indices.push_back(static_cast<std::uint8_t>(i / 16 % 3 == 0   ? (1 << b) - 1
                                                : i / 16 % 3 == 1 ? 0
                                                                  : random() % (1U << b)));
  pack_record_ref(indices.data(), 0, d, b, record.data());
  for (std::size_t at = 0; at < indices.size(); at += 16) {
    CASE(at);
    float centered[16];
    for (std::size_t i = 0; i < 16; ++i)
      centered[i] = static_cast<float>(indices[at + i]) - ((1 << b) - 1) / 2.0F;
    std::uint32_t pieces[b];
    kernels::pack_indices<b>(centered, pieces);
    for (const std::uint32_t piece : pieces) {
      CASE(piece);
      REQUIRE(piece < 0x10000);
      bytes.push_back(static_cast<std::uint8_t>(piece & 0xFF));
      bytes.push_back(static_cast<std::uint8_t>(piece >> 8));
    }
    for (int i = 0; i < 16; ++i)
      REQUIRE_AT(i, ((kernels::unpack_four<b>(pieces, i / 4 * 4) >> (8 * (i % 4))) & 0xFFU) ==
                        indices[at + static_cast<std::size_t>(i)]);
  }
  record.resize(bytes.size());
  REQUIRE_SAME(bytes, record);
}

}  // namespace

TEST_CASE("record: sixteen indices are packed in FP32 as golden packs them") {
  test::Random random(4);
  for (int i = 0; i < 20; ++i) {
    check_pack<2>(random, 256);
    check_pack<3>(random, 256);
    check_pack<4>(random, 256);
  }
}

TEST_CASE("queries: an element is rounded as golden does, at ties and where it saturates") {
  test::Random random(5);
  for (int query_bits = 6; query_bits <= 16; ++query_bits)
    for (int i = 0; i < 3000; ++i) {
      CASE(query_bits, i);
      const int bits = test::between(random, 1, 28), shift = test::between(random, 0, 20);
      std::vector<std::int32_t> y = {(1 << bits) - test::between(random, 0, 2)};
      for (int k = 0; k < 8; ++k) {
        const std::int32_t any = static_cast<std::int32_t>(random() % (1U << bits));
        const std::int32_t tie = ((any >> shift) << shift) | ((1 << shift) >> 1);
        y.push_back((k % 2 == 0 ? any : tie) * (k % 4 < 2 ? 1 : -1));
      }
      std::vector<std::int32_t> u(y.size());
      const auto count = static_cast<int>(y.size());
      const int expected = round_query_ref(y.data(), count, query_bits, u.data());
      std::uint32_t largest = 0;
      for (const std::int32_t v : y)
        largest = std::max(largest, static_cast<std::uint32_t>(std::abs(v)));
      REQUIRE(kernels::query_shift(largest, query_bits) == expected);
      for (std::size_t k = 0; k < y.size(); ++k)
        REQUIRE_AT(k, kernels::round_query_element(y[k], expected, query_bits) == u[k]);
    }
}

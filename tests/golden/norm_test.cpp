#include "axelram/norm.hpp"

#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

/// N is nearest to sqrt(S) exactly if (2N - 1)^2 < 4 S < (2N + 1)^2, for N = 0 the right half.
void check_root(std::uint64_t s) {
  const auto n = static_cast<oracle::Int128>(root_ref(s));
  const auto four_s = static_cast<oracle::Int128>(s) * 4;
  REQUIRE(four_s < (2 * n + 1) * (2 * n + 1));
  if (n > 0) REQUIRE(four_s > (2 * n - 1) * (2 * n - 1));
}

void check_norm(std::uint32_t root, int e) {
  const double exact = std::ldexp(root, e);
  const Norm norm = norm_ref(root, e);
  CHECK(norm.saturated == (exact > 65504));
  const int expected = exact > 65504 ? 0x7BFF : oracle::nearest_code(exact, ElementFormat::fp16);
  CHECK(norm.half == expected);
}

}  // namespace

TEST_CASE("square sum is exact up to its widest") {
  oracle::Rng rng(9);
  for (const int d : {32, 256}) {
    CASE(d);
    std::vector<std::int32_t> m(static_cast<std::size_t>(d));
    oracle::Int128 sum = 0;
    for (std::int32_t& value : m) {
      value = oracle::uniform(rng, -(1 << 20) + 2, (1 << 20) - 2);
      sum += static_cast<oracle::Int128>(value) * value;
    }
    CHECK(square_sum_ref(m.data(), d) == static_cast<std::uint64_t>(sum));
  }
  const std::vector<std::int32_t> widest(256, -((1 << 20) - 2));
  const std::uint64_t s = square_sum_ref(widest.data(), 256);
  CHECK(s == 256ULL * ((1 << 20) - 2) * ((1 << 20) - 2));
  CHECK(s < 1ULL << 48);
  CHECK(root_ref(s) == 16u * ((1 << 20) - 2));
}

TEST_CASE("the root is the nearest integer") {
  for (std::uint64_t s = 0; s < 5000; ++s) {
    CASE(s);
    check_root(s);
  }
  oracle::Rng rng(10);
  for (int i = 0; i < 50000; ++i) {
    CASE(i);
    check_root(rng() >> oracle::uniform(rng, 2, 63));
  }
  for (int i = 0; i < 20000; ++i) {
    CASE(i);
    const std::uint64_t n = rng() >> oracle::uniform(rng, 34, 60);
    for (const std::uint64_t s : {n * n, n * n + n, n * n + n + 1, n * n + 2 * n}) {
      CASE(s);
      check_root(s);
    }
  }
  CHECK(root_ref(6) == 2);
  CHECK(root_ref(7) == 3);
}

TEST_CASE("the norm rounds once to FP16 and saturates above 65504") {
  oracle::Rng rng(11);
  for (int i = 0; i < 50000; ++i) {
    CASE(i);
    check_norm(static_cast<std::uint32_t>(rng() >> oracle::uniform(rng, 40, 63)),
               oracle::uniform(rng, -50, 10));
  }
  for (int e = -144; e <= 117; ++e)
    for (const std::uint32_t root : {0u, 1u, 2u, 3u, 2047u, 2048u, 0xFFFFFFu}) {
      CASE(e, root);
      check_norm(root, e);
    }
  for (std::uint32_t root = 65400; root < 65600; ++root)
    for (int e = -3; e <= 3; ++e) {
      CASE(root, e);
      check_norm(e > 0 ? root >> e : root << -e, e);
    }
}

TEST_CASE("the flag compares the exact value") {
  CHECK_FALSE(norm_ref(65504, 0).saturated);
  CHECK(norm_ref(65504, 0).half == 0x7BFF);
  CHECK(norm_ref(65505, 0).saturated);
  CHECK(norm_ref(65519, 0).saturated);
  CHECK(norm_ref(65520, 0).half == 0x7BFF);
  CHECK(norm_ref(65504 * 8 + 1, -3).saturated);
  CHECK_FALSE(norm_ref(65503, 0).saturated);
  CHECK(norm_ref(65503, 0).half == 0x7BFF);
  CHECK_FALSE(norm_ref(0, 117).saturated);
  CHECK(norm_ref(0, 117).half == 0);
  CHECK(norm_ref(1, 117).saturated);
}

TEST_CASE("subnormal norms are kept, ties go to even") {
  CHECK(norm_ref(1, -24).half == 1);
  CHECK(norm_ref(1, -25).half == 0);
  CHECK(norm_ref(3, -25).half == 2);
  CHECK(norm_ref(5, -25).half == 2);
  CHECK(norm_ref(3, -26).half == 1);
  CHECK(norm_ref(1, -144).half == 0);
  CHECK(norm_ref(2047, -25).half == 0x400);
}

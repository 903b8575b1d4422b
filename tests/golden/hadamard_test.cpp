#include "axelram/hadamard.hpp"

#include <doctest/doctest.h>

#include "golden/oracle.hpp"

using namespace axelram;

namespace {

std::vector<std::int32_t> random_vector(oracle::Rng& rng, int d, int limit) {
  std::vector<std::int32_t> x(static_cast<std::size_t>(d));
  for (std::int32_t& value : x) value = oracle::uniform(rng, -limit, limit);
  return x;
}

}  // namespace

TEST_CASE("butterflies equal the matrix") {
  oracle::Rng rng(6);
  for (const int d : {1, 2, 4, 32, 64, 128, 256})
    for (int i = 0; i < 20; ++i) {
      const std::vector<std::int32_t> x = random_vector(rng, d, (1 << 20) - 2);
      std::vector<std::int32_t> y = x;
      hadamard_ref(y.data(), d);
      CHECK(y == oracle::hadamard(x));
    }
}

TEST_CASE("rotation is the matrix times the signs, and the largest sums are exact") {
  oracle::Rng rng(7);
  const std::int32_t limit = (1 << 20) - 2;
  for (const int d : {32, 64, 128, 256}) {
    std::vector<std::int8_t> signs(static_cast<std::size_t>(d));
    for (std::int8_t& sign : signs) sign = oracle::uniform(rng, 0, 1) != 0 ? 1 : -1;
    const std::vector<std::int32_t> x = random_vector(rng, d, limit);
    std::vector<std::int32_t> signed_x = x;
    std::vector<std::int32_t> extreme(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      signed_x[i] = x[i] * signs[i];
      extreme[i] = limit * signs[i];
    }
    std::vector<std::int32_t> y = x;
    rotate_ref(signs.data(), y.data(), d);
    CHECK(y == oracle::hadamard(signed_x));
    rotate_ref(signs.data(), extreme.data(), d);
    CHECK(extreme[0] == d * limit);
    for (std::size_t i = 1; i < extreme.size(); ++i) CHECK(extreme[i] == 0);
  }
}

TEST_CASE("twice the transform is d times the identity") {
  oracle::Rng rng(8);
  const std::vector<std::int32_t> x = random_vector(rng, 256, 1 << 14);
  std::vector<std::int32_t> y = x;
  hadamard_ref(y.data(), 256);
  hadamard_ref(y.data(), 256);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == 256 * x[i]);
}

#include "axelram/rounding.hpp"

#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

TEST_CASE("shift_right_rne rounds to nearest, ties to even") {
  CHECK(shift_right_rne(5, 1) == 2);
  CHECK(shift_right_rne(7, 1) == 4);
  CHECK(shift_right_rne(-5, 1) == -2);
  CHECK(shift_right_rne(-7, 1) == -4);
  CHECK(shift_right_rne(-1, 1) == 0);
  CHECK(shift_right_rne(-3, 2) == -1);
  CHECK(shift_right_rne(123, 0) == 123);
  for (std::int64_t value = -600; value <= 600; ++value)
    for (int shift = 0; shift <= 12; ++shift) {
      CASE(value, shift);
      CHECK(shift_right_rne(value, shift) ==
            std::llrint(std::ldexp(static_cast<double>(value), -shift)));
    }
}

TEST_CASE("shift_right_rne takes any shift") {
  const std::int64_t big = (std::int64_t{1} << 62) - 1;
  CHECK(shift_right_rne(big, 61) == 2);
  CHECK(shift_right_rne(big, 62) == 1);
  CHECK(shift_right_rne(-big, 62) == -1);
  CHECK(shift_right_rne(std::int64_t{1} << 61, 62) == 0);
  CHECK(shift_right_rne((std::int64_t{1} << 61) + 1, 62) == 1);
  for (const int shift : {63, 64, 300}) {
    CASE(shift);
    CHECK(shift_right_rne(big, shift) == 0);
    CHECK(shift_right_rne(-big, shift) == 0);
  }
}

TEST_CASE("bit_length") {
  CHECK(bit_length(0) == 0);
  for (int n = 0; n < 64; ++n) {
    CASE(n);
    CHECK(bit_length(std::uint64_t{1} << n) == n + 1);
    CHECK(bit_length((std::uint64_t{1} << n) - 1) == n);
  }
}

TEST_CASE("exceeds compares scaled integers exactly") {
  oracle::Rng rng(1);
  for (int i = 0; i < 20000; ++i) {
    CASE(i);
    const auto a = static_cast<std::uint64_t>(oracle::uniform(rng, 0, 70));
    const auto b = static_cast<std::uint64_t>(oracle::uniform(rng, 1, 70));
    const int ea = oracle::uniform(rng, -8, 8);
    const int eb = oracle::uniform(rng, -8, 8);
    CHECK(exceeds(a, ea, b, eb) == (std::ldexp(a, ea) > std::ldexp(b, eb)));
  }
}

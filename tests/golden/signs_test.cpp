#include "axelram/signs.hpp"

#include <vector>

#include "check.hpp"

using axelram::sign_vector;

namespace {

std::uint64_t word(std::uint64_t seed, int layer, int head, int index) {
  std::vector<std::int8_t> signs(256);
  sign_vector(seed, layer, head, 256, signs.data());
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) {
    CASE(i);
    const int sign = signs[static_cast<std::size_t>(64 * index + i)];
    CHECK(sign * sign == 1);
    if (sign < 0) bits |= std::uint64_t{1} << i;
  }
  return bits;
}

}  // namespace

TEST_CASE("the words of the contract") {
  CHECK(word(42, 0, 0, 0) == 0x57e1faba65107204);
  CHECK(word(42, 0, 0, 1) == 0xf4abd143feb24055);
  CHECK(word(42, 0, 1, 0) == 0xfc991bca1a1aa1ae);
}

TEST_CASE("other layers and seeds, from integers of any size") {
  CHECK(word(42, 1, 0, 0) == 0xc1277646f3d9780b);
  CHECK(word(42, 35, 7, 3) == 0x3d4c951221e35a3e);
  CHECK(word(~std::uint64_t{0}, 4095, 1023, 1) == 0x8e9331b6385e4e0b);
}

TEST_CASE("layer, head and seed are told apart, and short vectors are prefixes") {
  CHECK(word(42, 1, 0, 0) != word(42, 0, 0, 0));
  CHECK(word(42, 1, 0, 0) != word(42, 0, 1, 0));
  CHECK(word(43, 0, 0, 0) != word(42, 0, 0, 0));
  std::vector<std::int8_t> long_signs(256);
  std::vector<std::int8_t> short_signs(32);
  sign_vector(7, 3, 5, 256, long_signs.data());
  sign_vector(7, 3, 5, 32, short_signs.data());
  for (std::size_t i = 0; i < 32; ++i) CHECK_AT(i, long_signs[i] == short_signs[i]);
}

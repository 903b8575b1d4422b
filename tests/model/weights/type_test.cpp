
#include "axelram/weights/type.hpp"

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "axelram/half.hpp"
#include "check.hpp"

using axelram::weights::Type;

namespace {

std::vector<std::uint8_t> bytes_of(const void* data, std::size_t size, std::size_t shift) {
  std::vector<std::uint8_t> bytes(size + shift);
  std::memcpy(bytes.data() + shift, data, size);
  return bytes;
}

void check_all_patterns(Type type, double (*exact)(std::uint16_t)) {
  std::vector<std::uint16_t> patterns(65536);
  std::iota(patterns.begin(), patterns.end(), std::uint16_t{0});
  for (const std::size_t shift : {0U, 1U, 2U, 3U}) {
    CASE(shift);
    const auto bytes = bytes_of(patterns.data(), 2 * patterns.size(), shift);
    std::vector<float> values(patterns.size());
    to_floats(type, bytes.data() + shift, values.size(), values.data());
    for (const std::uint16_t pattern : patterns) {
      const double right = exact(pattern);
      const float value = values[pattern];
      CASE(pattern);
      if (std::isnan(right)) {
        REQUIRE(std::isnan(value));
      } else {
        REQUIRE(double{value} == right);
        REQUIRE(std::signbit(value) == std::signbit(right));
      }
    }
  }
}

}  // namespace

TEST_CASE("to_floats: every F16 and every BF16 pattern, at any address") {
  check_all_patterns(Type::f16, axelram::half_to_double);
  check_all_patterns(Type::bf16, axelram::bfloat16_to_double);
}

TEST_CASE("to_floats: F32 keeps every bit") {
  const std::vector<std::uint32_t> bits = {0,           0x80000000U, 1,           0x7F800000U,
                                           0xFF800000U, 0x7FC12345U, 0x7F800001U, 0x3F800000U};
  for (const std::size_t shift : {0U, 1U, 3U}) {
    CASE(shift);
    const auto bytes = bytes_of(bits.data(), 4 * bits.size(), shift);
    std::vector<float> values(bits.size());
    to_floats(Type::f32, bytes.data() + shift, values.size(), values.data());
    for (std::size_t i = 0; i < bits.size(); ++i)
      CHECK_AT(i, std::bit_cast<std::uint32_t>(values[i]) == bits[i]);
  }
  to_floats(Type::f32, nullptr, 0, nullptr);
}

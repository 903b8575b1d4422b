
#include <cmath>
#include <cstring>
#include <numeric>

#include "axelram/half.hpp"
#include "checkpoints/support.hpp"

using axelram::checkpoints::Matrix;
using axelram::checkpoints::to_floats;
using axelram::files::DataType;

namespace {

std::vector<std::uint8_t> bytes_of(const void* data, std::size_t size, std::size_t shift) {
  std::vector<std::uint8_t> bytes(size + shift);
  std::memcpy(bytes.data() + shift, data, size);
  return bytes;
}

void check_all_patterns(DataType type, double (*exact)(std::uint16_t)) {
  std::vector<std::uint16_t> patterns(65536);
  std::iota(patterns.begin(), patterns.end(), std::uint16_t{0});
  for (const std::size_t shift : {0U, 1U, 2U, 3U}) {
    const auto bytes = bytes_of(patterns.data(), 2 * patterns.size(), shift);
    std::vector<float> values(patterns.size());
    to_floats(type, bytes.data() + shift, values.size(), values.data());
    for (const std::uint16_t pattern : patterns) {
      const double right = exact(pattern);
      const float value = values[pattern];
      CAPTURE(pattern);
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
  check_all_patterns(DataType::f16, axelram::half_to_double);
  check_all_patterns(DataType::bf16, axelram::bfloat16_to_double);
}

TEST_CASE("to_floats: F32 keeps every bit") {
  const std::vector<std::uint32_t> bits = {0,           0x80000000U, 1,           0x7F800000U,
                                           0xFF800000U, 0x7FC12345U, 0x7F800001U, 0x3F800000U};
  for (const std::size_t shift : {0U, 1U, 3U}) {
    const auto bytes = bytes_of(bits.data(), 4 * bits.size(), shift);
    std::vector<float> values(bits.size());
    to_floats(DataType::f32, bytes.data() + shift, values.size(), values.data());
    CHECK(std::memcmp(values.data(), bits.data(), 4 * bits.size()) == 0);
  }
  to_floats(DataType::f32, nullptr, 0, nullptr);
}

TEST_CASE("to_floats: no other type") {
  float value = 0;
  const std::uint8_t data[8] = {};
  CHECK_THROWS_AS(to_floats(DataType::i32, data, 1, &value), std::logic_error);
}

// Entry (o, i) of every matrix below is 100 o + i, exact in both types.
TEST_CASE("Matrix::rows: any range of rows, with a stride, transposed, unaligned") {
  constexpr std::size_t kOutputs = 7, kInputs = 5, kStride = 11;
  for (const bool transposed : {false, true})
    for (const DataType type : {DataType::f32, DataType::f16})
      for (const std::size_t shift : {0U, 1U}) {
        const std::size_t lines = transposed ? kInputs : kOutputs, size = size_of(type);
        std::vector<std::uint8_t> bytes(shift + lines * kStride * size, 0xA5);
        for (std::size_t o = 0; o < kOutputs; ++o)
          for (std::size_t i = 0; i < kInputs; ++i) {
            const std::size_t at = transposed ? i * kStride + o : o * kStride + i;
            const auto value = static_cast<float>(100 * o + i);
            const std::uint16_t half = axelram::double_to_half(value);
            std::memcpy(bytes.data() + shift + at * size,
                        type == DataType::f32 ? static_cast<const void*>(&value) : &half, size);
          }
        const Matrix matrix{bytes.data() + shift, type, kOutputs, kInputs, kStride, transposed};
        CHECK(matrix.bytes() == kOutputs * kInputs * size);
        for (std::size_t first = 0; first < kOutputs; ++first)
          for (std::size_t count = 0; first + count <= kOutputs; ++count) {
            std::vector<float> rows(count * kInputs + 1, -1.0F);
            matrix.rows(first, count, rows.data());
            for (std::size_t o = 0; o < count; ++o)
              for (std::size_t i = 0; i < kInputs; ++i)
                REQUIRE(rows[o * kInputs + i] == static_cast<float>(100 * (first + o) + i));
            REQUIRE(rows.back() == -1.0F);
          }
      }
}

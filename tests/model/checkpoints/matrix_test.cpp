#include <cstring>

#include "axelram/half.hpp"
#include "checkpoints/support.hpp"

using axelram::checkpoints::Matrix;
using axelram::weights::Type;

// Entry (o, i) of every matrix below is 100 o + i, exact in both types.
TEST_CASE("Matrix::rows: any range of rows, with a stride, transposed, unaligned") {
  constexpr std::size_t kOutputs = 7, kInputs = 5, kStride = 11;
  for (const bool transposed : {false, true})
    for (const Type type : {Type::f32, Type::f16})
      for (const std::size_t shift : {0U, 1U}) {
        CASE(transposed, type, shift);
        const std::size_t lines = transposed ? kInputs : kOutputs, size = bytes_of(type, 1);
        std::vector<std::uint8_t> bytes(shift + lines * kStride * size, 0xA5);
        for (std::size_t o = 0; o < kOutputs; ++o)
          for (std::size_t i = 0; i < kInputs; ++i) {
            const std::size_t at = transposed ? i * kStride + o : o * kStride + i;
            const auto value = static_cast<float>(100 * o + i);
            const std::uint16_t half = axelram::double_to_half(value);
            std::memcpy(bytes.data() + shift + at * size,
                        type == Type::f32 ? static_cast<const void*>(&value) : &half, size);
          }
        const Matrix matrix{bytes.data() + shift, type, kOutputs, kInputs, kStride, transposed};
        CHECK(matrix.bytes() == kOutputs * kInputs * size);
        for (std::size_t first = 0; first < kOutputs; ++first)
          for (std::size_t count = 0; first + count <= kOutputs; ++count) {
            CASE(first, count);
            std::vector<float> rows(count * kInputs + 1, -1.0F);
            matrix.rows(first, count, rows.data());
            for (std::size_t o = 0; o < count; ++o)
              for (std::size_t i = 0; i < kInputs; ++i) {
                CASE(o, i);
                REQUIRE(rows[o * kInputs + i] == static_cast<float>(100 * (first + o) + i));
              }
            REQUIRE(rows.back() == -1.0F);
          }
      }
}

#include "axelram/kernels/hadamard.hpp"

#include <cmath>
#include <limits>

#include "axelram/hadamard.hpp"
#include "axelram/half.hpp"
#include "check.hpp"
#include "element_rows.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

std::vector<std::uint16_t> transformed(int d, const std::vector<std::uint16_t>& in, float scale) {
  Stream stream;
  const Buffer<std::uint16_t> from(stream, in), to(in.size());
  hadamard_rows(stream, d, from.data(), in.size() / static_cast<std::size_t>(d), scale, to.data());
  return to.download(stream);
}

}  // namespace

TEST_CASE("hadamard: rows of integers are transformed exactly and rounded once") {
  test::Random random(1);
  for (const int d : {32, 64, 128, 256})
    for (const std::size_t rows : {1U, 2U, 5U, 16U, 67U})
      for (const float scale : {1.0F, 0.0625F, 0.7F}) {
        CASE(d, rows, scale);
        std::vector<std::uint16_t> in, expected;
        for (std::size_t row = 0; row < rows; ++row) {
          std::vector<std::int32_t> x;
          for (int i = 0; i < d; ++i) {
            x.push_back(test::between(random, -2048, 2048));
            in.push_back(double_to_half(x.back()));
          }
          hadamard_ref(x.data(), d);
          for (const std::int32_t y : x)
            expected.push_back(double_to_half(static_cast<float>(y) * scale));
        }
        REQUIRE_SAME(transformed(d, in, scale), expected);
      }
}

TEST_CASE("hadamard: rows of any numbers stay within the rounding of FP32 sums") {
  test::Random random(2);
  for (const int d : {32, 64, 128, 256}) {
    CASE(d);
    std::vector<std::uint16_t> in(static_cast<std::size_t>(9 * d));
    for (auto& x : in) {
      do x = static_cast<std::uint16_t>(random());
      while (!is_finite(x, ElementFormat::fp16));
    }
    const std::vector<std::uint16_t> out = transformed(d, in, 0x1p-9F);
    for (std::size_t i = 0; i < out.size(); ++i) {
      CASE(i);
      const std::size_t row = i - i % static_cast<std::size_t>(d);
      double sum = 0, size = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) {
        const bool minus = __builtin_popcountll(k & (i - row)) % 2 != 0;
        const double x = half_to_double(in[row + k]) * 0x1p-9;
        sum += minus ? -x : x;
        size += std::fabs(x);
      }
      // n additions, each within 2^-24 of a sum below `size`, and half a unit of FP16.
      const double error = 8 * 0x1p-24 * size + std::fabs(sum) * 0x1p-11 + 0x1p-25;
      REQUIRE(std::fabs(half_to_double(out[i]) - sum) <= error);
    }
  }
}

TEST_CASE("hadamard: overflow is infinity, and what is not finite stays in its row") {
  std::vector<std::uint16_t> in(2 * 64, double_to_half(65504));
  const std::vector<std::uint16_t> out = transformed(64, in, 1);
  CHECK(out[0] == double_to_half(std::numeric_limits<double>::infinity()));
  CHECK(out[1] == 0);
  in[5] = double_to_half(std::numeric_limits<double>::infinity());
  const std::vector<std::uint16_t> mixed = transformed(64, in, 1);
  for (std::size_t i = 0; i < 64; ++i) CHECK_AT(i, !is_finite(mixed[i], ElementFormat::fp16));
  for (std::size_t i = 64; i < 128; ++i) CHECK_AT(i, mixed[i] == out[i]);
}

TEST_CASE("hadamard: what cannot be transformed is rejected by name, and no rows are no work") {
  Stream stream;
  const Buffer<std::uint16_t> rows(256);
  CHECK_NOTHROW(hadamard_rows(stream, 64, nullptr, 0, 1, nullptr));
  CHECK_THROWS_WITH(hadamard_rows(stream, 96, rows.data(), 1, 1, rows.data()),
                    "hadamard_rows([1, 96]): rows of 32, 64, 128 or 256 elements are right");
  CHECK_THROWS_AS(hadamard_rows(stream, 64, rows.data() + 1, 1, 1, rows.data()), DeviceError);
  CHECK_THROWS_AS(hadamard_rows(stream, 64, rows.data(), std::size_t{1} << 40, 1, rows.data()),
                  DeviceError);
}

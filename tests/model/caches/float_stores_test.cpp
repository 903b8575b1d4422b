#include <cmath>
#include <limits>

#include "axelram/half.hpp"
#include "rows/float_vectors.hpp"
#include "support.hpp"

using namespace axelram;
using test::Floats;

namespace {

/// Every power of two, its neighbours and the half-way points of FP16 and BF16, both signs, and
/// random bits.
Floats telling_floats() {
  Floats x;
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent)
    for (const std::uint32_t fraction :
         {0x0U, 0x1U, 0x1000U, 0xFFFU, 0x1001U, 0x3000U, 0x7FFFU, 0x8000U, 0x8001U, 0x18000U,
          0x7FEFFFU, 0x7FF000U, 0x7FFFFFU, 0x7F7FFFU, 0x7F8000U, 0x400000U, 0x600000U})
      for (const std::uint32_t sign : {0U, 0x80000000U}) {
        const std::uint32_t bits = sign | exponent << 23 | fraction;
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        x.push_back(value);
      }
  std::mt19937 random(5);
  while (x.size() < 200000) {
    // Exponents around FP16's range are drawn more often than others.
    const auto any = static_cast<std::uint32_t>(random());
    const std::uint32_t bits = x.size() % 2 == 0 ? any : any % 0x11000000 + 0x33000000;
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) x.push_back(value);
  }
  return x;
}

}  // namespace

TEST_CASE("elements are rounded as golden rounds them") {
  for (const float x : telling_floats()) {
    CASE(x);
    for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16}) {
      CASE(format);
      const std::uint16_t expected = double_to_element(x, format);
      std::uint16_t element = 0;
      const bool fits = caches::to_elements(&x, 1, format, &element);
      REQUIRE(fits == is_finite(expected, format));
      REQUIRE(fits ==
              (format == ElementFormat::fp16 ? caches::fits_half : caches::fits_bfloat16)(x));
      if (fits) REQUIRE(element == expected);
    }
    float rounded = x;
    const std::uint16_t half = double_to_half(x);
    REQUIRE(caches::round_to_half(&rounded, 1) == is_finite(half, ElementFormat::fp16));
    if (is_finite(half, ElementFormat::fp16))
      REQUIRE(test::Bitwise(rounded) == test::Bitwise(static_cast<float>(half_to_double(half))));
  }
  for (const float x :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    CASE(x);
    std::uint16_t element = 0;
    CHECK_FALSE(caches::to_elements(&x, 1, ElementFormat::fp16, &element));
    CHECK_FALSE(caches::to_elements(&x, 1, ElementFormat::bf16, &element));
    CHECK_FALSE(caches::all_finite(&x, 1));
  }
}

TEST_CASE("f32 and fp16: scores and sums of the rows, exact but for the last bits") {
  constexpr std::size_t kD = 64, kRows = 200, kFirst = 37, kStride = 230;
  for (const bool half : {false, true}) {
    CASE(half);
    const auto cache = test::cache(half ? "fp16" : "f32", {2, 2, kD});
    const auto keys = cache->keys(0, 1);
    const auto values = cache->values(0, 1);
    const Floats rows = test::gaussian(kRows * kD, 1), queries = test::gaussian(kRows * kD, 2);
    Floats stored = rows;
    if (half)
      for (float& x : stored) x = static_cast<float>(half_to_double(double_to_half(x)));
    keys->begin(0);
    values->begin(0);
    keys->write(rows.data(), 90);
    keys->write(rows.data() + 90 * kD, kRows - 90);
    values->write(rows.data(), kRows);
    const std::size_t count = kRows - kFirst;
    const float untouched = -12345;
    Floats scores(count * kStride, untouched), weights(count * kStride, 0.0F), out(count * kD);
    keys->score(queries.data(), count, kFirst, 0, kStride, scores.data());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t t = 0; t < kStride; ++t) {
        CASE(i, t);
        const float score = scores[i * kStride + t];
        if (t > kFirst + i) {
          REQUIRE(score == untouched);
          continue;
        }
        double exact = 0;
        for (std::size_t j = 0; j < kD; ++j)
          exact += static_cast<double>(queries[i * kD + j]) * stored[t * kD + j];
        REQUIRE(std::abs(score - exact) < 4e-5);
        weights[i * kStride + t] = std::abs(score) / 100;
      }
    values->weighted_sum(weights.data(), count, kFirst, 0, kStride, out.data());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < kD; ++j) {
        CASE(i, j);
        double exact = 0;
        for (std::size_t t = 0; t <= kFirst + i; ++t)
          exact += static_cast<double>(weights[i * kStride + t]) * stored[t * kD + j];
        REQUIRE(std::abs(out[i * kD + j] - exact) < 1e-5);
      }
    CHECK(keys->bytes_per_token() == (half ? 2 : 4) * kD);
    CHECK(values->events().stored_bits == 0);
  }
}

TEST_CASE("f32 and fp16: what they reject") {
  constexpr std::size_t kD = 32;
  Floats rows(3 * kD, 1.0F);
  const auto half = test::cache("fp16", {4, 2, kD});
  const auto full = test::cache("f32", {4, 2, kD});
  rows[2 * kD + 5] = -65519.9F;
  const auto keys = half->keys(3, 1);
  CHECK_NOTHROW(keys->write(rows.data(), 3));
  keys->begin(0);
  rows[2 * kD + 5] = -65520;
  CHECK(test::message([&] { keys->write(rows.data(), 3); }) ==
        "key of layer 3, head 1, token 2: element 5 is -65520; FP16 holds numbers up to 65504; "
        "use the cache f32");
  const auto values = full->values(2, 0);
  CHECK_NOTHROW(values->write(rows.data(), 3));
  rows[7] = std::numeric_limits<float>::infinity();
  CHECK(test::message([&] { values->write(rows.data(), 3); }) ==
        "value of layer 2, head 0, token 3: element 7 is inf; it must be a number");
  CHECK(test::message([&] { keys->inject(0.1, 1); }) ==
        "the cache fp16 has no bit errors; use axelram, int4 or memory");
}

#include "axelram/calibration/quantization_error.hpp"

#include <algorithm>

#include "axelram/signs.hpp"
#include "calibration/reference.hpp"
#include "check.hpp"

using namespace axelram;
using calibration::UnitKeys;

namespace {

double mean_error(const UnitKeys& keys, const Codebook& codebook,
                  const std::vector<std::int8_t>& signs) {
  double sum = 0;
  calibration::quantization_errors(keys, codebook, signs.data(), 1, &sum);
  return sum / static_cast<double>(keys.count() * keys.d());
}

TEST_CASE("errors equal the algorithm as printed, with and without a center") {
  for (const int d : {32, 64, 128, 256})
    for (const int bits : {2, 3, 4})
      for (const CodebookKind kind : {CodebookKind::gaussian, CodebookKind::beta}) {
        CASE(kind, d, bits);
        const auto size = static_cast<std::size_t>(d);
        const std::size_t count = 21;  // a whole block and a part of one
        const Codebook codebook = solve_codebook(kind, d, bits);
        std::vector<float> keys = test::gaussian(count * size, 3);
        for (std::size_t i = 0; i < keys.size(); i += 7) keys[i] *= 20;
        std::vector<double> center(size);
        for (std::size_t i = 0; i < size; ++i) center[i] = 0.25 * static_cast<double>(i % 5) - 0.3;
        std::vector<std::int8_t> signs(3 * size);
        for (int v = 0; v < 3; ++v) sign_vector(5, 0, v, d, signs.data() + v * d);

        for (const bool centered : {false, true}) {
          CASE(centered);
          double expected[3] = {};
          for (std::size_t t = 0; t < count; ++t) {
            std::vector<double> key(keys.begin() + static_cast<long>(t * size),
                                    keys.begin() + static_cast<long>((t + 1) * size));
            for (std::size_t i = 0; centered && i < size; ++i) key[i] -= center[i];
            for (std::size_t v = 0; v < 3; ++v)
              expected[v] += test::square_error(key, signs.data() + v * size, codebook);
          }
          const UnitKeys units(keys.data(), count, size, centered ? center.data() : nullptr);
          double sums[3];
          calibration::quantization_errors(units, codebook, signs.data(), 3, sums);
          for (std::size_t v = 0; v < 3; ++v)
            CHECK_AT(v, sums[v] == doctest::Approx(expected[v]).epsilon(1e-5));
        }
      }
}

TEST_CASE("every level gives the same bits") {
  const std::size_t d = 128, count = 50, vectors = 5;
  const std::vector<float> keys = test::gaussian(count * d, 11);
  const UnitKeys units(keys.data(), count, d, nullptr);
  std::vector<std::int8_t> signs(vectors * d);
  for (std::size_t v = 0; v < vectors; ++v)
    sign_vector(v, 1, 2, static_cast<int>(d), signs.data() + v * d);
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    const Codebook codebook = solve_codebook(CodebookKind::gaussian, 128, bits);
    double portable[vectors], avx2[vectors], avx512[vectors];
    calibration::quantization_errors(units, codebook, signs.data(), vectors, portable,
                                     SimdLevel::portable);
    calibration::quantization_errors(units, codebook, signs.data(), vectors, avx2, SimdLevel::avx2);
    calibration::quantization_errors(units, codebook, signs.data(), vectors, avx512,
                                     SimdLevel::avx512);
    CHECK_SAME(std::span(portable), std::span(avx2));
    CHECK_SAME(std::span(portable), std::span(avx512));
  }
}

// A Gaussian key over its norm is a uniform point on the sphere: the density of `beta`.
TEST_CASE("Gaussian keys meet the codebook's own distortion") {
  for (const int d : {32, 128})
    for (const int bits : {2, 3, 4}) {
      CASE(d, bits);
      const auto size = static_cast<std::size_t>(d);
      const std::size_t count = 400'000 / size;
      const std::vector<float> keys = test::gaussian(count * size, 17);
      const UnitKeys units(keys.data(), count, size, nullptr);
      CHECK(units.count() == count);
      std::vector<std::int8_t> signs(size);
      sign_vector(42, 0, 0, d, signs.data());
      const Codebook beta = solve_codebook(CodebookKind::beta, d, bits);
      CHECK(mean_error(units, beta, signs) ==
            doctest::Approx(distortion(beta, CodebookKind::beta, d)).epsilon(0.01));
      const Codebook codebook = solve_codebook(CodebookKind::gaussian, d, bits);
      CHECK(mean_error(units, codebook, signs) ==
            doctest::Approx(distortion(codebook, CodebookKind::gaussian, d)).epsilon(2.0 / d));
    }
}

TEST_CASE("keys that are zero, or equal to the center, are left out") {
  const std::size_t d = 32;
  std::vector<float> keys = test::gaussian(3 * d, 1);
  std::vector<std::int8_t> signs(d, 1);
  const Codebook codebook = solve_codebook(CodebookKind::gaussian, 32, 3);
  std::vector<float> two(keys.begin(), keys.begin() + d);
  two.insert(two.end(), keys.begin() + 2 * d, keys.end());
  const double expected = mean_error(UnitKeys(two.data(), 2, d, nullptr), codebook, signs);
  std::fill(keys.begin() + d, keys.begin() + 2 * d, 0.0F);
  const UnitKeys units(keys.data(), 3, d, nullptr);
  CHECK(units.count() == 2);
  CHECK(mean_error(units, codebook, signs) == expected);
  const std::vector<double> center(keys.begin(), keys.begin() + d);
  CHECK(UnitKeys(keys.data(), 1, d, center.data()).count() == 0);
}

}  // namespace

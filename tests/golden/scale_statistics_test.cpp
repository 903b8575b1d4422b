#include <array>
#include <cmath>

#include "axelram/codebook.hpp"
#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "golden/macro_fixture.hpp"
#include "statistics.hpp"

/// The expectation and the variance of scores with an unbiased norm (bit-contract.md#scale), over
/// fresh signs for each pair of key and query. Dimensions and index widths beyond those of a macro
/// show where the statement comes from.

using namespace axelram;

namespace {

using namespace test;

/// diag(s) x in 20 bits, rotated.
std::vector<std::int32_t> rotated(const Doubles& x, const std::vector<std::int8_t>& signs) {
  std::vector<std::int32_t> y;
  for (const double element : x)
    y.push_back(static_cast<std::int32_t>(std::lrint(element * (1 << 19))));
  rotate(signs.data(), y.data(), static_cast<int>(y.size()));
  return y;
}

constexpr int kPairs = 100000, kFractionBits = 13;

/// How the levels of a key are chosen.
struct Quantizer {
  int bits;
  int states;                       ///< of a trellis; 0: the nearest level
  std::vector<std::int32_t> words;  ///< of the boundaries, or of the levels of a trellis
  std::vector<std::int32_t> centroids;

  /// y: rotated, of this root.
  std::vector<std::uint8_t> levels(const std::vector<std::int32_t>& y, std::uint32_t root) const {
    const auto d = static_cast<int>(y.size()), count = static_cast<int>(words.size());
    std::vector<std::int32_t> scaled(words.size());
    std::vector<std::uint8_t> indices(y.size());
    if (states == 0) {
      thresholds_ref(words.data(), count, root, kFractionBits, scaled.data());
      quantize(y.data(), d, scaled.data(), count, indices.data());
    } else {
      reconstructions_ref(words.data(), count, root, kFractionBits, scaled.data());
      encode_trellis(y.data(), d, scaled.data(), bits, root, states, indices.data());
      trellis_level(indices.data(), d, states, indices.data());
    }
    return indices;
  }
};

Quantizer nearest(int bits) {
  const Codebook codebook = solve_codebook(CodebookKind::gaussian, 128, bits);
  return {bits, 0, boundary_words(codebook, kFractionBits), centroid_words(codebook, 16 * 32000)};
}

Quantizer trellis(int bits, int states) {
  Quantizer made{bits, states, {}, {}};
  for (const double level : trellis_levels(bits)) {
    made.words.push_back(static_cast<std::int32_t>(std::lround(std::ldexp(level, kFractionBits))));
    made.centroids.push_back(static_cast<std::int32_t>(std::lround(level * 16 * 8000)));
  }
  return made;
}

/// The estimate of <q, k> of unit vectors by levels and S / A, without further roundings.
double estimate(const Doubles& q, const Doubles& k, const std::vector<std::int8_t>& signs,
                const Quantizer& quantizer) {
  const auto d = static_cast<int>(k.size());
  const std::vector<std::int32_t> y = rotated(k, signs), z = rotated(q, signs);
  double square = 0;
  for (const std::int32_t element : y) square += static_cast<double>(element) * element;
  const auto root = static_cast<std::uint32_t>(std::lrint(std::sqrt(square / d)));
  const std::vector<std::uint8_t> levels = quantizer.levels(y, root);
  const std::vector<std::int32_t>& centroids = quantizer.centroids;
  const auto along = [&](const std::vector<std::int32_t>& x) {
    return static_cast<double>(correlation(x.data(), levels.data(), d, centroids.data(),
                                           static_cast<int>(centroids.size())));
  };
  return along(z) * square / along(y) / d / std::ldexp(1, 38);
}

/// Errors of the estimates of pairs at this cosine.
Doubles errors_of(fast_test::Random& random, const Quantizer& quantizer, int d, double cosine) {
  Doubles errors;
  for (int pair = 0; pair < kPairs; ++pair) {
    const Doubles k = direction(random, static_cast<std::size_t>(d));
    const Doubles q = at_cosine(random, k, cosine);
    errors.push_back(estimate(q, k, fast_test::signs(random, d), quantizer) - cosine);
  }
  return errors;
}

}  // namespace

TEST_CASE("unbiased scale: slope 1 and the variance of theory over 10^5 pairs") {
  fast_test::Random random(81);
  for (const int d : {128, 512})
    for (const int bits : {1, 2, 3, 4}) {
      const Quantizer quantizer = nearest(bits);
      // Distortion of the Gaussian codebook of 1, 2, 3 and 4 bits.
      const double distortion =
          std::array{0.36338, 0.11748, 0.03454, 0.009497}[static_cast<std::size_t>(bits - 1)];
      for (const double cosine : {0.0, 0.3, 0.9}) {
        CASE(d, bits, cosine);
        const Moments error = moments(errors_of(random, quantizer, d, cosine));
        CHECK(std::abs(error.mean) < 3 * error.mean_error);
        if (cosine != 0) continue;
        // Keys on a sphere: D is that of the sphere, a relative 1/d from the Gaussian one.
        const double expected = distortion / (1 - distortion) / d;
        CHECK(std::abs(error.variance - expected) < 3 * error.variance_error + expected * 2 / d);
      }
    }
}

TEST_CASE("unbiased scale: slope 1 with a trellis, and less variance, over 10^5 pairs") {
  fast_test::Random random(82);
  for (const int d : {128, 512})
    for (const int bits : {1, 2, 3, 4}) {
      const Quantizer quantizer = trellis(bits, 8);
      // Distortion of the Gaussian codebook of 1, 2, 3 and 4 bits.
      const double scalar =
          std::array{0.36338, 0.11748, 0.03454, 0.009497}[static_cast<std::size_t>(bits - 1)];
      for (const double cosine : {0.0, 0.3, 0.9}) {
        CASE(d, bits, cosine);
        const Moments error = moments(errors_of(random, quantizer, d, cosine));
        CHECK(std::abs(error.mean) < 3 * error.mean_error);
        if (cosine == 0)
          CHECK(error.variance + 3 * error.variance_error < scalar / (1 - scalar) / d);
      }
    }
}

TEST_CASE("unbiased scale: keys of two elements are biased, along each of them, by what is known") {
  // Rotated, such a key has four values: 1.5, 0.5 and their negatives, half of the elements each.
  struct Known {
    int bits;
    double along_larger, along_smaller;
  };
  for (const Known& known : {Known{2, -0.015, 0.06}, Known{3, -0.07, 0.28}}) {
    CASE(known.bits);
    Parameters p{.index_bits = known.bits};
    p.query_bits = p.centroid_bits = 16;
    p.scale = ScaleKind::unbiased;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CASE(seed);
      std::vector<std::int8_t> signs(static_cast<std::size_t>(p.head_dim));
      sign_vector(seed, 0, 0, p.head_dim, signs.data());
      Macro macro(p, signs, {}, 1);
      macro_fixture::Raw key(signs.size()), larger(signs.size()), smaller(signs.size());
      key[3] = larger[3] = smaller[90] = double_to_half(1);
      key[90] = double_to_half(0.5);
      macro.write(key.data());
      const auto read = [&](const macro_fixture::Raw& query) {
        return static_cast<double>(macro.query(query.data()).scores[0]) * macro.rom().score_scale;
      };
      CHECK(std::abs(read(larger) - 1 - known.along_larger) < 0.005);
      CHECK(std::abs(read(smaller) / 0.5 - 1 - known.along_smaller) < 0.01);
    }
  }
}

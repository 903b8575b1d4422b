#include "axelram/turboquant/quantizer.hpp"

#include <numbers>

#include "axelram/turboquant/codebooks.hpp"
#include "check.hpp"
#include "needs.hpp"
#include "pairs.hpp"

using namespace test;

namespace {

constexpr int kD = 64;
constexpr auto kRows = static_cast<std::size_t>(kD);

/// M x of one row.
Doubles applied(const LinearMap& map, const Doubles& x) {
  Doubles y(x.size());
  map.apply(x.data(), x.size() / map.dim(), y.data());
  return y;
}

Doubles applied_back(const LinearMap& map, const Doubles& x) {
  Doubles y = x;
  map.apply_transposed(y.data(), x.size() / map.dim(), y.data());
  return y;
}

double furthest(const Doubles& a, const Doubles& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// Random rows, not of length 1.
Doubles random_rows(Random& random, std::size_t count) {
  std::normal_distribution<double> normal(0, 3);
  Doubles rows(count * kRows);
  for (double& x : rows) x = normal(random);
  return rows;
}

const draws::Draws kDraws(7, draws::Purpose::rotation, 3, 1);

}  // namespace

TEST_CASE("linear maps: rows together as one by one, M and its transpose, orthonormal ones") {
  Random random(1);
  const Doubles rows = random_rows(random, 13), others = random_rows(random, 13);
  const auto hadamard = turboquant::hadamard_map(random_signs(random, kD));
  const auto gaussian = turboquant::gaussian_map(kDraws, kD);
  const auto orthogonal = turboquant::orthogonal_map(kDraws, kD);
  for (const LinearMap* map : {hadamard.get(), gaussian.get(), orthogonal.get()}) {
    CASE(map);
    const Doubles y = applied(*map, rows);
    for (std::size_t i = 0; i < 13; ++i) {
      CASE(i);
      const Doubles x(&rows[i * kRows], &rows[i * kRows] + kRows);
      CHECK_SAME(applied(*map, x), Doubles(&y[i * kRows], &y[i * kRows] + kRows));
    }
    // <M x, z> = <x, M^T z>.
    CHECK(inner_product(y, others) ==
          doctest::Approx(inner_product(rows, applied_back(*map, others))).epsilon(1e-10));
    if (map != gaussian.get()) CHECK(furthest(applied_back(*map, y), rows) < 1e-12);
  }
  // The first row of a matrix keeps its direction.
  Doubles first(kRows, 0.0);
  first[0] = 1;
  const Doubles a = applied_back(*gaussian, first), b = applied_back(*orthogonal, first);
  CHECK(inner_product(a, b) == doctest::Approx(std::sqrt(inner_product(a, a))).epsilon(1e-12));
  CHECK(a[5] == kDraws.normal(5));
}

TEST_CASE("linear maps: every level gives the same bits" * test::needs_levels) {
  Random random(8);
  for (const int d : {16, 37, 64}) {
    CASE(d);
    Doubles rows = random_rows(random, 13);
    rows.resize(13 * static_cast<std::size_t>(d), 0.5);
    const auto portable = turboquant::gaussian_map(kDraws, d, SimdLevel::portable);
    for (const SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512}) {
      CASE(level);
      const auto other = turboquant::gaussian_map(kDraws, d, level);
      CHECK_SAME(applied(*other, rows), applied(*portable, rows));
      CHECK_SAME(applied_back(*other, rows), applied_back(*portable, rows));
    }
  }
}

TEST_CASE("linear maps: the Hadamard matrix of Sylvester behind the signs") {
  Random random(2);
  const std::vector<std::int8_t> signs = random_signs(random, kD);
  const auto map = turboquant::hadamard_map(signs);
  for (std::size_t column = 0; column < kRows; ++column) {
    CASE(column);
    Doubles unit(kRows, 0.0);
    unit[column] = 1;
    const Doubles y = applied(*map, unit);
    for (std::size_t row = 0; row < kRows; ++row) {
      CASE(row);
      const int sign = __builtin_parityll(row & column) != 0 ? -signs[column] : signs[column];
      REQUIRE(y[row] == doctest::Approx(sign / 8.0).epsilon(1e-12));
    }
  }
}

TEST_CASE("the mean magnitude of a coordinate of the sphere") {
  CHECK(turboquant::mean_magnitude(1) == 1);
  CHECK(turboquant::mean_magnitude(2) == doctest::Approx(2 / std::numbers::pi));
  CHECK(turboquant::mean_magnitude(3) == doctest::Approx(0.5));
  for (const int d : {64, 127, 128, 512}) {
    CASE(d);
    const double gaussian = std::sqrt(2 / (std::numbers::pi * d));
    CHECK(turboquant::mean_magnitude(d) / gaussian - 1 == doctest::Approx(0.25 / d).epsilon(0.01));
    // Against sqrt(pi / 2d) the factor is smaller by as much.
    CHECK(turboquant::orthogonal_projection(kDraws, 64).factor ==
          doctest::Approx(std::sqrt(std::numbers::pi / 128) * (1 - 0.25 / 64)).epsilon(1e-4));
  }
}

TEST_CASE("what each scale promises, row by row") {
  Random random(3);
  const Doubles rows = random_rows(random, 40);
  const std::shared_ptr<const LinearMap> rotation = turboquant::orthogonal_map(kDraws, kD);
  for (int bits = 1; bits <= 4; ++bits) {
    CASE(bits);
    const auto of = [&](Scale scale) {
      return reconstructed(Quantizer(Kind::mse, bits, scale, rotation), rows);
    };
    const Doubles norm = of(Scale::norm), matched = of(Scale::matched), mse = of(Scale::mse),
                  unbiased = of(Scale::unbiased);
    for (std::size_t i = 0; i < 40; ++i) {
      CASE(i);
      const auto row = [i](const Doubles& all) {
        return Doubles(&all[i * kRows], &all[i * kRows] + kRows);
      };
      const Doubles k = row(rows);
      const auto square = [](const Doubles& x) { return inner_product(x, x); };
      CHECK(square(row(matched)) == doctest::Approx(square(k)));
      CHECK(inner_product(k, row(unbiased)) == doctest::Approx(square(k)));
      CHECK(inner_product(k, row(mse)) == doctest::Approx(square(row(mse))));
      // All have one direction.
      for (const Doubles& other : {matched, mse, unbiased})
        CHECK_AT(other, std::pow(inner_product(row(norm), row(other)), 2) ==
                            doctest::Approx(square(row(norm)) * square(row(other))));
    }
  }
}

TEST_CASE("indices: the nearest centroid of the unit vector") {
  Random random(4);
  const Doubles rows = random_rows(random, 20);
  const std::shared_ptr<const LinearMap> rotation = turboquant::orthogonal_map(kDraws, kD);
  const Doubles y = applied(*rotation, rows);
  for (int bits = 1; bits <= 4; ++bits) {
    CASE(bits);
    const Quantizer quantizer(Kind::mse, bits, Scale::norm, rotation);
    std::vector<turboquant::Code> codes(20);
    quantizer.quantize(rows.data(), 20, codes.data());
    const std::vector<double>& centroids = turboquant::sphere_codebook(kD, bits).centroids;
    for (std::size_t i = 0; i < 20; ++i) {
      CASE(i);
      const Doubles row(&y[i * kRows], &y[i * kRows] + kRows);
      const double unit = std::sqrt(inner_product(row, row) / kD);
      CHECK(codes[i].norm == doctest::Approx(unit * 8));
      for (std::size_t j = 0; j < kRows; ++j)
        for (const double centroid : centroids) {
          CASE(j, centroid);
          REQUIRE(std::abs(row[j] / unit - centroids[codes[i].indices[j]]) <=
                  std::abs(row[j] / unit - centroid) + 1e-12);
        }
    }
  }
}

TEST_CASE("prod: the residual of one bit less, its norm and its projected signs") {
  Random random(5);
  const Doubles rows = random_rows(random, 20);
  const std::shared_ptr<const LinearMap> rotation = turboquant::orthogonal_map(kDraws, kD);
  const Projection projection = gaussian_of(random, kD, 9);
  for (int bits = 1; bits <= 4; ++bits) {
    CASE(bits);
    const Quantizer prod(Kind::prod, bits, Scale::norm, rotation, projection);
    CHECK(prod.index_bits() == bits - 1);
    std::vector<turboquant::Code> codes(20);
    prod.quantize(rows.data(), 20, codes.data());
    Doubles first(rows.size(), 0.0);
    if (bits > 1)
      first = reconstructed(Quantizer(Kind::mse, bits - 1, Scale::norm, rotation), rows);
    Doubles residual = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) residual[i] -= first[i];
    const Doubles projected = applied(*projection.map, applied(*rotation, residual));
    Doubles second(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CASE(i);
      const turboquant::Code& code = codes[i / kRows];
      REQUIRE((code.negative[i % kRows] != 0) == (projected[i] < 0));
      second[i] = code.residual_norm * projection.factor * (projected[i] < 0 ? -1 : 1);
    }
    for (std::size_t i = 0; i < 20; ++i) {
      CASE(i);
      const Doubles one(&residual[i * kRows], &residual[i * kRows] + kRows);
      CHECK(codes[i].residual_norm == doctest::Approx(std::sqrt(inner_product(one, one))));
    }
    second = applied_back(*rotation, applied_back(*projection.map, second));
    for (std::size_t i = 0; i < rows.size(); ++i) second[i] += first[i];
    CHECK(furthest(reconstructed(prod, rows), second) < 1e-12);
  }
}

TEST_CASE("a zero vector stays zero") {
  Random random(6);
  const std::shared_ptr<const LinearMap> rotation = turboquant::orthogonal_map(kDraws, kD);
  const Projection projection = gaussian_of(random, kD, 9);
  const Doubles zero(kRows, 0.0);
  for (const Scale scale : {Scale::norm, Scale::matched, Scale::mse, Scale::unbiased})
    CHECK_AT(scale,
             furthest(reconstructed(Quantizer(Kind::mse, 2, scale, rotation), zero), zero) == 0);
  CHECK(furthest(reconstructed(Quantizer(Kind::prod, 2, Scale::norm, rotation, projection), zero),
                 zero) == 0);
}

TEST_CASE("a quantizer that does not exist") {
  const std::shared_ptr<const LinearMap> rotation = turboquant::orthogonal_map(kDraws, kD);
  CHECK_THROWS_AS(Quantizer(Kind::prod, 2, Scale::unbiased, rotation, {rotation, 1}),
                  std::invalid_argument);
  CHECK_THROWS_AS(Quantizer(Kind::prod, 2, Scale::norm, rotation), std::invalid_argument);
  CHECK_THROWS_AS(Quantizer(Kind::mse, 5, Scale::norm, rotation), std::invalid_argument);
  const std::shared_ptr<const LinearMap> small = turboquant::orthogonal_map(kDraws, 8);
  CHECK_THROWS_AS(Quantizer(Kind::mse, 2, Scale::norm, small), std::invalid_argument);
}

TEST_CASE("factors of the residual: right, too large and too small by the root of d") {
  // Each factor is right for one normalisation of the rows of S (docs/findings.md).
  Random random(7);
  constexpr int kDim = 128;
  const double paper = std::sqrt(std::numbers::pi / 2) / kDim;
  const double other = std::sqrt(std::numbers::pi / (2.0 * kDim)), root = std::sqrt(1.0 * kDim);
  const auto slope = [&](const MakeProjection& make, double factor) {
    const auto changed = [&](Random& own, int d, std::size_t batch) {
      Projection projection = make(own, d, batch);
      projection.factor = factor;
      return projection;
    };
    const Products products =
        products_of(random, Kind::prod, Scale::norm, kDim, 4 * kBatch, changed)[1];
    return moments(products.errors(1)).mean + 1;
  };
  const double d1 = distortion_of(kDim, 1);
  CHECK(slope(gaussian_of, paper) == doctest::Approx(1).epsilon(0.01));
  CHECK(slope(orthogonal_of, other) == doctest::Approx(1).epsilon(0.01));
  CHECK(slope(gaussian_of, other) == doctest::Approx(1 - d1 + root * d1).epsilon(0.01));
  CHECK(slope(orthogonal_of, paper) == doctest::Approx(1 - d1 + d1 / root).epsilon(0.01));
}

#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "axelram/turboquant/quantizer.hpp"
#include "statistics.hpp"

namespace test {

using namespace axelram;
using turboquant::Kind;
using turboquant::LinearMap;
using turboquant::Projection;
using turboquant::Quantizer;
using turboquant::Scale;

using Random = std::mt19937_64;

inline std::vector<std::int8_t> random_signs(Random& random, int d) {
  std::vector<std::int8_t> signs;
  for (int i = 0; i < d; ++i) signs.push_back(random() % 2 == 0 ? 1 : -1);
  return signs;
}

/// Pairs that share a dense matrix.
constexpr std::size_t kBatch = 500;

/// Row i of a batch has a Hadamard map of its own, with signs of its own.
class FreshSigns : public LinearMap {
 public:
  FreshSigns(Random& random, int d) : LinearMap(d) {
    for (std::size_t i = 0; i < kBatch; ++i)
      maps_.push_back(turboquant::hadamard_map(random_signs(random, d)));
  }
  void apply(const double* x, std::size_t count, double* y) const override {
    for (std::size_t i = 0; i < count; ++i) maps_[i]->apply(x + i * dim(), 1, y + i * dim());
  }
  void apply_transposed(const double* x, std::size_t count, double* y) const override {
    for (std::size_t i = 0; i < count; ++i)
      maps_[i]->apply_transposed(x + i * dim(), 1, y + i * dim());
  }

 private:
  std::vector<std::unique_ptr<const LinearMap>> maps_;
};

/// Unit keys k, and for each a direction w at right angles: queries are cos k + sin w.
struct Pairs {
  Pairs(Random& random, int d) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      const Doubles k = direction(random, static_cast<std::size_t>(d));
      const Doubles w = at_cosine(random, k, 0);
      keys.insert(keys.end(), k.begin(), k.end());
      others.insert(others.end(), w.begin(), w.end());
    }
  }
  Doubles keys, others;  ///< [kBatch, d]
};

/// What reconstructions of keys give: products with the keys and with the directions at right
/// angles, and square errors.
struct Products {
  Doubles along, across, square_errors;

  /// Errors of the estimates of <q, k> at this cosine.
  Doubles errors(double cosine) const {
    Doubles all;
    for (std::size_t i = 0; i < along.size(); ++i)
      all.push_back(cosine * along[i] + std::sqrt(1 - cosine * cosine) * across[i] - cosine);
    return all;
  }

  void add(const Pairs& pairs, const Doubles& reconstructions) {
    const std::size_t d = reconstructions.size() / kBatch;
    for (std::size_t i = 0; i < kBatch; ++i) {
      double a = 0, b = 0, square = 0;
      for (std::size_t j = i * d; j < (i + 1) * d; ++j) {
        a += pairs.keys[j] * reconstructions[j];
        b += pairs.others[j] * reconstructions[j];
        square += std::pow(pairs.keys[j] - reconstructions[j], 2);
      }
      along.push_back(a);
      across.push_back(b);
      square_errors.push_back(square);
    }
  }
};

inline Doubles reconstructed(const Quantizer& quantizer, const Doubles& rows) {
  const std::size_t count = rows.size() / quantizer.dim();
  std::vector<turboquant::Code> codes(count);
  quantizer.quantize(rows.data(), count, codes.data());
  Doubles result(rows.size());
  quantizer.reconstruct(codes.data(), count, result.data());
  return result;
}

/// A projection for each batch.
using MakeProjection = std::function<Projection(Random& random, int d, std::size_t batch)>;

/// Products of 1 .. 4 bits over `count` pairs: fresh signs of the rotation for each pair, a fresh
/// projection for each batch.
inline std::vector<Products> products_of(Random& random, Kind kind, Scale scale, int d,
                                         std::size_t count, const MakeProjection& projection = {}) {
  std::vector<Products> products(4);
  for (std::size_t batch = 0; batch < count / kBatch; ++batch) {
    const Pairs pairs(random, d);
    const auto rotation = std::make_shared<const FreshSigns>(random, d);
    const Projection own = projection ? projection(random, d, batch) : Projection{};
    for (int bits = 1; bits <= 4; ++bits)
      products[static_cast<std::size_t>(bits - 1)].add(
          pairs, reconstructed(Quantizer(kind, bits, scale, rotation, own), pairs.keys));
  }
  return products;
}

/// Distortion of the codebook of a point on the sphere, 0 .. 4 bits; 1 without one.
inline double distortion_of(int d, int bits) {
  if (bits == 0) return 1;
  return distortion(solve_codebook(CodebookKind::beta, d, bits), CodebookKind::beta, d);
}

inline draws::Draws draws_of(std::size_t batch, int d) {
  return {static_cast<std::uint64_t>(d), draws::Purpose::projection, batch, 0};
}

inline Projection gaussian_of(Random&, int d, std::size_t batch) {
  return turboquant::gaussian_projection(draws_of(batch, d), d);
}

inline Projection orthogonal_of(Random&, int d, std::size_t batch) {
  return turboquant::orthogonal_projection(draws_of(batch, d), d);
}

/// Fresh signs for each pair.
inline Projection hadamard_of(Random& random, int d, std::size_t) {
  const double factor = turboquant::hadamard_projection(random_signs(random, d)).factor;
  return {std::make_shared<const FreshSigns>(random, d), factor};
}

}  // namespace test

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "axelram/simd.hpp"
#include "axelram/transformer/other_level.hpp"
#include "axelram/transformer/product.hpp"
#include "bench_report.hpp"
#include "eigen_product.hpp"

using namespace axelram;
using transformer::MutableRows;
using transformer::Rows;

namespace {

struct Shape {
  const char* what;
  std::size_t rows, inner, columns;
  double bar;  ///< 0: none
};
/// Tiles of projections: of SmolLM2-135M, byte-llama-d128 and an 8B model.
constexpr Shape kTransposed[] = {{"projection", 512, 576, 128, 0.9},
                                 {"projection", 512, 1536, 128, 0.9},
                                 {"projection", 512, 256, 128, 0.9},
                                 {"projection", 512, 704, 128, 0.9},
                                 {"projection", 512, 4096, 128, 0.9},
                                 {"scores", 64, 64, 1024, 0},
                                 {"scores", 64, 128, 1024, 0},
                                 {"projection of a token", 1, 576, 128, 0},
                                 {"projection of a token", 1, 4096, 128, 0},
                                 {"scores of a token", 1, 128, 1024, 0}};
constexpr Shape kPlain[] = {{"sums over values", 64, 1024, 64, 0.9},
                            {"sums over values", 64, 1024, 128, 0.9},
                            {"sums of a token", 1, 1024, 128, 0}};

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& x : values) x = uniform(random);
  return values;
}

using Product = void (*)(const Rows&, const Rows&, const MutableRows&);
struct EigenProducts {
  Product multiply, multiply_transposed;
};

EigenProducts eigen_at(SimdLevel level) {
  switch (level) {
    case SimdLevel::avx512:
      return {bench::avx512::eigen_multiply, bench::avx512::eigen_multiply_transposed};
    case SimdLevel::avx2:
      return {bench::avx2::eigen_multiply, bench::avx2::eigen_multiply_transposed};
    case SimdLevel::portable:
      break;
  }
  return {bench::portable::eigen_multiply, bench::portable::eigen_multiply_transposed};
}

bool bench_shape(const Shape& s, bool transposed, Product eigen, SimdLevel level) {
  const auto x = random_floats(s.rows * s.inner), w = random_floats(s.columns * s.inner);
  std::vector<float> y(s.rows * s.columns);
  const Rows a{x.data(), s.rows, s.inner, s.inner};
  const Rows b = transposed ? Rows{w.data(), s.columns, s.inner, s.inner}
                            : Rows{w.data(), s.inner, s.columns, s.columns};
  const MutableRows c{y.data(), s.rows, s.columns, s.columns};
  const std::string name = std::string(s.what) + ", " + std::to_string(s.rows) + " x " +
                           std::to_string(s.inner) + " by " + std::to_string(s.columns) + ", " +
                           simd_level_name(level);
  return bench::compare(
      {name, "in cache", 2e-3 * static_cast<double>(s.rows * s.inner * s.columns), s.bar},
      [&] { eigen(a, b, c); },
      [&] {
        transposed ? transformer::multiply_transposed(a, b, c) : transformer::multiply(a, b, c);
      });
}

}  // namespace

int main() {
  bool holds = true;
  for (const SimdLevel level : {SimdLevel::avx512, SimdLevel::avx2, SimdLevel::portable}) {
    if (level > best_simd_level()) continue;
    const transformer::OtherLevel at(level);
    bench::print_header(std::string("products whose sums have a fixed order, ") +
                        simd_level_name(level) +
                        "; baseline: Eigen with the same instructions; ns for 1000 operations");
    const EigenProducts eigen = eigen_at(level);
    // The bars are those of the widest instructions.
    const bool barred = level == best_simd_level();
    const auto all = [&](const auto& shapes, bool transposed, Product product) {
      for (Shape shape : shapes) {
        if (!barred) shape.bar = 0;
        holds &= bench_shape(shape, transposed, product, level);
      }
    };
    all(kTransposed, true, eigen.multiply_transposed);
    all(kPlain, false, eigen.multiply);
  }
  return holds ? 0 : 1;
}

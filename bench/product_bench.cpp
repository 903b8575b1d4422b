#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "axelram/simd.hpp"
#include "axelram/transformer/product.hpp"
#include "bench_report.hpp"

using namespace axelram;

namespace {

struct Shape {
  std::size_t rows, outputs, inputs;
};
// Tiles of byte-llama-d128's and of an 8B model's layers.
constexpr Shape kShapes[] = {{512, 128, 256}, {512, 128, 704}, {512, 128, 4096}, {64, 256, 128}};

/// cblas_sgemm, loaded if its library is installed: the project does not depend on it.
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);
constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

Sgemm open_blas() {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
}

std::vector<float> random_floats(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& x : values) x = uniform(random);
  return values;
}

void bench_shape(const Shape& s, Sgemm sgemm) {
  const auto x = random_floats(s.rows * s.inputs), w = random_floats(s.outputs * s.inputs);
  std::vector<float> y(s.rows * s.outputs);
  const auto ours = [&] {
    transformer::multiply_transposed({x.data(), s.rows, s.inputs, s.inputs},
                                     {w.data(), s.outputs, s.inputs, s.inputs},
                                     {y.data(), s.rows, s.outputs, s.outputs});
  };
  const auto theirs = [&] {
    const int rows = static_cast<int>(s.rows), outputs = static_cast<int>(s.outputs),
              inputs = static_cast<int>(s.inputs);
    sgemm(kRowMajor, kPlain, kTransposed, rows, outputs, inputs, 1, x.data(), inputs, w.data(),
          inputs, 0, y.data(), outputs);
  };
  const std::string name = std::to_string(s.rows) + " x " + std::to_string(s.inputs) + " by " +
                           std::to_string(s.outputs);
  bench::compare({name, "in cache", 2e-3 * static_cast<double>(s.rows * s.outputs * s.inputs), 0},
                 theirs, ours);
}

}  // namespace

int main() {
  const Sgemm sgemm = open_blas();
  if (sgemm == nullptr) {
    std::printf("no libopenblas.so.0: nothing to compare with (Debian: libopenblas0-pthread)\n");
    return 0;
  }
  bench::print_header(std::string("products of floats by Eigen, ") + simd_level_name(simd_level()) +
                      "; baseline: OpenBLAS as installed; ns for 1000 operations");
  for (const Shape& shape : kShapes) bench_shape(shape, sgemm);
  return 0;
}

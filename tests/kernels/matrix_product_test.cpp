#include "axelram/kernels/matrix_product.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "axelram/half.hpp"
#include "check.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

/// Weights on the device, and as doubles: [outputs, inputs].
struct Weights {
  Buffer<float> floats;
  Buffer<std::uint16_t> halves;
  WeightMatrix matrix;
  std::vector<double> values;
};

Weights weights(Stream& stream, WeightType type, std::size_t outputs, std::size_t inputs,
                bool transposed) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 1);
  Weights w;
  w.values.resize(outputs * inputs);
  std::vector<float> floats(outputs * inputs);
  std::vector<std::uint16_t> halves(outputs * inputs);
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t i = 0; i < inputs; ++i) {
      const std::size_t at = transposed ? i * outputs + o : o * inputs + i;
      const double x = normal(random);
      floats[at] = static_cast<float>(x);
      halves[at] = type == WeightType::f16 ? double_to_half(x) : double_to_bfloat16(x);
      w.values[o * inputs + i] = type == WeightType::f32   ? floats[at]
                                 : type == WeightType::f16 ? half_to_double(halves[at])
                                                           : bfloat16_to_double(halves[at]);
    }
  w.floats = Buffer<float>(stream, floats);
  w.halves = Buffer<std::uint16_t>(stream, halves);
  const void* const data = type == WeightType::f32 ? static_cast<const void*>(w.floats.data())
                                                   : static_cast<const void*>(w.halves.data());
  w.matrix = {data, type, outputs, inputs, transposed};
  return w;
}

/// Root mean square error of a product, in parts of the products'.
double error(WeightType type, std::size_t inputs, bool transposed, float size, Into into) {
  Stream stream;
  const std::size_t rows = 6, outputs = 10;
  const Weights w = weights(stream, type, outputs, inputs, transposed);
  std::mt19937 random(4);
  std::normal_distribution<float> normal(0, size);
  std::vector<float> x(rows * inputs), y(rows * outputs);
  for (float& value : x) value = normal(random);
  for (float& value : y) value = into == Into::add ? normal(random) : std::nanf("");
  const Buffer<float> dx(stream, x), dy(stream, y);
  MatrixProduct product(stream, x.size());
  product.left(dx.data(), rows, inputs);
  product(w.matrix, dy.data(), into);
  const std::vector<float> got = dy.download(stream);
  double wrong = 0, all = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = into == Into::add ? y[r * outputs + o] : 0;
      for (std::size_t i = 0; i < inputs; ++i)
        sum += w.values[o * inputs + i] * static_cast<double>(x[r * inputs + i]);
      const double off = (got[r * outputs + o] - sum) / size;
      wrong += off * off;
      all += sum / size * sum / size;
    }
  return std::sqrt(wrong / all);
}

}  // namespace

TEST_CASE("products: close to FP32 whatever the weights' type") {
  for (const bool transposed : {false, true})
    for (const std::size_t inputs : {1, 7, 64})
      for (const Into into : {Into::overwrite, Into::add}) {
        CASE(transposed, into, inputs);
        CHECK(error(WeightType::f32, inputs, transposed, 1, into) < 3e-7);
        CHECK(error(WeightType::f16, inputs, transposed, 1, into) < 5e-7);
        CHECK(error(WeightType::bf16, inputs, transposed, 1, into) < 1e-5);
      }
}

TEST_CASE("products: activations beyond FP16, and far below it, lose nothing") {
  for (const float size : {1e-30F, 1e-20F, 1e-8F, 1e6F, 1e20F, 1e35F})
    CHECK_AT(size, error(WeightType::f16, 64, false, size, Into::overwrite) < 5e-7);
}

TEST_CASE("products: one left factor, weights of several types") {
  Stream stream;
  const std::vector<float> x = {1, 2, 3, 4};
  const Buffer<float> dx(stream, x), dy(1);
  MatrixProduct product(stream, 4);
  product.left(dx.data(), 1, 4);
  for (const WeightType type :
       {WeightType::f16, WeightType::bf16, WeightType::f32, WeightType::f16}) {
    CASE(type);
    const Weights w = weights(stream, type, 1, 4, false);
    product(w.matrix, dy.data());
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += w.values[i] * x[i];
    CHECK(dy.download(stream)[0] == doctest::Approx(sum).epsilon(1e-4));
  }
}

TEST_CASE("products: no numbers stay none, no rows are no work, and sizes are held together") {
  Stream stream;
  const Weights w = weights(stream, WeightType::f16, 3, 4, false);
  const Buffer<float> dy(stream, std::vector<float>(3, 1.0F));
  MatrixProduct product(stream, 4);
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    CASE(bad);
    const Buffer<float> dx(stream, std::vector<float>{1, bad, 3, 4});
    product.left(dx.data(), 1, 4);
    product(w.matrix, dy.data());
    CHECK_FALSE(std::isfinite(dy.download(stream)[0]));
  }
  product.left(nullptr, 0, 4);
  CHECK_NOTHROW(product(w.matrix, nullptr));
  product.left(dy.data(), 1, 3);
  CHECK_THROWS_WITH_AS(product(w.matrix, dy.data()),
                       "product of [1, 3] and weights [3, 4]: the second numbers must be the same",
                       DeviceError);
  product.left(dy.data(), 2, 4);
  CHECK_THROWS_WITH_AS(product(w.matrix, dy.data()),
                       doctest::Contains("there is room for the parts of 4 values"), DeviceError);
}

#include "axelram/kernels/matrix_product.hpp"

#include <optional>
#include <string>
#include <vector>

#include "layers/gemm.hpp"
#include "layers/split.hpp"

namespace axelram::kernels {

struct MatrixProduct::State {
  State(Stream& s, std::size_t values)
      : stream(s),
        gemm(s),
        high(values),
        low(values),
        numbers(s, std::vector<float>{0, 1, 1}),
        largest(1) {}

  const float* zero() const { return numbers.data(); }
  const float* one() const { return numbers.data() + 1; }
  float* inverse() const { return numbers.data() + 2; }

  Stream& stream;
  Gemm gemm;
  Buffer<std::uint16_t> high, low;
  Buffer<float> numbers;
  Buffer<std::uint32_t> largest;
  const float* x = nullptr;
  std::size_t rows = 0, inputs = 0;
  std::optional<WeightType> parts;  ///< the type that high and low are of
};

MatrixProduct::MatrixProduct(Stream& stream, std::size_t most_values)
    : state_(std::make_unique<State>(stream, most_values)) {}
MatrixProduct::~MatrixProduct() = default;

std::size_t MatrixProduct::bytes(std::size_t most_values) {
  return 2 * most_values * sizeof(std::uint16_t);
}

void MatrixProduct::left(const float* x, std::size_t rows, std::size_t inputs) {
  state_->x = x;
  state_->rows = rows;
  state_->inputs = inputs;
  state_->parts.reset();
}

void MatrixProduct::operator()(const WeightMatrix& weights, float* y, Into into) {
  State& s = *state_;
  const std::string text = "product of [" + std::to_string(s.rows) + ", " +
                           std::to_string(s.inputs) + "] and weights [" +
                           std::to_string(weights.outputs) + ", " + std::to_string(weights.inputs) +
                           "]";
  if (s.inputs != weights.inputs) throw DeviceError(text + ": the second numbers must be the same");
  if (s.rows == 0) return;
  const float* const beta = into == Into::add ? s.one() : s.zero();
  if (weights.type == WeightType::f32) return s.gemm(weights, s.x, s.rows, s.one(), beta, y);
  if (s.parts != weights.type) {
    if (s.rows * s.inputs > s.high.size())
      throw DeviceError(text + ": there is room for the parts of " + std::to_string(s.high.size()) +
                        " values");
    split(s.stream, s.x, s.rows, s.inputs, weights.type, s.high.data(), s.low.data(), s.inverse(),
          s.largest.data());
    s.parts = weights.type;
  }
  s.gemm(weights, s.high.data(), s.rows, s.inverse(), beta, y);
  s.gemm(weights, s.low.data(), s.rows, s.inverse(), s.one(), y);
}

}  // namespace axelram::kernels

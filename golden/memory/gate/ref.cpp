#include <cmath>
#include <stdexcept>

#include "axelram/gate.hpp"
#include "axelram/rounding.hpp"

namespace axelram {
namespace {

constexpr int kLargest = kGateCodes - 1;

/// FP32 RNE of ln(numerator / denominator). An error of the C library below a relative 2^-40 does
/// not change it: both ends of that interval round to it.
float rounded_logarithm(int numerator, int denominator) {
  const double value = std::log(static_cast<double>(numerator) / denominator);
  const double error = std::ldexp(value, -40);
  const auto rounded = static_cast<float>(value);
  if (static_cast<float>(value - error) != rounded || static_cast<float>(value + error) != rounded)
    throw std::logic_error("the rounding of a gate's logarithm is not certain");
  return rounded;
}

}  // namespace

const std::array<float, kGateCodes - 1>& gate_boundaries() {
  static const auto boundaries = [] {
    std::array<float, kGateCodes - 1> all{};
    for (int j = 1; j <= kLargest; ++j)
      all[static_cast<std::size_t>(j - 1)] = rounded_logarithm(2 * j - 1, 2 * kLargest + 1 - 2 * j);
    return all;
  }();
  return boundaries;
}

int gate_code_ref(float z) {
  int code = 0;
  for (const float boundary : gate_boundaries()) code += z >= boundary ? 1 : 0;
  return code;
}

int gate_parameter(double x) { return round_to_even(kLargest * x); }

const std::array<float, kGateCodes>& gate_bias() {
  static const auto bias = [] {
    std::array<float, kGateCodes> all{};
    for (int code = 0; code <= kLargest; ++code)
      all[static_cast<std::size_t>(code)] = rounded_logarithm(code == 0 ? 1 : code, kLargest);
    return all;
  }();
  return bias;
}

}  // namespace axelram

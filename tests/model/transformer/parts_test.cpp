#include <array>
#include <cmath>
#include <random>

#include "axelram/transformer/rotary_table.hpp"
#include "check.hpp"
#include "normalize.hpp"
#include "projection.hpp"

using namespace axelram;
using checkpoints::Matrix;
using transformer::Into;

namespace {

std::vector<float> random_floats(std::size_t count, std::mt19937& random, float mean = 0,
                                 float width = 1) {
  std::normal_distribution<float> normal(mean, width);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

/// Weights as a file may hold them: F32, by rows or transposed.
struct Weights {
  std::vector<float> values;
  Matrix matrix;

  Weights(std::size_t outputs, std::size_t inputs, bool transposed, std::mt19937& random)
      : values(random_floats(outputs * inputs, random)),
        matrix{reinterpret_cast<const std::uint8_t*>(values.data()),
               weights::Type::f32,
               outputs,
               inputs,
               transposed ? outputs : inputs,
               transposed} {}

  double at(std::size_t o, std::size_t i) const {
    return values[matrix.transposed ? i * matrix.outputs + o : o * matrix.inputs + i];
  }
};

void check_projection(std::size_t rows, std::size_t outputs, std::size_t inputs, bool transposed,
                      bool has_bias, Into into) {
  std::mt19937 random(5);
  const Weights weights(outputs, inputs, transposed, random);
  const std::vector<float> x = random_floats(rows * inputs, random);
  const std::vector<float> bias = random_floats(has_bias ? outputs : 0, random);
  const std::vector<float> before = random_floats(rows * outputs, random);
  std::vector<float> first;
  for (const std::size_t count : {1U, 2U, 5U}) {
    CASE(count);
    transformer::Workers workers(count);
    std::vector<float> y = before;
    project(workers, weights.matrix, bias, x.data(), rows, y.data(), into);
    if (first.empty()) first = y;
    REQUIRE_SAME(y, first);
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t o = 0; o < outputs; ++o) {
      CASE(r, o);
      double sum = has_bias ? double{bias[o]} : 0, size = std::abs(sum);
      for (std::size_t i = 0; i < inputs; ++i) {
        const double term = double{x[r * inputs + i]} * weights.at(o, i);
        sum += term;
        size += std::abs(term);
      }
      if (into == Into::add)
        sum += before[r * outputs + o], size += std::abs(before[r * outputs + o]);
      REQUIRE(std::abs(first[r * outputs + o] - sum) <=
              static_cast<double>(inputs + 4) * 0x1p-24 * size);
    }
}

}  // namespace

// Tiles are 512 rows by 128 outputs: below, at and above their edges.
TEST_CASE("project: shapes, biases, both ways of storing, however many workers") {
  for (const bool transposed : {false, true})
    for (const bool bias : {false, true})
      for (const Into into : {Into::overwrite, Into::add}) {
        CASE(into, transposed, bias);
        for (const auto& [rows, outputs, inputs] : {std::array<std::size_t, 3>{1, 1, 1},
                                                    {3, 127, 9},
                                                    {2, 128, 16},
                                                    {5, 129, 33},
                                                    {511, 3, 8},
                                                    {512, 2, 8},
                                                    {513, 130, 7},
                                                    {1030, 260, 5}}) {
          CASE(rows);
          check_projection(rows, outputs, inputs, transposed, bias, into);
        }
      }
}

TEST_CASE("rms_norm and layer_norm: against double precision, in place too") {
  std::mt19937 random(6);
  for (const std::size_t size : {1U, 2U, 31U, 64U, 1000U})
    for (const float mean : {0.0F, 3.0F, 1000.0F})
      for (const double epsilon : {1e-6, 1e-2}) {
        CASE(epsilon, size, mean);
        const std::vector<float> x = random_floats(size, random, mean);
        const std::vector<float> weight = random_floats(size, random),
                                 bias = random_floats(size, random);
        long double sum = 0, squares = 0, spread = 0;
        for (const float value : x)
          sum += value, squares += static_cast<long double>(value) * value;
        const long double n = static_cast<long double>(size), middle = sum / n;
        for (const float value : x) spread += (value - middle) * (value - middle);
        std::vector<float> rms(size), layer(size);
        transformer::rms_norm(x.data(), size, weight.data(), epsilon, rms.data());
        transformer::layer_norm(x.data(), size, weight, bias, epsilon, layer.data());
        for (std::size_t i = 0; i < size; ++i) {
          CASE(i);
          const long double scaled = x[i] * weight[i] / std::sqrt(squares / n + epsilon);
          REQUIRE(std::abs(rms[i] - scaled) <= 4e-7L * std::abs(scaled));
          // The mean is rounded to a float before it is subtracted.
          const long double scale = weight[i] / std::sqrt(spread / n + epsilon);
          const long double moved = (x[i] - middle) * scale;
          const long double rounding = std::abs(middle * scale) * 0x1p-23L;
          REQUIRE(std::abs(layer[i] - (moved + bias[i])) <=
                  4e-7L * (std::abs(moved) + std::abs(bias[i])) + rounding);
        }
        std::vector<float> in_place = x;
        transformer::rms_norm(in_place.data(), size, weight.data(), epsilon, in_place.data());
        CHECK_SAME(in_place, rms);
        in_place = x;
        transformer::layer_norm(in_place.data(), size, weight, bias, epsilon, in_place.data());
        CHECK_SAME(in_place, layer);
      }
}

TEST_CASE("norms: zeros stay zeros") {
  const std::vector<float> zeros(16), ones(16, 1.0F);
  std::vector<float> y(16, 5.0F);
  transformer::rms_norm(zeros.data(), 16, ones.data(), 1e-6, y.data());
  CHECK_SAME(y, zeros);
  transformer::layer_norm(ones.data(), 16, ones, zeros, 1e-5, y.data());
  CHECK_SAME(y, zeros);
}

TEST_CASE("RotaryTable: pairs, angles, the attention factor") {
  std::mt19937 random(7);
  constexpr std::size_t kPositions = 300;
  for (const std::size_t pairs : {1U, 4U, 32U})
    for (const bool interleaved : {false, true})
      for (const double factor : {1.0, 1.25}) {
        CASE(pairs, interleaved, factor);
        checkpoints::Rotary rotary;
        rotary.attention_factor = factor;
        for (std::size_t i = 0; i < pairs; ++i)
          rotary.frequencies.push_back(std::pow(0.37, static_cast<double>(i)));
        const transformer::RotaryTable table(rotary, interleaved, kPositions);
        for (std::size_t position = 0; position < kPositions; position += position < 4 ? 1 : 37) {
          CASE(position);
          const std::vector<float> before = random_floats(2 * pairs, random);
          std::vector<float> head = before;
          table.turn(position, head.data());
          if (position == 0 && factor == 1) CHECK_SAME(head, before);
          for (std::size_t i = 0; i < pairs; ++i) {
            CASE(i);
            const std::size_t first = interleaved ? 2 * i : i;
            const std::size_t second = interleaved ? 2 * i + 1 : i + pairs;
            const long double angle = static_cast<long double>(position) * rotary.frequencies[i];
            const long double cosine = factor * std::cos(angle), sine = factor * std::sin(angle);
            const long double x = before[first], y = before[second];
            const long double bound = 4e-7L * (std::abs(x) + std::abs(y));
            REQUIRE(std::abs(head[first] - (x * cosine - y * sine)) <= bound);
            REQUIRE(std::abs(head[second] - (x * sine + y * cosine)) <= bound);
          }
        }
      }
}

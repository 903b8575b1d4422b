#pragma once

#include <cmath>

namespace axelram {

/// An unevaluated sum of two doubles: about 32 digits from + - * / sqrt of doubles alone, so that
/// every platform computes the same bits. high is the sum rounded to nearest. The error-free
/// transforms (references.md#knuth, references.md#dekker) need every operation rounded to double:
/// no contraction to fused multiply-adds. Operations are accurate to a few units of 2^-104; no
/// operand or product may come near overflow or underflow.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  constexpr DoubleDouble() = default;
  // Implicit: every double is one, and mixed expressions are exact in it.
  constexpr DoubleDouble(double value) : high(value) {}
  constexpr DoubleDouble(double h, double l) : high(h), low(l) {}
};

/// a + b exactly, if |a| >= |b| or a is 0.
constexpr DoubleDouble ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
constexpr DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// value as the sum of two doubles of at most 26 bits, whose products are exact.
constexpr DoubleDouble split(double value) {
  constexpr double kFactor = 134217729;  // 2^27 + 1
  const double scaled = kFactor * value;
  const double high = scaled - (scaled - value);
  return {high, value - high};
}

/// a * b exactly.
constexpr DoubleDouble exact_product(double a, double b) {
  const double product = a * b;
  const DoubleDouble x = split(a);
  const DoubleDouble y = split(b);
  const double error =
      ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
  return {product, error};
}

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

/// Accurate relative to the result even where a and b nearly cancel.
constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = exact_sum(a.high, b.high);
  const DoubleDouble low = exact_sum(a.low, b.low);
  const DoubleDouble sum = ordered_sum(high.high, high.low + low.high);
  return ordered_sum(sum.high, sum.low + low.low);
}

constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

constexpr DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble rest = a - b * quotient;
  return ordered_sum(quotient, rest.high / b.high);
}

/// a > 0.
inline DoubleDouble sqrt(DoubleDouble a) {
  const double root = std::sqrt(a.high);
  const DoubleDouble rest = a - exact_product(root, root);
  return ordered_sum(root, rest.high / (2 * root));
}

}  // namespace axelram

#include "density.hpp"

#include <stdexcept>
#include <string>

namespace axelram {
namespace {

constexpr double kNegligible = 1e-34;
constexpr DoubleDouble kHalfPi{1.5707963267948966, 6.123233995736766e-17};

/// first (1 + z c(0) / 3 (1 + z c(1) / 5 (1 + z c(2) / 7 (...)))), all terms positive.
template <typename Coefficient>
DoubleDouble odd_series(DoubleDouble first, DoubleDouble z, Coefficient c) {
  DoubleDouble term = first;
  DoubleDouble sum = term;
  for (int k = 0; term.high > sum.high * kNegligible; ++k) {
    term = term * (z * c(k) / (2 * k + 3));
    sum = sum + term;
  }
  return sum;
}

/// e^t for 0 <= t <= 72.
DoubleDouble exp_series(DoubleDouble t) {
  DoubleDouble sum = 1;
  DoubleDouble term = 1;
  for (int n = 1; term.high > sum.high * kNegligible; ++n) {
    term = term * t / n;
    sum = sum + term;
  }
  return sum;
}

/// exp(-x^2/2).
class Gaussian final : public Density {
 public:
  DoubleDouble operator()(DoubleDouble x) const override { return 1 / exp_series(x * x / 2); }
  DoubleDouble moment_above(DoubleDouble x) const override { return (*this)(x); }
  /// x f(x) (1 + x^2/3 + x^4/15 + ...).
  DoubleDouble mass_below(DoubleDouble x) const override {
    return odd_series(x * (*this)(x), x * x, [](int) { return 1.0; });
  }
  DoubleDouble half_mass() const override { return sqrt(kHalfPi); }
  bool negligible_beyond(double x) const override { return x * x > 144; }
};

/// (1 - x^2/d)^((d-3)/2): the density of sqrt(d) times one coordinate of a uniform point on the
/// unit sphere in d dimensions. Its base lies in [0, 1], so that nothing overflows.
class Beta final : public Density {
 public:
  explicit Beta(int head_dim) : head_dim_(head_dim) {
    if (head_dim < 16)
      throw std::invalid_argument("head_dim is " + std::to_string(head_dim) +
                                  "; the beta codebook needs at least 16");
  }

  DoubleDouble operator()(DoubleDouble x) const override {
    const DoubleDouble base = 1 - x * x / head_dim_;
    const int twice_power = head_dim_ - 3;
    DoubleDouble value = twice_power % 2 != 0 ? sqrt(base) : 1;
    for (int i = 0; i < twice_power / 2; ++i) value = value * base;
    return value;
  }
  DoubleDouble moment_above(DoubleDouble x) const override {
    return (*this)(x) * (1 - x * x / head_dim_) * (head_dim_ / DoubleDouble(head_dim_ - 1));
  }
  /// x f(x) (1-z) 2F1(1, d/2; 3/2; z) with z = x^2/d.
  DoubleDouble mass_below(DoubleDouble x) const override {
    const DoubleDouble z = x * x / head_dim_;
    return odd_series(x * (*this)(x) * (1 - z), z, [this](int k) { return head_dim_ + 2.0 * k; });
  }
  /// sqrt(d) times the integral of cos^(d-2) over a quarter turn (Wallis).
  DoubleDouble half_mass() const override {
    const int power = head_dim_ - 2;
    DoubleDouble wallis = power % 2 == 0 ? kHalfPi : 1;
    for (int i = power % 2 + 2; i <= power; i += 2) wallis = wallis * (i - 1) / i;
    return sqrt(DoubleDouble(head_dim_)) * wallis;
  }
  bool negligible_beyond(double x) const override { return x * x > 0.99 * head_dim_; }

 private:
  int head_dim_;
};

}  // namespace

std::unique_ptr<const Density> make_density(CodebookKind kind, int head_dim) {
  switch (kind) {
    case CodebookKind::gaussian:
      return std::make_unique<Gaussian>();
    case CodebookKind::beta:
      return std::make_unique<Beta>(head_dim);
  }
  throw std::logic_error("a codebook has no density");
}

}  // namespace axelram

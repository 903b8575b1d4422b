#include "product/product.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "axelram/simd.hpp"
#include "axelram/transformer/other_level.hpp"
#include "check.hpp"

using namespace axelram;
using namespace transformer;

namespace {

struct Level {
  SimdLevel level;
  decltype(&transformer::multiply) multiply;
  decltype(&transformer::multiply_transposed) multiply_transposed;
  decltype(&transformer::softmax) softmax;
  decltype(&transformer::silu) silu, gelu_tanh;
};

std::string name(const Level& level) { return simd_level_name(level.level); }

/// Those that this machine can run.
std::vector<Level> levels() {
  namespace t = transformer;
  std::vector<Level> all = {
      {SimdLevel::portable, t::portable::multiply, t::portable::multiply_transposed,
       t::portable::softmax, t::portable::silu, t::portable::gelu_tanh},
      {SimdLevel::avx2, t::avx2::multiply, t::avx2::multiply_transposed, t::avx2::softmax,
       t::avx2::silu, t::avx2::gelu_tanh},
      {SimdLevel::avx512, t::avx512::multiply, t::avx512::multiply_transposed, t::avx512::softmax,
       t::avx512::silu, t::avx512::gelu_tanh}};
  while (all.back().level > best_simd_level()) all.pop_back();
  return all;
}

std::vector<float> random_floats(std::size_t count, std::mt19937& random, float width = 1) {
  std::normal_distribution<float> normal(0, width);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

constexpr double kUnit = 0x1p-24;  // half an ulp of 1

/// |c - a b| of every entry within the bound of a sum in any order, (n + 2) u sum |a b| (Higham,
/// Accuracy and Stability of Numerical Algorithms, section 3.1), and nothing else written.
void check_product(const Level& level, bool transposed, std::size_t rows, std::size_t columns,
                   std::size_t inner, std::size_t more, std::mt19937& random) {
  const std::size_t b_rows = transposed ? columns : inner, b_columns = transposed ? inner : columns;
  const std::vector<float> a = random_floats(rows * (inner + more), random);
  const std::vector<float> b = random_floats(b_rows * (b_columns + 2 * more), random);
  std::vector<float> c(rows * (columns + 3 * more), -77.0F);
  const Rows left{a.data(), rows, inner, inner + more};
  const Rows right{b.data(), b_rows, b_columns, b_columns + 2 * more};
  const MutableRows out{c.data(), rows, columns, columns + 3 * more};
  if (transposed)
    level.multiply_transposed(left, right, out);
  else
    level.multiply(left, right, out, more);
  for (std::size_t r = 0; r < rows; ++r) {
    CASE(r);
    const float* const row = &c[r * (columns + 3 * more)];
    for (std::size_t o = 0; o < columns; ++o) {
      CASE(o);
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < inner; ++i) {
        const std::size_t at =
            transposed ? o * (b_columns + 2 * more) + i : i * (b_columns + 2 * more) + o;
        const double term = double{a[r * (inner + more) + i]} * b[at];
        sum += term;
        size += std::abs(term);
      }
      REQUIRE(std::abs(row[o] - sum) <= static_cast<double>(inner + 2) * kUnit * size);
    }
    for (std::size_t o = columns; o < columns + 3 * more; ++o) REQUIRE_AT(o, row[o] == -77.0F);
  }
}

/// function(values) at 16 addresses: the same bits at each.
template <class Function>
void check_addresses(const std::vector<float>& values, const Function& function) {
  std::vector<float> first = values;
  function(first.data());
  for (std::size_t shift = 1; shift < 16; ++shift) {
    CASE(shift);
    std::vector<float> moved(shift + values.size());
    std::copy(values.begin(), values.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
    function(moved.data() + shift);
    REQUIRE(test::same_bits(std::span(moved).subspan(shift), first));
  }
}

/// `cancelled`: error of a sum that cancels, relative to x, at most 10 in size.
template <class Exact>
void check_elements(void (*function)(float*, std::size_t), double cancelled, const Exact& exact) {
  std::vector<float> x;
  for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) / 128);
  for (const float extreme : {-1e30F, -1e4F, -89.0F, -88.0F, -0.0F, 1e-30F, -1e-30F, 88.0F, 1e4F})
    x.push_back(extreme);
  std::vector<float> y = x;
  function(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    CASE(x[i]);
    const double right = exact(double{x[i]});
    const double absolute = cancelled * std::min(std::abs(double{x[i]}), 10.0);
    REQUIRE(std::abs(y[i] - right) <= 1e-6 * std::abs(right) + absolute + 1e-30);
  }
}

void check_softmax(const Level& level, std::vector<float> x, float scale) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0, total = 0;
  for (const float value : x) most = std::max(most, double{value} * scale);
  for (const float value : x) sum += std::exp(double{value} * scale - most);
  std::vector<double> right;
  for (const float value : x) right.push_back(std::exp(double{value} * scale - most) / sum);
  level.softmax(x.data(), x.size(), scale);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CASE(i);
    // The exponent carries an error of a few ulps of itself, and where it is far below 0 so is the
    // result.
    REQUIRE(std::abs(x[i] - right[i]) <= 1e-5 * right[i] + 1e-30);
    total += x[i];
  }
  CHECK(total == doctest::Approx(1).epsilon(1e-5));
}

TEST_CASE("products: another level for a while, then the usual one") {
  std::mt19937 random(11);
  const std::vector<float> x = random_floats(301, random);
  const auto with = [&](decltype(&transformer::softmax) softmax) {
    std::vector<float> y = x;
    softmax(y.data(), y.size(), 0.7F);
    return y;
  };
  const std::vector<float> usual = with(transformer::softmax);
  for (const Level& level : levels()) {
    CASE(name(level));
    const transformer::OtherLevel other(level.level);
    CHECK_SAME(with(transformer::softmax), with(level.softmax));
  }
  CHECK_SAME(with(transformer::softmax), usual);
}

}  // namespace

TEST_CASE("multiply and multiply_transposed: shapes and strides, each instruction set") {
  for (const Level& level : levels()) {
    CASE(name(level));
    std::mt19937 random(1);
    for (const bool transposed : {false, true})
      for (const std::size_t rows : {1U, 2U, 7U, 67U})
        for (const std::size_t columns : {1U, 3U, 16U, 131U})
          for (const std::size_t inner : {1U, 5U, 33U, 64U, 300U})
            for (const std::size_t more : {0U, 3U}) {
              CASE(more, transposed, rows, columns, inner);
              check_product(level, transposed, rows, columns, inner, more, random);
            }
  }
}

TEST_CASE("multiply: the same bits at any address") {
  for (const Level& level : levels()) {
    CASE(name(level));
    std::mt19937 random(2);
    for (const auto& [rows, columns, inner] :
         {std::array<std::size_t, 3>{1, 1, 1}, {1, 33, 20}, {5, 1, 70}, {19, 67, 45}}) {
      CASE(rows);
      const std::vector<float> b = random_floats(columns * inner, random);
      std::vector<float> c(rows * columns), d(rows * columns);
      const std::size_t m = rows, n = columns, k = inner;
      const auto product = [&](bool transposed, const float* a, const float* right, float* out) {
        if (transposed)
          level.multiply_transposed({a, m, k, k}, {right, n, k, k}, {out, m, n, n});
        else
          level.multiply({a, m, k, k}, {right, k, n, n}, {out, m, n, n}, 0);
      };
      const std::vector<float> a = random_floats(m * k, random);
      for (const bool transposed : {false, true}) {
        product(transposed, a.data(), b.data(), c.data());
        for (std::size_t shift = 1; shift < 16; ++shift)
          for (const int which : {1, 2, 4, 7}) {  // a, b, c, all
            const std::size_t sa = which & 1 ? shift : 0, sb = which & 2 ? shift : 0;
            const std::size_t sc = which & 4 ? shift : 0;
            std::vector<float> a2(a.size() + sa), b2(b.size() + sb), c2(c.size() + sc);
            std::memcpy(a2.data() + sa, a.data(), 4 * a.size());
            std::memcpy(b2.data() + sb, b.data(), 4 * b.size());
            product(transposed, a2.data() + sa, b2.data() + sb, c2.data() + sc);
            CASE(transposed, shift, which);
            REQUIRE(test::same_bits(std::span(c2).subspan(sc), c));
          }
      }
    }
  }
}

TEST_CASE("multiply and multiply_transposed: a row is the same bits among any others") {
  for (const Level& level : levels()) {
    CASE(name(level));
    std::mt19937 random(5);
    for (const bool transposed : {false, true})
      for (const std::size_t columns : {1U, 8U, 21U, 128U})
        for (const std::size_t inner : {1U, 7U, 64U, 300U, 1030U}) {
          constexpr std::size_t kMost = 263;
          CASE(transposed, columns, inner);
          const std::vector<float> a = random_floats(kMost * inner, random);
          const std::vector<float> b = random_floats(columns * inner, random);
          const auto product = [&](std::size_t row, std::size_t rows) {
            std::vector<float> c(rows * columns);
            const Rows some{&a[row * inner], rows, inner, inner};
            if (transposed)
              level.multiply_transposed(some, {b.data(), columns, inner, inner},
                                        {c.data(), rows, columns, columns});
            else
              level.multiply(some, {b.data(), inner, columns, columns},
                             {c.data(), rows, columns, columns}, 0);
            return c;
          };
          const std::vector<float> all = product(0, kMost);
          for (const auto& [row, rows] : {std::array<std::size_t, 2>{0, 1},
                                          {1, 1},
                                          {3, 2},
                                          {5, 3},
                                          {0, 4},
                                          {2, 5},
                                          {7, 6},
                                          {11, 7},
                                          {100, 64},
                                          {1, 258},
                                          {262, 1},
                                          {251, 3}}) {
            CASE(row, rows);
            REQUIRE(test::same_bits(product(row, rows),
                                    std::span(all).subspan(row * columns, rows * columns)));
          }
        }
  }
}

TEST_CASE("multiply_transposed: a column is the same bits among any others") {
  for (const Level& level : levels()) {
    CASE(name(level));
    std::mt19937 random(6);
    constexpr std::size_t kColumns = 70, kInner = 96;
    for (const std::size_t rows : {1U, 3U, 4U, 65U}) {
      CASE(rows);
      const std::vector<float> a = random_floats(rows * kInner, random);
      const std::vector<float> b = random_floats(kColumns * kInner, random);
      const auto product = [&](std::size_t column, std::size_t columns) {
        std::vector<float> c(rows * columns);
        level.multiply_transposed({a.data(), rows, kInner, kInner},
                                  {&b[column * kInner], columns, kInner, kInner},
                                  {c.data(), rows, columns, columns});
        return c;
      };
      const std::vector<float> all = product(0, kColumns);
      for (const auto& [column, columns] :
           {std::array<std::size_t, 2>{0, 1}, {1, 7}, {3, 9}, {5, 64}, {69, 1}}) {
        CASE(column, columns);
        const std::vector<float> some = product(column, columns);
        for (std::size_t r = 0; r < rows; ++r)
          REQUIRE_AT(r, test::same_bits(std::span(some).subspan(r * columns, columns),
                                        std::span(all).subspan(r * kColumns + column, columns)));
      }
    }
  }
}

TEST_CASE("multiply: rows of weight zero at either end change no bit") {
  for (const Level& level : levels()) {
    CASE(name(level));
    std::mt19937 random(7);
    constexpr std::size_t kInner = 1000;
    for (const std::size_t rows : {1U, 7U})
      for (const std::size_t columns : {5U, 64U})
        for (const auto& [begin, end] : {std::array<std::size_t, 2>{1, 1000},
                                         {255, 999},
                                         {256, 513},
                                         {257, 300},
                                         {700, 701}}) {
          CASE(rows, columns, begin, end);
          std::vector<float> a = random_floats(rows * kInner, random);
          const std::vector<float> b = random_floats(kInner * columns, random);
          for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t t = 0; t < kInner; ++t)
              if (t < begin || t >= end) a[r * kInner + t] = 0;
          std::vector<float> whole(rows * columns), part(rows * columns);
          level.multiply({a.data(), rows, kInner, kInner}, {b.data(), kInner, columns, columns},
                         {whole.data(), rows, columns, columns}, 0);
          level.multiply({&a[begin], rows, end - begin, kInner},
                         {&b[begin * columns], end - begin, columns, columns},
                         {part.data(), rows, columns, columns}, begin);
          REQUIRE(test::same_bits(whole, part));
        }
  }
}

// The sum of a piece is exact. Added to the others in FP32 it would lose almost half an ulp of a
// large sum, each time.
TEST_CASE("multiply, softmax: long sums lose no more than short ones") {
  constexpr std::size_t kRows = 131072, kColumns = 3, kPiece = transformer::kSummedTogether;
  for (const Level& level : levels()) {
    CASE(name(level));
    const std::vector<float> weights(kRows, 1);
    std::vector<float> values(kRows * kColumns, 1);
    const double more = 0x1p-8 - 0x1p-15;
    for (std::size_t t = 0; t < kRows; t += kPiece)
      std::fill_n(&values[t * kColumns], kColumns, static_cast<float>(1 + more));
    float sums[kColumns];
    level.multiply({weights.data(), 1, kRows, kRows}, {values.data(), kRows, kColumns, kColumns},
                   {sums, 1, kColumns, kColumns}, 0);
    const double right = kRows + static_cast<double>(kRows / kPiece) * more;
    for (const float sum : sums) CHECK_AT(sum, std::abs(sum - right) <= kUnit * right);
    std::vector<float> scores(kRows, 0.1F);
    scores[77] = 0.3F;
    level.softmax(scores.data(), kRows, 1);
    const double all = (kRows - 1) + std::exp(0.2);
    CHECK(std::abs(scores[0] * all - 1) <= 0x1p-21);
    CHECK(std::abs(scores[77] * all / std::exp(0.2) - 1) <= 0x1p-21);
  }
}

TEST_CASE("softmax: random, one element, equal elements, extremes") {
  for (const Level& level : levels()) {
    CASE(name(level));
    std::mt19937 random(3);
    for (const std::size_t count : {1U, 2U, 15U, 63U, 64U, 65U, 128U, 1000U, 4097U})
      for (const float scale : {0.088388346F, 1.0F, 3.0F}) {
        CASE(scale, count);
        check_softmax(level, random_floats(count, random, 5), scale);
        for (const float value : {0.0F, 1e4F, -1e4F, 3e38F, -3e38F}) {
          CASE(value);
          std::vector<float> equal(count, value);
          level.softmax(equal.data(), count, scale);
          for (const float share : equal)
            REQUIRE_AT(share, std::abs(share * static_cast<float>(count) - 1) <= 1e-6F);
        }
      }
    check_softmax(level, {1e4F, -1e4F}, 1);
    check_softmax(level, {-1e4F, -1e4F, 1e4F, 1e4F, 0}, 1);
    check_softmax(level, {-1e4F, -1e4F + 1, -1e4F + 2}, 1);
    std::vector<float> wide = random_floats(300, random, 1e4F);
    wide[37] = 1e5F;
    check_softmax(level, wide, 1);
  }
}

TEST_CASE("silu and gelu_tanh: against their definitions") {
  for (const Level& level : levels()) {
    CASE(name(level));
    check_elements(level.silu, 0, [](double x) { return x / (1 + std::exp(-x)); });
    // 1 + tanh(x) keeps few digits where tanh(x) is close to -1.
    check_elements(level.gelu_tanh, 4 * kUnit, [](double x) {
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
    });
  }
}

TEST_CASE("softmax, silu, gelu_tanh: the same bits at any address, and nothing beside them") {
  for (const Level& level : levels()) {
    CASE(name(level));
    std::mt19937 random(4);
    for (const std::size_t count : {1U, 3U, 17U, 63U, 64U, 65U, 200U}) {
      CASE(count);
      const std::vector<float> x = random_floats(count, random, 3);
      check_addresses(x, [&](float* at) { level.softmax(at, count, 0.5F); });
      check_addresses(x, [&](float* at) { level.silu(at, count); });
      check_addresses(x, [&](float* at) { level.gelu_tanh(at, count); });
      std::vector<float> longer = x;
      longer.push_back(42);
      level.softmax(longer.data(), count, 1);
      level.silu(longer.data(), count);
      level.gelu_tanh(longer.data(), count);
      CHECK(longer.back() == 42);
    }
  }
}

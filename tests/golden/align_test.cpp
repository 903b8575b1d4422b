#include "axelram/align.hpp"

#include "axelram/center.hpp"
#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

constexpr ElementFormat kFormats[] = {ElementFormat::fp16, ElementFormat::bf16};
constexpr int kDims[] = {32, 64, 128, 256};

using Raw = std::vector<std::uint16_t>;

void check_align(const Raw& x, ElementFormat format, int width) {
  const int d = static_cast<int>(x.size());
  std::vector<std::int32_t> m(x.size());
  int e = 0;
  REQUIRE(align_ref(x.data(), d, format, width, m.data(), &e));
  const std::vector<double> values = oracle::values(x, format);
  REQUIRE(e == oracle::max_exponent(values, format) - (width - 2));
  double max = 0;
  for (const double value : values) max = std::max(max, std::abs(value));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CASE(i);
    REQUIRE(m[i] == oracle::aligned(values[i], e));
    REQUIRE(std::abs(m[i]) < 1 << (width - 1));
    if (std::abs(values[i]) == max) REQUIRE(std::ldexp(m[i], e) == values[i]);
  }
}

void check_center(const Raw& x, const Raw& c, ElementFormat format, int width) {
  const int d = static_cast<int>(x.size());
  std::vector<std::int32_t> m(x.size());
  int e = 0;
  REQUIRE(center_ref(x.data(), c.data(), d, format, width, m.data(), &e));
  const std::vector<double> keys = oracle::values(x, format);
  const std::vector<double> centers = oracle::values(c, format);
  const int exponent =
      std::max(oracle::max_exponent(keys, format), oracle::max_exponent(centers, format));
  REQUIRE(e == exponent - (width - 2));
  for (std::size_t i = 0; i < x.size(); ++i) {
    CASE(i);
    REQUIRE(m[i] == oracle::aligned(keys[i], e) - oracle::aligned(centers[i], e));
    REQUIRE(std::abs(m[i]) < 1 << width);
  }
}

}  // namespace

TEST_CASE("align equals the definition") {
  oracle::Rng rng(3);
  for (const ElementFormat format : kFormats)
    for (const int d : kDims)
      for (int width = 12; width <= 20; ++width)
        for (int i = 0; i < 40; ++i) {
          CASE(format, d, width, i);
          check_align(oracle::vector(rng, d, format), format, width);
        }
}

TEST_CASE("align rounds half to even") {
  // 1 fixes the exponent; at W = 12 the unit is 2^-10.
  Raw x(32, 0);
  x[0] = double_to_half(1);
  x[1] = double_to_half(0.5 * 0x1p-10);
  x[2] = double_to_half(1.5 * 0x1p-10);
  x[3] = double_to_half(-2.5 * 0x1p-10);
  x[4] = double_to_half(0.50048828125 * 0x1p-10);
  std::vector<std::int32_t> m(32);
  int e = 0;
  REQUIRE(align_ref(x.data(), 32, ElementFormat::fp16, 12, m.data(), &e));
  CHECK(e == -10);
  CHECK(m[0] == 1024);
  CHECK(m[1] == 0);
  CHECK(m[2] == 2);
  CHECK(m[3] == -2);
  CHECK(m[4] == 1);
}

TEST_CASE("the smallest and the largest vectors") {
  std::vector<std::int32_t> m(32);
  int e = 0;
  const Raw zero(32, 0x8000);
  REQUIRE(align_ref(zero.data(), 32, ElementFormat::fp16, 16, m.data(), &e));
  CHECK(e == -28);
  CHECK(m[31] == 0);
  const Raw tiny(32, 0x8001);
  REQUIRE(align_ref(tiny.data(), 32, ElementFormat::fp16, 16, m.data(), &e));
  CHECK(e == -28);
  CHECK(m[0] == -16);
  REQUIRE(align_ref(tiny.data(), 32, ElementFormat::bf16, 20, m.data(), &e));
  CHECK(e == -144);
  CHECK(m[0] == -2048);
  const Raw large(32, 0x7BFF);
  REQUIRE(align_ref(large.data(), 32, ElementFormat::fp16, 16, m.data(), &e));
  CHECK(e == 1);
  CHECK(m[0] == 32752);
}

TEST_CASE("NaN and infinity are rejected at every position, and nothing is written") {
  for (const ElementFormat format : kFormats) {
    CASE(format);
    const int max = oracle::exponent_max_field(format);
    for (const int fraction : {0, 1, 0x7F})
      for (const bool negative : {false, true})
        for (std::size_t position = 0; position < 128; ++position) {
          CASE(fraction, negative, position);
          Raw good(128, 0x3C00);
          Raw bad = good;
          bad[position] = oracle::element(negative, max, fraction, format);
          std::vector<std::int32_t> m(128, -7);
          int e = 99;
          CHECK_FALSE(align_ref(bad.data(), 128, format, 16, m.data(), &e));
          CHECK_FALSE(center_ref(bad.data(), good.data(), 128, format, 16, m.data(), &e));
          CHECK_FALSE(center_ref(good.data(), bad.data(), 128, format, 16, m.data(), &e));
          CHECK(e == 99);
          CHECK_SAME(m, std::vector<std::int32_t>(128, -7));
        }
  }
}

TEST_CASE("center equals the definition") {
  oracle::Rng rng(4);
  for (const ElementFormat format : kFormats)
    for (const int d : kDims)
      for (int width = 12; width <= 20; ++width)
        for (int i = 0; i < 40; ++i) {
          CASE(format, d, width, i);
          check_center(oracle::vector(rng, d, format), oracle::vector(rng, d, format), format,
                       width);
        }
}

TEST_CASE("a zero center changes nothing; a key equal to its center vanishes") {
  oracle::Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    CASE(i);
    const Raw x = oracle::vector(rng, 64, ElementFormat::bf16);
    const Raw zero(64, 0);
    std::vector<std::int32_t> plain(64);
    std::vector<std::int32_t> centered(64);
    int e = 0;
    int centered_e = 0;
    REQUIRE(align_ref(x.data(), 64, ElementFormat::bf16, 16, plain.data(), &e));
    REQUIRE(center_ref(x.data(), zero.data(), 64, ElementFormat::bf16, 16, centered.data(),
                       &centered_e));
    CHECK_SAME(plain, centered);
    CHECK(e == centered_e);
    REQUIRE(center_ref(x.data(), x.data(), 64, ElementFormat::bf16, 16, centered.data(), &e));
    CHECK_SAME(centered, std::vector<std::int32_t>(64, 0));
  }
}

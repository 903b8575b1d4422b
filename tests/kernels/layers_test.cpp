#include "axelram/kernels/layers.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "axelram/half.hpp"
#include "check.hpp"

using namespace axelram;
using namespace axelram::kernels;

namespace {

using Floats = std::vector<float>;

Floats gaussian(std::size_t count, unsigned seed, float size = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, size);
  Floats x(count);
  for (float& value : x) value = normal(random);
  return x;
}

/// Largest difference, in parts of the largest magnitude.
double difference(const Floats& a, const Floats& b) {
  REQUIRE(a.size() == b.size());
  double most = 1e-30, worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CASE(i);
    most = std::max<double>(most, std::abs(b[i]));
    worst = std::max<double>(worst, std::abs(a[i] - b[i]));
    REQUIRE(std::isfinite(a[i]));
  }
  return worst / most;
}

struct Shape {
  std::size_t rows, width;
};
// Ragged, of one value, of none.
const Shape kShapes[] = {{3, 1}, {9, 33}, {1, 300}, {17, 64}, {3, 600}, {0, 5}};

}  // namespace

TEST_CASE("layers: norms are those of the definitions") {
  Stream stream;
  for (const auto [rows, width] : kShapes) {
    CASE(width);
    const Floats x = gaussian(rows * width, 1, 30), weight = gaussian(width, 2),
                 bias = gaussian(width, 3);
    Floats rms, layer;
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0, squares = 0, variance = 0;
      for (std::size_t i = 0; i < width; ++i) sum += x[r * width + i];
      const double mean = sum / static_cast<double>(width);
      for (std::size_t i = 0; i < width; ++i) {
        const double value = x[r * width + i];
        squares += value * value / static_cast<double>(width);
        variance += (value - mean) * (value - mean) / static_cast<double>(width);
      }
      for (std::size_t i = 0; i < width; ++i) {
        const double value = x[r * width + i];
        rms.push_back(static_cast<float>(value / std::sqrt(squares + 0.1) * weight[i]));
        layer.push_back(
            static_cast<float>((value - mean) / std::sqrt(variance + 0.1) * weight[i] + bias[i]));
      }
    }
    const Buffer<float> dx(stream, x), dw(stream, weight), db(stream, bias), dy(x.size());
    layer_norm(stream, dx.data(), rows, width, dw.data(), db.data(), 0.1, dy.data());
    CHECK(difference(dy.download(stream), layer) < 1e-6);
    rms_norm(stream, dx.data(), rows, width, dw.data(), 0.1, dx.data());  // in place
    CHECK(difference(dx.download(stream), rms) < 1e-6);
  }
}

TEST_CASE("layers: rows of a table of any type, over or onto what is there") {
  Stream stream;
  const std::vector<std::uint16_t> raw = {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x3555, 0x8000};
  const std::vector<std::int32_t> index = {2, 0, 2, 1};
  const Buffer<std::int32_t> di(stream, index);
  const Floats before = gaussian(8, 4);
  const auto value = [&](WeightType type, std::size_t i) {
    const std::uint16_t bits = raw[i];
    return type == WeightType::f32   ? static_cast<float>(i) - 2.5F
           : type == WeightType::f16 ? static_cast<float>(half_to_double(bits))
                                     : static_cast<float>(bfloat16_to_double(bits));
  };
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16})
    for (const Into into : {Into::overwrite, Into::add}) {
      CASE(type, into);
      Floats whole;
      for (std::size_t i = 0; i < 6; ++i) whole.push_back(value(WeightType::f32, i));
      const Buffer<float> floats(stream, whole);
      const Buffer<std::uint16_t> halves(stream, raw);
      const bool f32 = type == WeightType::f32;
      const WeightMatrix table{f32 ? static_cast<const void*>(floats.data()) : halves.data(), type,
                               3, 2, false};
      const Buffer<float> dx(stream, before);
      gather_rows(stream, table, di.data(), index.size(), dx.data(), into);
      Floats expected;
      for (std::size_t r = 0; r < index.size(); ++r)
        for (std::size_t i = 0; i < 2; ++i)
          expected.push_back(value(type, static_cast<std::size_t>(index[r]) * 2 + i) +
                             (into == Into::add ? before[r * 2 + i] : 0.0F));
      CHECK_SAME(dx.download(stream), expected);
    }
  const WeightMatrix turned{di.data(), WeightType::f32, 2, 2, true};
  CHECK_THROWS_AS(gather_rows(stream, turned, di.data(), 1, nullptr), DeviceError);
}

TEST_CASE("layers: bias, sums, factors, SiLU and GELU") {
  Stream stream;
  for (const auto [rows, width] : kShapes) {
    CASE(rows, width);
    const Floats x = gaussian(rows * width, 5, 4), gate = gaussian(rows * width, 6, 4),
                 bias = gaussian(width, 7);
    Floats silu, gelu, gated, biased, sum, scaled;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double v = x[i], g = gate[i];
      silu.push_back(static_cast<float>(v * g / (1 + std::exp(-g))));
      const double inner = std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v);
      gelu.push_back(static_cast<float>(0.5 * v * (1 + std::tanh(inner))));
      const double gate_inner = std::sqrt(2 / std::acos(-1.0)) * (g + 0.044715 * g * g * g);
      gated.push_back(static_cast<float>(v * 0.5 * g * (1 + std::tanh(gate_inner))));
      biased.push_back(x[i] + bias[i % width]);
      sum.push_back(x[i] + gate[i]);
      scaled.push_back(x[i] * 2.75F);
    }
    const Buffer<float> dx(stream, x), dg(stream, gate), db(stream, bias);
    silu_multiply(stream, dg.data(), rows, width, dx.data());
    CHECK(difference(dx.download(stream), silu) < 1e-6);
    const Buffer<float> dy(stream, x);
    gelu_tanh(stream, dy.data(), rows, width);
    CHECK(difference(dy.download(stream), gelu) < 1e-6);
    const Buffer<float> dz(stream, x);
    add_bias(stream, dz.data(), rows, width, db.data());
    CHECK_SAME(dz.download(stream), biased);
    const Buffer<float> du(stream, x), ds(stream, x);
    gelu_multiply(stream, dg.data(), rows, width, du.data());
    CHECK(difference(du.download(stream), gated) < 1e-6);
    add_rows(stream, dg.data(), rows, width, ds.data());
    CHECK_SAME(ds.download(stream), sum);
    const Buffer<float> df(stream, x);
    scale_rows(stream, df.data(), rows, width, 2.75F);
    CHECK_SAME(df.download(stream), scaled);
  }
}

TEST_CASE("layers: pairs of channels turn by their position's angles") {
  Stream stream;
  const std::size_t rows = 5, heads = 11, positions = 9;
  for (const std::size_t pairs : {1, 16, 37})
    for (const bool interleaved : {false, true}) {
      CASE(pairs, interleaved);
      const Floats x = gaussian(rows * heads * 2 * pairs, 8);
      const Floats cosines = gaussian(positions * pairs, 9),
                   sines = gaussian(positions * pairs, 10);
      const std::vector<std::int32_t> position = {8, 0, 3, 3, 1};
      Floats expected = x;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t h = 0; h < heads; ++h)
          for (std::size_t i = 0; i < pairs; ++i) {
            const std::size_t at = (r * heads + h) * 2 * pairs;
            const std::size_t a = at + (interleaved ? 2 * i : i);
            const std::size_t b = at + (interleaved ? 2 * i + 1 : i + pairs);
            const std::size_t angle = static_cast<std::size_t>(position[r]) * pairs + i;
            expected[a] = x[a] * cosines[angle] - x[b] * sines[angle];
            expected[b] = x[a] * sines[angle] + x[b] * cosines[angle];
          }
      const Buffer<float> dx(stream, x), dc(stream, cosines), ds(stream, sines);
      const Buffer<std::int32_t> dp(stream, position);
      rotate_pairs(stream, dx.data(), rows, heads,
                   {dc.data(), ds.data(), positions, pairs, interleaved}, dp.data());
      CHECK_SAME(dx.download(stream), expected);
    }
}

TEST_CASE(
    "layers: elements are rounded as golden rounds them, and the first out_of_range_value is "
    "named") {
  Stream stream;
  const std::size_t rows = 9, heads = 3, d = 40, padded = 64;
  std::mt19937 random(11);
  Floats x(rows * heads * d);
  for (const ElementFormat format : {ElementFormat::fp16, ElementFormat::bf16}) {
    CASE(format);
    const bool half = format == ElementFormat::fp16;
    const float most = half ? 65519.996F : std::nextafter(3.3961775e38F, 0.0F);
    for (float& value : x) {
      const auto bits = static_cast<std::uint32_t>(random());
      std::memcpy(&value, &bits, sizeof value);
      if (!(std::abs(value) <= most)) value = most;
    }
    x[0] = 0x1p-24F, x[1] = 0x1.8p-25F, x[2] = 0x1p-25F, x[3] = -0.0F;
    const Buffer<float> dx(stream, x);
    const Buffer<std::uint16_t> elements(rows * heads * padded);
    const Buffer<unsigned long long> out_of_range_value(stream,
                                                        std::vector<unsigned long long>{kAllFit});
    to_elements(stream, dx.data(), rows, heads, d, format, elements.data(), padded, 7,
                out_of_range_value.data());
    CHECK(out_of_range_value.download(stream)[0] == kAllFit);
    const auto got = elements.download(stream);
    for (std::size_t r = 0; r < rows * heads; ++r)
      for (std::size_t i = 0; i < padded; ++i) {
        CASE(r, i);
        REQUIRE(got[r * padded + i] == (i < d ? double_to_element(x[r * d + i], format) : 0));
      }

    Floats wrong = x;
    const std::size_t at = (4 * heads + 2) * d + 5;
    const float first = half ? -65520.0F : -std::numeric_limits<float>::infinity();
    wrong[at] = first;
    wrong[at + 1] = std::numeric_limits<float>::quiet_NaN();
    wrong.back() = std::numeric_limits<float>::infinity();
    const Buffer<float> dw(stream, wrong);
    to_elements(stream, dw.data(), rows, heads, d, format, elements.data(), padded, 7,
                out_of_range_value.data());
    const unsigned long long word = out_of_range_value.download(stream)[0];
    std::uint32_t bits;
    std::memcpy(&bits, &first, sizeof bits);
    CHECK((word >> 32) == 7 * heads * d + at);
    CHECK(static_cast<std::uint32_t>(word) == bits);
  }
  CHECK_THROWS_AS(
      to_elements(stream, nullptr, 1, 1, 65, ElementFormat::fp16, nullptr, 64, 0, nullptr),
      DeviceError);
  CHECK_THROWS_AS(to_elements(stream, nullptr, 1, 32, 128, ElementFormat::fp16, nullptr, 128,
                              std::size_t{1} << 20, nullptr),
                  DeviceError);
}

TEST_CASE("layers: padding goes as it came") {
  Stream stream;
  const std::size_t rows = 3, heads = 10, d = 33, padded = 64;
  const Floats x = gaussian(rows * heads * padded, 12);
  Floats expected;
  for (std::size_t r = 0; r < rows * heads; ++r)
    expected.insert(expected.end(), x.begin() + static_cast<std::ptrdiff_t>(r * padded),
                    x.begin() + static_cast<std::ptrdiff_t>(r * padded + d));
  const Buffer<float> dx(stream, x), dy(rows * heads * d);
  drop_padding(stream, dx.data(), rows, heads, padded, d, dy.data());
  CHECK_SAME(dy.download(stream), expected);
}

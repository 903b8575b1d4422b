#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "axelram/half.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for the units of baseline_units_test.cpp, of eight lanes.
struct Input {
  bool reset = false, valid = false, load = false;
  std::uint16_t a = 0, b = 0, norm = 0;    ///< FP16
  std::uint32_t x = 0, y = 0, record = 0;  ///< FP32; eight indices of three bits
  std::array<std::uint16_t, 8> query{}, key{};
};

/// Outputs before the clock edge of the cycle: FP32.
struct Output {
  std::array<bool, 5> valid{};
  std::array<std::uint32_t, 5> value{};  ///< product, sum, scaled, score of a key, of a record
};

/// FP16 centroids -2, -1.5, -1, -0.5, 0.25, 0.75, 1.25, 1.75.
constexpr std::array<std::uint16_t, 8> kCentroids = {0xc000, 0xbe00, 0xbc00, 0xb800,
                                                     0x3400, 0x3a00, 0x3d00, 0x3f00};
const UnitBench<Input, Output> kBench{
    "baseline_units",
    R"(
  axelram_half_product u_product (
      .clk_i, .rst_ni, .valid_i, .a_i, .b_i, .valid_o(valid_o[0]), .product_o(value_o[31:0]));
  axelram_float_add u_add (
      .clk_i, .rst_ni, .valid_i, .a_i(x_i), .b_i(y_i), .valid_o(valid_o[1]), .sum_o(value_o[63:32]));
  axelram_float_scale u_scale (
      .clk_i, .rst_ni, .valid_i, .value_i(x_i), .norm_i, .valid_o(valid_o[2]),
      .product_o(value_o[95:64]));
  axelram_half_dot #(.Lanes(8)) u_key (
      .clk_i, .rst_ni, .load_i, .query_i, .valid_i, .key_i, .valid_o(valid_o[3]),
      .score_o(value_o[127:96]));
  axelram_dequantize_dot #(.Lanes(8), .IndexBits(3),
                           .Centroids(128'h3f003d003a003400b800bc00be00c000)) u_record (
      .clk_i, .rst_ni, .load_i, .query_i, .valid_i, .record_i({norm_i, record_i}),
      .valid_o(valid_o[4]), .score_o(value_o[159:128]));
)",
    {port("valid_i", &Input::valid, 1), port("load_i", &Input::load, 1), port("a_i", &Input::a, 16),
     port("b_i", &Input::b, 16), port("norm_i", &Input::norm, 16), port("x_i", &Input::x, 32),
     port("y_i", &Input::y, 32), port("record_i", &Input::record, 24),
     port("query_i", &Input::query, 16), port("key_i", &Input::key, 16)},
    {port("valid_o", &Output::valid, 1), port("value_o", &Output::value, 32)}};

constexpr std::array<std::size_t, 5> kLatency = {2, 4, 3, 2 + 4 * 3, 6 + 4 * 3};
constexpr std::size_t kFirst = 4, kLast = 18;

float half(std::uint16_t bits) { return static_cast<float>(half_to_double(bits)); }

/// FP32 of bits; what is no finite number becomes the largest.
std::uint32_t bits_of(float value) {
  if (std::isinf(value)) value = std::copysign(std::numeric_limits<float>::max(), value);
  return std::bit_cast<std::uint32_t>(value);
}

float dot(const std::array<std::uint16_t, 8>& query, const std::array<std::uint16_t, 8>& key) {
  std::array<float, 8> terms{};
  for (std::size_t i = 0; i < 8; ++i) terms[i] = half(query[i]) * half(key[i]);
  for (std::size_t count = 8; count > 1; count /= 2)
    for (std::size_t i = 0; i < count / 2; ++i) terms[i] = terms[2 * i] + terms[2 * i + 1];
  return terms[0];
}

/// The value of a unit for the inputs of a cycle and the query that was loaded before.
std::uint32_t expected(std::size_t unit, const Input& in,
                       const std::array<std::uint16_t, 8>& query) {
  const auto x = std::bit_cast<float>(in.x), y = std::bit_cast<float>(in.y);
  switch (unit) {
    case 0:
      return bits_of(half(in.a) * half(in.b));
    case 1:
      return bits_of(x + y);
    case 2:
      return bits_of(x * half(in.norm));
    case 3:
      return bits_of(dot(query, in.key));
    default:
      break;
  }
  std::array<std::uint16_t, 8> key{};
  for (std::size_t i = 0; i < 8; ++i) key[i] = kCentroids[in.record >> (3 * i) & 7];
  return bits_of(dot(query, key) * half(in.norm));
}

std::vector<Input> cases() {
  std::mt19937_64 random(5);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const auto half_bits = [&] {  // every exponent but that of infinity; zeros and subnormals often
    const unsigned field = below(4) == 0 ? below(2) : below(31);
    const unsigned fraction = below(4) == 0 ? (below(2) == 0 ? 0 : 1023) : below(1024);
    return static_cast<std::uint16_t>(below(2) << 15 | field << 10 | fraction);
  };
  std::vector<Input> all(kFirst);
  all[0].reset = all[1].reset = true;
  all[2].load = true;
  for (auto& element : all[2].query) element = half_bits();
  for (int i = 0; i < 60000; ++i) {
    Input in{.valid = below(8) != 0, .a = half_bits(), .b = half_bits(), .norm = half_bits()};
    const unsigned field = below(8) == 0 ? (below(2) == 0 ? below(2) : 254) : below(255);
    const auto fraction = [&] {
      return below(8) == 0 ? (below(2) == 0 ? 0U : 0x7fffffU) : below(1U << 23);
    };
    in.x = below(2) << 31 | field << 23 | fraction();
    // Mostly so close that bits of both meet, and ties are frequent.
    const int apart = static_cast<int>(below(60)) - 30;
    const int other = std::clamp(static_cast<int>(field) + apart, 0, 254);
    in.y = below(2) << 31 | static_cast<unsigned>(other) << 23 | fraction();
    if (below(4) == 0) in.y &= ~0U << below(24);
    if (below(16) == 0) in.y = in.x ^ (below(2) << 31) ^ below(2);
    in.record = static_cast<std::uint32_t>(random()) & 0xffffffU;
    for (auto& element : in.key) element = half_bits();
    all.push_back(in);
  }
  all.resize(all.size() + kLast);
  return all;
}

struct Comparison {
  ::test::Tally wrong;
  std::size_t zero = 0, subnormal = 0, largest = 0;
};

Comparison compare(std::size_t unit, const Mutant* mutant = nullptr) {
  const std::vector<Input> inputs = cases();
  const auto outputs = run_unit(kBench, inputs, mutant);
  Comparison found;
  for (std::size_t t = kFirst + kLast; t < outputs.size(); ++t) {
    const Input& in = inputs[t - kLatency[unit]];
    const Output& out = outputs[t];
    COMPARE(found.wrong, out.valid[unit], in.valid, t);
    if (!in.valid) continue;
    const std::uint32_t bits = expected(unit, in, inputs[2].query);
    COMPARE(found.wrong, out.value[unit], bits, t);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    found.zero += magnitude == 0;
    found.subnormal += magnitude != 0 && magnitude < 0x00800000U;
    found.largest += magnitude == 0x7f7fffffU;
  }
  return found;
}

}  // namespace

TEST_CASE("floats of the baselines equal those of C++, each unit alone and dot products") {
  for (std::size_t unit = 0; unit < 5; ++unit) {
    CASE(unit);
    const Comparison found = compare(unit);
    CHECK(found.wrong == 0);
    if (unit < 3) CHECK(found.zero > 100);
    if (unit == 1 || unit == 2) {
      CHECK(found.subnormal > 100);
      CHECK(found.largest > 100);
    }
  }
}

TEST_CASE("a fault planted in a float unit of the baselines shows") {
  const std::pair<std::size_t, Mutant> mutants[] = {
      {0,
       {"a subnormal with a hidden bit", "axelram_half_product", "{a_i[14:10] != '0, a_i[9:0]}",
        "{1'b1, a_i[9:0]}"}},
      {0, {"the exponent of a product", "axelram_half_product", "8'd98", "8'd99"}},
      {1, {"no sticky bit", "axelram_float_add", " | 27'(wide[26:0] != '0)", ""}},
      {1,
       {"-0 of equal numbers", "axelram_float_add",
        "upper[31] && !(upper[30:0] == lower[30:0] && !lower[31])", "upper[31]"}},
      {1,
       {"the exponent of a subnormal", "axelram_float_add",
        "(lower[30:23] == '0) ? 8'd1 : lower[30:23]", "lower[30:23]"}},
      {2, {"the exponent of a scaled number", "axelram_float_scale", "10'sd175", "10'sd174"}},
      {3,
       {"neighbours that are not added", "axelram_float_tree", ".b_i(terms[(2*i+1)*32+:32])",
        ".b_i(terms[2*i*32+:32])"}},
      {4, {"the norm of another record", "axelram_dequantize_dot", ".Depth(3 + ", ".Depth(2 + "}}};
  for (const auto& [unit, mutant] : mutants)
    CHECK_AT(mutant.name, compare(unit, &mutant).wrong > 0);
}

}  // namespace axelram::sim

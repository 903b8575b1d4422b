#include <bit>
#include <cstdlib>
#include <random>

#include "axelram/half.hpp"
#include "axelram/score.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for the two axelram_score_sum of score_sum_test.cpp.
struct Input {
  bool reset = false, valid = false;
  std::int32_t first = 0, second = 0;
  std::uint16_t first_norm = 0, second_norm = 0;
  std::int32_t first_exponent = 0, second_exponent = 0;
};

/// Outputs before the clock edge of the cycle: with a factor, and without.
struct Output {
  std::array<bool, 2> valid{}, saturated{};
  std::array<std::uint32_t, 2> score{};
  bool asserted = false;  ///< an assertion failed at the edge before
};

/// With the factor and the exponents of prod at d = 128, b = 3, and as in a split.
const UnitBench<Input, Output> kBench{
    "score_sum",
    R"(
  logic [1:0] unused_last;
  axelram_score_sum #(.FirstBits(22), .SecondBits(15), .FactorBits(23), .Factor(32'd6525654),
                      .Offset(-20), .FirstApart(50), .SecondApart(17)) u_factor (
      .clk_i, .rst_ni, .valid_i, .last_key_i(1'b0), .first_i(first_i[21:0]),
      .second_i(second_i[14:0]), .first_norm_i, .second_norm_i, .first_exponent_i,
      .second_exponent_i, .valid_o(valid_o[0]), .last_key_o(unused_last[0]),
      .saturated_o(saturated_o[0]), .score_o(score_o[31:0])
  );
  axelram_score_sum #(.FirstBits(22), .SecondBits(15)) u_split (
      .clk_i, .rst_ni, .valid_i, .last_key_i(1'b0), .first_i(first_i[21:0]),
      .second_i(second_i[14:0]), .first_norm_i, .second_norm_i, .first_exponent_i,
      .second_exponent_i(first_exponent_i), .valid_o(valid_o[1]), .last_key_o(unused_last[1]),
      .saturated_o(saturated_o[1]), .score_o(score_o[63:32])
  );
)",
    {port("valid_i", &Input::valid, 1), port("first_i", &Input::first, 32),
     port("second_i", &Input::second, 32), port("first_norm_i", &Input::first_norm, 16),
     port("second_norm_i", &Input::second_norm, 16),
     port("first_exponent_i", &Input::first_exponent, 12),
     port("second_exponent_i", &Input::second_exponent, 12)},
    {port("valid_o", &Output::valid, 1), port("saturated_o", &Output::saturated, 1),
     port("score_o", &Output::score, 32)}};

constexpr std::size_t kLatency = 7, kFirst = 4;

ScoreTerm first_term(const Input& in) { return {in.first, in.first_norm, 1, in.first_exponent}; }
ScoreTerm second_term(const Input& in, std::size_t unit) {
  if (unit == 1) return {in.second, in.second_norm, 1, in.first_exponent};
  return {in.second, in.second_norm, 6525654, in.second_exponent - 20};
}

std::vector<Input> cases() {
  std::mt19937_64 random(9);
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  std::vector<Input> all(kFirst);
  all[0].reset = all[1].reset = true;
  constexpr std::int32_t kMostFirst = (1 << 21) - 1, kMostSecond = (1 << 14) - 1;
  for (int i = 0; i < 60000; ++i) {
    Input in{.valid = below(8) != 0,
             .first = below(1U << (1 + i % 21)) * (below(2) == 0 ? 1 : -1),
             .second = below(1U << (1 + i % 14)) * (below(2) == 0 ? 1 : -1)};
    if (below(16) == 0) in.first = below(2) == 0 ? kMostFirst : -kMostFirst;
    if (below(16) == 0) in.second = below(2) == 0 ? kMostSecond : -kMostSecond;
    // Fields at both ends, so that the terms lie as far apart as they can.
    const auto norm = [&](int kind) {
      const int field = kind == 0 ? below(2) : kind == 1 ? 30 + below(2) : below(32);
      return static_cast<std::uint16_t>(field << 10 | below(1024) | below(2) << 15);
    };
    in.first_norm = norm(below(4));
    in.second_norm = norm(below(4));
    // Values from subnormals of FP32 to beyond FLT_MAX.
    in.first_exponent = i % 3 == 0   ? -170 + below(60)
                        : i % 3 == 1 ? 60 + below(60)
                                     : -20 + below(9);
    in.second_exponent = in.first_exponent + below(8);
    if (below(8) == 0) {  // terms of a split that cancel, or almost
      in.second = in.first % kMostSecond;
      in.first = -in.second + (below(2) == 0 ? 0 : below(3) - 1);
      in.second_norm = in.first_norm;
    }
    all.push_back(in);
  }
  all.resize(all.size() + kLatency);
  return all;
}

struct Comparison {
  ::test::Tally wrong;
  std::size_t zero = 0, subnormal = 0, saturated = 0, far_apart = 0;
};

Comparison compare(std::size_t unit, const Mutant* mutant = nullptr) {
  const std::vector<Input> inputs = cases();
  const std::vector<Output> outputs = run_unit(kBench, inputs, mutant);
  Comparison found;
  for (std::size_t t = kFirst + kLatency; t < outputs.size(); ++t) {
    const Input& in = inputs[t - kLatency];
    const Output& out = outputs[t];
    if (!in.valid || !out.valid[unit]) {
      COMPARE(found.wrong, out.valid[unit], in.valid, t);
      continue;
    }
    const ScoreTerm first = first_term(in), second = second_term(in, unit);
    bool saturated = false;
    const auto bits = std::bit_cast<std::uint32_t>(score_sum_ref(first, second, &saturated));
    COMPARE(found.wrong, out.score[unit], bits, t);
    COMPARE(found.wrong, out.saturated[unit], saturated, t);
    found.zero += bits == 0;
    found.subnormal += (bits & 0x7fffffffU) != 0 && (bits & 0x7f800000U) == 0;
    found.saturated += saturated;
    const int apart = first.exponent + decode_norm(first.norm).exponent - second.exponent -
                      decode_norm(second.norm).exponent;
    found.far_apart += std::abs(apart) >= (unit == 0 ? 45 : 28);
  }
  return found;
}

}  // namespace

TEST_CASE("the score of two terms alone equals golden: terms far apart and close, zeros, limits") {
  for (const std::size_t unit : {0, 1}) {
    CASE(unit);
    const Comparison found = compare(unit);
    CHECK(found.wrong == 0);
    CHECK(found.zero > 50);
    CHECK(found.subnormal > 500);
    CHECK(found.saturated > 500);
    CHECK(found.far_apart > 500);
  }
}

TEST_CASE("a fault planted in the score of two terms alone shows") {
  check_caught(
      {{"a place of alignment lost", "axelram_score_sum", "-difference[5:0] : difference[5:0];",
        "~difference[5:0] : difference[5:0];"},
       {"the exponent of the higher term", "axelram_score_sum",
        "difference[11] ? first_exponent_q : second_exponent_q;",
        "difference[11] ? second_exponent_q : first_exponent_q;"},
       {"the ignored sign of a norm read", "axelram_score_sum",
        "second_exponent_i + 12'(epsilon(second_norm_i[14:10]))",
        "second_exponent_i + 12'(epsilon(second_norm_i[14:10])) + 12'(second_norm_i[15])"}},
      [](const Mutant* mutant) { return compare(0, mutant).wrong; });
}

}  // namespace axelram::sim

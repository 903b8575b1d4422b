#include "axelram/scale.hpp"

#include <cmath>
#include <random>

#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for the two axelram_scale of scale_test.cpp.
struct Input {
  bool reset = false;
  std::array<bool, 2> sum_valid{}, correlation_valid{};
  std::uint32_t exponent = 0;
  std::uint64_t sum = 0;
  std::int64_t correlation = 0;
};

/// Outputs before the clock edge of the cycle.
struct Output {
  std::array<bool, 2> valid{}, saturated{}, refused{};
  std::array<std::uint16_t, 2> norm{};
  bool asserted = false;  ///< an assertion failed at the edge before
};

/// A division with a stage for each bit, fed every cycle, with A <= 0; and one of one stage, fed
/// every 13 cycles, with an A wider than S, BF16 and A > 0.
const UnitBench<Input, Output> kBench{
    "scale_unit",
    R"(
  axelram_scale #(.HeadDim(128), .Interval(1), .WordBits(8), .SumBits(37), .CorrelationBits(34),
                  .ExpBits(5), .SigBits(16), .Waiting(4), .Refuses(1'b1)) u_pipelined (
      .clk_i, .rst_ni, .sum_valid_i(sum_valid_i[0]), .sum_exponent_i(exponent_i[4:0]), .sum_i,
      .correlation_valid_i(correlation_valid_i[0]), .correlation_i(correlation_i[33:0]),
      .valid_o(valid_o[0]), .norm_o(norm_o[15:0]), .saturated_o(saturated_o[0]), .refused_o(refused_o[0])
  );
  axelram_scale #(.HeadDim(32), .Interval(13), .WordBits(11), .SumBits(30), .CorrelationBits(40),
                  .ExpBits(8), .SigBits(12), .Waiting(2)) u_sequential (
      .clk_i, .rst_ni, .sum_valid_i(sum_valid_i[1]), .sum_exponent_i(exponent_i), .sum_i(sum_i[29:0]),
      .correlation_valid_i(correlation_valid_i[1]), .correlation_i,
      .valid_o(valid_o[1]), .norm_o(norm_o[31:16]), .saturated_o(saturated_o[1]), .refused_o(refused_o[1])
  );
)",
    {port("sum_valid_i", &Input::sum_valid, 1),
     port("correlation_valid_i", &Input::correlation_valid, 1),
     port("exponent_i", &Input::exponent, 8), port("sum_i", &Input::sum, 37),
     port("correlation_i", &Input::correlation, 40)},
    {port("valid_o", &Output::valid, 1), port("saturated_o", &Output::saturated, 1),
     port("refused_o", &Output::refused, 1), port("norm_o", &Output::norm, 16)}};

/// Parameters of the two units. interval: cycles between two keys; offset: of golden's exponent to
/// the field.
struct Unit {
  int sum_bits, correlation_bits, fields, interval, offset;
};
const Unit kUnits[] = {{37, 34, 32, 1, 7 + 8 - 2 - 15 - 14},
                       {30, 40, 256, 13, 5 + 11 - 2 - 127 - 10}};
constexpr std::size_t kLatency = 16, kSumFirst = 2;

struct Case {
  std::uint64_t sum;
  std::int64_t correlation;
  std::uint32_t exponent;
};

std::vector<Case> cases(const Unit& unit, bool refuses) {
  std::mt19937_64 random(5);
  std::vector<Case> all;
  const auto field = [&] {
    return static_cast<std::uint32_t>(random() % static_cast<unsigned>(unit.fields));
  };
  const std::uint64_t most = (std::uint64_t{1} << unit.sum_bits) - 1;
  const std::int64_t largest = (std::int64_t{1} << (unit.correlation_bits - 1)) - 1;
  for (int i = 0; i < 40; ++i) {
    all.push_back({0, 0, field()});
    for (const std::uint64_t sum : {std::uint64_t{1}, most, random() % most + 1}) {
      for (const std::int64_t a : {std::int64_t{1}, largest}) all.push_back({sum, a, field()});
      for (const std::int64_t a : {std::int64_t{0}, std::int64_t{-1}, -largest - 1})
        if (refuses) all.push_back({sum, a, field()});
    }
  }
  // Leading ones in every pair of places: a one alone, all ones, random bits behind it.
  const auto led = [&](int place, int kind) {
    const std::uint64_t one = std::uint64_t{1} << place;
    return kind == 0 ? one : one | (kind == 1 ? one - 1 : random() & (one - 1));
  };
  for (int s = 0; s < unit.sum_bits; ++s)
    for (int a = 0; a < unit.correlation_bits - 1; ++a)
      for (int kind = 0; kind < 9; ++kind)
        all.push_back({led(s, kind % 3), static_cast<std::int64_t>(led(a, kind / 3)), field()});
  // Quotients of at most 12 bits and a power of two: ties of normal and of subnormal norms.
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t odd = random() % (std::uint64_t{1} << (1 + i % 12)) | 1;
    const std::uint64_t divisor = random() % (std::uint64_t{1} << (1 + i % 17)) + 1;
    const auto shift =
        static_cast<int>(random() % static_cast<unsigned>(unit.correlation_bits - 19));
    all.push_back({odd * divisor, static_cast<std::int64_t>(divisor << shift), field()});
  }
  return all;
}

/// Cycles in which a unit and golden differ, and what golden met.
struct Comparison {
  ::test::Tally wrong;
  std::size_t ties = 0, subnormal = 0, saturated = 0, refused = 0;
};

/// S / A * 2^exponent lies half-way between two FP16 numbers. A quotient of 12 bits is exact in a
/// double.
bool tie(const Case& c, int exponent) {
  if (c.sum == 0 || c.correlation <= 0) return false;
  int top = 0;
  const double quotient = static_cast<double>(c.sum) / static_cast<double>(c.correlation);
  const double fraction = std::frexp(std::ldexp(quotient, exponent), &top);
  const double halves = std::ldexp(fraction, top > -14 ? 12 : top + 25);  // in half units
  return top <= 16 && std::fmod(halves, 2.0) == 1.0;
}

Comparison compare(int number, const Mutant* mutant = nullptr) {
  const Unit& unit = kUnits[number];
  const auto u = static_cast<std::size_t>(number);
  const std::vector<Case> all = cases(unit, number == 0);
  const auto interval = static_cast<std::size_t>(unit.interval);
  std::vector<Input> inputs(4 + all.size() * interval + kLatency + kSumFirst);
  inputs[0].reset = inputs[1].reset = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Input& first = inputs[4 + i * interval];
    first.sum_valid[u] = true;
    first.exponent = all[i].exponent;
    first.sum = all[i].sum;
    Input& second = inputs[4 + i * interval + kSumFirst];
    second.correlation_valid[u] = true;
    second.correlation = all[i].correlation;
  }
  const std::vector<Output> outputs = run_unit(kBench, inputs, mutant);
  Comparison found;
  for (std::size_t t = 4; t < outputs.size(); ++t) {
    const bool valid = t >= kLatency && inputs[t - kLatency].correlation_valid[u];
    const Output& out = outputs[t];
    if (!valid) {
      COMPARE(found.wrong, out.valid[u], false, t);
      continue;
    }
    const Case& c = all[(t - kLatency - kSumFirst - 4) / interval];
    const int exponent = static_cast<int>(c.exponent) + unit.offset;
    const Norm norm = unbiased_norm_ref(c.sum, c.correlation, exponent);
    const bool refused = c.sum != 0 && c.correlation <= 0;
    COMPARE(found.wrong, std::tuple(out.valid[u], out.norm[u], out.saturated[u], out.refused[u]),
            std::tuple(true, norm.half, norm.saturated, refused), t, c.sum, c.correlation);
    found.ties += tie(c, exponent);
    found.subnormal += norm.half != 0 && norm.half < 0x400;
    found.saturated += norm.saturated;
    found.refused += refused;
  }
  return found;
}

}  // namespace

TEST_CASE(
    "the unbiased norm alone equals golden: A <= 0, least and largest A, every place of the "
    "leading ones, ties") {
  for (int number : {0, 1}) {
    CASE(number);
    const Comparison found = compare(number);
    CHECK(found.wrong == 0);
    CHECK(found.ties > 150);
    CHECK(found.subnormal > 500);
    CHECK(found.saturated > 500);
    CHECK(found.refused == (number == 0 ? 360 : 0));
  }
}

TEST_CASE("a fault planted in the unbiased norm alone shows") {
  check_caught(
      {{"a zero key refused", "axelram_scale", "correlation_i <= 0 && sum != '0;",
        "correlation_i <= 0;"},
       {"a tie goes up", "axelram_float_round", "(kept[0] || rest[WideBits-SigBits-2:0] != '0)",
        "1'b1"},
       {"a shift by one not counted", "axelram_scale", "zeros[s] = 1'b1;", "zeros[s] = s != 0;"}},
      [](const Mutant* mutant) { return compare(0, mutant).wrong; });
}

}  // namespace axelram::sim

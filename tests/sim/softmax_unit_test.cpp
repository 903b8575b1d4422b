// The units from a score to a weight, against golden: axelram_logit, axelram_power_of_two and
// axelram_softmax.
#include <algorithm>
#include <bit>
#include <random>
#include <set>

#include "axelram/logit.hpp"
#include "axelram/softmax.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for the units of softmax_unit_test.cpp. `start` empties the query.
struct Input {
  bool reset = false, start = false, valid = false;
  std::uint32_t score = 0;
  std::uint16_t norm = 0;
  std::uint16_t scale = 0;
  int scale_exponent = 0;
};

/// Outputs before the clock edge of the cycle. Arrays: a softmax of FW = 20, 28 and 12 bits.
struct Output {
  bool logit_valid = false, logit_saturated = false;
  std::int32_t logit = 0;
  bool power_valid = false;
  std::int32_t ceiling = 0;
  std::uint32_t mantissa = 0;
  std::array<bool, 3> valid{}, weighted{}, first{};
  std::array<std::uint32_t, 3> shift{}, weight{};
  std::array<std::int32_t, 3> maximum{}, reference{};
  std::array<std::uint64_t, 3> denominator{};
  bool asserted = false;  ///< an assertion failed at the edge before
};

/// Three softmaxes behind one logit, with the largest store, and with the widest and the narrowest
/// weights.
const UnitBench<Input, Output> kBench{
    "softmax_unit",
    R"(
  logic [15:0] logit_norm, norm;
  logic [5:0] start_q;
  always_ff @(posedge clk_i) start_q <= {start_q[4:0], start_i};
  axelram_logit #(.TagBits(16)) u_logit (
      .clk_i, .rst_ni, .scale_i, .scale_exponent_i, .valid_i, .tag_i(norm_i), .score_i,
      .valid_o(logit_valid_o), .tag_o(logit_norm), .logit_o, .saturated_o(logit_saturated_o)
  );
  axelram_power_of_two #(.TagBits(16)) u_power_of_two (
      .clk_i, .rst_ni, .valid_i(logit_valid_o), .tag_i(logit_norm), .logit_i(logit_o),
      .valid_o(power_valid_o), .tag_o(norm), .ceiling_o, .mantissa_o
  );
  for (genvar u = 0; u < 3; u++) begin : g_softmax
    localparam int WeightBits = (u == 0) ? 20 : (u == 1) ? 28 : 12;
    localparam int MaxKeys = (u == 0) ? 4096 : (u == 1) ? 100 : 1 << 24;
    logic [WeightBits-1:0] weight;
    logic [32+$clog2(MaxKeys):0] denominator;
    logic unused_tag;
    axelram_softmax #(.MaxKeys(MaxKeys), .WeightBits(WeightBits)) u_softmax (
        .clk_i, .rst_ni, .start_i(start_q[5]), .valid_i(power_valid_o), .tag_i(1'b0),
        .ceiling_i(ceiling_o), .mantissa_i(mantissa_o), .norm_i(norm), .valid_o(valid_o[u]),
        .tag_o(unused_tag), .weighted_o(weighted_o[u]), .first_o(first_o[u]),
        .shift_o(shift_o[6*u+:6]), .weight_o(weight), .maximum_o(maximum_o[16*u+:16]),
        .denominator_o(denominator), .reference_o(reference_o[16*u+:16])
    );
    assign weight_o[32*u+:32] = 32'(weight);
    assign denominator_o[64*u+:64] = 64'(denominator);
  end
)",
    {port("start_i", &Input::start, 1), port("valid_i", &Input::valid, 1),
     port("score_i", &Input::score, 32), port("norm_i", &Input::norm, 16),
     port("scale_i", &Input::scale, 16), port("scale_exponent_i", &Input::scale_exponent, 8)},
    {port("logit_valid_o", &Output::logit_valid, 1),
     port("logit_saturated_o", &Output::logit_saturated, 1), port("logit_o", &Output::logit, 27),
     port("power_valid_o", &Output::power_valid, 1), port("ceiling_o", &Output::ceiling, 16),
     port("mantissa_o", &Output::mantissa, 17), port("valid_o", &Output::valid, 1),
     port("weighted_o", &Output::weighted, 1), port("first_o", &Output::first, 1),
     port("shift_o", &Output::shift, 6), port("weight_o", &Output::weight, 32),
     port("maximum_o", &Output::maximum, 16), port("reference_o", &Output::reference, 16),
     port("denominator_o", &Output::denominator, 64)}};

constexpr std::size_t kLogit = 3, kPower = 6, kSoftmax = 9, kMostTokens = 99;
constexpr int kWeightBits[] = {20, 28, 12};

/// Queries of several kinds: all scores, scores near each other, logits of every place, rising,
/// falling.
std::vector<Input> cases() {
  std::mt19937_64 random(11);
  const auto below = [&](unsigned bound) { return static_cast<int>(random() % bound); };
  std::vector<Input> all(4);
  all[0].reset = all[1].reset = true;
  const auto norm = [&](int kind) {
    const int field = kind == 0 ? 0 : kind == 1 ? below(32) : 12 + below(6);
    return static_cast<std::uint16_t>(field << 10 | (kind == 2 ? 0 : below(1024)) | below(2) << 15);
  };
  for (int query = 0; query < 900; ++query) {
    Input in;
    in.scale = static_cast<std::uint16_t>(0x8000 | below(0x8000));
    in.scale_exponent = query % 3 == 0 ? below(256) - 128 : -31 + below(3);
    in.start = true;
    all.push_back(in);
    in.start = false;
    const int tokens = below(8) == 0 ? static_cast<int>(kMostTokens) : below(20);
    const int kind = query % 6;
    float value = std::bit_cast<float>(static_cast<std::uint32_t>(0x45000000 + below(0x2000000)));
    for (int t = 0; t < tokens;) {
      in.valid = below(8) != 0;
      in.norm = norm(below(12) == 0 ? 0 : 1 + query % 2);
      if (t < 2 && query % 7 == 0) in.norm = static_cast<std::uint16_t>(0x8000 * (t % 2));  // zero
      if (kind == 0)
        in.score = static_cast<std::uint32_t>(random()) & 0xff7fffffU;
      else if (kind == 1)
        in.score =
            std::bit_cast<std::uint32_t>(value * static_cast<float>(below(2000) - 1000) / 999);
      else if (kind ==
               2)  // an integer logit, or one beside it: no scale but a power of two gives it
        in.score = std::bit_cast<std::uint32_t>(static_cast<float>(below(1 << 20) - (1 << 19)) / 8);
      else
        in.score = std::bit_cast<std::uint32_t>((kind == 3   ? 1.0F
                                                 : kind == 4 ? -1.0F
                                                             : 0.0F) *
                                                value * static_cast<float>(t) / 16);
      if (kind == 2) in.scale = 0x8000, in.scale_exponent = -27 + query % 5;
      if (kind == 2 && below(8) == 0) {  // 2^26 - 1/2: a tie that rounds beyond the largest logit
        in.score = std::bit_cast<std::uint32_t>(8405024.0F) | static_cast<std::uint32_t>(below(2))
                                                                  << 31;
        in.scale = 65408, in.scale_exponent = -25;
      }
      if (below(40) == 0) in.score = static_cast<std::uint32_t>(below(2)) << 31;
      all.push_back(in);
      t += in.valid;
      in.valid = false;
    }
  }
  all.resize(all.size() + kSoftmax);
  return all;
}

struct Comparison {
  ::test::Tally wrong;
  std::size_t saturated = 0, no_weight = 0, zero_weight = 0, rises = 0, far = 0;
  std::set<int> rows;  ///< of the ROM that were read with a slope
};

Comparison compare(const Mutant* mutant = nullptr) {
  const std::vector<Input> inputs = cases();
  const std::vector<Output> outputs = run_unit(kBench, inputs, mutant);
  Comparison found;
  SoftmaxState states[3];
  for (std::size_t t = 4; t + kSoftmax < inputs.size(); ++t) {
    const Input& in = inputs[t];
    const Output& of_logit = outputs[t + kLogit];
    const Output& of_power = outputs[t + kPower];
    const Output& out = outputs[t + kSoftmax];
    COMPARE(found.wrong, of_logit.logit_valid, in.valid, t);
    COMPARE(found.wrong, of_power.power_valid, in.valid, t);
    if (in.start)
      for (SoftmaxState& state : states) state = {};
    TokenWeight tokens[3];
    if (in.valid) {
      bool saturated = false;
      const std::int32_t z =
          logit_ref(std::bit_cast<float>(in.score), {in.scale, in.scale_exponent}, &saturated);
      COMPARE(found.wrong, of_logit.logit, z, t);
      COMPARE(found.wrong, of_logit.logit_saturated, saturated, t);
      found.saturated += saturated;
      const PowerOfTwo power = power_of_two_ref(z);
      COMPARE(found.wrong, of_power.ceiling, power.exponent, t);
      COMPARE(found.wrong, of_power.mantissa, static_cast<std::uint32_t>(power.mantissa), t);
      if (const int fraction = power.exponent * 4096 - z; fraction % 64 > 32)
        found.rows.insert(fraction / 64);
      for (std::size_t u = 0; u < 3; ++u) {
        found.far += states[u].maximum - power.exponent > 63;
        tokens[u] = softmax_ref(&states[u], power, in.norm, kWeightBits[u]);
      }
    }
    for (std::size_t u = 0; u < 3; ++u) {
      COMPARE(found.wrong,
              std::tuple(out.valid[u], out.maximum[u], out.reference[u], out.denominator[u]),
              std::tuple(in.valid, states[u].maximum, states[u].weight_reference,
                         states[u].denominator),
              t, u);
      if (!in.valid) continue;
      const TokenWeight& token = tokens[u];
      const auto shift = static_cast<std::uint32_t>(std::min(token.shift, 63));
      COMPARE(found.wrong, std::tuple(out.weighted[u], out.weight[u], out.first[u], out.shift[u]),
              std::tuple(token.present, token.weight, token.first, shift), t, u);
      found.no_weight += !token.present;
      found.zero_weight += token.present && token.weight == 0;
      found.rises += token.shift != 0;
    }
  }
  return found;
}

}  // namespace

TEST_CASE(
    "logits, powers and weights of the units alone equal golden, whatever the scores and norms") {
  const Comparison found = compare();
  CHECK(found.wrong == 0);
  CHECK(found.saturated > 100);
  CHECK(found.no_weight > 500);
  CHECK(found.zero_weight > 100);
  CHECK(found.rises > 500);
  CHECK(found.far > 100);
  CHECK(found.rows.size() == 64);
}

TEST_CASE("a fault planted between a score and a weight shows") {
  check_caught(
      {{"a floor for a ceiling", "axelram_power_of_two", "28'(logit_i) + 28'sd4095",
        "28'(logit_i)"},
       {"a power without its rounding", "axelram_power_of_two", "25'(product_q) + 25'd128",
        "25'(product_q)"},
       {"a neighbouring row", "axelram_power_of_two", "below_q[11:6]),", "below_q[11:6] ^ 6'd1),"},
       {"a tie away from even", "axelram_logit", "(placed[Down] || placed[Down-2:0] != '0)",
        "1'b1"},
       {"a saturation one too late", "axelram_logit", "round_q && placed_q == '1", "1'b0"},
       {"a subnormal with a hidden bit", "axelram_logit", "{score_i[30:23] != '0, score_i[22:0]}",
        "{1'b1, score_i[22:0]}"},
       {"a denominator rescaled without its carry", "axelram_softmax",
        "DenominatorBits'(kept[0]) +", "DenominatorBits'(0) +"},
       {"a power without its carry", "axelram_softmax", "DenominatorBits'(power[0]);",
        "DenominatorBits'(0);"},
       {"m for r", "axelram_softmax", "distance(reference_value, reference_q) : '0",
        "distance(maximum, maximum_q) : '0"},
       {"a rescale one too many", "axelram_softmax",
        "maximum_rise_q <= distance(maximum, maximum_q);",
        "maximum_rise_q <= distance(maximum, maximum_q) + 6'd1;"},
       {"a rescale of the neighbour", "axelram_softmax", "shift_o <= reference_rise_q;",
        "shift_o <= distance(reference_value, reference_q);"},
       {"r moved by a zero norm", "axelram_softmax",
        "if (token_weighted_q) reference_q <= reference_value;", "reference_q <= reference_value;"},
       {"a weight back from m", "axelram_softmax",
        "weight_back_q <= distance(reference_value, exponent_q);",
        "weight_back_q <= distance(maximum, ceiling_q);"},
       {"a distance that wraps", "axelram_softmax",
        "(difference > 17'd63) ? 6'd63 : difference[5:0]", "difference[5:0]"},
       {"a denominator kept over a query", "axelram_softmax",
        "if (sum_start_q) denominator_q <= '0;", "if (1'b0) denominator_q <= '0;"},
       {"the sign of a norm read", "axelram_softmax", "norm_i[14:0] != '0;", "norm_i != '0;"}},
      [](const Mutant* mutant) { return compare(mutant).wrong; });
}

}  // namespace axelram::sim

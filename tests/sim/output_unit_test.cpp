// The units at the end of a query, against golden: axelram_reciprocal and axelram_output.
#include <random>

#include "axelram/attention_output.hpp"
#include "axelram/rounding.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for the units of output_unit_test.cpp.
struct Input {
  bool reset = false, divide = false, valid = false;
  std::uint64_t denominator = 0;
  std::uint32_t value_scale = 0;
  std::int32_t maximum = 0, reference = 0;
  std::uint32_t shift = 0;
  std::array<std::int32_t, 2> rotated{};
};

/// Outputs before the clock edge of the cycle. Arrays of outputs: two lanes.
struct Output {
  bool divided = false;
  std::uint32_t reciprocal = 0, length = 0;
  std::array<bool, 2> valid{}, saturated{};  ///< FP16, FP32
  std::array<std::uint32_t, 2> half{}, single{};
  bool asserted = false;  ///< an assertion failed at the edge before
};

/// d = 128 and W = 16, FW = 20; outputs of both formats.
const UnitBench<Input, Output> kBench{
    "output_unit",
    R"(
  logic [1:0] unused_tag;
  axelram_reciprocal #(.DenominatorBits(45)) u_reciprocal (
      .clk_i, .rst_ni, .value_scale_i, .valid_i(divide_i), .denominator_i, .valid_o(divided_o), .reciprocal_o,
      .length_o
  );
  axelram_output #(.Lanes(2), .InBits(23), .WeightBits(20), .ValueExponent(-36), .OutExpBits(5),
                   .OutFracBits(10), .LengthBits(6), .ShiftBits(5)) u_half (
      .clk_i, .rst_ni, .reciprocal_i(reciprocal_o), .length_i(length_o), .maximum_i, .reference_i, .shift_i,
      .valid_i, .tag_i(1'b1), .rotated_i, .valid_o(valid_o[0]), .tag_o(unused_tag[0]),
      .saturated_o(saturated_o[0]), .output_o(half_o)
  );
  axelram_output #(.Lanes(2), .InBits(23), .WeightBits(20), .ValueExponent(-36), .OutExpBits(8),
                   .OutFracBits(23), .LengthBits(6), .ShiftBits(5)) u_single (
      .clk_i, .rst_ni, .reciprocal_i(reciprocal_o), .length_i(length_o), .maximum_i, .reference_i, .shift_i,
      .valid_i, .tag_i(1'b1), .rotated_i, .valid_o(valid_o[1]), .tag_o(unused_tag[1]),
      .saturated_o(saturated_o[1]), .output_o(single_o)
  );
)",
    {port("divide_i", &Input::divide, 1), port("valid_i", &Input::valid, 1),
     port("denominator_i", &Input::denominator, 45), port("value_scale_i", &Input::value_scale, 24),
     port("maximum_i", &Input::maximum, 16), port("reference_i", &Input::reference, 16),
     port("shift_i", &Input::shift, 5), port("rotated_i", &Input::rotated, 23)},
    {port("divided_o", &Output::divided, 1), port("reciprocal_o", &Output::reciprocal, 25),
     port("length_o", &Output::length, 6), port("valid_o", &Output::valid, 1),
     port("saturated_o", &Output::saturated, 1), port("half_o", &Output::half, 16),
     port("single_o", &Output::single, 32)}};

constexpr std::size_t kDivide = 27, kLatency = 3, kRows = 6;

/// Cycle of each query's division; its rows follow when it is done.
struct Stimulus {
  std::vector<Input> inputs{4};
  std::vector<std::size_t> queries;
};

Stimulus stimulus() {
  std::mt19937_64 random(13);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  Stimulus made;
  made.inputs[0].reset = made.inputs[1].reset = true;
  for (int q = 0; q < 3000; ++q) {
    Input in;
    const std::uint64_t low = (std::uint64_t{1} << 31) + 1, high = std::uint64_t{4096} << 32;
    const std::uint64_t top = std::uint64_t{1} << (32 + below(12));
    in.denominator = q % 9 == 0   ? 0
                     : q % 9 == 1 ? low
                     : q % 9 == 2 ? high
                     : q % 9 == 3 ? top - 1
                     : q % 9 == 4 ? top
                                  : top + random() % top;
    in.value_scale = static_cast<std::uint32_t>(q % 5 == 0   ? 0x800000
                                                : q % 5 == 1 ? 0xffffff
                                                             : 0x800000 + below(0x800000));
    in.maximum = static_cast<std::int32_t>(below(32767) - 16383);
    // Outputs from far below the subnormals to far above the largest value, most of them between.
    const std::int32_t near = q % 4 == 0 ? static_cast<std::int32_t>(below(400) - 200)
                                         : static_cast<std::int32_t>(below(64) - 40);
    in.reference = in.maximum + near;
    if (q % 9 == 0) in.maximum = in.reference = -32768;
    in.shift = static_cast<std::uint32_t>(below(25));
    in.divide = true;
    made.queries.push_back(made.inputs.size());
    made.inputs.push_back(in);
    in.divide = false;
    made.inputs.insert(made.inputs.end(), kDivide - 1, in);
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::int32_t& rotated : in.rotated) {
        const auto size = below(23);
        rotated =
            static_cast<std::int32_t>(below(std::int64_t{1} << size)) * (below(2) == 0 ? 1 : -1);
        if (below(10) == 0) rotated = below(2) == 0 ? 4194303 : -4194303;
        if (q % 9 == 0) rotated = 0;
      }
      in.valid = below(5) != 0;
      made.inputs.push_back(in);
      in.valid = false;
    }
    made.inputs.resize(made.inputs.size() + kLatency);
  }
  return made;
}

struct Comparison {
  ::test::Tally wrong;
  std::size_t saturated = 0, subnormal = 0, negative_zero = 0, none = 0;
};

Comparison compare(const Mutant* mutant = nullptr) {
  const Stimulus given = stimulus();
  const std::vector<Output> outputs = run_unit(kBench, given.inputs, mutant);
  Comparison found;
  for (const std::size_t begin : given.queries) {
    const Input& query = given.inputs[begin];
    const std::uint32_t reciprocal = reciprocal_ref(query.denominator, query.value_scale);
    const Output& divided = outputs[begin + kDivide];
    COMPARE(found.wrong, divided.divided, true, begin);
    COMPARE(found.wrong, divided.reciprocal, reciprocal, begin);
    COMPARE(found.wrong, static_cast<int>(divided.length), bit_length(query.denominator), begin);
    found.none += reciprocal == 0;
    const SoftmaxState state{query.maximum, query.denominator, query.reference};
    const int exponent =
        output_exponent(state, {query.value_scale, -36}, static_cast<int>(query.shift), 20);
    for (std::size_t t = begin + kDivide; t < begin + kDivide + kRows; ++t) {
      const Input& in = given.inputs[t];
      const Output& out = outputs[t + kLatency];
      for (std::size_t f = 0; f < 2; ++f) {
        const OutputFormat format = f == 0 ? OutputFormat::fp16 : OutputFormat::fp32;
        COMPARE(found.wrong, out.valid[f], in.valid, t, format);
        if (!in.valid) continue;
        bool any = false;
        for (std::size_t lane = 0; lane < 2; ++lane) {
          bool saturated = false;
          const std::uint32_t bits =
              output_ref(in.rotated[lane], reciprocal, exponent, format, &saturated);
          COMPARE(found.wrong, f == 0 ? out.half[lane] : out.single[lane], bits, t, format, lane);
          any = any || saturated;
          found.subnormal += f == 0 && (bits & 0x7fffU) != 0 && (bits & 0x7c00U) == 0;
          found.negative_zero += f == 0 && bits == 0x8000;
        }
        COMPARE(found.wrong, out.saturated[f], any, t, format);
        found.saturated += any;
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("reciprocals and outputs of the units alone equal golden, in both formats") {
  const Comparison found = compare();
  CHECK(found.wrong == 0);
  CHECK(found.saturated > 500);
  CHECK(found.subnormal > 200);
  CHECK(found.negative_zero > 200);
  CHECK(found.none > 200);
}

TEST_CASE("a fault planted at the end of a query shows") {
  check_caught(
      {{"a denominator rounded", "axelram_reciprocal", "{1'b1, normal_q[DenominatorBits-2-:23]}",
        "{1'b1, normal_q[DenominatorBits-2-:23]} | 24'(normal_q[DenominatorBits-25])"},
       {"a reciprocal of nothing", "axelram_reciprocal", "dividend_q <= none ? '0 : value_scale_i;",
        "dividend_q <= value_scale_i;"},
       {"a length one too short", "axelram_reciprocal", "LengthBits'(DenominatorBits) - zeros_q",
        "LengthBits'(DenominatorBits - 1) - zeros_q"},
       {"m for r", "axelram_output", "ExpBits'(reference_i)", "ExpBits'(maximum_i)"},
       {"a shift left out", "axelram_output", " + ExpBits'(shift_i);", ";"},
       {"the sign of a zero lost", "axelram_output", "sign_q <= rotated[InBits-1];",
        "sign_q <= rotated[InBits-1] && rotated < -64;"},
       {"one lane's saturation alone", "axelram_output", "saturated != '0;", "saturated[0];"}},
      [](const Mutant* mutant) { return compare(mutant).wrong; });
}

}  // namespace axelram::sim

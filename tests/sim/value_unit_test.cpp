// The units from a weight to the rounded sums, against golden: axelram_value_products,
// axelram_weighted_sum and axelram_query_rounding, which rounds sums as it rounds queries.
#include <algorithm>
#include <random>

#include "axelram/attention_output.hpp"
#include "axelram/weighted_sum.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

constexpr std::size_t kValueChannels = 32;

/// Inputs of one cycle for the units of value_unit_test.cpp. A token lasts for four rows of the
/// folded unit.
struct Input {
  bool reset = false, valid = false, first = false;
  std::uint32_t row = 0, shift = 0, weight = 0;
  std::array<std::uint8_t, kValueChannels> levels{};
  bool early = false, late = false;  ///< the sums enter their rounding, and leave it
};

/// Outputs before the clock edge of the cycle. Sums: of a lane for each channel, and folded.
struct Output {
  std::array<std::array<std::int64_t, kValueChannels>, 2> sums{};
  bool rounded = false;
  std::uint32_t shift = 0;  ///< of the sums that leave
  std::array<std::int32_t, kValueChannels> elements{};
  bool asserted = false;  ///< an assertion failed at the edge before
};

/// Magnitudes of the paper's codebook, 20 bits of weight, sums of 40 bits, 32 channels.
const UnitBench<Input, Output> kBench{
    "value_unit",
    R"(
  localparam logic [27:0] Magnitudes = {7'd88, 7'd55, 7'd31, 7'd10};
  logic valid, whole, first;
  logic [5:0] shift;
  logic [95:0] levels;
  logic [23:0] row_levels;
  logic [107:0] products;
  axelram_value_products #(.Levels(8), .WeightBits(20), .CentroidBits(8), .TagBits(128)) u_value_products (
      .clk_i, .rst_ni, .magnitudes_i(Magnitudes), .valid_i,
      .tag_i({row_i == 2'd0, first_i, shift_i, levels_i, levels_i[24*row_i+:24]}), .weight_i,
      .valid_o(valid), .tag_o({whole, first, shift, levels, row_levels}), .products_o(products)
  );
  axelram_weighted_sum #(.HeadDim(32), .ReadLanes(32), .Levels(8), .ProductBits(27), .SumBits(40)) u_parallel (
      .clk_i, .rst_ni, .valid_i(valid && whole), .first_i(first), .shift_i(shift), .products_i(products),
      .levels_i(levels), .sums_o(sums_o[1279:0])
  );
  axelram_weighted_sum #(.HeadDim(32), .ReadLanes(8), .Levels(8), .ProductBits(27), .SumBits(40)) u_folded (
      .clk_i, .rst_ni, .valid_i(valid), .first_i(first), .shift_i(shift), .products_i(products),
      .levels_i(row_levels), .sums_o(sums_o[2559:1280])
  );
  logic unused_last;
  logic signed [11:0] unused_exponent;
  axelram_query_rounding #(.Lanes(32), .Rows(1), .Bits(40), .QueryBits(16)) u_rounding (
      .clk_i, .rst_ni, .exponent_valid_i(early_i), .early_valid_i(early_i), .exponent_i(5'd0),
      .early_i(sums_o[1279:0]), .late_valid_i(late_i), .late_i(sums_o[1279:0]), .late_shift_o, .valid_o(rounded_o),
      .last_o(unused_last), .query_o(elements_o), .exponent_o(unused_exponent)
  );
)",
    {port("valid_i", &Input::valid, 1), port("first_i", &Input::first, 1),
     port("row_i", &Input::row, 2), port("shift_i", &Input::shift, 6),
     port("weight_i", &Input::weight, 20), port("levels_i", &Input::levels, 3),
     port("early_i", &Input::early, 1), port("late_i", &Input::late, 1)},
    {port("sums_o", &Output::sums, 40), port("rounded_o", &Output::rounded, 1),
     port("late_shift_o", &Output::shift, 5), port("elements_o", &Output::elements, 16)}};

constexpr std::int32_t kWords[] = {-88, -55, -31, -10, 10, 31, 55, 88};
constexpr std::size_t kRows = 4, kLatency = 3, kRound = 4;

/// One query: its tokens, and the cycles of its last row and of its late row.
struct Query {
  std::vector<TokenWeight> tokens;
  std::vector<std::array<std::uint8_t, kValueChannels>> levels;
  std::size_t end = 0, late = 0;
};

struct Stimulus {
  std::vector<Input> inputs{4};
  std::vector<Query> queries;
};

Stimulus stimulus() {
  std::mt19937_64 random(12);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  Stimulus made;
  made.inputs[0].reset = made.inputs[1].reset = true;
  for (int q = 0; q < 400; ++q) {
    Query query;
    const unsigned count = 1 + below(q % 5 == 0 ? 40 : 8);
    for (unsigned t = 0; t < count; ++t) {
      TokenWeight token{true, t == 0, 0, below(4) == 0 ? 0xFFFFFU : below(1U << below(21))};
      if (t != 0 && below(3) == 0)
        token.shift = static_cast<int>(below(8) == 0 ? below(64) : below(6));
      // 88 * 762600 is 2^26 - 64, which rounds beyond 16 bits.
      if (q % 7 == 0 && count == 1) token.weight = 762600;
      std::array<std::uint8_t, kValueChannels> levels{};
      for (std::size_t i = 0; i < levels.size(); ++i)  // channels of the largest sums among them
        levels[i] = static_cast<std::uint8_t>(q % 4 == 0 ? 7 * (i % 2) : below(8));
      Input in{.valid = true,
               .first = token.first,
               .shift = static_cast<std::uint32_t>(token.shift),
               .weight = token.weight,
               .levels = levels};
      for (in.row = 0; in.row < kRows; ++in.row) {
        made.inputs.push_back(in);
        while (below(10) == 0) made.inputs.emplace_back();  // the store pauses
      }
      query.tokens.push_back(token);
      query.levels.push_back(levels);
    }
    made.inputs.resize(made.inputs.size() + kLatency);
    query.end = made.inputs.size();
    made.inputs.emplace_back().early = true;
    made.inputs.resize(made.inputs.size() + kRound - 1);
    query.late = made.inputs.size();
    made.inputs.emplace_back().late = true;
    made.inputs.resize(made.inputs.size() + 1 + below(3));
    made.queries.push_back(std::move(query));
  }
  return made;
}

struct Comparison {
  ::test::Tally wrong_sums, wrong_folded, wrong_rounding;
  std::size_t shifted = 0, saturated = 0;
};

Comparison compare(const Mutant* mutant = nullptr) {
  const Stimulus given = stimulus();
  const std::vector<Output> outputs = run_unit(kBench, given.inputs, mutant);
  Comparison found;
  for (const Query& query : given.queries) {
    std::array<std::int64_t, kValueChannels> sums{};
    for (std::size_t t = 0; t < query.tokens.size(); ++t)
      weighted_sum_ref(sums.data(), kValueChannels, query.tokens[t], kWords,
                       query.levels[t].data());
    COMPARE(found.wrong_sums, outputs[query.end].sums[0], sums, query.end);
    COMPARE(found.wrong_folded, outputs[query.end].sums[1], sums, query.end);
    std::array<std::int32_t, kValueChannels> elements{};
    const int shift = align_sums_ref(sums.data(), kValueChannels, 16, elements.data());
    const Output& late = outputs[query.late + 1];
    COMPARE(found.wrong_rounding, outputs[query.late].shift, static_cast<std::uint32_t>(shift),
            query.late);
    COMPARE(found.wrong_rounding, late.rounded, true, query.late);
    COMPARE(found.wrong_rounding, late.elements, elements, query.late);
    found.shifted += shift > 0;
    found.saturated += std::any_of(elements.begin(), elements.end(),
                                   [](std::int32_t e) { return e == 32767 || e == -32767; });
  }
  return found;
}

}  // namespace

TEST_CASE(
    "weighted sums of the units alone equal golden, parallel and folded, and so do the rounded "
    "ones") {
  const Comparison found = compare();
  CHECK(found.wrong_sums == 0);
  CHECK(found.wrong_folded == 0);
  CHECK(found.wrong_rounding == 0);
  CHECK(found.shifted > 100);
  CHECK(found.saturated > 0);
}

TEST_CASE("a fault planted between a weight and a sum shows") {
  const Mutant mutants[] = {
      {"a rescale without its carry", "axelram_weighted_sum",
       "assign added = kept[SumBits:1] + SumBits'(kept[0]) +", "assign added = kept[SumBits:1] +"},
      {"a logical shift", "axelram_weighted_sum", "$signed({sum, 1'b0}) >>> shift_q",
       "{sum, 1'b0} >> shift_q"},
      {"sums not cleared between queries", "axelram_weighted_sum", "first_q ? '0 : sums[row_q]",
       "sums[row_q]"},
      {"the shift of the neighbour", "axelram_weighted_sum", ">>> shift_q;", ">>> shift_i;"},
      {"the lower half not in reverse", "axelram_weighted_sum",
       "negative ? ~level[LevelBits-2:0] : level[LevelBits-2:0];", "level[LevelBits-2:0];"},
      {"no negative words", "axelram_weighted_sum", "negative = !level[LevelBits-1];",
       "negative = 1'b0;"},
      {"the magnitude of a neighbour", "axelram_value_products", "magnitudes_i[j*MagnitudeBits",
       "magnitudes_i[(j^1)*MagnitudeBits"}};
  for (const Mutant& mutant : mutants) {
    CASE(mutant.name);
    const Comparison found = compare(&mutant);
    CHECK(found.wrong_sums.count() + found.wrong_folded.count() > 0);
  }
  const Mutant row{"a row that wraps one early", "axelram_weighted_sum",
                   "row_q == RowBits'(Rows - 1)", "row_q == RowBits'(Rows - 2)"};
  CHECK(compare(&row).wrong_folded > 0);
}

}  // namespace axelram::sim

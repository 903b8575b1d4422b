// The attention of a query head behind its scores, against golden: axelram_value_path, the Hadamard
// network and axelram_output_path, to the cycle.
#include <algorithm>
#include <bit>
#include <random>

#include "axelram/attention.hpp"
#include "axelram/logit.hpp"
#include "axelram/record.hpp"
#include "axelram/signs.hpp"
#include "check.hpp"
#include "tally.hpp"
#include "unit_bench.hpp"

namespace axelram::sim {
namespace {

using test::port;

/// Inputs of one cycle for the paths of attention_paths_test.cpp: a score, the record of its value,
/// six cycles later.
struct Input {
  bool reset = false, start = false, valid = false, end = false;
  std::uint32_t score = 0;
  std::array<std::uint32_t, 4> record{};  ///< of 32 elements, the lowest bits first
};

/// Outputs before the clock edge of the cycle.
struct Output {
  bool scored = false, logit_saturated = false;
  bool valid = false, last = false, saturated = false;
  std::array<std::uint32_t, 8> row{};  ///< elements of an output; fewer with fewer lanes
  std::int32_t maximum = 0, reference = 0;
  std::uint64_t denominator = 0;
  bool asserted = false;  ///< an assertion failed at the edge before
};

constexpr int kDim = 32;

/// A macro with heads of 32 elements.
struct Paths {
  int read_lanes, key_lanes, output_lanes;
  std::size_t max_keys;
  Parameters parameters;
  AttentionParameters attention;

  int key_rows() const { return kDim / key_lanes; }
  std::size_t read_rows() const { return static_cast<std::size_t>(kDim / read_lanes); }
  /// From a score to the end that may follow.
  std::size_t sums() const { return read_rows() + 11; }
  /// From the end to the last row of the output: the network takes key_rows() - 1 + 5 cycles.
  std::size_t tail() const {
    return static_cast<std::size_t>(std::max(28, 2 * key_rows() + key_rows() + 4 + 5) +
                                    kDim / output_lanes + 2);
  }
};

Paths parallel() {
  Parameters p{.head_dim = kDim};
  return {32, 32, 8, 16, p, {1, 12, default_attention_scale(kDim), OutputFormat::fp16}};
}

/// Few lanes, a trellis and the largest sums.
Paths folded() {
  Parameters p{.head_dim = kDim,
               .index_bits = 2,
               .significand_bits = 20,
               .centroid_bits = 16,
               .kind = QuantizerKind::trellis};
  return {8, 4, 2, 100, p, {1, 28, 0.3, OutputFormat::fp32}};
}

/// One place, whose sums are narrower than what they are rounded to.
Paths smallest() {
  Parameters p{.head_dim = kDim, .significand_bits = 20};
  return {32, 16, 8, 1, p, {1, 12, default_attention_scale(kDim), OutputFormat::fp16}};
}

std::vector<std::int8_t> signs() {
  std::vector<std::int8_t> signs(kDim);
  sign_vector(42, 0, 0, kDim, signs.data());
  return signs;
}

/// Sized words in a concatenation, the first one the lowest.
std::string words_text(const std::vector<std::int32_t>& words, int bits) {
  std::string text;
  for (const std::int32_t word : words)
    text = std::to_string(bits) + "'d" +
           std::to_string(static_cast<std::uint32_t>(word) & ((std::uint64_t{1} << bits) - 1)) +
           (text.empty() ? "" : ", ") + text;
  return "{" + text + "}";
}

UnitBench<Input, Output> bench_of(const Paths& paths) {
  const Parameters& p = paths.parameters;
  const CodebookRom rom = codebook_rom(p);
  const BinaryScale scale = softmax_scale(rom.score_scale, paths.attention.scale);
  const BinaryScale values = value_scale(rom.score_scale);
  const bool half = paths.attention.output == OutputFormat::fp16;
  std::vector<std::int32_t> negative;
  for (const std::int8_t sign : signs()) negative.push_back(sign < 0 ? 1 : 0);
  const auto constant = [](const char* name, long value) {
    return std::string("  localparam int ") + name + " = " + std::to_string(value) + ";\n";
  };
  const std::string text =
      constant("ReadLanes", paths.read_lanes) + constant("KeyLanes", paths.key_lanes) +
      constant("OutputLanes", paths.output_lanes) +
      constant("MaxKeys", static_cast<long>(paths.max_keys)) + constant("IndexBits", p.index_bits) +
      constant("States", p.trellis() ? p.states : 0) + constant("SigBits", p.significand_bits) +
      constant("CentroidBits", p.centroid_bits) + constant("Levels", p.levels()) +
      constant("WeightBits", paths.attention.weight_bits) +
      constant("ValueExponent", values.exponent) + constant("OutExpBits", half ? 5 : 8) +
      constant("OutFracBits", half ? 10 : 23) +
      "  localparam logic [Levels*CentroidBits-1:0] Centroids = " +
      words_text(rom.centroids, p.centroid_bits) +
      ";\n  localparam logic [31:0] Signs = " + words_text(negative, 1) +
      ";\n  localparam logic [15:0] Scale = 16'd" + std::to_string(scale.significand) +
      ";\n  localparam logic signed [7:0] ScaleExponent = 8'd" +
      std::to_string(static_cast<unsigned>(scale.exponent) & 255U) +
      ";\n  localparam logic [23:0] ValueScale = 24'd" + std::to_string(values.significand) +
      ";\n" +
      R"(  localparam int SumBits = WeightBits + CentroidBits + $clog2(MaxKeys);
  localparam int OutBits = 1 + OutExpBits + OutFracBits;
  logic weighted, back_valid, rotated_valid, unused_tag, unused_head;
  logic [32+$clog2(MaxKeys):0] denominator;
  logic [32*SumBits-1:0] sums;
  logic [KeyLanes*SigBits-1:0] back;
  logic [KeyLanes*(SigBits+5)-1:0] rotated;
  logic [OutputLanes*OutBits-1:0] row;
  axelram_value_path #(.HeadDim(32), .ReadLanes(ReadLanes), .IndexBits(IndexBits), .States(States),
                       .CentroidBits(CentroidBits), .MaxKeys(MaxKeys), .WeightBits(WeightBits)) u_value_path (
      .clk_i, .rst_ni, .scale_i(Scale), .scale_exponent_i(ScaleExponent), .centroids_i(Centroids), .start_i,
      .score_valid_i(valid_i), .score_i, .record_i(record_i[32*IndexBits+15:0]), .scored_o,
      .saturated_o(logit_saturated_o), .maximum_o, .denominator_o(denominator), .reference_o,
      .weighted_o(weighted), .sums_o(sums)
  );
  axelram_hadamard #(.Lanes(KeyLanes), .Rows(32 / KeyLanes), .InBits(SigBits)) u_hadamard (
      .clk_i, .rst_ni, .valid_i(back_valid), .tag_i(1'b0), .data_i(back), .valid_o(rotated_valid),
      .tag_o(unused_tag), .data_o(rotated)
  );
  axelram_output_path #(.HeadDim(32), .KeyLanes(KeyLanes), .OutputLanes(OutputLanes), .SigBits(SigBits),
                        .Network(32 / KeyLanes - 1 + 5),
                        .CentroidBits(CentroidBits), .MaxKeys(MaxKeys), .WeightBits(WeightBits),
                        .ValueExponent(ValueExponent), .OutExpBits(OutExpBits),
                        .OutFracBits(OutFracBits)) u_output_path (
      .clk_i, .rst_ni, .signs_i(Signs), .value_scale_i(ValueScale), .end_i, .sums_i(sums), .weighted_i(weighted),
      .maximum_i(maximum_o), .denominator_i(denominator), .reference_i(reference_o), .back_valid_o(back_valid),
      .back_o(back), .rotated_valid_i(rotated_valid), .rotated_i(rotated), .valid_o, .head_o(unused_head), .last_o,
      .saturated_o, .output_o(row)
  );
  assign denominator_o = 64'(denominator);
  for (genvar i = 0; i < 8; i++) begin : g_row
    assign row_o[32*i+:32] = (i < OutputLanes) ? 32'(row[(i%OutputLanes)*OutBits+:OutBits]) : '0;
  end
)";
  return {
      "attention_paths",
      text,
      {port("start_i", &Input::start, 1), port("valid_i", &Input::valid, 1),
       port("end_i", &Input::end, 1), port("score_i", &Input::score, 32),
       port("record_i", &Input::record, 32)},
      {port("scored_o", &Output::scored, 1), port("logit_saturated_o", &Output::logit_saturated, 1),
       port("valid_o", &Output::valid, 1), port("last_o", &Output::last, 1),
       port("saturated_o", &Output::saturated, 1), port("row_o", &Output::row, 32),
       port("maximum_o", &Output::maximum, 16), port("reference_o", &Output::reference, 16),
       port("denominator_o", &Output::denominator, 64)}};
}

struct Query {
  std::vector<float> scores;
  std::vector<std::uint8_t> records;
  std::size_t end = 0;  ///< cycle of its end
};

struct Stimulus {
  std::vector<Input> inputs{4};
  std::vector<Query> queries;
};

constexpr std::size_t kRecordDelay = 6;

/// Queries without tokens, without weights, with scores far apart and close, one behind the other.
Stimulus stimulus(const Paths& paths) {
  std::mt19937_64 random(14);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const auto bytes = static_cast<std::size_t>(paths.parameters.record_bytes());
  Stimulus made;
  made.inputs[0].reset = made.inputs[1].reset = true;
  for (int q = 0; q < 300; ++q) {
    Query query;
    const std::size_t count =
        q % 10 == 0 ? 0 : std::min(paths.max_keys, q % 10 == 1 ? paths.max_keys : 1 + below(12));
    // A logit is about score / 10^4, in nats.
    const double spread = q % 3 == 0 ? 1e4 : q % 3 == 1 ? 1e5 : 1e7;
    made.inputs.emplace_back().start = true;
    std::vector<std::pair<std::size_t, std::array<std::uint32_t, 4>>> arriving;
    for (std::size_t t = 0; t < count; ++t) {
      const double place = static_cast<double>(below(2001)) / 1000 - 1;
      const auto score =
          static_cast<float>(q % 7 == 0 ? spread * static_cast<double>(t) : spread * place);
      std::array<std::uint32_t, 4> record{};
      std::vector<std::uint8_t> packed(bytes);
      for (std::uint8_t& byte : packed) byte = static_cast<std::uint8_t>(random());
      std::uint16_t norm = static_cast<std::uint16_t>((13 + below(4)) << 10 | below(1024));
      if (q % 11 == 1 || below(9) == 0) norm = static_cast<std::uint16_t>(below(2) << 15);  // zero
      if (below(12) == 0) norm = static_cast<std::uint16_t>(below(0x7c00));
      packed[bytes - 2] = static_cast<std::uint8_t>(norm & 255);
      packed[bytes - 1] = static_cast<std::uint8_t>(norm >> 8);
      for (std::size_t i = 0; i < bytes; ++i)
        record[i / 4] |= static_cast<std::uint32_t>(packed[i]) << (8 * (i % 4));
      Input in;
      in.valid = true;
      in.score = std::bit_cast<std::uint32_t>(score);
      made.inputs.resize(made.inputs.size() + below(3) / 2);
      arriving.emplace_back(made.inputs.size() + kRecordDelay, record);
      made.inputs.push_back(in);
      made.inputs.resize(made.inputs.size() + paths.read_rows() - 1);
      query.scores.push_back(score);
      query.records.insert(query.records.end(), packed.begin(), packed.end());
    }
    made.inputs.resize(made.inputs.size() + paths.sums());
    for (const auto& [cycle, record] : arriving) made.inputs[cycle].record = record;
    query.end = made.inputs.size();
    made.inputs.emplace_back().end = true;
    made.inputs.resize(made.inputs.size() + paths.tail() + below(3));
    made.queries.push_back(std::move(query));
  }
  return made;
}

struct Comparison {
  ::test::Tally wrong;
  std::size_t saturated = 0, no_weight = 0, no_token = 0;
};

Comparison compare(const Paths& paths, const Mutant* mutant = nullptr) {
  const Stimulus given = stimulus(paths);
  const std::vector<Output> outputs = run_unit(bench_of(paths), given.inputs, mutant);
  const CodebookRom rom = codebook_rom(paths.parameters);
  const std::vector<std::int8_t> negatives = signs();
  const auto lanes = static_cast<std::size_t>(paths.output_lanes);
  const std::size_t rows = kDim / lanes;
  Comparison found;
  for (const Query& query : given.queries) {
    AttentionResult expected;
    attend_ref(paths.attention, paths.parameters, rom, negatives.data(), query.scores.data(),
               query.records.data(), query.scores.size(), &expected);
    const std::size_t last = query.end + paths.tail();
    COMPARE(found.wrong, outputs[last - rows].valid, false, last);
    bool saturated = false;
    for (std::size_t r = 0; r < rows; ++r) {
      const Output& out = outputs[last + 1 - rows + r];
      COMPARE(found.wrong, out.valid, true, last, r);
      COMPARE(found.wrong, out.last, r == rows - 1, last, r);
      saturated = saturated || out.saturated;
      for (std::size_t i = 0; i < lanes; ++i)
        COMPARE(found.wrong, out.row[i], expected.outputs[r * lanes + i], last, r, i);
    }
    const Output& out = outputs[last];
    COMPARE(found.wrong, saturated, expected.output_saturated, last);
    COMPARE(found.wrong, out.maximum, expected.maximum, last);
    COMPARE(found.wrong, out.denominator, expected.denominator, last);
    if (!expected.weight_references.empty())
      COMPARE(found.wrong, out.reference, expected.weight_references.back(), last);
    found.saturated += saturated;
    found.no_token += query.scores.empty();
    found.no_weight +=
        !query.scores.empty() && std::all_of(expected.sums.begin(), expected.sums.end(),
                                             [](std::int64_t sum) { return sum == 0; });
  }
  return found;
}

}  // namespace

TEST_CASE(
    "the attention behind a query's scores equals golden, to the cycle: parallel, folded, the "
    "smallest") {
  for (const Paths& paths : {parallel(), folded(), smallest()}) {
    CASE(paths.read_lanes);
    const Comparison found = compare(paths);
    CHECK(found.wrong == 0);
    CHECK(found.no_token == 30);
    CHECK(found.no_weight > 10);
  }
}

TEST_CASE("a fault planted in the paths of the attention shows") {
  check_caught(
      {{"the value of the neighbour", "axelram_value_path", "localparam int IndexDelay = 4;",
        "localparam int IndexDelay = 3;"},
       {"sums of the query before", "axelram_value_path", ".first_i   (products_first),",
        ".first_i   (1'b0),"},
       {"sums without a weight", "axelram_sum_rounding", "= weighted_i[p/Rows] ?", "= 1'b1 ?"},
       {"an empty query with a weight", "axelram_value_path",
        "else if (start_q[RecordDelay+2]) weighted_o <= 1'b0;", ""},
       {"an output negated", "axelram_output_path", ".data_i    (rotated_i),",
        ".data_i    (-rotated_i),"},
       {"a stale reciprocal", "axelram_output_path", "23 - 2 * Rows - Network : 0;",
        "22 - 2 * Rows - Network : 0;"},
       {"a shift of the head before", "axelram_sum_rounding", "Behind = Rows + 2;",
        "Behind = Rows + 1;"},
       {"the smallest magnitudes first", "axelram_value_path",
        "centroids_i[(Levels/2+j)*CentroidBits", "centroids_i[(Levels-1-j)*CentroidBits"}},
      [](const Mutant* mutant) { return compare(parallel(), mutant).wrong; });
}

}  // namespace axelram::sim

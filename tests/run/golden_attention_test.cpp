// The whole attention of a trace by golden: tensors of a result, from the commands that drive it.
#include <algorithm>

#include "axelram/attention_macro.hpp"
#include "axelram/fast.hpp"
#include "axelram/run/golden.hpp"
#include "files/support.hpp"

using namespace axelram;
using namespace axelram::files;

namespace {

using Kind = SegmentCommand::Kind;
using Row = std::vector<std::int64_t>;
constexpr std::size_t kDim = 32;

/// A store of 12 places.
Config config_of(const std::string& more) {
  return parse_config("macro: {head_dim: 32, max_keys: 12}\n" + more, "c.yaml", "");
}

/// Elements of about 1, of both signs.
std::vector<std::uint16_t> vectors(std::size_t count, std::size_t seed) {
  std::vector<std::uint16_t> elements(count * kDim);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t mixed = (i + 1) * 2654435761U * (2 * seed + 1);
    elements[i] = static_cast<std::uint16_t>((0x3400 + (mixed >> 9) % 0x0c00) |
                                             ((mixed >> 25) % 2 != 0 ? 0x8000 : 0));
  }
  return elements;
}

Trace trace_of(std::size_t tokens, std::size_t queries) {
  Trace trace;
  trace.head_dim = static_cast<int>(kDim);
  trace.keys = vectors(tokens, 1);
  trace.queries = vectors(queries, 2);
  trace.values = vectors(tokens, 3);
  return trace;
}

SegmentCommand allocation(std::uint32_t segment, const Allocation& places) {
  return {Kind::allocate, segment, places};
}

/// Row `row` of a tensor.
template <class T>
Row row_of(const std::vector<T>& tensor, std::size_t row, std::size_t width) {
  const auto first = tensor.begin() + static_cast<std::ptrdiff_t>(row * width);
  return Row(first, first + static_cast<std::ptrdiff_t>(width));
}

bool all_zero(const Row& row) {
  return std::all_of(row.begin(), row.end(), [](std::int64_t v) { return v == 0; });
}

}  // namespace

TEST_CASE("a trace without commands is one segment, all tokens and all queries in groups") {
  for (const std::string more :
       {"attention: {}", "attention: {group: 4, output: fp32}",
        "attention: {}\nquantizer: {kind: trellis}", "attention: {}\necc: {code: hamming84}"}) {
    CASE(more);
    const Config config = config_of(more);
    const Trace trace = trace_of(9, 5);
    const run::AttentionRun run = run::golden_attention(config, trace);
    const Result& result = run.result;
    CHECK_FALSE(result.commands.has_value());
    const std::size_t group = static_cast<std::size_t>(config.attention.parameters.group);

    AttentionMacro macro(config.parameters, config.attention.parameters, rotation_rows(config), 1,
                         12, protection(config.ecc));
    REQUIRE(macro.allocate(0, {0, 12}));
    for (std::size_t t = 0; t < 9; ++t) {
      CASE(t);
      const TokenResult token = macro.append(0, &trace.keys[t * kDim], &(*trace.values)[t * kDim]);
      CHECK_SAME(row_of(result.records, t, result.record_bytes()),
                 Row(token.key.record.begin(), token.key.record.end()));
      CHECK_SAME(row_of(result.value_records, t, result.record_bytes()),
                 Row(token.value.record.begin(), token.value.record.end()));
      CHECK_SAME(row_of(result.value_indices, t, kDim),
                 Row(token.value.indices.begin(), token.value.indices.end()));
      CHECK_SAME(row_of(result.value_codewords, t, result.codeword_bytes),
                 Row(token.value.codeword.begin(), token.value.codeword.end()));
      CHECK(result.value_norms[t] == token.value.norm);
    }
    std::vector<std::uint16_t> queries = trace.queries;
    queries.resize(8 * kDim);  // filled up with zero vectors
    for (std::size_t q = 0; q < 5; ++q) {
      CASE(q);
      const GroupResult of_group = macro.attend(0, &queries[q / group * group * kDim]);
      const AttentionResult& output = of_group.outputs[q % group];
      const QueryResult& query = of_group.queries[q % group];
      CHECK_SAME(row_of(result.rotated_queries, q, kDim), Row(query.u.begin(), query.u.end()));
      CHECK_SAME(row_of(result.accumulators, q, 9), Row(query.acc.begin(), query.acc.end()));
      CHECK_SAME(row_of(result.logits, q, 9), Row(output.logits.begin(), output.logits.end()));
      CHECK_SAME(row_of(result.weights, q, 9), Row(output.weights.begin(), output.weights.end()));
      CHECK_SAME(row_of(result.weight_references, q, 9),
                 Row(output.weight_references.begin(), output.weight_references.end()));
      CHECK(result.maxima[q] == output.maximum);
      CHECK(result.denominators[q] == output.denominator);
      CHECK_SAME(row_of(result.sums, q, kDim), Row(output.sums.begin(), output.sums.end()));
      CHECK(result.output_shifts[q] == output.output_shift);
      CHECK_SAME(row_of(result.rotated_outputs, q, kDim),
                 Row(output.rotated.begin(), output.rotated.end()));
      CHECK(result.reciprocals[q] == output.reciprocal);
      if (config.attention.parameters.output == OutputFormat::fp16)
        CHECK_SAME(row_of(result.half_outputs, q, kDim),
                   Row(output.outputs.begin(), output.outputs.end()));
      else
        CHECK(result.float_outputs.size() == 5 * kDim);
    }
    CHECK(result.maxima.size() == 5);
    CHECK(run.events.bad_commands == 0);
    const run::AttentionRun fast = run::golden_attention(config, trace, fast_units());
    CHECK(first_difference(result, fast.result) == std::nullopt);
  }
}

TEST_CASE("no tensor but those of scores depends on the group") {
  const Trace trace = trace_of(7, 8);
  const Result one = run::golden_attention(config_of("attention: {}"), trace).result;
  for (const char* group : {"2", "4", "8"}) {
    CASE(group);
    const Config config = config_of(std::string("attention: {group: ") + group + "}");
    CHECK(first_difference(one, run::golden_attention(config, trace).result) == std::nullopt);
  }
}

TEST_CASE("no tokens and no queries are a trace like any other") {
  const Config config = config_of("attention: {group: 2}");
  for (const auto& [tokens, queries] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {0, 3}, {3, 0}}) {
    CASE(tokens, queries);
    const Result result = run::golden_attention(config, trace_of(tokens, queries)).result;
    CHECK(first_difference(result, result) == std::nullopt);  // every tensor fills its shape
    CHECK_SAME(result.maxima, std::vector<std::int32_t>(queries, tokens == 0 ? -32768 : 0));
    if (tokens == 0) CHECK(all_zero(row_of(result.half_outputs, 0, queries * kDim)));
  }
}

TEST_CASE("rows and columns of tensors are those of the trace, whatever the places") {
  const Config config = config_of("attention: {}\nstore: {segments: 2}");
  Trace trace = trace_of(6, 3);
  trace.commands = {allocation(0, {8, 4}),   allocation(1, {0, 2, 0, 0, true}),  // a ring of two
                    {Kind::append, 1},                                           // token 0
                    {Kind::append, 0},                                           // 1
                    {Kind::attend, 1},        // query 0 sees token 0
                    {Kind::append, 1},        // 2
                    {Kind::append, 1},        // 3, in the place of 0
                    {Kind::attend, 1},        // query 1 sees 2 and 3
                    {Kind::append, 0},        // 4
                    {Kind::evict, 0, {}, 1},  // forgets 1
                    {Kind::append, 0},        // 5
                    {Kind::attend, 0}};       // query 2 sees 4 and 5
  const run::AttentionRun run = run::golden_attention(config, trace);
  const Result& a = run.result;
  CHECK_SAME(a.refused, std::vector<std::uint8_t>(12, 0));
  const std::vector<std::vector<std::size_t>> seen = {{0}, {2, 3}, {4, 5}};
  for (std::size_t q = 0; q < 3; ++q) {
    CASE(q);
    // The same tokens alone, in this order.
    Trace alone = trace_of(0, 0);
    for (const std::size_t t : seen[q]) {
      const auto copy = [t](const std::vector<std::uint16_t>& from,
                            std::vector<std::uint16_t>* to) {
        to->insert(to->end(), from.begin() + static_cast<std::ptrdiff_t>(t * kDim),
                   from.begin() + static_cast<std::ptrdiff_t>((t + 1) * kDim));
      };
      copy(trace.keys, &alone.keys);
      copy(*trace.values, &*alone.values);
    }
    alone.queries.assign(trace.queries.begin() + static_cast<std::ptrdiff_t>(q * kDim),
                         trace.queries.begin() + static_cast<std::ptrdiff_t>((q + 1) * kDim));
    const Result expected = run::golden_attention(config, alone).result;
    CHECK_SAME(row_of(a.half_outputs, q, kDim), row_of(expected.half_outputs, 0, kDim));
    for (std::size_t t = 0; t < 6; ++t) {
      CASE(t);
      const auto at = std::find(seen[q].begin(), seen[q].end(), t);
      const std::size_t i = static_cast<std::size_t>(at - seen[q].begin());
      const bool visible = at != seen[q].end();
      CHECK(a.logits[q * 6 + t] == (visible ? expected.logits[i] : 0));
      CHECK(a.weights[q * 6 + t] == (visible ? expected.weights[i] : 0));
      CHECK(a.weight_references[q * 6 + t] == (visible ? expected.weight_references[i] : -32768));
      CHECK(run.result.accumulators[q * 6 + t] == (visible ? expected.accumulators[i] : 0));
      CHECK(run.result.scores[q * 6 + t] == (visible ? expected.scores[i] : 0));
    }
  }
}

TEST_CASE("rejected rows use up their token or their queries, and are zeros") {
  const Config config = config_of(
      "attention: {group: 2}\nstore: {segments: 2}\nquantizer: {kind: trellis, scale: unbiased}\n"
      "ecc: {code: hamming74}");
  Trace trace = trace_of(4, 4);
  trace.commands = {{Kind::append, 0},                             // the segment is free
                    {Kind::attend, 0},                             // likewise
                    allocation(0, {0, 2}), allocation(0, {4, 2}),  // it is not free
                    {Kind::append, 0},     {Kind::append, 0},
                    {Kind::append, 0},                               // it is full
                    {Kind::attend, 0},     {Kind::evict, 7, {}, 1},  // there is no such segment
                    {Kind::free, 0},       {Kind::free, 0}};         // it is free
  const run::AttentionRun run = run::golden_attention(config, trace);
  const Result& result = run.result;
  CHECK_SAME(result.refused, std::vector<std::uint8_t>{1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1});
  CHECK(run.events.bad_commands == 5);
  CHECK(run.events.tokens_full == 1);
  for (const std::size_t t : {0U, 3U}) {
    CASE(t);
    CHECK(all_zero(row_of(result.indices, t, kDim)));
    CHECK(all_zero(row_of(result.levels, t, kDim)));
    CHECK(all_zero(row_of(result.reconstructions, t, result.level_count())));
    CHECK(all_zero(row_of(result.records, t, result.record_bytes())));
    CHECK(all_zero(row_of(result.codewords, t, result.codeword_bytes)));
    CHECK(result.norms[t] == 0);
    CHECK(result.correlations[t] == 0);
    CHECK(result.path_costs[t] == 0);
    CHECK(all_zero(row_of(result.value_indices, t, kDim)));
    CHECK(all_zero(row_of(result.value_records, t, result.record_bytes())));
    CHECK(all_zero(row_of(result.value_codewords, t, result.codeword_bytes)));
  }
  for (const std::size_t q : {0U, 1U}) {
    CASE(q);
    CHECK(all_zero(row_of(result.rotated_queries, q, kDim)));
    CHECK_SAME(row_of(result.weight_references, q, 4), Row(4, -32768));
    CHECK(result.maxima[q] == -32768);
    CHECK(result.denominators[q] == 0);
    CHECK(result.reciprocals[q] == 0);
    CHECK(all_zero(row_of(result.half_outputs, q, kDim)));
  }
  for (const std::size_t q : {2U, 3U}) {
    CASE(q);
    CHECK_FALSE(all_zero(row_of(result.rotated_queries, q, kDim)));
    CHECK(result.denominators[q] > std::uint64_t{1} << 31);
  }
  CHECK(first_difference(result, result) == std::nullopt);  // every tensor fills its shape
}

TEST_CASE("copies of a result are those of the tokens that stand in a segment at the end") {
  const Config config = config_of(
      "attention: {}\nstore: {segments: 2}\nquantizer: {scale: unbiased}\n"
      "exact: {first: 1, last: 2}");
  Trace trace = trace_of(9, 0);
  trace.commands = {allocation(0, {0, 4, 1, 0, true}), allocation(1, {4, 8})};
  for (int t = 0; t < 6; ++t) trace.commands->push_back({Kind::append, 0});  // 0, 3, 4, 5 stay
  for (int t = 6; t < 9; ++t) trace.commands->push_back({Kind::append, 1});
  const Result both = run::golden_attention(config, trace).result;
  CHECK_SAME(both.exact, std::vector<std::uint8_t>{1, 0, 0, 0, 1, 1, 1, 1, 1});
  CHECK(both.copies == 6);
  trace.commands->push_back({Kind::free, 0});
  const Result one = run::golden_attention(config, trace).result;
  CHECK_SAME(one.exact, std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 1, 1, 1});
  CHECK_SAME(one.exact_keys, std::span(both.exact_keys).subspan(3 * kDim));
}

TEST_CASE("items have the signs and the center of their segment's row") {
  const Config two = config_of("attention: {}\nstore: {segments: 2, rotations: 2}");
  Trace trace = trace_of(4, 1);
  trace.commands = {allocation(0, {0, 4, 0, 1, false})};
  for (int t = 0; t < 4; ++t) trace.commands->push_back({Kind::append, 0});
  trace.commands->push_back({Kind::attend, 0});
  Result of_row = run::golden_attention(two, trace).result;
  of_row.commands.reset();
  const Config other = config_of("attention: {}\nrotation: {head: 1}");
  trace.commands.reset();
  CHECK(first_difference(of_row, run::golden_attention(other, trace).result) == std::nullopt);
}

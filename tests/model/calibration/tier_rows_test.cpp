#include "axelram/calibration/tier_rows.hpp"

#include <cmath>
#include <random>

#include "axelram/calibration/queries.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/half.hpp"
#include "axelram/tier_row.hpp"
#include "check.hpp"
#include "files/support.hpp"
#include "transformer/plain_cache.hpp"

using namespace axelram;
using calibration::TierRows;
using files::Rope;
using transformer::RotaryTable;

namespace {

/// R_t^T x in double.
std::vector<double> turned_back(const RotaryTable& rotary, std::size_t t, const float* x,
                                std::size_t d) {
  std::vector<double> y(x, x + d);
  const std::size_t pairs = rotary.pairs();
  for (std::size_t p = 0; p < pairs; ++p) {
    const std::size_t a = rotary.interleaved() ? 2 * p : p,
                      b = rotary.interleaved() ? a + 1 : p + pairs;
    const double c = rotary.cosines()[t * pairs + p], s = rotary.sines()[t * pairs + p];
    y[a] = x[a] * c + x[b] * s;
    y[b] = x[b] * c - x[a] * s;
  }
  return y;
}

/// The sum by its definition, over all pairs of a query and a token that it sees.
std::vector<double> by_pairs(const std::vector<float>& queries, std::size_t tokens,
                             std::size_t next, std::size_t group, std::size_t d, std::size_t span,
                             const RotaryTable& rotary) {
  std::vector<double> sum(d * d);
  for (std::size_t i = 0; i < tokens; ++i)
    for (std::size_t head = 0; head < group; ++head)
      for (std::size_t t = span != 0 && i >= span ? i + 1 - span : 0; t <= i; ++t) {
        const auto q = turned_back(rotary, t, &queries[i * next + head * d], d);
        for (std::size_t r = 0; r < d; ++r)
          for (std::size_t c = 0; c < d; ++c) sum[r * d + c] += q[r] * q[c];
      }
  return sum;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

checkpoints::Rotary usual_rotary(std::size_t d, double factor) {
  checkpoints::Rotary rotary;
  for (std::size_t p = 0; p < d / 2; ++p)
    rotary.frequencies.push_back(
        std::pow(100.0, -2.0 * static_cast<double>(p) / static_cast<double>(d)));
  rotary.attention_factor = factor;
  return rotary;
}

const std::string kTiny = AXELRAM_SOURCE "/tests/model/transformer/reference/";

/// A model over windows of its own text.
struct TinyModel {
  explicit TinyModel(const std::string& name, std::size_t window = 24, std::size_t threads = 2)
      : checkpoint(checkpoints::read_checkpoint(kTiny + name)),
        cache(checkpoint.architecture.head_dim),
        workers(threads) {
    const auto file = files::Safetensors::read(kTiny + name + "/expected.safetensors");
    const files::Tensor& tokens = file.at("tokens");
    text.ids = tokens.values<std::int32_t>();
    text.rows = tokens.shape[0];
    text.columns = tokens.shape[1];
    text.separate = true;
    windows = calibration::consecutive_windows(text, text.ids.size(), window);
  }
  calibration::Source source() {
    return {checkpoint, cache, workers, windows, ElementFormat::fp16, {}};
  }

  checkpoints::Checkpoint checkpoint;
  test::PlainCache cache;
  transformer::Workers workers;
  tokens::TokenText text;
  std::vector<transformer::Sequence> windows;
};

}  // namespace

TEST_CASE("tiers: moments before the rotation are those over all pairs") {
  std::mt19937_64 rng(151);
  std::normal_distribution<float> normal;
  for (const bool interleaved : {false, true})
    for (const double factor : {1.0, 1.25})
      for (const auto& [tokens, span] : {std::pair<std::size_t, std::size_t>{1, 0},
                                         {2, 0},
                                         {17, 0},
                                         {17, 1},
                                         {17, 6},
                                         {17, 17}}) {
        CASE(interleaved, factor, tokens, span);
        constexpr std::size_t d = 32, group = 3, next = 5 * d;
        const RotaryTable rotary(usual_rotary(d, factor), interleaved, tokens);
        std::vector<float> queries(tokens * next);
        for (float& element : queries) element = 2 * normal(rng) + 1;
        const auto expected = by_pairs(queries, tokens, next, group, d, span, rotary);
        std::vector<double> sum(d * d, 7);
        calibration::add_moments_before(queries.data(), tokens, next, group, d, span, rotary,
                                        sum.data());
        double worst = 0;
        for (std::size_t i = 0; i < d * d; ++i)
          worst = std::max(worst, std::abs(sum[i] - 7 - expected[i]));
        CHECK(worst < 1e-13 * largest(expected));
      }
}

TEST_CASE("tiers: without a rotation a query counts once for each token that it sees") {
  constexpr std::size_t d = 32, tokens = 5;
  std::vector<float> queries(tokens * d);
  for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = static_cast<float>(i % 7) - 3;
  const RotaryTable none({}, false, tokens);
  std::vector<double> sum(d * d);
  calibration::add_moments_before(queries.data(), tokens, d, 1, d, 0, none, sum.data());
  for (std::size_t r = 0; r < d; ++r)
    for (std::size_t c = 0; c < d; ++c) {
      CASE(r, c);
      double expected = 0;
      for (std::size_t i = 0; i < tokens; ++i)
        expected += static_cast<double>(i + 1) * queries[i * d + r] * queries[i * d + c];
      CHECK(sum[r * d + c] == expected);
    }
}

TEST_CASE("tiers: rows are those of attention in FP16, moments means over the group") {
  for (const std::string name : {"llama-f32", "llama-yarn", "qwen3", "qwen2-sliding", "gpt2"}) {
    CASE(name);
    TinyModel model(name);
    const checkpoints::Architecture& a = model.checkpoint.architecture;
    const std::size_t d = a.head_dim, group = a.group();
    struct Seen {
      std::vector<float> keys, before, values, queries;
    };
    // [window][layer], in the order of the model.
    std::vector<std::vector<Seen>> seen(model.windows.size(), std::vector<Seen>(a.layers));
    std::vector<transformer::Sequence> numbered = model.windows;
    for (std::size_t w = 0; w < numbered.size(); ++w)
      numbered[w].number = static_cast<std::uint32_t>(w);
    transformer::Transformer(model.checkpoint, model.workers)
        .forward(numbered, model.cache, [&](const transformer::AttentionInputs& in) {
          const std::size_t width = in.tokens * a.kv_heads * d;
          const float* const before = in.keys_before == nullptr ? in.keys : in.keys_before;
          seen[in.sequence][in.layer] = {{in.keys, in.keys + width},
                                         {before, before + width},
                                         {in.values, in.values + width},
                                         {in.queries, in.queries + width * group}};
        });
    for (const Rope rope : {Rope::post, Rope::pre}) {
      CASE(rope);
      const TierRows rows = calibration::collect_tier_rows(model.source(), rope);
      REQUIRE(rows.rows == model.text.ids.size());
      for (std::size_t layer = 0; layer < a.layers; ++layer)
        for (std::size_t head = 0; head < a.kv_heads; ++head) {
          CASE(layer, head);
          std::vector<double> sum(d * d);
          double pairs = 0;
          std::size_t row = 0;
          for (const auto& window : seen) {
            CASE(&window - seen.data());
            const Seen& in = window[layer];
            const std::size_t tokens = in.keys.size() / (a.kv_heads * d);
            for (std::size_t t = 0; t < tokens; ++t, ++row)
              for (std::size_t i = 0; i < d; ++i) {
                CASE(t, i);
                const std::size_t from = (t * a.kv_heads + head) * d + i, to = row * d + i;
                const float key = rope == Rope::pre ? in.before[from] : in.keys[from];
                REQUIRE(rows.of(rows.keys, layer, head)[to] == double_to_half(key));
                REQUIRE(rows.of(rows.values, layer, head)[to] == double_to_half(in.values[from]));
              }
            const bool local = a.has_local_rotary(layer);
            const RotaryTable rotary(rope == Rope::post ? checkpoints::Rotary{}
                                     : local            ? a.local_rotary
                                                        : a.rotary,
                                     a.positions == checkpoints::Positions::rotary_interleaved,
                                     tokens);
            const std::vector<float> queries(
                in.queries.begin() + static_cast<long>(head * group * d), in.queries.end());
            if (rope == Rope::pre) {
              const auto part =
                  by_pairs(queries, tokens, a.heads * d, group, d, a.span(layer), rotary);
              for (std::size_t i = 0; i < d * d; ++i) sum[i] += part[i];
              for (std::size_t t = 0; t < tokens; ++t)
                pairs += static_cast<double>((t + 1 - a.oldest(layer, t)) * group);
            } else {
              for (std::size_t t = 0; t < tokens; ++t)
                for (std::size_t g = 0; g < group; ++g)
                  for (std::size_t i = 0; i < d * d; ++i)
                    sum[i] += double{queries[t * a.heads * d + g * d + i / d]} *
                              queries[t * a.heads * d + g * d + i % d];
              pairs += static_cast<double>(tokens * group);
            }
          }
          double worst = 0;
          for (std::size_t i = 0; i < d * d; ++i)
            worst = std::max(worst, std::abs(rows.moment(layer, head)[i] - sum[i] / pairs));
          CHECK(worst < 1e-13 * largest(sum) / pairs);
        }
    }
  }
}

TEST_CASE("tiers: one run of the model gives keys for signs and rows of tiers") {
  TinyModel model("llama-f32");
  calibration::Queries queries;
  TierRows rows;
  rows.rope = Rope::post;
  const calibration::Keys keys = calibration::collect_keys(model.source(), &queries, &rows);
  CHECK_SAME(rows.moments, queries.moments);
  for (std::size_t i = 0; i < keys.values.size(); ++i)
    REQUIRE_AT(i, rows.keys[i] == double_to_half(keys.values[i]));
  const TierRows alone = calibration::collect_tier_rows(model.source(), Rope::post);
  CHECK_SAME(alone.keys, rows.keys);
  CHECK_SAME(alone.values, rows.values);
  CHECK_SAME(alone.moments, rows.moments);
}

TEST_CASE("tiers: a row that FP16 does not hold is named") {
  TinyModel model("llama-f32");
  std::vector<float> bias(2 * 32);
  bias[32 + 5] = 1e6F;
  model.checkpoint.layers[1].v_bias = bias;
  calibration::Source source = model.source();
  source.element_format = ElementFormat::bf16;
  const std::string line =
      test::message([&] { calibration::collect_tier_rows(source, Rope::pre); });
  CHECK(test::contains(line, "layer 1, value head 1, token 0, channel 5: "));
  CHECK(test::contains(line, "; rows of tiers are FP16, which ends at 65504"));
}

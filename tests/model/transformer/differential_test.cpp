// Differential attention (references.md#coda-gqa-l): a second query a head, turned from the first,
// whose attention is taken off.
#include <cmath>
#include <numbers>
#include <random>

#include "axelram/transformer/rotary_table.hpp"
#include "axelram/transformer/session.hpp"
#include "check.hpp"
#include "checkpoints/support.hpp"
#include "transformer/run_model.hpp"
#include "transformer/some_ids.hpp"

using namespace axelram;

namespace {

const std::string kReference = AXELRAM_SOURCE "/tests/model/transformer/reference/";

/// A reference checkpoint with differential attention in every layer. bias: of every λ; weight: the
/// largest of its weights.
checkpoints::Checkpoint differential(const std::string& name, float bias, float weight = 0) {
  checkpoints::Checkpoint c = checkpoints::read_checkpoint(kReference + name);
  auto& a = c.architecture;
  a.coda.emplace();
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> angle(0, 3), factor(-weight, weight);
  for (checkpoints::Layer& layer : c.layers) {
    for (std::size_t i = 0; i < a.heads * a.head_dim / 2; ++i)
      layer.coda.theta.push_back(angle(random));
    std::vector<float> w(a.heads * a.hidden);
    for (float& x : w) x = weight == 0 ? 0 : factor(random);
    layer.coda.lambda = test::held_matrix(&c, a.heads, w);
    for (std::size_t h = 0; h < a.heads; ++h)
      layer.coda.lambda_bias.push_back(bias + static_cast<float>(h) / 4);
  }
  return c;
}

float sigmoid(double x) { return static_cast<float>(1 / (1 + std::exp(-x))); }

/// A plain store of a KV head that does by itself what a pass does for differential attention.
/// Heads of a group come one after the other.
class Differential : public transformer::HeadAttention {
 public:
  Differential(const checkpoints::Checkpoint& c, std::size_t layer, std::size_t kv_head)
      : c_(c), layer_(layer), kv_head_(kv_head), inner_(cache_of(c).attention(0, 0)) {}

  void begin(std::uint32_t sequence) override { inner_->begin(sequence); }
  void write(const float* keys, const float* values, std::size_t count) override {
    inner_->write(keys, values, count);
    head_ = 0;
  }
  void attend(const float* queries, std::size_t count, std::size_t first, const std::size_t* oldest,
              double scale, float* out) override {
    const auto& a = c_.architecture;
    const std::size_t d = a.head_dim, half = d / 2, head = kv_head_ * a.group() + head_++;
    const checkpoints::CodaWeights& w = c_.layers[layer_].coda;
    std::vector<float> turned(count * d), noise(count * d);
    const bool pairs =
        a.coda->interleaved || a.positions == checkpoints::Positions::rotary_interleaved;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t p = 0; p < half; ++p) {
        const std::size_t x = pairs ? 2 * p : p, y = pairs ? 2 * p + 1 : p + half;
        const auto angle = static_cast<double>(w.theta[head * half + p]);
        const auto cosine = static_cast<float>(std::cos(angle));
        const auto sine = static_cast<float>(std::sin(angle));
        const float u = queries[i * d + x], v = queries[i * d + y];
        turned[i * d + x] = u * cosine - v * sine;
        turned[i * d + y] = u * sine + v * cosine;
      }
    inner_->attend(queries, count, first, oldest, scale, out);
    inner_->attend(turned.data(), count, first, oldest, scale, noise.data());
    const float lambda = sigmoid(static_cast<double>(w.lambda_bias[head]));
    for (std::size_t i = 0; i < count * d; ++i) out[i] -= lambda * noise[i];
    for (std::size_t i = 0; i < count && !w.head_norm.empty(); ++i) {
      double squares = 0;
      for (std::size_t c = 0; c < d; ++c) squares += std::pow(double{out[i * d + c]}, 2);
      const auto factor =
          static_cast<float>(1 / std::sqrt(squares / static_cast<double>(d) + 1e-6));
      for (std::size_t c = 0; c < d; ++c) out[i * d + c] *= factor * w.head_norm[head * d + c];
    }
  }
  transformer::CacheEvents events() const override { return {}; }
  double bytes_per_token() const override { return 0; }
  double bytes_per_sequence() const override { return 0; }

 private:
  static test::PlainCache cache_of(const checkpoints::Checkpoint& c) {
    return test::PlainCache(c.architecture.head_dim);
  }
  const checkpoints::Checkpoint& c_;
  std::size_t layer_, kv_head_, head_ = 0;
  std::unique_ptr<transformer::HeadAttention> inner_;
};

class DifferentialCache : public test::PlainCache {
 public:
  explicit DifferentialCache(const checkpoints::Checkpoint& c)
      : PlainCache(c.architecture.head_dim), c_(c) {}
  std::unique_ptr<transformer::HeadAttention> attention(int layer, int head) const override {
    return std::make_unique<Differential>(c_, static_cast<std::size_t>(layer),
                                          static_cast<std::size_t>(head));
  }

 private:
  const checkpoints::Checkpoint& c_;
};

/// The checkpoint without differential attention.
checkpoints::Checkpoint plain(checkpoints::Checkpoint c) {
  c.architecture.coda.reset();
  for (checkpoints::Layer& layer : c.layers) layer.coda = {};
  return c;
}

std::vector<float> states_of(const checkpoints::Checkpoint& c, const transformer::KvCache& cache,
                             std::size_t threads = 2) {
  transformer::Workers workers(threads);
  const transformer::Transformer model(c, workers);
  const auto ids = test::some_ids(40);
  const transformer::Sequence sequence{ids, 0};
  return model.forward({&sequence, 1}, cache);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  return largest;
}

}  // namespace

TEST_CASE("differential attention: two attentions of one store, in every rotary family") {
  for (const std::string name : {"llama-f32", "llama3-rope", "qwen2", "qwen3", "gemma3"})
    for (const bool interleaved : {false, true}) {
      CASE(name, interleaved);
      checkpoints::Checkpoint c = differential(name, -1);
      c.architecture.coda->interleaved = interleaved;
      const auto states = states_of(c, test::PlainCache(c.architecture.head_dim));
      CHECK(largest_difference(states, states_of(plain(c), DifferentialCache(c))) < 1e-4);
      CHECK(largest_difference(
                states, states_of(plain(c), test::PlainCache(c.architecture.head_dim))) > 1e-2);
      c.architecture.coda->interleaved = !interleaved;
      CHECK(largest_difference(states, states_of(c, test::PlainCache(c.architecture.head_dim))) >
            1e-3);
    }
}

TEST_CASE("differential attention: the norm of each head's output") {
  checkpoints::Checkpoint c = differential("llama-f32", -1);
  const auto& a = c.architecture;
  const auto without = states_of(c, test::PlainCache(a.head_dim));
  for (checkpoints::Layer& layer : c.layers)
    for (std::size_t i = 0; i < a.heads * a.head_dim; ++i)
      layer.coda.head_norm.push_back(1 + static_cast<float>(i % 7) / 8);
  const auto states = states_of(c, test::PlainCache(a.head_dim));
  CHECK(largest_difference(states, states_of(plain(c), DifferentialCache(c))) < 1e-4);
  CHECK(largest_difference(states, without) > 1e-2);
}

TEST_CASE("differential attention: a factor of zero leaves plain attention to the bit") {
  for (const std::string name : {"llama-f32", "gemma3"}) {
    CASE(name);
    const checkpoints::Checkpoint c = differential(name, -2000);
    CHECK_SAME(states_of(c, test::PlainCache(c.architecture.head_dim)),
               states_of(plain(c), test::PlainCache(c.architecture.head_dim)));
  }
}

TEST_CASE("differential attention: the factor is made of the block's normed input") {
  checkpoints::Checkpoint c = differential("llama-f32", -1, 0.5F);
  const auto& a = c.architecture;
  for (std::size_t layer = 1; layer < a.layers; ++layer) c.layers[layer].coda = {};
  const auto states = states_of(c, test::PlainCache(a.head_dim));
  // One token sees itself alone: both attentions are its value, and the block's output is 1 - λ of
  // it.
  const std::vector<std::int32_t> id = {9};
  std::vector<float> x(a.hidden), w(a.heads * a.hidden);
  c.embedding.rows(9, 1, x.data());
  c.layers[0].coda.lambda.rows(0, a.heads, w.data());
  double squares = 0;
  for (const float e : x) squares += double{e} * double{e};
  const double norm = 1 / std::sqrt(squares / static_cast<double>(a.hidden) + a.norm_epsilon);
  checkpoints::Checkpoint scaled = plain(c);
  std::vector<float> o(a.hidden * a.heads * a.head_dim);
  scaled.layers[0].o.rows(0, a.hidden, o.data());
  for (std::size_t h = 0; h < a.heads; ++h) {
    double sum = static_cast<double>(c.layers[0].coda.lambda_bias[h]);
    for (std::size_t i = 0; i < a.hidden; ++i)
      sum +=
          double{w[h * a.hidden + i]} * double{x[i]} * norm * double{c.layers[0].attention_norm[i]};
    for (std::size_t row = 0; row < a.hidden; ++row)
      for (std::size_t e = 0; e < a.head_dim; ++e)
        o[(row * a.heads + h) * a.head_dim + e] *= 1 - sigmoid(sum);
  }
  scaled.layers[0].o = test::held_matrix(&scaled, a.hidden, o);
  transformer::Workers workers(1);
  const transformer::Sequence sequence{id, 0};
  const test::PlainCache cache(a.head_dim);
  const auto one = transformer::Transformer(c, workers).forward({&sequence, 1}, cache);
  const auto two = transformer::Transformer(scaled, workers).forward({&sequence, 1}, cache);
  CHECK(largest_difference(one, two) < 1e-4);
  CHECK(largest_difference(
            one, transformer::Transformer(plain(c), workers).forward({&sequence, 1}, cache)) >
        1e-2);
}

TEST_CASE("differential attention: steps and threads change nothing") {
  const checkpoints::Checkpoint c = differential("qwen3", -1, 0.3F);
  const test::PlainCache cache(c.architecture.head_dim);
  const auto whole = states_of(c, cache, 1);
  CHECK_SAME(states_of(c, cache, 4), whole);
  transformer::Workers workers(2);
  const transformer::Transformer model(c, workers);
  const auto ids = test::some_ids(40);
  for (const std::size_t step : {1U, 7U, 33U}) {
    CASE(step);
    transformer::Session session(model, cache);
    std::vector<float> all;
    for (std::size_t first = 0; first < ids.size(); first += step) {
      const transformer::Sequence more{
          std::span(ids).subspan(first, std::min<std::size_t>(step, ids.size() - first)), 0};
      const auto some = session.step({&more, 1});
      all.insert(all.end(), some.begin(), some.end());
    }
    CHECK_SAME(all, whole);
  }
}

TEST_CASE(
    "differential attention: scores move with the text, if the pairs are those that rotary turns") {
  constexpr std::size_t kD = 64, kShift = 1000;
  checkpoints::Rotary rotary;
  for (std::size_t i = 0; i < kD / 2; ++i)
    rotary.frequencies.push_back(std::pow(10000.0, -2.0 * static_cast<double>(i) / kD));
  const transformer::RotaryTable positions(rotary, false, kShift + 100);
  std::mt19937_64 random(3);
  std::normal_distribution<float> normal;
  const auto row = [&] {
    std::vector<float> x(kD);
    for (float& e : x) e = normal(random);
    return x;
  };
  const std::vector<float> q = row(), k = row();
  std::uniform_real_distribution<double> any(0.2, std::numbers::pi - 0.2);
  std::vector<float> cosines, sines;
  for (std::size_t i = 0; i < kD / 2; ++i) {
    const double angle = any(random);
    cosines.push_back(static_cast<float>(std::cos(angle)));
    sines.push_back(static_cast<float>(std::sin(angle)));
  }
  enum class Turned { not_at_all, rotary_pairs, other_pairs };
  const auto score = [&](std::size_t at, Turned turned) {
    const transformer::RotaryTable noise(cosines, sines, kD / 2, turned == Turned::other_pairs);
    std::vector<float> query = q, key = k;
    positions.turn(at + 20, query.data());
    positions.turn(at, key.data());
    if (turned != Turned::not_at_all) noise.turn(0, query.data());
    double sum = 0;
    for (std::size_t i = 0; i < kD; ++i) sum += double{query[i]} * double{key[i]};
    return sum;
  };
  const auto change = [&](Turned turned) {
    return std::abs(score(kShift, turned) - score(0, turned));
  };
  const double size = std::sqrt(static_cast<double>(kD));  // of a score
  CHECK(change(Turned::not_at_all) < 1e-3 * size);
  CHECK(change(Turned::rotary_pairs) < 1e-3 * size);
  CHECK(change(Turned::other_pairs) > 0.1 * size);
}

TEST_CASE(
    "differential attention: the second query is as long as the first, and at right angles at θ = "
    "π/2") {
  constexpr std::size_t kD = 32;
  std::vector<float> cosines(kD / 2, static_cast<float>(std::cos(std::numbers::pi / 2))),
      sines(kD / 2, 1);
  std::vector<float> q(kD);
  for (std::size_t i = 0; i < kD; ++i) q[i] = static_cast<float>(i) - 11.5F;
  std::vector<float> noise = q;
  transformer::RotaryTable(cosines, sines, kD / 2, false).turn(0, noise.data());
  double product = 0, own = 0, other = 0;
  for (std::size_t i = 0; i < kD; ++i) {
    product += double{q[i]} * double{noise[i]};
    own += double{q[i]} * double{q[i]};
    other += double{noise[i]} * double{noise[i]};
  }
  CHECK(std::abs(product) < 1e-4 * own);
  CHECK(other == doctest::Approx(own).epsilon(1e-6));
  // At another angle it is not: <q, R(θ) q> = Σ cos θ_i |q_i|^2.
  noise = q;
  cosines.assign(kD / 2, static_cast<float>(std::cos(0.5)));
  sines.assign(kD / 2, static_cast<float>(std::sin(0.5)));
  transformer::RotaryTable(cosines, sines, kD / 2, false).turn(0, noise.data());
  product = 0;
  for (std::size_t i = 0; i < kD; ++i) product += double{q[i]} * double{noise[i]};
  CHECK(product == doctest::Approx(std::cos(0.5) * own).epsilon(1e-5));
}

#include <algorithm>
#include <cmath>
#include <map>

#include "axelram/caches/cache.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/gate.hpp"
#include "axelram/memory_parameters.hpp"
#include "axelram/transformer/session.hpp"
#include "check.hpp"
#include "checkpoints/support.hpp"
#include "golden/fields.hpp"
#include "support.hpp"
#include "transformer/some_ids.hpp"

using namespace axelram;
using test::Floats;

namespace {

const std::string kReference = std::string(AXELRAM_SOURCE) + "/tests/model/transformer/reference/";
constexpr std::size_t kTokens = 70;

/// A reference checkpoint with CoDA: a write gate for each KV head, and a second query if `lambda`
/// is its factor's logit.
checkpoints::Checkpoint coda_model(const std::string& name, std::optional<float> lambda = {}) {
  auto checkpoint = checkpoints::read_checkpoint(kReference + name);
  auto& a = checkpoint.architecture;
  a.max_positions = 300;
  a.coda = checkpoints::Coda();
  a.coda->gate_bias = true;
  const auto matrix = [&](std::size_t outputs, float scale) {
    Floats values = test::gaussian(outputs * a.hidden, 5);
    for (float& x : values) x *= scale;
    return test::held_matrix(&checkpoint, outputs, std::move(values));
  };
  for (checkpoints::Layer& layer : checkpoint.layers) {
    layer.coda.write = matrix(a.kv_heads, 0.5F);
    layer.coda.write_bias.assign(a.kv_heads, -1.5F);
    if (!lambda) continue;
    layer.coda.theta.assign(a.heads * a.head_dim / 2, 1.3F);
    layer.coda.lambda = matrix(a.heads, 0);
    layer.coda.lambda_bias.assign(a.heads, *lambda);
  }
  return checkpoint;
}

std::unique_ptr<transformer::KvCache> cache_of(const checkpoints::Checkpoint& checkpoint,
                                               const std::string& specification) {
  return caches::make_cache(caches::parse_specification(specification),
                            caches::shape_of(checkpoint));
}

Floats whole(const checkpoints::Checkpoint& checkpoint, const std::string& specification,
             std::size_t tokens = kTokens, transformer::CacheEvents* events = nullptr,
             std::size_t threads = 2) {
  transformer::Workers workers(threads);
  const transformer::Transformer model(checkpoint, workers);
  const auto ids = test::some_ids(tokens);
  const transformer::Sequence sequence{ids, 5};
  const auto cache = cache_of(checkpoint, specification);
  return model.forward({&sequence, 1}, *cache, {}, events);
}

double largest_difference(const Floats& a, const Floats& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  return largest;
}

/// Attention under the mask of a memory without summaries, in doubles: the tokens that are in slots
/// at each moment, by the memory itself.
class Masked : public transformer::HeadMemory {
 public:
  Masked(std::unique_ptr<transformer::HeadMemory> of, std::size_t d, bool bias)
      : of_(std::move(of)), d_(d), bias_(bias) {}
  void begin(std::uint32_t sequence) override { of_->begin(sequence); }
  void write(const float* key, const float* value, float gate) override {
    of_->write(key, value, gate);
    keys_.insert(keys_.end(), key, key + d_);
    values_.insert(values_.end(), value, value + d_);
  }
  void attend(const transformer::TokenQueries& queries, float* out) override {
    const MemoryState& state = of_->state();
    for (std::size_t i = 0; i < queries.count; ++i) {
      std::vector<double> sum(d_);
      const auto add = [&](const float* query, double factor) {
        std::map<std::size_t, double> logits;
        double largest = -1e300, all = 0;
        for (std::size_t slot = 0; slot < state.slots(); ++slot) {
          if (state.labels[slot] == SlotLabel::free) continue;
          const auto t = static_cast<std::size_t>(state.positions[slot]);
          double score = 0;
          for (std::size_t c = 0; c < d_; ++c)
            score += double{query[i * d_ + c]} * double{keys_[t * d_ + c]};
          score *= queries.scale;
          if (bias_ && state.labels[slot] == SlotLabel::exact)
            score += std::log(std::max<double>(state.gates[slot], 1) / 255);
          logits[t] = score;
          largest = std::max(largest, score);
        }
        for (auto& [t, x] : logits) all += x = std::exp(x - largest);
        for (const auto& [t, x] : logits)
          for (std::size_t c = 0; c < d_; ++c)
            sum[c] += factor * x / all * double{values_[t * d_ + c]};
      };
      add(queries.signal, 1);
      if (queries.noise != nullptr) add(queries.noise, -double{queries.lambdas[i]});
      for (std::size_t c = 0; c < d_; ++c) out[i * d_ + c] = static_cast<float>(sum[c]);
    }
  }
  const MemoryState& state() const override { return of_->state(); }
  void load(MemoryState state) override { of_->load(std::move(state)); }
  transformer::CacheEvents events() const override { return of_->events(); }
  transformer::MemoryCounts counts() const override { return of_->counts(); }
  double bytes() const override { return of_->bytes(); }

 private:
  std::unique_ptr<transformer::HeadMemory> of_;
  std::size_t d_;
  bool bias_;
  Floats keys_, values_;
};

class MaskedCache : public transformer::KvCache {
 public:
  MaskedCache(std::unique_ptr<transformer::KvCache> of, const checkpoints::Architecture& a)
      : of_(std::move(of)), a_(a) {}
  bool bounded() const override { return true; }
  std::unique_ptr<transformer::HeadMemory> memory(int layer, int head) const override {
    return std::make_unique<Masked>(of_->memory(layer, head), a_.head_dim, a_.coda->gate_bias);
  }
  std::unique_ptr<transformer::KeyCache> keys(int, int) const override { return nullptr; }
  std::unique_ptr<transformer::ValueCache> values(int, int) const override { return nullptr; }

 private:
  std::unique_ptr<transformer::KvCache> of_;
  const checkpoints::Architecture& a_;
};

const std::vector<std::string> kMemories = {
    "memory:window=16,exact=8,summary=8,sinks=2",
    "memory:window=16,exact=8,summary=8,store=fp16,summary_key=band",
    "memory:window=5,exact=0,summary=3,store=f32,gate_summary=0",
    "memory:window=1,exact=8,summary=0,evict=lru,ber=0.01,fault_seed=3"};

}  // namespace

TEST_CASE("a memory as long as its window is the FP16 cache") {
  for (const std::string name : {"llama-f32", "gemma3-d256"}) {
    CASE(name);
    const checkpoints::Checkpoint c = coda_model(name, -1);
    // One pass over the values rounds otherwise than two.
    CHECK(largest_difference(whole(c, "memory:window=70,exact=4,summary=4,store=fp16"),
                             whole(c, "fp16")) < 2e-4);
    const checkpoints::Checkpoint plain = coda_model(name);
    CHECK(test::same_bits(whole(plain, "memory:window=70,exact=4,summary=4,store=fp16"),
                          whole(plain, "fp16")));
  }
}

TEST_CASE("a memory is the same for a share of noise of zero as without second queries") {
  for (const std::string& memory : kMemories) {
    CASE(memory);
    CHECK(test::same_bits(whole(coda_model("llama-f32", -2000.0F), memory),
                          whole(coda_model("llama-f32"), memory)));
    CHECK_FALSE(test::same_bits(whole(coda_model("llama-f32", -2.0F), memory),
                                whole(coda_model("llama-f32"), memory)));
  }
}

TEST_CASE("a text that moves by 1000 positions moves its states by rounding, if pairs are rotary") {
  // Memories that forget what was before the text: after it, states depend on positions alone.
  constexpr std::size_t kShift = 1000, kCompared = 20;
  const std::string memory = "memory:window=8,exact=0,summary=0,store=f32";
  const auto change = [&](std::optional<float> lambda, bool interleaved) {
    checkpoints::Checkpoint c = coda_model("llama-f32", lambda);
    c.architecture.max_positions = 2048;
    c.architecture.coda->interleaved = interleaved;
    REQUIRE(c.layers.size() * 8 + kCompared < kTokens);
    transformer::Workers workers(2);
    const transformer::Transformer model(c, workers);
    const auto text = test::some_ids(kTokens), before = test::some_ids(kShift, 96, 9);
    const auto cache = cache_of(c, memory);
    const auto last = [&](bool moved) {
      transformer::Session session(model, *cache);
      const transformer::Sequence filler{before, 5}, sequence{text, 5};
      if (moved) session.step({&filler, 1});
      Floats states = session.step({&sequence, 1});
      states.erase(states.begin(),
                   states.end() - static_cast<std::ptrdiff_t>(kCompared * c.architecture.hidden));
      return states;
    };
    const Floats here = last(false);
    double largest = 0;
    for (const float x : here) largest = std::max(largest, std::abs(double{x}));
    return largest_difference(last(true), here) / largest;
  };
  CHECK(change({}, false) < 1e-3);
  CHECK(change(0.0F, false) < 1e-3);
  CHECK(change(0.0F, true) > 1e-2);
}

TEST_CASE("a memory without summaries is attention under its mask") {
  for (const std::string name : {"llama-f32", "llama-theta"})
    for (const std::string memory : {"memory:window=9,exact=6,summary=0,sinks=2,store=f32",
                                     "memory:window=1,exact=5,summary=0,store=f32,novel=2",
                                     "memory:window=12,exact=0,summary=0,store=f32"}) {
      CASE(name, memory);
      const checkpoints::Checkpoint c = coda_model(name, -0.5F);
      transformer::Workers workers(2);
      const transformer::Transformer model(c, workers);
      const auto ids = test::some_ids(kTokens);
      const transformer::Sequence sequence{ids, 5};
      const MaskedCache masked(cache_of(c, memory), c.architecture);
      const Floats expected = model.forward({&sequence, 1}, masked);
      CHECK(largest_difference(whole(c, memory), expected) < 1e-5);
      CHECK(largest_difference(whole(c, "f32"), expected) > 1e-2);
    }
}

TEST_CASE("a memory is the same for every step, thread and sequence beside it") {
  const checkpoints::Checkpoint c = coda_model("llama-f32", -1);
  transformer::Workers one(1), three(3);
  const transformer::Transformer model(c, one), other(c, three);
  const auto ids = test::some_ids(kTokens), others = test::some_ids(kTokens, 96, 9);
  for (const std::string& memory : kMemories) {
    CASE(memory);
    const auto cache = cache_of(c, memory);
    transformer::CacheEvents events;
    const Floats expected = whole(c, memory, kTokens, &events);
    for (const std::size_t chunk : {1, 7, 64}) {
      CASE(chunk);
      transformer::Session session(chunk == 7 ? other : model, *cache);
      Floats all;
      for (std::size_t first = 0; first < kTokens; first += chunk) {
        const std::size_t count = std::min(chunk, kTokens - first);
        const transformer::Sequence both[] = {{std::span(others).subspan(first, count), 8},
                                              {std::span(ids).subspan(first, count), 5}};
        const Floats some = session.step(both);
        all.insert(all.end(), some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2),
                   some.end());
      }
      CHECK(test::same_bits(all, expected));
      session.end(8);
      const auto now = session.events();
      REQUIRE(now.memories.size() == events.memories.size());
      CHECK(now.memories[0].sequences == 2);
    }
    const transformer::MemoryCounts& of = events.memories[0];
    CHECK(of.sequences == 1);
    CHECK(of.novel + of.hits + of.between + of.gated_out <= of.evicted);
    CHECK(of.used + of.freed == kTokens);
  }
}

TEST_CASE("a memory goes on from a state as if it had never stopped") {
  const checkpoints::Checkpoint c = coda_model("llama-f32", -1);
  transformer::Workers workers(2);
  const transformer::Transformer model(c, workers);
  const auto ids = test::some_ids(kTokens);
  for (const std::string& memory : kMemories)
    for (const std::size_t stop : {0, 3, 16, 17, 40}) {
      CASE(memory, stop);
      const auto cache = cache_of(c, memory);
      transformer::Session before(model, *cache), after(model, *cache), reference(model, *cache);
      const transformer::Sequence first{std::span(ids).first(stop), 5};
      if (stop != 0) {
        before.step({&first, 1});
        reference.step({&first, 1});
      }
      after.load(5, before.states(5));
      CHECK(after.tokens(5) == stop);
      const transformer::Sequence rest{std::span(ids).subspan(stop), 5};
      CHECK(test::same_bits(after.step({&rest, 1}), reference.step({&rest, 1})));
      CHECK_SAME(after.states(5), reference.states(5));
    }
  const auto small = cache_of(c, kMemories[0]), large = cache_of(c, "memory:window=17");
  transformer::Session session(model, *small), other(model, *large);
  const transformer::Sequence some{ids, 1};
  session.step({&some, 1});
  CHECK_THROWS_AS(other.load(1, session.states(1)), std::invalid_argument);
  CHECK(other.tokens(1) == 0);
}

TEST_CASE("golden and fast memories of a model are equal") {
  const checkpoints::Checkpoint c = coda_model("llama-f32", -1);
  transformer::Workers workers(2);
  const transformer::Transformer model(c, workers);
  const auto ids = test::some_ids(kTokens);
  const transformer::Sequence sequence{ids, 5};
  for (const std::string& memory : kMemories) {
    CASE(memory);
    const auto specification = caches::parse_specification(memory);
    const auto golden = caches::make_cache(specification, caches::shape_of(c), reference_units());
    CHECK(test::same_bits(model.forward({&sequence, 1}, *golden), whole(c, memory)));
  }
}

TEST_CASE("the checkpoint's own memory is the default, key by key") {
  const caches::Memory none;
  CHECK(caches::memory_options(none, "").window == 256);
  const MemoryOptions own = caches::memory_options(none, "window=12,exact=3,evict=lru");
  CHECK(own.window == 12);
  CHECK(own.exact == 3);
  CHECK(own.summary == 64);
  CHECK(own.evict == EvictKind::lru);
  const auto given = caches::parse_specification("memory:exact=5,store=fp16");
  const MemoryOptions both = caches::memory_options(*caches::memory_of(given), "window=12,exact=3");
  CHECK(both.window == 12);
  CHECK(both.exact == 5);
  CHECK(both.store == MemoryStore::fp16);
  for (const std::string wrong : {"window=0", "seed=4", "config=x", "ber=0.1", "nothing=1"}) {
    CASE(wrong);
    CHECK_THROWS_AS(caches::memory_options(none, wrong), files::InputError);
  }
}

TEST_CASE(
    "a key of a memory without effect is refused, unless it has the value that holds anyway") {
  struct Refused {
    std::string own, of_checkpoint, message;
  };
  const std::string bank = "there is no exact bank; give exact above sinks";
  const std::string summaries = "there is no summary bank; give summary above 0";
  for (const auto& [own, of_checkpoint, message] : std::vector<Refused>{
           {"exact=4,sinks=4,evict=lru", "", "evict is 'lru', but " + bank},
           {"exact=0,gate_exact=0.5", "", "gate_exact is '0.5', but " + bank},
           {"exact=0,match=0.95", "", "match is '0.95', but " + bank},
           {"match=0.95", "exact=2,sinks=2", "match is '0.95', but " + bank},
           {"evict=gate", "exact=0,evict=lru", "evict is 'gate', but " + bank},
           {"summary=0,gate_summary=0.5", "", "gate_summary is '0.5', but " + summaries},
           {"summary=0,blend=0.5", "", "blend is '0.5', but " + summaries},
           {"summary_key=band,store=fp16", "summary=0", "summary_key is 'band', but " + summaries},
           {"exact=0,summary=0,novel=0.5", "",
            "novel is '0.5', but there is no bank; give summary above 0, or exact above sinks"}}) {
    CASE(own, of_checkpoint);
    const auto specification = caches::parse_specification("memory:" + own);
    CHECK_THROWS_WITH_AS(caches::memory_options(*caches::memory_of(specification), of_checkpoint),
                         ("cache memory: " + message).c_str(), files::InputError);
  }
  for (const auto& [own, of_checkpoint] : std::vector<std::pair<std::string, std::string>>{
           {"exact=0,evict=gate,match=0.9,gate_exact=0.1", ""},
           {"exact=0,novel=0.95,match=0.95", ""},
           {"exact=0,novel=0.9", "match=0.8"},
           {"exact=0,novel=0.9,match=0.9", "match=0.8"},
           {"exact=0", "evict=lru,match=0.95"},
           {"exact=0,evict=lru", "evict=lru"},
           {"exact=8,evict=lru", "exact=0"},
           {"summary=0,blend=0.047,summary_key=newest", ""},
           {"summary=0,novel=0.5", ""}}) {
    CASE(own, of_checkpoint);
    const auto specification = caches::parse_specification("memory:" + own);
    CHECK_NOTHROW(caches::memory_options(*caches::memory_of(specification), of_checkpoint));
  }
}

TEST_CASE("the checkpoint decides the blend of each KV head") {
  checkpoints::Checkpoint c = coda_model("llama-f32");
  for (checkpoints::Layer& layer : c.layers) {
    layer.coda.summary_eta_logit.assign(c.architecture.kv_heads, -3);
    layer.coda.summary_eta_logit[0] = 0;
  }
  const auto specification = caches::parse_specification("memory:blend=0.5");
  const caches::Memory& own = *caches::memory_of(specification);
  CHECK_THROWS_WITH_AS(caches::MemorySetup(own, caches::shape_of(c)),
                       "cache memory: blend is '0.5', but the checkpoint decides it for each KV "
                       "head; leave it out",
                       files::InputError);
  c.architecture.coda->memory = "blend=0.5";
  CHECK(caches::MemorySetup(own, caches::shape_of(c)).blend_by_model());
  c.architecture.coda->memory.clear();
  c.layers.back().coda.summary_eta_logit.clear();
  const caches::MemorySetup setup(own, caches::shape_of(c));
  CHECK(setup.blend_by_model());
  CHECK(setup.head(0, 0).memory.blend == 128);
  CHECK(setup.head(0, 1).memory.blend == 12);
  CHECK(setup.head(static_cast<int>(c.layers.size()) - 1, 1).memory.blend == 128);
  CHECK(setup.parameters().blend == 128);
}

TEST_CASE("bytes of a memory do not depend on its tokens") {
  const checkpoints::Checkpoint c = coda_model("llama-f32");
  const auto d = c.architecture.head_dim;
  const auto memory = cache_of(c, "memory:window=20,exact=6,summary=6")->memory(0, 0);
  const double record = 3.0 * static_cast<double>(d) / 8 + 2;
  CHECK(memory->bytes() == 2 * 32 * record + 2.0 * static_cast<double>(d) * 6 + 14 * 32);
  const auto half = cache_of(c, "memory:window=20,exact=6,summary=6,store=fp16")->memory(0, 0);
  CHECK(half->bytes() == 32 * (4 * static_cast<double>(d) + record + 14));
}

TEST_CASE("what a memory refuses") {
  const checkpoints::Checkpoint c = coda_model("llama-f32");
  for (const std::string wrong :
       {"memory:exact=2,sinks=3", "memory:novel=0.9,match=0.8", "memory:summary_key=band",
        "memory:ber=0.1,store=fp16", "memory:window=65536,exact=1", "keys=memory;values=fp16",
        "memory:config=paper-d128-b3"}) {
    CASE(wrong);
    CHECK_THROWS_AS(cache_of(c, wrong), files::InputError);
  }
  const auto cache = cache_of(c, "memory:window=4");
  CHECK_THROWS_AS(cache->attention(0, 0), files::InputError);
  const auto memory = cache->memory(0, 0);
  Floats row(c.architecture.head_dim, 1);
  memory->write(row.data(), row.data(), 0);
  Floats large = row;
  large[3] = 70000;
  CHECK_THROWS_WITH_AS(memory->write(large.data(), row.data(), 0),
                       "key of layer 0, head 0, token 1: element 3 is 70000; FP16 holds numbers up "
                       "to 65504, which a memory needs",
                       files::InputError);
  CHECK_THROWS_AS(memory->write(row.data(), row.data(), std::nanf("")), files::InputError);
  CHECK(memory->state().tokens == 1);
}

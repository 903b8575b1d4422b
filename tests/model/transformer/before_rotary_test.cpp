// A cache that wants keys before rotary embedding, and sessions: what a store is told, and when.
#include <map>
#include <utility>

#include "axelram/transformer/rotary_table.hpp"
#include "axelram/transformer/session.hpp"
#include "check.hpp"
#include "transformer/run_model.hpp"
#include "transformer/some_ids.hpp"

using namespace axelram;

namespace {

using Place = std::pair<int, int>;  ///< layer and KV head

/// What the stores of a place saw.
struct Seen {
  transformer::KeyTurn turn;
  std::vector<float> keys;               ///< as written
  std::size_t begun = 0, scored = 0;     ///< calls
  std::vector<std::size_t> settled;      ///< rows written at each settle()
  std::vector<std::size_t> scored_then;  ///< calls of score() at each settle()
};
using Log = std::map<Place, Seen>;

/// Keys that are turned as they are scored.
class UnturnedKeys : public test::PlainKeys {
 public:
  UnturnedKeys(std::size_t d, Seen* seen) : PlainKeys(d), seen_(seen) {}

  void turn_by(const transformer::KeyTurn& turn) override {
    REQUIRE(seen_->begun == 0);
    seen_->turn = turn;
  }
  void begin(std::uint32_t sequence) override {
    ++seen_->begun;
    seen_->keys.clear();
    PlainKeys::begin(sequence);
  }
  void write(const float* rows, std::size_t count) override {
    seen_->keys.insert(seen_->keys.end(), rows, rows + count * d_);
    std::vector<float> turned(rows, rows + count * d_);
    for (std::size_t t = 0; t < count; ++t) {
      float* const key = &turned[t * d_];
      const std::size_t position = rows_.size() / d_ + t;
      if (seen_->turn.rotary != nullptr) seen_->turn.rotary->turn(position, key);
      for (std::size_t i = 0; i < d_ && seen_->turn.offset != nullptr; ++i)
        key[i] += seen_->turn.offset[i];
    }
    PlainKeys::write(turned.data(), count);
  }
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    ++seen_->scored;
    PlainKeys::score(queries, count, first, oldest, stride, scores);
  }
  void settle() override {
    seen_->settled.push_back(rows_.size() / d_);
    seen_->scored_then.push_back(seen_->scored);
  }

 private:
  Seen* seen_;
};

class UnturnedCache : public transformer::KvCache {
 public:
  UnturnedCache(const checkpoints::Architecture& a, Log* log) : d_(a.head_dim), log_(log) {
    for (std::size_t layer = 0; layer < a.layers; ++layer)
      for (std::size_t head = 0; head < a.kv_heads; ++head)
        (*log_)[{static_cast<int>(layer), static_cast<int>(head)}];
  }
  bool keys_before_rotary() const override { return true; }
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    return std::make_unique<UnturnedKeys>(d_, &log_->at({layer, head}));
  }
  std::unique_ptr<transformer::ValueCache> values(int, int) const override {
    return std::make_unique<test::PlainValues>(d_);
  }

 private:
  std::size_t d_;
  Log* log_;
};

const std::string kReference = AXELRAM_SOURCE "/tests/model/transformer/reference/";

/// A reference checkpoint; with constants in its keys if `offset`.
checkpoints::Checkpoint model_of(const std::string& name, bool offset) {
  auto checkpoint = checkpoints::read_checkpoint(kReference + name);
  const auto& a = checkpoint.architecture;
  for (std::size_t layer = 0; layer < a.layers && offset; ++layer)
    for (std::size_t i = 0; i < a.kv_heads * a.head_dim; ++i)
      checkpoint.layers[layer].key_offset.push_back(static_cast<float>(i + layer) / 8);
  return checkpoint;
}

/// Keys of all layers, [layers][tokens, kv_heads, d], as an observer sees them.
struct Observed {
  std::map<std::size_t, std::vector<float>> keys, before;
  std::map<std::size_t, std::size_t> firsts;
};

transformer::Observer observer_of(const checkpoints::Architecture& a, Observed* observed) {
  return [&a, observed](const transformer::AttentionInputs& inputs) {
    const std::size_t size = inputs.tokens * a.kv_heads * a.head_dim;
    const float* const before = inputs.keys_before != nullptr ? inputs.keys_before : inputs.keys;
    auto& keys = observed->keys[inputs.layer];
    CHECK(inputs.first * a.kv_heads * a.head_dim == keys.size());
    keys.insert(keys.end(), inputs.keys, inputs.keys + size);
    auto& all = observed->before[inputs.layer];
    all.insert(all.end(), before, before + size);
  };
}

void check_model(const std::string& name, bool offset) {
  CASE(name, offset);
  const auto checkpoint = model_of(name, offset);
  const auto& a = checkpoint.architecture;
  transformer::Workers workers(2);
  const transformer::Transformer model(checkpoint, workers);
  const auto ids = test::some_ids(30);
  const transformer::Sequence sequence{ids, 4};
  Log log;
  const UnturnedCache cache(a, &log);
  const test::PlainCache plain(a.head_dim);
  Observed turned, unturned;
  const auto states = model.forward({&sequence, 1}, cache, observer_of(a, &unturned));
  CHECK_SAME(states, model.forward({&sequence, 1}, plain, observer_of(a, &turned)));
  CHECK_SAME(unturned.keys, turned.keys);  // an observer always sees them turned
  CHECK_SAME(unturned.before, turned.before);
  const bool rotates = a.positions != checkpoints::Positions::learned;
  CHECK((turned.keys == turned.before) == (!rotates && !offset));
  for (const auto& [place, seen] : log) {
    CASE(place);
    const auto layer = static_cast<std::size_t>(place.first);
    const auto head = static_cast<std::size_t>(place.second);
    const std::size_t d = a.head_dim;
    CHECK(seen.begun == 1);
    CHECK_SAME(seen.settled, std::vector<std::size_t>{30});
    CHECK_SAME(seen.scored_then, std::vector<std::size_t>{a.group()});
    CHECK((seen.turn.rotary != nullptr) == rotates);
    CHECK((seen.turn.offset != nullptr) == offset);
    for (std::size_t t = 0; t < 30; ++t)
      for (std::size_t i = 0; i < d; ++i) {
        CASE(t, i);
        REQUIRE(seen.keys[t * d + i] == turned.before[layer][(t * a.kv_heads + head) * d + i]);
      }
  }

  // The same in steps: one begin(), one settle() for each.
  Log log_of_steps;
  const UnturnedCache in_steps(a, &log_of_steps);
  transformer::Session session(model, in_steps);
  std::vector<float> all;
  Observed steps;
  for (const auto& [first, count] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 9}, {10, 20}}) {
    CASE(first, count);
    const transformer::Sequence more{std::span(ids).subspan(first, count), 4};
    const auto some = session.step({&more, 1}, observer_of(a, &steps));
    all.insert(all.end(), some.begin(), some.end());
  }
  CHECK_SAME(all, states);
  CHECK_SAME(steps.keys, turned.keys);
  CHECK_SAME(steps.before, turned.before);
  for (const auto& [place, seen] : log_of_steps) {
    CASE(place);
    CHECK(seen.begun == 1);
    CHECK_SAME(seen.keys, log.at(place).keys);
    CHECK_SAME(seen.settled, std::vector<std::size_t>{1, 10, 30});
    CHECK_SAME(seen.scored_then, std::vector<std::size_t>{a.group(), 2 * a.group(), 3 * a.group()});
  }
}

}  // namespace

TEST_CASE("keys before rotary embedding: turned as they are scored, the same states") {
  for (const std::string name : {"llama-f32", "llama3-rope", "qwen2", "qwen3", "gemma3", "gpt2"})
    for (const bool offset : {false, true}) {
      CASE(name, offset);
      check_model(name, offset);
    }
}

TEST_CASE("keys before rotary embedding: a layer gets the table of its attention span") {
  const auto checkpoint = model_of("gemma3", false);
  const auto& a = checkpoint.architecture;
  transformer::Workers workers(1);
  const transformer::Transformer model(checkpoint, workers);
  Log log;
  const UnturnedCache cache(a, &log);
  transformer::Session session(model, cache);
  const auto ids = test::some_ids(40);
  const transformer::Sequence some{std::span(ids).first(5), 0}, more{std::span(ids).subspan(5), 0};
  session.step({&some, 1});
  session.step({&more, 1});
  const transformer::RotaryTable global(a.rotary, false, 40), local(a.local_rotary, false, 40);
  CHECK_DIFFERENT(global.cosines(), local.cosines());
  std::size_t locals = 0;
  for (const auto& [place, seen] : log) {
    CASE(place);
    const bool is_local = a.has_local_rotary(static_cast<std::size_t>(place.first));
    locals += is_local ? 1 : 0;
    const transformer::RotaryTable& table = is_local ? local : global;
    CHECK_SAME(seen.turn.rotary->cosines(), table.cosines());  // of all positions so far
    CHECK_SAME(seen.turn.rotary->sines(), table.sines());
  }
  CHECK(locals > 0);
  CHECK(locals < log.size());
}

TEST_CASE("bytes of a sequence: by default those of its tokens and those of it") {
  const test::PlainKeys keys(8);
  CHECK(keys.bytes(0) == 0);
  CHECK(keys.bytes(5) == 160);
  const test::PlainCache cache(8);
  CHECK(cache.attention(0, 0)->bytes(5) == 320);
}

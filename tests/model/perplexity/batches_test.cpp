#include <limits>
#include <map>
#include <mutex>

#include "axelram/perplexity/evaluate.hpp"
#include "check.hpp"
#include "transformer/run_model.hpp"

using namespace axelram;

namespace {

const std::string kModel =
    std::string(AXELRAM_SOURCE) + "/tests/model/transformer/reference/llama-f32";

/// Counts how often each sequence begins.
struct Beginnings {
  std::mutex mutex;
  std::map<std::uint32_t, int> count;
};

class NotedKeys : public test::PlainKeys {
 public:
  NotedKeys(std::size_t d, Beginnings* noted) : PlainKeys(d), noted_(noted) {}
  void begin(std::uint32_t sequence) override {
    const std::lock_guard<std::mutex> lock(noted_->mutex);
    ++noted_->count[sequence];
    PlainKeys::begin(sequence);
  }
  transformer::MemoryEvents events() const override { return {.words = 1}; }

 private:
  Beginnings* noted_;
};

class NotedCache : public test::PlainCache {
 public:
  NotedCache(std::size_t d, Beginnings* noted) : PlainCache(d), d_(d), noted_(noted) {}
  std::unique_ptr<transformer::KeyCache> keys(int, int) const override {
    return std::make_unique<NotedKeys>(d_, noted_);
  }

 private:
  std::size_t d_;
  Beginnings* noted_;
};

/// Scores that are no numbers.
class BrokenKeys : public test::PlainKeys {
 public:
  using PlainKeys::PlainKeys;
  void score(const float*, std::size_t count, std::size_t, std::size_t, std::size_t stride,
             float* scores) override {
    std::fill(scores, scores + count * stride, std::numeric_limits<float>::quiet_NaN());
  }
};

class BrokenCache : public test::PlainCache {
 public:
  explicit BrokenCache(std::size_t d) : PlainCache(d), d_(d) {}
  std::unique_ptr<transformer::KeyCache> keys(int, int) const override {
    return std::make_unique<BrokenKeys>(d_);
  }

 private:
  std::size_t d_;
};

}  // namespace

TEST_CASE("evaluate: every window has a number of its own, whatever batch it is in") {
  const auto checkpoint = checkpoints::read_checkpoint(kModel);
  const auto& a = checkpoint.architecture;
  std::vector<std::int32_t> ids(4000);
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int32_t>(i * 31 % a.vocabulary);
  const auto windows = perplexity::sliding_windows(ids.size(), 60, 40);
  Beginnings noted;
  const NotedCache cache(a.head_dim, &noted);
  transformer::Workers workers(2);
  const transformer::Transformer model(checkpoint, workers);
  const auto scores = perplexity::evaluate(model, ids, windows, {&cache});
  REQUIRE(noted.count.size() == windows.size());
  for (const auto& [number, times] : noted.count) {
    CASE(number, times);
    CHECK(number < windows.size());
    CHECK(times == static_cast<int>(a.layers * a.kv_heads));
  }
  CHECK(scores[0].events.keys.words == windows.size() * a.layers * a.kv_heads);
  CHECK(scores[0].events.values.words == 0);
}

TEST_CASE("evaluate: a likelihood that is no number is an error") {
  const auto checkpoint = checkpoints::read_checkpoint(kModel);
  const BrokenCache cache(checkpoint.architecture.head_dim);
  transformer::Workers workers(1);
  const transformer::Transformer model(checkpoint, workers);
  const std::vector<std::int32_t> ids = {1, 2, 3, 4};
  CHECK_THROWS_WITH_AS(perplexity::evaluate(model, ids, {{0, 4, 1}}, {&cache}),
                       doctest::Contains("token 1: its likelihood is no number"),
                       files::InputError);
}

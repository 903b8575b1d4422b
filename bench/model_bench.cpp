#include <cstdio>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "axelram/caches/cache.hpp"
#include "axelram/caches/specification.hpp"
#include "axelram/perplexity/evaluate.hpp"
#include "axelram/simd.hpp"
#include "axelram/transformer/product.hpp"
#include "bench_report.hpp"
#include "random_model.hpp"

using namespace axelram;

namespace {

constexpr std::size_t kLayers = 6, kTokens = 1536;
constexpr int kPairs = 5;
constexpr double kShare = 0.6;  // of Eigen's throughput, at least
constexpr double kUnit = 1000;  // operations of a work item
const std::string kMacro = "axelram:config=" AXELRAM_SOURCE "/configs/d64-b3.yaml";

struct Contender {
  const char* name;
  std::string cache;
};
const Contender kContenders[] = {{"fp16", "fp16"},
                                 {"axelram keys", "keys=" + kMacro + ";values=fp16"},
                                 {"axelram", kMacro},
                                 {"int4", "int4"}};

std::vector<std::int32_t> random_ids(std::size_t count, std::size_t vocabulary) {
  std::mt19937 random(2);
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % vocabulary);
  return ids;
}

/// Products of [window, 576] with [1536, 576], every thread its own.
class PlainProducts {
 public:
  PlainProducts(transformer::Workers& workers, std::size_t window)
      : workers_(workers),
        window_(window),
        x_(window * kInputs, 0.5F),
        w_(kOutputs * kInputs, 2.0F),
        y_(workers.count(), std::vector<float>(window * kOutputs)) {}

  double operations() const {
    return 2.0 * static_cast<double>(kTimes * workers_.count() * window_ * kInputs * kOutputs);
  }
  void run() {
    workers_.run(workers_.count(), [&](std::size_t, std::size_t piece) {
      for (int i = 0; i < kTimes; ++i)
        transformer::multiply_transposed({x_.data(), window_, kInputs, kInputs},
                                         {w_.data(), kOutputs, kInputs, kInputs},
                                         {y_[piece].data(), window_, kOutputs, kOutputs});
    });
  }

 private:
  static constexpr std::size_t kInputs = 576, kOutputs = 1536;
  static constexpr int kTimes = 8;
  transformer::Workers& workers_;
  std::size_t window_;
  std::vector<float> x_, w_;
  std::vector<std::vector<float>> y_;
};

/// Forward passes and whole evaluations of the windows, against plain products.
bool bench_windows(const checkpoints::Checkpoint& checkpoint, std::size_t window,
                   bench::Timing timing) {
  const auto& a = checkpoint.architecture;
  transformer::Workers workers(timing.threads);
  const transformer::Transformer model(checkpoint, workers);
  const auto ids = random_ids(kTokens, a.vocabulary);
  const auto windows = perplexity::sliding_windows(ids.size(), window, window / 2);
  std::vector<transformer::Sequence> sequences;
  for (const perplexity::Window& w : windows)
    sequences.push_back(
        {std::span(ids).subspan(w.begin, w.size()), static_cast<std::uint32_t>(sequences.size())});
  PlainProducts plain(workers, window);
  const caches::Shape shape = caches::shape_of(a);
  const auto fp16 = caches::make_cache(caches::parse_specification("fp16"), shape);

  const std::string place = "windows " + std::to_string(window) + ", " +
                            std::to_string(timing.threads) +
                            (timing.threads == 1 ? " thread" : " threads");

  bool holds = true;
  for (const Contender& contender : kContenders) {
    const auto cache = caches::make_cache(caches::parse_specification(contender.cache), shape);
    const auto compare = [&](const std::string& what, double operations,
                             const std::function<void()>& ours) {
      holds &= bench::compare(
          {std::string(contender.name) + ", " + what, place, operations / kUnit, kShare,
           bench::Ratio::speedup, timing, plain.operations() / kUnit},
          [&] { plain.run(); }, ours);
    };
    compare("a pass", bench::operations(a, windows, false),
            [&] { model.forward(sequences, *cache); });
    compare("evaluated beside fp16", 2 * bench::operations(a, windows, true), [&] {
      perplexity::evaluate(model, ids, windows, {fp16.get(), cache.get()});
    });
  }
  return holds;
}

}  // namespace

int main() {
  const auto checkpoint = bench::random_model(kLayers);
  bool holds = true;
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    const bench::Timing timing{threads, kPairs};
    bench::print_header(
        std::string("SmolLM2-135M's shape, a fifth of its layers and vocabulary, ") +
            simd_level_name(simd_level()) +
            "; baseline: products 576 x 1536 x window by Eigen; ns for 1000 operations of products",
        bench::Ratio::speedup, timing);
    for (const std::size_t window : {std::size_t{512}, std::size_t{1024}})
      holds &= bench_windows(checkpoint, window, timing);
    std::printf("\n");
  }
  std::printf("%s\n", holds ? "every bar holds" : "a bar does not hold");
  return holds ? 0 : 1;
}

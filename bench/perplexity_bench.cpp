#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "axelram/caches/cache.hpp"
#include "axelram/caches/specification.hpp"
#include "axelram/perplexity/evaluate.hpp"
#include "axelram/simd.hpp"
#include "bench_report.hpp"

using namespace axelram;

namespace {

const std::string kSource = AXELRAM_SOURCE;
constexpr std::size_t kTokens = 2048;

struct Contender {
  const char* name;
  std::string cache;
  double bar;  ///< our time over that of the FP16 cache, at most; 0: reported only
};

/// Times do not depend on what a text says.
std::vector<std::int32_t> random_bytes() {
  std::mt19937 random(1);
  std::vector<std::int32_t> ids(kTokens);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % 256);
  return ids;
}

}  // namespace

int main() {
  const auto checkpoint = checkpoints::read_checkpoint(kSource + "/models/byte-llama-d128");
  const caches::Shape shape = caches::shape_of(checkpoint.architecture);
  const auto ids = random_bytes();
  transformer::Workers workers(1);
  const transformer::Transformer model(checkpoint, workers);
  const auto make = [&](const std::string& specification) {
    return caches::make_cache(caches::parse_specification(specification), shape);
  };
  const auto fp16 = make("fp16");
  const std::string coded = "axelram:config=" + kSource + "/configs/paper-d128-b3-hamming84.yaml";
  const std::vector<Contender> contenders = {
      {"axelram, b = 2", "axelram:config=" + kSource + "/configs/d128-b2.yaml", 2},
      {"axelram, b = 3", "axelram:config=" + kSource + "/configs/paper-d128-b3.yaml", 2},
      {"axelram, b = 4", "axelram:config=" + kSource + "/configs/d128-b4.yaml", 2},
      {"axelram, b = 3, hamming84, 1e-2", coded + ",ber=0.01", 0},
      {"int4", "int4", 0},
      {"int4, golay24, 1e-2", "int4:code=golay24,ber=0.01", 0},
      {"f32", "f32", 0}};

  bench::print_header(std::string("byte-llama-d128, one thread, ") + simd_level_name(simd_level()) +
                          "; baseline: the same with an FP16 cache; ns a token",
                      bench::Ratio::cost);
  bool holds = true;
  for (const std::size_t window : {std::size_t{256}, std::size_t{1024}}) {
    const auto windows = perplexity::sliding_windows(kTokens, window, window / 2);
    double tokens = 0;
    for (const perplexity::Window& w : windows) tokens += static_cast<double>(w.size());
    const auto pass = [&](const transformer::KvCache& cache) {
      perplexity::evaluate(model, ids, windows, {&cache});
    };
    for (const Contender& contender : contenders) {
      const auto cache = make(contender.cache);
      holds &= bench::compare(
          {contender.name, "windows " + std::to_string(window), tokens, contender.bar,
           bench::Ratio::cost},
          [&] { pass(*fp16); }, [&] { pass(*cache); });
    }
  }
  std::printf("\n%s\n", holds ? "every bar holds" : "a bar does not hold");
  return holds ? 0 : 1;
}

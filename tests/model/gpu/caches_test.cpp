#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support.hpp"

using namespace axelram;

namespace {

/// A cache of a configuration text, in a temporary file.
class Macro {
 public:
  explicit Macro(const std::string& text) {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("axelram-gpu-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".yaml");
    std::ofstream(path_) << text;
  }
  ~Macro() { std::filesystem::remove(path_); }
  Macro(const Macro&) = delete;
  Macro& operator=(const Macro&) = delete;

  std::string cache(const std::string& more = "") const {
    return "axelram:config=" + path_.string() + more;
  }

 private:
  std::filesystem::path path_;
};

double off(const perplexity::Scores& gpu, const perplexity::Scores& cpu) {
  return std::abs(gpu.perplexity() / cpu.perplexity() - 1);
}

bool same(const transformer::MemoryEvents& a, const transformer::MemoryEvents& b) {
  return a.stored_bits == b.stored_bits && a.injected == b.injected && a.words == b.words &&
         a.corrected == b.corrected && a.parity_only == b.parity_only && a.detected == b.detected &&
         a.miscorrected == b.miscorrected;
}

void check_all(const test::Both& both, double most) {
  REQUIRE(both.gpu.size() == both.cpu.size());
  for (std::size_t c = 0; c < both.cpu.size(); ++c) {
    CAPTURE(c);
    CHECK(off(both.gpu[c], both.cpu[c]) < most);
    CHECK(std::abs(both.gpu[c].kl - both.cpu[c].kl) <= 3e-3 * both.cpu[c].kl);
    CHECK(both.gpu[c].top1 == doctest::Approx(both.cpu[c].top1));
    CHECK(same(both.gpu[c].events.keys, both.cpu[c].events.keys));
    CHECK(same(both.gpu[c].events.values, both.cpu[c].events.values));
  }
}

/// One layer: its keys and values come from the embeddings by one product, so that CPU and device
/// quantize all but the same numbers. (A later layer's may fall on the other side of a boundary.)
test::Look one_layer(std::size_t head_dim) {
  test::Look look;
  look.layers = 1;
  look.head_dim = head_dim;
  return look;
}

/// Relative differences of perplexities over some tens of predictions: attention rounds
/// probabilities to FP16 if it has tensor cores, which evens out over a text.
constexpr double kFast = 1e-3, kGeneral = 2e-4;

}  // namespace

TEST_CASE("perplexity through records equals the CPU's") {
  const Macro b3("macro: {head_dim: 64}"), wide(
                                               "macro: {head_dim: 64, index_bits: 4}\n"
                                               "numerics: {query_bits: 12}\n");
  const auto checkpoint = test::random_checkpoint(one_layer(64), 3);
  check_all(test::evaluate_both(checkpoint,
                                {"fp16", b3.cache(), wide.cache(), "keys=fp16;values=" + b3.cache(),
                                 "keys=" + b3.cache(",seed=9") + ";values=fp16"},
                                50, 40, 20, 64),
            kFast);
}

TEST_CASE("heads of every size, elements of both formats") {
  for (const std::size_t d : {32, 128}) {
    const Macro macro("macro: {head_dim: " + std::to_string(d) +
                      ", index_bits: 2, element_format: bf16}");
    const auto checkpoint = test::random_checkpoint(one_layer(d), 4);
    check_all(test::evaluate_both(checkpoint, {"fp16", macro.cache()}, 20, 12, 8, 7), kFast);
  }
}

TEST_CASE("bit errors are those of the CPU: flipped, corrected, erased and repaired alike") {
  const auto checkpoint = test::random_checkpoint(one_layer(32), 5);
  const std::vector<std::pair<std::string, std::string>> protections = {
      {"none", "keep"},           {"hamming84", "keep"}, {"hamming84", "interpolate"},
      {"golay24", "interpolate"}, {"golay24", "zero"},   {"hsiao_13_8", "zero"}};
  for (const auto& [code, policy] : protections) {
    CAPTURE(code);
    CAPTURE(policy);
    const Macro macro("macro: {head_dim: 32}\necc: {code: " + code + ", erasure: " + policy +
                      "}\n");
    check_all(test::evaluate_both(checkpoint,
                                  {"fp16", macro.cache(",ber=0.02,fault_seed=7"),
                                   "keys=fp16;values=" + macro.cache(",ber=0.04")},
                                  40, 36, 18, 17),
              kGeneral);
  }
}

TEST_CASE("words are counted where no bit flips") {
  const Macro macro("macro: {head_dim: 32}\necc: {code: golay24}\n");
  const auto checkpoint = test::random_checkpoint(one_layer(32), 6);
  const test::Both both = test::evaluate_both(checkpoint, {"fp16", macro.cache()}, 9, 6, 3, 64);
  CHECK(both.gpu[1].events.keys.words > 0);
  check_all(both, kGeneral);
}

TEST_CASE("rows that a format cannot hold are rejected where they are") {
  test::Look look = one_layer(32);
  look.key_size = 1e7F;
  const auto checkpoint = test::random_checkpoint(look, 7);
  const Macro macro("macro: {head_dim: 32}");
  const std::vector<std::int32_t> ids = {1, 2, 3};
  const transformer::Sequence sequence{ids, 0};
  for (const std::string& cache : {std::string("fp16"), macro.cache()}) {
    gpu::Model model(checkpoint, {caches::parse_specification(cache)}, {3, 1, 3});
    CHECK_THROWS_WITH_AS(model.forward({&sequence, 1}, 0),
                         doctest::Contains("key of layer 0, head 0, token 0: element "),
                         files::InputError);
  }
}

TEST_CASE("caches that no kernel reads are rejected") {
  for (const std::string cache : {"f32", "int4", "keys=fp16;values=int4"})
    CHECK_THROWS_WITH_AS(gpu::check_supported(caches::parse_specification(cache)),
                         doctest::Contains("no kernel reads the cache"), files::InputError);
  CHECK_NOTHROW(gpu::check_supported(caches::parse_specification("fp16")));
  const Macro exact("quantizer: {scale: unbiased}\nexact: {last: 1}\n");
  for (const std::string& cache : {exact.cache(), "keys=fp16;values=" + exact.cache()})
    CHECK_THROWS_WITH_AS(gpu::check_supported(caches::parse_specification(cache)),
                         doctest::Contains("has no exact tokens"), files::InputError);
}

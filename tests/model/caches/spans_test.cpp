#include "axelram/caches/cache.hpp"
#include "check.hpp"
#include "files/support.hpp"
#include "transformer/run_model.hpp"
#include "transformer/some_ids.hpp"

using namespace axelram;

namespace {

const std::string kReference = std::string(AXELRAM_SOURCE) + "/tests/model/transformer/reference/";
constexpr std::size_t kTokens = 300;

/// A reference checkpoint of one layer with an attention span, for long texts.
checkpoints::Checkpoint one_layer(const std::string& name, std::size_t span) {
  auto checkpoint = checkpoints::read_checkpoint(kReference + name);
  auto& a = checkpoint.architecture;
  a.layers = 1;
  a.max_positions = kTokens;
  a.spans = {span};
  return checkpoint;
}

std::vector<float> states(const checkpoints::Checkpoint& checkpoint,
                          const std::vector<std::int32_t>& ids, const transformer::KvCache& cache) {
  transformer::Workers workers(1);
  const transformer::Sequence sequence{ids, 0};
  return transformer::Transformer(checkpoint, workers).forward({&sequence, 1}, cache);
}

bool same_row(const std::vector<float>& a, const std::vector<float>& b, std::size_t row,
              std::size_t width) {
  return std::equal(&a[row * width], &a[row * width] + width, &b[row * width]);
}

/// A changed token changes the states of the tokens whose span holds it, and no others.
void check_reach(const checkpoints::Checkpoint& checkpoint, const transformer::KvCache& cache) {
  const std::size_t span = checkpoint.architecture.spans[0], width = checkpoint.architecture.hidden;
  const std::vector<std::int32_t> ids = test::some_ids(kTokens);
  const std::vector<float> before = states(checkpoint, ids, cache);
  for (const std::size_t changed : {0, 1, 100, 127, 128, 129, 250}) {
    std::vector<std::int32_t> other = ids;
    other[changed] = (other[changed] + 1) % 96;
    const std::vector<float> after = states(checkpoint, other, cache);
    for (std::size_t t = 0; t < kTokens; ++t) {
      CASE(changed, t);
      REQUIRE(same_row(before, after, t, width) == (t < changed || t >= changed + span));
    }
  }
}

}  // namespace

TEST_CASE("attention spans: how far a token reaches, in every cache") {
  const test::TemporaryFolder folder;
  test::put(folder / "exact.yaml",
            "macro: {head_dim: 256}\nquantizer: {scale: unbiased}\nexact: {first: 2, last: 9}\n");
  for (const std::size_t span : {1, 5, 30, 140}) {
    CASE(span);
    const auto checkpoint = one_layer("gemma3-d256", span);
    check_reach(checkpoint, test::PlainCache(256));
    for (const std::string& cache :
         {std::string("f32"), std::string("fp16"), std::string("int4"),
          std::string("axelram:config=" AXELRAM_SOURCE "/configs/d256-b4.yaml"),
          "axelram:config=" + (folder / "exact.yaml")}) {
      CASE(cache);
      check_reach(checkpoint, *caches::make_cache(caches::parse_specification(cache),
                                                  caches::shape_of(checkpoint.architecture)));
    }
  }
}

TEST_CASE("attention spans: a span that holds the whole text changes nothing") {
  auto checkpoint = one_layer("mistral-sliding", kTokens);
  const test::PlainCache cache(checkpoint.architecture.head_dim);
  const std::vector<float> all = states(checkpoint, test::some_ids(kTokens), cache);
  checkpoint.architecture.spans.clear();
  CHECK_SAME(states(checkpoint, test::some_ids(kTokens), cache), all);
  checkpoint.architecture.spans = {kTokens - 1};
  const std::vector<float> less = states(checkpoint, test::some_ids(kTokens), cache);
  const std::size_t width = checkpoint.architecture.hidden;
  for (std::size_t t = 0; t < kTokens; ++t)
    CHECK_AT(t, same_row(all, less, t, width) == (t < kTokens - 1));
}

TEST_CASE("attention spans: positions count from the beginning of the text, not of the span") {
  // Scores depend on distances alone, so that the last tokens give the same states by themselves.
  const auto checkpoint = one_layer("mistral-sliding", 20);
  const test::PlainCache cache(checkpoint.architecture.head_dim);
  const std::vector<std::int32_t> ids = test::some_ids(kTokens);
  const std::vector<float> all = states(checkpoint, ids, cache);
  const std::vector<float> last = states(checkpoint, {ids.end() - 20, ids.end()}, cache);
  const std::size_t width = checkpoint.architecture.hidden;
  for (std::size_t i = 0; i < width; ++i)
    CHECK_AT(i,
             last[19 * width + i] == doctest::Approx(all[(kTokens - 1) * width + i]).epsilon(1e-3));
}

#include "checkpoints/support.hpp"

using nlohmann::json;
using namespace test;

namespace {

using Spans = std::vector<std::size_t>;

axelram::checkpoints::Architecture with_keys(const std::string& name, const json& keys) {
  const CheckpointCopy copy(name);
  copy.change(keys);
  return copy.read().architecture;
}

Spans spans(const std::string& name, const json& keys) { return with_keys(name, keys).spans; }

std::string failure(const std::string& name, const json& keys) {
  const CheckpointCopy copy(name);
  copy.change(keys);
  return copy.failure();
}

const json kBoth = {"full_attention", "sliding_attention"};

}  // namespace

TEST_CASE("attention spans: in every layer of Mistral, or as they are listed") {
  const auto architecture = with_keys("mistral", {{"sliding_window", 16}});
  CHECK_SAME(architecture.spans, Spans{16, 16});
  CHECK(architecture.max_positions == 64);
  CHECK(spans("mistral", json::object()).empty());
  CHECK_SAME(spans("mistral", {{"sliding_window", 16}, {"layer_types", kBoth}}), Spans{0, 16});
  CHECK_SAME(spans("mistral", {{"sliding_window", 16}, {"layer_types", {kBoth[1], "attention"}}}),
             Spans{16, 0});
  CHECK(contains(failure("mistral", {{"sliding_window", 16}, {"layer_types", {kBoth[1]}}}),
                 "it must have an entry for each of the 2 layers"));
  // Keys that mean nothing to Llama.
  CHECK(spans("llama-f32",
              {{"sliding_window", 16}, {"use_sliding_window", true}, {"layer_types", kBoth}})
            .empty());
}

TEST_CASE("attention spans: where Qwen uses them") {
  for (const std::string name : {"qwen2", "qwen3"}) {
    CASE(name);
    const json used = {{"use_sliding_window", true}, {"sliding_window", 8}};
    const auto with = [&](json more) {
      more.update(used);
      return spans(name, more);
    };
    CHECK(spans(name, {{"sliding_window", 8}, {"use_sliding_window", false}}).empty());
    CHECK_SAME(with({{"max_window_layers", nullptr}}), Spans{0, 0});  // 28
    CHECK_SAME(with({{"max_window_layers", 1}}), Spans{0, 8});
    CHECK_SAME(with({{"max_window_layers", 2}}), Spans{0, 0});
    CHECK_SAME(with({{"max_window_layers", 1}, {"layer_types", {kBoth[1], kBoth[0]}}}),
               Spans{8, 0});
    CHECK(failure(name, {{"layer_types", kBoth}}) ==
          "config.json: layer_types is [\"full_attention\",\"sliding_attention\"]; "
          "sliding_attention needs a sliding_window that is in use");
  }
}

TEST_CASE("attention spans: all layers of Gemma but every sixth, or as they are listed") {
  CHECK_SAME(spans("gemma3", json::object()), Spans{8, 8, 8, 8, 8, 0, 8});
  CHECK_SAME(spans("gemma3", {{"sliding_window_pattern", nullptr}}), Spans{8, 8, 8, 8, 8, 0, 8});
  CHECK_SAME(spans("gemma3", {{"sliding_window_pattern", 3}}), Spans{8, 8, 0, 8, 8, 0, 8});
  CHECK_SAME(spans("gemma3", {{"sliding_window_pattern", 1}}), Spans(7, 0));
  CHECK_SAME(spans("gemma3", {{"sliding_window_pattern", 1U << 31}}), Spans(7, 8));
  CHECK(spans("gemma3", {{"sliding_window", nullptr}})[0] == 4096);
  CHECK_SAME(spans("gemma3-d256", json::object()), Spans{5, 0});
  CHECK_SAME(spans("gemma3-d256", {{"layer_types", kBoth}}), Spans{0, 5});
}

TEST_CASE("attention spans: lists of layers that are none") {
  const std::string name = "gemma3-d256";
  CHECK(failure(name, {{"layer_types", {"full_attention"}}}) ==
        "config.json: layer_types is [\"full_attention\"]; it must have an entry for each of the "
        "2 layers");
  CHECK(failure(name, {{"layer_types", {"full_attention", "chunked_attention"}}}) ==
        "config.json: layer_types is [\"full_attention\",\"chunked_attention\"]; supported are "
        "full_attention and sliding_attention");
  for (const json& types : {json(6), json("full_attention"), json({1, 2}), json::object()})
    CHECK_AT(types,
             contains(failure(name, {{"layer_types", types}}), "it must be a list of texts"));
  for (const std::string key : {"sliding_window", "sliding_window_pattern"})
    CHECK_AT(key,
             contains(failure("gemma3", {{key, 0}}), key + " is 0; it must be a whole number"));
}

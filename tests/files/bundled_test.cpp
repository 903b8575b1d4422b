#include "axelram/files/config.hpp"
#include "axelram/files/rotation.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/half.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::files;

TEST_CASE("every bundled configuration is read and says what it is for") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::project() / "configs")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string path = entry.path().string();
    CASE(entry, path);
    ++count;
    const Config config = read_config(path);
    CHECK_NOTHROW(check(config.parameters));
    CHECK(config.name == entry.path().stem().string());
    CHECK(test::content(path).rfind("# ", 0) == 0);
    const Config again = parse_config(canonical_yaml(config), path, entry.path().parent_path());
    CHECK(canonical_yaml(again) == canonical_yaml(config));
    CHECK_SAME(again.center, config.center);
  }
  CHECK(count >= 11);
}

TEST_CASE("the paper's configuration is the default") {
  const Config paper = read_config(test::project() / "configs/paper-d128-b3.yaml");
  CHECK(canonical_yaml(paper) == canonical_yaml(parse_config("", "x", "")));
}

TEST_CASE("traces of pretrained models fit macros of their heads, and say what they are of") {
  struct Row {
    std::string model, config, layer, head;
    std::size_t queries;
  };
  for (const Row& row : {Row{"smollm2-135m", "d64-b3", "16", "0", 3 * 256},
                         Row{"qwen2.5-coder-0.5b", "d64-b3-balance", "0", "1", 7 * 256},
                         Row{"qwen2.5-coder-1.5b", "paper-d128-b3", "0", "0", 6 * 128}}) {
    CASE(row.model);
    const Config config = read_config(test::project() / "configs/" / (row.config + ".yaml"));
    const Trace trace = read_trace(test::project() / "traces" / (row.model + ".safetensors"),
                                   config.parameters, config.max_keys);
    CHECK(trace.key_count() == 256);
    CHECK(trace.query_count() == row.queries);
    CHECK(trace.metadata.at("model") == row.model);
    CHECK(trace.metadata.at("layer") == row.layer);
    CHECK(trace.metadata.at("head") == row.head);
  }
}

TEST_CASE("the center beside the trace of a pretrained model is that of its layers and heads") {
  const HeadRows<std::uint16_t> center =
      read_center(test::project() / "traces/qwen2.5-coder-1.5b.center.safetensors", Parameters{});
  CHECK(center.layers == 28);
  CHECK(center.heads == 2);
}

TEST_CASE("the bundled trace fits the paper's macro, and its center is its keys' mean") {
  const Config config = read_config(test::project() / "configs/d128-b3-center.yaml");
  const Trace trace = read_trace(test::project() / "traces/byte-llama-d128.safetensors",
                                 config.parameters, config.max_keys);
  CHECK(trace.key_count() == 256);
  CHECK(trace.query_count() == 256);
  CHECK(trace.metadata.at("model") == "byte-llama-d128");
  CHECK(trace.metadata.at("layer") == "2");
  REQUIRE(config.center.size() == 128);
  for (std::size_t i = 0; i < 128; ++i) {
    CASE(i);
    double sum = 0;
    for (std::size_t row = 0; row < 256; ++row) sum += half_to_double(trace.keys[row * 128 + i]);
    CHECK(config.center[i] == double_to_half(sum / 256));
  }
}

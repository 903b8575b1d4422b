#include "axelram/files/config.hpp"
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

TEST_CASE("the trace of a pretrained model fits heads of 64") {
  const Config config = read_config(test::project() / "configs/d64-b3.yaml");
  const Trace trace = read_trace(test::project() / "traces/smollm2-135m.safetensors",
                                 config.parameters, config.max_keys);
  CHECK(trace.key_count() == 256);
  CHECK(trace.query_count() == 3 * 256);
  CHECK(trace.metadata.at("model") == "smollm2-135m");
  CHECK(trace.metadata.at("layer") == "16");
  CHECK(trace.metadata.at("head") == "0");
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

#include "tiers/cached_model.hpp"

#include <string>
#include <vector>

#include "axelram/files/errors.hpp"
#include "check.hpp"
#include "report/fields.hpp"

using namespace axelram;
using namespace axelram::commands::tiers;

namespace {

const std::string kGood =
    "layers: 80\nquery_heads: 64\nkv_heads: 8\nhead_dim: 128\nbatch: 8\ncontext: 32768\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("the shape of a model: YAML and JSON") {
  const CachedModel model = parse_cached_model(kGood, "model.yaml");
  CHECK_SAME(model.shape, report::ModelShape{80, 8, 64, 32768});
  CHECK(model.head_dim == 128);
  CHECK(model.batch == 8);
  CHECK(model.streams() == 640);
  CHECK(model.formula_bytes() == 687194767360);
  const CachedModel same = parse_cached_model(
      R"({"context": 32768, "batch": 8, "head_dim": 128, "kv_heads": 8, "query_heads": 64, "layers": 80})",
      "model.json");
  CHECK_SAME(same.shape, model.shape);
  CHECK(same.formula_bytes() == model.formula_bytes());
  CHECK(parse_cached_model("layers: 1024\nquery_heads: 1024\nkv_heads: 1024\nhead_dim: 256\n"
                           "batch: 4\ncontext: 1073741824\n",
                           "most")
            .formula_bytes() == kMostBytes);
}

TEST_CASE("the shape of a model: what is rejected, where, and what would be right") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with("layers: 80\n", ""),
       "model.yaml:1: layers is not given; give each of layers, kv_heads"},
      {with("layers", "layer"), "model.yaml:1: unknown name 'layer'; did you mean 'layers'?"},
      {kGood + "window: 5\n", "model.yaml:7: unknown name 'window'; known are layers, kv_heads"},
      {with("80", "0"), "model.yaml:1: layers is '0'; give a whole number, 1 .. 1024"},
      {with("80", "1025"), "model.yaml:1: layers is '1025'"},
      {with("80", "8.5"), "model.yaml:1: layers is '8.5'"},
      {with("80", "-1"), "model.yaml:1: layers is '-1'"},
      {with("80", "\"80\""), "model.yaml:1: layers is a text; give a whole number"},
      {with("80", "[80]"), "model.yaml:1: layers is a list or a map"},
      {with("80", "99999999999999999999"), "model.yaml:1: layers is '99999999999999999999'"},
      {with("kv_heads: 8", "kv_heads: 7"),
       "model.yaml:2: query_heads is 64; give a multiple of kv_heads, 7"},
      {with("128", "100"), "model.yaml:4: head_dim is '100'; give 32, 64, 128 or 256"},
      {with("128", "[128]"), "model.yaml:4: head_dim is a list or a map; give 32, 64, 128 or 256"},
      {with("128", "\"128\""), "model.yaml:4: head_dim is a text; give 32, 64, 128 or 256"},
      {with("batch: 8", "batch: 65537"), "model.yaml:5: batch is '65537'"},
      {with("32768", "1073741825"), "model.yaml:6: context is '1073741825'"},
      {kGood + "layers: 3\n", "model.yaml:7: 'layers' repeats; line 1 has it already"},
      {"", "model.yaml:1: layers is not given"},
      {"80", "model.yaml:1: one value, '80', instead of a map; write such as layers: 32"},
      {"layers: 1024\nquery_heads: 65536\nkv_heads: 1\nhead_dim: 256\nbatch: 1\n"
       "context: 1073741824\n",
       "model.yaml:5: more than 2^62 bytes of FP16 keys and values; give a smaller batch"},
      {"layers: 1024\nquery_heads: 1024\nkv_heads: 1024\nhead_dim: 256\nbatch: 5\n"
       "context: 1073741824\n",
       "model.yaml:5: more than 2^62 bytes"},
  };
  for (const auto& [text, message] : cases) {
    CASE(text);
    CHECK_THROWS_WITH_AS(parse_cached_model(text, "model.yaml"), doctest::Contains(message.c_str()),
                         files::InputError);
  }
}

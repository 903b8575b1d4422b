#include "config/table.hpp"
#include "support.hpp"

using namespace axelram::files;

// A build without yaml-cpp reads JSON with another parser, which must give the same document.
namespace {

using Parser = decltype(&parse_json);

/// Sections, keys, values and lines; or the error.
std::string meaning(Parser parse, const std::string& text) {
  try {
    std::string result;
    const std::string origin = "test.json";
    SectionBuilder builder(origin, kConfiguration);
    parse(text, &builder);
    for (const DocumentSection& section : builder.take().sections) {
      result += section.name + "@" + std::to_string(section.line) + "\n";
      for (const DocumentValue& value : section.values)
        result += "  " + value.key + "@" + std::to_string(value.line) + " = " + value.text +
                  (value.plain ? "" : " (quoted)") + "\n";
    }
    return result;
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("JSON without yaml-cpp means what it means with it") {
  for (
      const char* text : {
          "",
          " \n\t\n",
          "{}",
          "{\n}\n",
          R"({"macro": {}})",
          R"({"macro": {"head_dim": 128, "element_format": "bf16"}, "rotation": {"seed": 18446744073709551615}})",
          "{\n \"macro\": {\n  \"head_dim\": 64\n },\n \"rotation\":\n {\"identity\": true,\n"
          "  \"layer\":\n  7\n}}\n",
          R"({"numerics": {"query_bits": -8, "centroid_bits": 99999999999999999999}})",
          R"({"rotation": {"signs": "a\"b\\c.safetensors"}})",
          R"({"macro": null})",
          "{\"macro\":\n{\"head_dim\": null}}",
          R"({"macro": 3})",
          "{\"macro\": {\"head_dim\": [1]}}",
          R"({"macro": {"head_dim": {"a": 1}}})",
          "{\"macro\": {\"head_dim\": 1,\n\"head_dim\": 2}}",
          "{\"macro\": {},\n\n\"macro\": {}}",
          R"({"macro": {"<<": 1}})",
          R"({"macro": [1]})",
      })
    CHECK_AT(text, meaning(parse_json, text) == meaning(parse_yaml, text));
}

TEST_CASE("what is no JSON is told so, with its line") {
  const std::string origin = "test.yaml";
  SectionBuilder builder(origin, kConfiguration);
  CHECK_THROWS_WITH_AS(parse_json("\n# YAML\nmacro: {head_dim: 128}\n", &builder),
                       "test.yaml: not JSON, and this program was built without yaml-cpp; write "
                       "{\"macro\": {\"head_dim\": 128}}, or build with yaml-cpp",
                       EnvironmentError);
  const std::string wanted = "not JSON; write sections such as {\"macro\": {\"head_dim\": 128}}";
  CHECK(meaning(parse_json, "{\n  macro: {head_dim: 128}\n}") == "test.json:2: " + wanted);
  CHECK(meaning(parse_json, "{\"macro\": {\"head_dim\": 128}}\n\n}") == "test.json:3: " + wanted);
  CHECK(meaning(parse_json, "{\"macro\":\n\n") == "test.json:2: " + wanted);
}

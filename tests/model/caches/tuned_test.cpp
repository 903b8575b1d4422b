#include "axelram/caches/tuned.hpp"

#include <filesystem>

#include "axelram/checkpoints/checkpoint.hpp"
#include "support.hpp"

using namespace axelram;
using namespace axelram::caches;

namespace {

const std::string kModel = AXELRAM_SOURCE "/tests/model/transformer/reference/llama-f32";
const std::string kOther = AXELRAM_SOURCE "/tests/model/transformer/reference/qwen2";

std::string recipe(const std::string& digest) {
  return R"({"axelram_tune": 1, "model": {"name": "a model", "digest": ")" + digest + "\"}}";
}

const std::string kLine =
    "keys=axelram:config=keys.yaml,encoder=feedback:feedback.safetensors,"
    "centers=centers.safetensors;values=axelram:config=/else/where.yaml\n";

/// A folder as tune writes it.
struct TunedFolder {
  explicit TunedFolder(const std::string& model = kModel) {
    folder.put("recipe.json", recipe(checkpoints::identity_of(model)));
    folder.put("cache", kLine);
  }

  struct Folder : test::TemporaryFolder {
    void put(const std::string& name, const std::string& bytes) const {
      test::put(*this / name, bytes);
    }
  } folder;
  std::string text() const { return "tuned:" + folder.path(); }
  std::string complaint() const {
    return test::message([&] { parse_specification(text()); });
  }
};

}  // namespace

TEST_CASE("tuned:DIR stands for the line of the folder, whose files are in it") {
  const TunedFolder tuned;
  const Specification read = parse_specification(tuned.text());
  const auto in_folder = [&](const char* name) { return tuned.folder / name; };
  Axelram keys{in_folder("keys.yaml"), {}, {}};
  keys.feedback = in_folder("feedback.safetensors");
  keys.centers = in_folder("centers.safetensors");
  CHECK(read.keys == RowSpecification{keys});
  CHECK(read.values == RowSpecification{Axelram{"/else/where.yaml", {}, {}}});
  REQUIRE(read.tuned.has_value());
  CHECK(read.tuned->model == "a model");
  CHECK(to_string(read) == tuned.text());
  CHECK(parse_specification(to_string(read)) == read);
  CHECK_SAME(other_files(read), std::vector<std::string>{keys.feedback, keys.centers});

  tuned.folder.put("cache", "keys=fp16;values=int4");
  CHECK(parse_specification(tuned.text()).values == RowSpecification{Int4{}});
}

TEST_CASE("a tuned cache is of one model") {
  const TunedFolder tuned;
  const std::vector<Specification> all = {parse_specification("fp16"),
                                          parse_specification(tuned.text())};
  check_tuned(all, kModel);
  const std::string complaint = test::message([&] { check_tuned(all, kOther); });
  CHECK(complaint == "cache '" + tuned.text() + "': was made for the model a model (digest " +
                         checkpoints::identity_of(kModel).substr(0, 12) + "); " + kOther +
                         " has the digest " + checkpoints::identity_of(kOther).substr(0, 12) +
                         ": run 'axelram tune' on this model, and name its folder");
  check_tuned(std::span(all).first(1), "/no/such/model");  // nothing is read
}

TEST_CASE("what is wrong with a tuned folder") {
  const auto says = [](const std::string& text, const std::string& what) {
    CHECK(test::message([&] { parse_specification(text); }) ==
          "cache specification '" + text + "': " + what);
  };
  const std::string none =
      "names no folder; write tuned:DIR, DIR as written by 'axelram tune MODEL TEXT -o DIR'";
  says("tuned", none);
  says("tuned:", none);
  says("tuned:/no/such", "/no/such is no folder; write one with 'axelram tune MODEL TEXT -o DIR'");
  const std::string alone =
      "a tuned cache is one of keys and values together; write tuned:DIR alone";
  says("keys=tuned:x;values=fp16", alone);
  says("keys=fp16;values=tuned:x", alone);

  const std::string again = "; run 'axelram tune' again";
  const TunedFolder tuned;
  const std::string recipe_file = tuned.folder / "recipe.json", line = tuned.folder / "cache";
  for (const auto& [content, what] : std::vector<std::pair<std::string, std::string>>{
           {"", "must be one line, the specification of a cache"},
           {"\n", "must be one line, the specification of a cache"},
           {"fp16\nfp16\n", "must be one line, the specification of a cache"},
           {"tuned:" + tuned.folder.path() + "\n", "names a tuned cache itself"},
           {"keys=tuned:x;values=fp16", "cache specification 'keys=tuned:x;values=fp16': " + alone},
           {"fp16;fp16",
            "cache specification 'fp16;fp16': if keys and values differ, write "
            "keys=SPEC;values=SPEC"}}) {
    CASE(content);
    tuned.folder.put("cache", content);
    CHECK(tuned.complaint() == line + ": " + what + again);
  }
  const std::string no_model = "has no model with a name and a digest of 64 hexadecimal digits";
  for (const auto& [content, what] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "no record of 'axelram tune'"},
           {R"({"model": {}})", "no record of 'axelram tune'"},
           {R"({"axelram_tune": 1})", no_model},
           {R"({"axelram_tune": 1, "model": {"name": 1, "digest": 2}})", no_model},
           {recipe("0123"), no_model},
           {recipe(std::string(64, 'x')), no_model}}) {
    CASE(content);
    tuned.folder.put("recipe.json", content);
    CHECK(tuned.complaint() == recipe_file + ": " + what + again);
  }
  tuned.folder.put("recipe.json", "{");
  CHECK(test::contains(tuned.complaint(), recipe_file));
  std::filesystem::remove(recipe_file);
  CHECK(test::contains(tuned.complaint(), recipe_file));
  std::filesystem::remove(line);
  tuned.folder.put("recipe.json", recipe(std::string(64, '0')));
  CHECK(test::contains(tuned.complaint(), line));
}

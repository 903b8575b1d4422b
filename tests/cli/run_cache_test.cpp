#include <utility>

#include "axelram/files/safetensors.hpp"
#include "cli/program.hpp"

using namespace axelram;
using namespace test;

namespace {

const std::string kSizes = "hot=32,warm=64";

std::string captured(const std::string& name, const std::string& more) {
  return "capture " + kByteLlama + " text.txt --layer 2 --head 1 -o " + name + " " + more;
}

}  // namespace

TEST_CASE("run --cache: a captured trace, keys after and before rotary embedding") {
  const TempDir axelram;
  axelram.put_text();
  REQUIRE(axelram(captured("post", "--by-token")));
  REQUIRE(axelram(captured("pre", "--before-rotary")));
  for (const std::string& rope : {std::string("post"), std::string("pre")}) {
    CASE(rope);
    const std::string constants = "constants-" + rope;
    REQUIRE(axelram("calibrate " + kByteLlama + " text.txt --samples 1 --tiers " + constants +
                    " --rope " + rope));
    for (const std::string& archive :
         {std::string("kivi2"), std::string("squat2"), std::string("kvquant3")}) {
      CASE(archive);
      const std::string cache = "tiered:" + kSizes + ",archive_store=" + archive + ",rope=" + rope +
                                (archive == "kivi2" ? "" : ",calibration=" + constants);
      REQUIRE(axelram("run --cache " + cache + " " + rope + " -o out --json out.json --force"));
      const std::string bytes = axelram.content("out");
      REQUIRE(axelram("run --cache " + cache + " " + rope + " -o out --engine golden --force"));
      CHECK_SAME(axelram.content("out"), bytes);
      const auto result = files::Safetensors::read(axelram.at("out"));
      CHECK_SAME(result.at("key_bounds").shape, files::Shape{256, 2});
      CHECK(result.at("archive_keys").shape[0] == 5);  // 160 of 256 tokens
      CHECK_SAME(result.at("outputs").shape, files::Shape{512, 128});
    }
  }
}

TEST_CASE("run --cache: the scores are those of a score of turned keys") {
  const TempDir axelram;
  axelram.put_text();
  REQUIRE(axelram(captured("post", "--by-token")));
  REQUIRE(axelram(captured("pre", "--before-rotary")));
  // All tokens in FP16: the same keys, but for one rounding before the rotation or behind it.
  std::vector<std::vector<float>> scores;
  for (const std::string& rope : {std::string("post"), std::string("pre")}) {
    CASE(rope);
    REQUIRE(axelram("run --cache kivi:hot=256,rope=" + rope + " " + rope + " -o out --force"));
    scores.push_back(files::Safetensors::read(axelram.at("out")).at("scores").values<float>());
  }
  REQUIRE(scores[0].size() == scores[1].size());
  double error = 0, size = 0;
  for (std::size_t i = 0; i < scores[0].size(); ++i) {
    error += (scores[0][i] - scores[1][i]) * (scores[0][i] - scores[1][i]);
    size += scores[0][i] * scores[0][i];
  }
  CHECK(error > 0);
  CHECK(error < 1e-6 * size);
}

TEST_CASE("run --cache: what it does not take, one line, and nothing is written") {
  const TempDir axelram;
  axelram.put_text();
  REQUIRE(axelram(captured("trace", "--by-token")));
  REQUIRE(axelram(captured("heads", "")));
  REQUIRE(axelram(captured("before", "--before-rotary")));
  axelram.put("memory.yaml", "macro: {head_dim: 128}\nmemory: {window: 8}\n");
  const std::string run = "run --cache tiered:" + kSizes + " ";
  for (const auto& [arguments, part] : std::initializer_list<std::pair<std::string, std::string>>{
           {run + "trace -o out --engine rtl", "--engine rtl has no tiered caches"},
           {run + "trace -o out --engine cuda", "--engine cuda has no tiered caches"},
           {run + "small.yaml trace -o out", "takes the place of CONFIG; give the trace alone"},
           {run + "-o out", "TRACE is required"},
           {run + "trace", "--output is required"},
           {run + "trace -o trace --force", "trace"},
           {run + "trace -o out --encoder feedback:x", "is of a macro"},
           {run + "trace -o out --stalls 0.1", "requires --engine rtl"},
           {run + "heads -o out", "they must not descend, as those of axelram capture --by-token"},
           {"run --cache fp16 trace -o out", "has no tiers; give kivi or tiered"},
           {"run --cache axelram:config=d64-b3 trace -o out",
            "has no tiers; give kivi or tiered, or run the macro of its records: 'axelram run "
            "d64-b3 TRACE'"},
           {"run --cache 'keys=axelram:config=d64-b3,encoder=feedback:f;values=kivi' trace -o out",
            "'axelram run d64-b3 TRACE --encoder feedback:f'"},
           {"run --cache kivi:rope=pre trace -o out", "cosines"},
           {run + "before -o out", "its keys are before rotary embedding"},
           {"run " + kSource + "/configs/paper-d128-b3.yaml before -o out",
            "its keys are before rotary embedding"},
           {"run memory.yaml before -o out", "its keys are before rotary embedding"},
           {"run --cache kivi:bits=5 trace -o out", "bits is '5'; it must be 2, 3 or 4"}}) {
    CASE(arguments);
    axelram.rejected(arguments, part);
  }
}

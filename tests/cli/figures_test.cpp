#include <filesystem>

#include "cli/other_hardware.hpp"

// Figures are printed before they are written: a file that cannot be finished loses none.

namespace {

namespace fs = std::filesystem;
using namespace test;

TEST_CASE("figures are printed although their file cannot be finished") {
  const TempDir axelram;
  axelram.put_text();
  const std::string run = "run small.yaml trace.safetensors -o out ";
  const std::string model = kByteLlama + " text.txt ";
  // A compilation under the limit would end the runs.
  REQUIRE(axelram(run + "--force --engine rtl"));
  REQUIRE(axelram(run + "--force --engine rtl --waves whole.fst"));
  REQUIRE(fs::file_size(axelram.at("whole.fst")) > 110'000);
  fs::remove(axelram.at("out"));
  struct Command {
    std::string arguments, figures, file = "out";
    int blocks = 2;  // of 512 bytes: where files end, standard output as well
  };
  for (const auto& [arguments, figures, file, blocks] : std::vector<Command>{
           {run, "score_scale    "},
           {run + "--engine rtl --waves out.fst", "score_scale    ", "out.fst", 200},
           {"report small.yaml --json out", "configuration small"},
           {"verify small.yaml --vectors 1 --json out", "configuration small"},
           {"faults small.yaml trace.safetensors --ber 1e-2 --trials 2 --json out",
            "configuration small"},
           {"perplexity " + model + "--cache int4 --tokens 600 --nll out", "perplexity"},
           {"calibrate " + model + "--samples 2 --window 24 -o out", "candidates     "},
           {"capture " + model + "--layer 0 --head 0 -o out", "queries        "},
           {"stress " + kByteLlama + " --text text.txt --norm-ratio 4 -o out", "key norms      "},
           {"convert " + kTinyGguf + " -o out", "tensors        "},
           {"list keys --json out", "macro.head_dim"}}) {
    CASE(arguments);
    const ProcessResult done = axelram(arguments, "ulimit -f " + std::to_string(blocks) + ";");
    CHECK(done.code == 3);
    CHECK(contains(done.err, "axelram: " + file));
    CHECK(contains(done.out, figures));
    CHECK_FALSE(axelram.has("out"));
    CHECK(leftovers(axelram.path()).empty());
  }
}

TEST_CASE("a mismatch is printed although its files cannot be written") {
  const TempDir axelram;
  const std::string cache = put_other_hardware(axelram);
  const ProcessResult cut = axelram("verify other.yaml -o dump", "ulimit -f 4; " + cache);
  CHECK(cut.code == 3);
  CHECK(contains(cut.err, "axelram: "));
  CHECK(contains(cut.out, "first mismatch: phase "));
  CHECK(contains(cut.out, "RTL equals golden: DOES NOT HOLD"));
  CHECK((!axelram.has("dump") || fs::is_empty(axelram.at("dump"))));
}

}  // namespace

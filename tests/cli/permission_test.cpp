#include <filesystem>

#include "cli/program.hpp"
#include "needs.hpp"

// Outputs that the file system rejects: every one is checked before the work.

namespace {

namespace fs = std::filesystem;
using namespace test;

/// Commands with `@` for the folder of an output.
std::vector<std::string> commands_with_outputs() {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& command, const std::vector<std::string>& outputs) {
    for (const std::string& output : outputs) lines.push_back(command + " " + output);
  };
  const std::string text = kByteLlama + " text.txt ";
  const std::string run = "run small.yaml trace.safetensors ";
  add("generate small.yaml", {"-o @/rtl"});
  add(run + "-o @/out", {""});
  add(run + "-o out", {"--json @/out.json", "--engine rtl --waves @/out.fst"});
  add("verify small.yaml --vectors 10000000", {"--json @/out.json", "-o @/mismatch"});
  add("report small.yaml", {"--json @/out.json"});
  add("faults small.yaml trace.safetensors --ber 1e-2 --trials 100000000",
      {"--json @/out.json", "--plot @/plot.json", "--dump @/cases"});
  add("perplexity " + text + "--cache int4:ber=0.001 --seeds 1-900",
      {"--json @/out.json", "--plot @/plot.json"});
  add("perplexity " + text + "--cache int4", {"--nll @/nll"});
  add("calibrate " + text + "--samples 2 --window 24 --candidates 1000000",
      {"-o @/signs", "-o signs --center @/center", "-o signs --json @/out.json"});
  add("capture " + text + "--layer 0 --head 0", {"-o @/trace", "-o trace --json @/out.json"});
  add("stress " + kByteLlama + " --text text.txt --norm-ratio 4",
      {"-o @/model", "-o model --json @/out.json"});
  add("convert " + kTinyGguf, {"-o @/model", "-o model --json @/out.json"});
  add("list keys", {"--json @/out.json"});
  return lines;
}

/// Runs all with outputs in `folder`, after `before`. Figures would be printed after the work.
void check_rejected(const TempDir& axelram, const std::string& folder, const std::string& before) {
  axelram.put_text();
  const std::size_t entries = axelram.entries();
  for (std::string line : commands_with_outputs()) {
    line.replace(line.find('@'), 1, folder);
    CASE(line);
    const ProcessResult done = axelram(line, "timeout 20 " + before);
    CHECK((done.code == 2 || done.code == 3));
    CHECK(done.out.empty());
    CHECK(contains(done.err, "axelram: " + folder));
    CHECK(axelram.entries() == entries);
  }
}

TEST_CASE("outputs in a folder of the kernel's are rejected before the work") {
  check_rejected(TempDir(), "/proc", "");
}

TEST_CASE("outputs on a file system that is read only are rejected before the work" * needs_mount) {
  const TempDir axelram;
  fs::create_directory(axelram.at("locked"));
  axelram.put("locked.sh", "mount -t tmpfs -o ro none locked && exec \"$@\"\n");
  check_rejected(axelram, "locked", "unshare -rm sh locked.sh");
}

}  // namespace

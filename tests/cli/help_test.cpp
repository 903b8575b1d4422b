#include "program.hpp"

namespace {

using test::contains;

TEST_CASE("the program says what it is") {
  const test::TempDir axelram;
  const test::ProcessResult version = axelram("--version");
  CHECK(version.code == 0);
  CHECK(version.out == "axelram " AXELRAM_VERSION "\n");
  CHECK(version.err.empty());

  const test::ProcessResult help = axelram("--help");
  CHECK(help.code == 0);
  CHECK(help.err.empty());
  for (const char* command : {"generate", "run", "verify", "report", "datasheet", "faults", "sweep",
                              "capture", "calibrate", "perplexity", "needle", "prefill", "complete",
                              "state", "convert", "stress", "fold", "list"})
    CHECK_AT(command, contains(help.out, std::string("  ") + command + " "));
  CHECK(contains(help.out, "Exit codes: 0 "));
}

TEST_CASE("every command has a help with its options and an example") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> expected = {
      {"generate", {"CONFIG", "-o,--output DIR", "--force"}},
      {"run",
       {"CONFIG", "TRACE", "-o,--output FILE", "--engine", "golden", "fast", "rtl", "cuda",
        "--json FILE", "--encoder feedback:FILE", "--waves FILE.fst", "--stalls P",
        "probability per cycle", "--seed N", "--force"}},
      {"verify",
       {"CONFIG", "TRACE", "-o,--output DIR", "--seed N", "--vectors N", "default 2000",
        "--json FILE", "--force"}},
      {"report",
       {"CONFIG", "TRACE", "--json FILE", "--netlist", "--synthesize", "--shape NAME=N,...",
        "--tiers SPEC", "--force", "counted", "measured"}},
      {"datasheet",
       {"CONFIG", "TRACE", "-o,--output FILE", "--json FILE", "--markdown FILE", "--netlist",
        "--synthesize", "--force"}},
      {"faults",
       {"CONFIG", "TRACE", "--ber P", "--code NAME", "--erasure NAME", "--trials N", "--seed N",
        "--engine", "golden", "fast", "rtl", "cuda", "--replay FILE", "--force"}}};
  const test::TempDir axelram;
  for (const auto& [command, parts] : expected) {
    CASE(command);
    const test::ProcessResult help = axelram(command + " --help");
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    CHECK(contains(help.out, "Example:\n  axelram " + command + " configs/"));
    for (const std::string& part : parts) {
      CASE(part);
      CHECK(contains(help.out, part));
    }
  }
}

TEST_CASE("sweep has a help with its options and an example") {
  const test::TempDir axelram;
  const test::ProcessResult help = axelram("sweep --help");
  CHECK(help.code == 0);
  for (const char* part : {"SWEEP", "-o,--output DIR", "--plots NAME", "--threads N", "--force",
                           "Example:\n  axelram sweep sweeps/bits.yaml -o out"})
    CHECK_AT(part, contains(help.out, part));
}

TEST_CASE("the examples of the help run as they stand") {
  const test::TempDir axelram;
  const std::string source = test::quoted(AXELRAM_SOURCE);
  std::filesystem::create_directory_symlink(AXELRAM_SOURCE "/configs", axelram.at("configs"));
  std::filesystem::create_directory_symlink(AXELRAM_SOURCE "/traces", axelram.at("traces"));
  test::put(axelram.at("model.yaml"),
            "layers: 2\nquery_heads: 4\nkv_heads: 2\nhead_dim: 64\nbatch: 1\ncontext: 2048\n");
  for (const std::string command : {"generate", "report", "datasheet"}) {
    CASE(command);
    const std::string help = axelram(command + " --help").out;
    const std::string marker = "  axelram " + command + " ";
    std::size_t begin = help.find(marker);
    REQUIRE(begin != std::string::npos);
    for (; begin != std::string::npos; begin = help.find(marker, begin + 1)) {
      const std::string arguments = help.substr(begin + 10, help.find('\n', begin) - begin - 10);
      CASE(arguments);
      CHECK(axelram(arguments).code == 0);
    }
  }
}

}  // namespace

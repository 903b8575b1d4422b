#include <sstream>

#include "program.hpp"

namespace {

using namespace test;

TEST_CASE("the program says what it is") {
  const TempDir axelram;
  const ProcessResult version = axelram("--version");
  CHECK(version);
  // The commit, of a build outside of a repository none.
  const std::string known = "axelram " AXELRAM_VERSION;
  REQUIRE(version.out.starts_with(known));
  const std::string commit = version.out.substr(known.size());
  const bool is_hexadecimal =
      commit.find_first_not_of("0123456789abcdef+\n", std::string_view(", commit ").size()) ==
      std::string::npos;
  CHECK((commit == "\n" || (commit.starts_with(", commit ") && is_hexadecimal)));
  CHECK(version.err.empty());

  const ProcessResult help = axelram("--help");
  CHECK(help);
  CHECK(help.err.empty());
  for (const char* command : {"generate", "run", "verify", "report", "datasheet", "faults", "sweep",
                              "capture", "calibrate", "tune", "perplexity", "needle", "prefill",
                              "complete", "state", "convert", "stress", "fold", "list"})
    CHECK_AT(command, contains(help.out, std::string("  ") + command + " "));
  // Those of the guide.
  const std::string guide = content(kSource + "/docs/reference/programmers-guide.md");
  const std::string codes = help.out.substr(help.out.find("Exit codes: "));
  std::istringstream table(guide.substr(guide.find("| exit code | meaning |")));
  int rows = 0;
  for (std::string row; std::getline(table, row) && !row.empty();) {
    if (row.find_first_of("0123456789") != 2) continue;
    const std::string code = row.substr(2, row.find(' ', 2) - 2);
    CHECK_AT(row, contains(codes, (rows++ == 0 ? ": " : "; ") + code + " "));
  }
  CHECK(rows == 6);
}

TEST_CASE("every command has a help with its options and an example") {
  // Where the example begins, behind the name of the program; parts of the help.
  const std::vector<std::pair<std::string, std::vector<std::string>>> expected = {
      {"generate configs/", {"CONFIG", "-o,--output DIR", "--force"}},
      {"run configs/",
       {"CONFIG", "TRACE", "-o,--output FILE", "--engine", "golden", "fast", "rtl", "cuda",
        "--json FILE", "--encoder feedback:FILE", "--waves FILE.fst", "--stalls P",
        "probability per cycle", "--seed N", "--force"}},
      {"verify configs/",
       {"CONFIG", "TRACE", "-o,--output DIR", "--seed N", "--vectors N", "default 2000",
        "--json FILE", "--force"}},
      {"report configs/",
       {"CONFIG", "TRACE", "--json FILE", "--netlist", "--synthesize", "--shape NAME=N,...",
        "--tiers SPEC", "--force", "counted", "measured"}},
      {"datasheet configs/",
       {"CONFIG", "TRACE", "-o,--output FILE", "--json FILE", "--markdown FILE", "--netlist",
        "--synthesize", "--force"}},
      {"faults configs/",
       {"CONFIG", "TRACE", "--ber P", "--code NAME", "--erasure NAME", "--trials N", "--seed N",
        "--engine", "golden", "fast", "rtl", "cuda", "--replay FILE", "--force"}},
      {"sweep sweeps/bits.yaml -o out",
       {"SWEEP", "-o,--output DIR", "--plots NAME", "--threads N", "--force"}},
      {"stress models/byte-llama-d128 -o out/stressed ",
       {"--layers", "--pairs", "--scale", "--gain", "--bias ", "--bias-channels", "--norm-ratio",
        "--text", "--seed", "--force"}},
      {"capture models/",
       {"MODEL", "TEXT", "--layer L", "--head H", "-o,--output FILE", "--tokens N", "--window N",
        "--queries N", "--by-token", "--before-rotary", "--format NAME", "--tokenizer FILE",
        "--bos", "--skip BYTES", "--threads N", "--force"}},
      {"calibrate models/",
       {"MODEL", "TEXT", "-o,--output FILE", "--center FILE", "--feedback FILE", "--rank NAME",
        "--context N", "--balance FILE", "--channels FILE", "--split H,L", "--by NAME",
        "--config FILE", "--bits B", "--codebook NAME", "--candidates N", "--samples N"}},
      {"calibrate models/",
       {"--tiers FILE", "--rope NAME", "--outliers X", "--squat-channels G", "--squat-rank R",
        "--squat-strength L", "--fisher FILE", "--window N", "--seed N", "--per-head",
        "--json FILE", "--threads N", "--force"}},
      {"tune models/",
       {"MODEL", "TEXT", "-o,--output DIR", "--part NAME", "--bits B", "--bytes N", "--samples N",
        "--windows N", "--window N", "--seed N", "--json FILE", "--force"}}};
  const TempDir axelram;
  for (const auto& [example, parts] : expected) {
    CASE(example);
    const ProcessResult help = axelram(example.substr(0, example.find(' ')) + " --help");
    CHECK(help);
    CHECK(help.err.empty());
    CHECK(contains(help.out, "Example:\n  axelram " + example));
    for (const std::string& part : parts) CHECK_AT(part, contains(help.out, part));
  }
}

TEST_CASE("the examples of the help of calibrate and capture run as they stand") {
  for (const auto& [command, file] :
       {std::pair<std::string, std::string>{"calibrate", "signs.safetensors"},
        {"capture", "captured.safetensors"}}) {
    CASE(command);
    const TempDir axelram;
    axelram.check_example(axelram.output(command + " --help"), command + " models/");
    CHECK(axelram.has(file));
  }
}

TEST_CASE("the examples of the help run as they stand") {
  const TempDir axelram;
  const std::string source = quoted(AXELRAM_SOURCE);
  std::filesystem::create_directory_symlink(AXELRAM_SOURCE "/configs", axelram.at("configs"));
  std::filesystem::create_directory_symlink(AXELRAM_SOURCE "/traces", axelram.at("traces"));
  axelram.put("model.yaml",
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
      CHECK(axelram(arguments));
    }
  }
}

}  // namespace

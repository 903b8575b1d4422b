#include <filesystem>
#include <set>
#include <sstream>

#include "attention_configs.hpp"
#include "axelram/run/golden.hpp"
#include "axelram/sim/engine.hpp"
#include "axelram/sim/verify.hpp"
#include "axelram/sim/waveform.hpp"
#include "check.hpp"
#include "files/support.hpp"
#include "needs.hpp"
#include "small_configs.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

/// Full names of the signals in an FST, without ranges; empty where fst2vcd is not installed.
std::set<std::string> signals(const std::string& fst) {
  std::set<std::string> names;
  FILE* pipe = popen(("fst2vcd '" + fst + "' 2>/dev/null").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string scope, word;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    std::istringstream words(line);
    words >> word;
    std::string type, name, bits, id;
    if (word == "$scope") {
      words >> type >> name;
      scope += name + ".";
    } else if (word == "$upscope") {
      scope.erase(scope.rfind('.', scope.size() - 2) + 1);
    } else if (word == "$var") {
      words >> type >> bits >> id >> name;
      names.insert(scope + name.substr(0, name.find('[')));
    } else if (word == "$enddefinitions") {
      break;
    }
  }
  while (std::fgets(line, sizeof line, pipe) != nullptr) continue;
  pclose(pipe);
  return names;
}

}  // namespace

TEST_CASE("a run that records a waveform has golden's results") {
  const files::Config config = test::small_parallel();
  const test::TemporaryFolder folder;
  const std::string fst = folder / "run.fst";
  const std::string library = build_model(rtl::generate_observed(config), {true, true, {}});
  const files::Trace trace = test::small_trace(config);
  const RtlRun run = run_rtl(config, trace, library, {}, 1, fst);
  CHECK(files::first_difference(run::golden(config, trace), run.result) == std::nullopt);
  CHECK(fs::file_size(fst) > 1000);
}

TEST_CASE("the GTKWave view names signals that the waveform has" * test::needs_gtkwave) {
  for (const files::Config& config : {test::small_parallel(), attends_folded()}) {
    CASE(files::canonical_yaml(config));
    const test::TemporaryFolder folder;
    const std::string fst = folder / "run.fst";
    const std::string library = build_model(rtl::generate_observed(config), {true, true, {}});
    files::Trace trace = test::small_trace(config);
    if (config.attention.given) {
      trace.values = trace.keys;
      run_rtl_attention(config, trace, library, {}, 1, fst);
    } else {
      run_rtl(config, trace, library, {}, 1, fst);
    }
    const std::set<std::string> known = signals(fst);
    REQUIRE(!known.empty());
    const std::string view = gtkwave_view(config, fst, 123);
    CHECK(view.find("*-6.000000 1230 ") != std::string::npos);  // 10 ns a cycle
    std::istringstream lines(view);
    int checked = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("TOP.", 0) != 0) continue;
      CHECK_MESSAGE(known.count(line.substr(0, line.find('['))) == 1, line);
      ++checked;
    }
    CHECK(checked > 35);
  }
}

TEST_CASE("a mismatch is dumped as a trace, a waveform and a view") {
  const files::Config config = test::small_parallel();
  std::vector<rtl::GeneratedFile> generated = rtl::generate_observed(config);
  for (rtl::GeneratedFile& file : generated)
    if (file.path == "rtl/common/axelram_adder_tree.sv")
      file.text.replace(file.text.find("sum_q <= a + b;"), 15, "sum_q <= a - b;");
  const test::TemporaryFolder folder;
  VerifyOptions options;
  options.directory = folder.path();
  options.fast_compile = true;
  const files::Trace trace = test::small_trace(config);
  const VerifyReport report = verify(config, generated, trace, options);
  REQUIRE(report.mismatch.has_value());
  CHECK(report.dumped.size() == 4);
  for (const std::string& path : report.dumped) CHECK_MESSAGE(fs::file_size(path) > 0, path);

  // The dumped trace shows the fault again.
  const files::Trace dumped =
      files::read_trace(folder / "mismatch.safetensors", config.parameters, config.max_keys);
  const RtlRun run = run_rtl(config, dumped, build_model(generated, {false, true, {}}), {}, 1, "");
  CHECK(files::first_difference(run::golden(config, dumped), run.result).has_value());
}

TEST_CASE("a failed assertion is dumped like any mismatch") {
  const files::Config config = test::small_parallel();
  std::vector<rtl::GeneratedFile> generated = rtl::generate_observed(config);
  for (rtl::GeneratedFile& file : generated)
    if (file.path == "rtl/common/axelram_control.sv") {
      const std::string from = "(read_row_q != '0 || (free_i && copy_ready_i))";
      file.text.replace(file.text.find(from), from.size(), "1'b1");
    }
  const test::TemporaryFolder folder;
  VerifyOptions options;
  options.vectors = 300;
  options.directory = folder.path();
  options.fast_compile = true;
  const VerifyReport report = verify(config, generated, std::nullopt, options);
  REQUIRE(report.mismatch.has_value());
  CHECK(report.mismatch->tensor == "assertion");
  for (const std::string& path : report.dumped) CHECK_MESSAGE(fs::file_size(path) > 0, path);
  CHECK(report.dumped.size() == 4);
}

}  // namespace axelram::sim

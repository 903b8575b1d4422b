#include <algorithm>
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

/// The name of a variable without its range, and the range as GTKWave shows it: [high:low], of one
/// bit with a range [high], of one bit without a range nothing. A vector that is recorded without a
/// range begins at bit 0. Parameters and numbers have no range.
std::string name_in_gtkwave(const std::string& name, const std::string& type, int bits) {
  const std::size_t at = name.rfind('[');
  const bool has_range =
      at != std::string::npos && (bits == 1 || name.find(':', at) != std::string::npos);
  const std::string plain = has_range ? name.substr(0, at) : name;
  if (type == "parameter" || type == "integer" || type == "real") return plain;
  if (!has_range) return bits == 1 ? plain : plain + "[" + std::to_string(bits - 1) + ":0]";
  if (bits > 1) return name;
  return plain + "[" + std::to_string(std::stoi(name.substr(at + 1))) + "]";
}

/// Full names of the signals in an FST as GTKWave reads them; empty where fst2vcd is not installed.
std::set<std::string> signals(const std::string& fst) {
  std::set<std::string> names;
  FILE* pipe = popen(("fst2vcd '" + fst + "' 2>/dev/null").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string scope, word;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    std::istringstream words(line);
    words >> word;
    std::string type, name, id;
    int bits = 0;
    if (word == "$scope") {
      words >> type >> name;
      scope += name + ".";
    } else if (word == "$upscope") {
      scope.erase(scope.rfind('.', scope.size() - 2) + 1);
    } else if (word == "$var") {
      words >> type >> bits >> id;
      name.clear();
      while (words >> word && word != "$end") name += word;
      names.insert(scope + name_in_gtkwave(name, type, bits));
    } else if (word == "$enddefinitions") {
      break;
    }
  }
  while (std::fgets(line, sizeof line, pipe) != nullptr) continue;
  pclose(pipe);
  return names;
}

/// Records a waveform of the macro and requires that GTKWave finds every signal of the view in it.
void check_view(const files::Config& config) {
  const test::TemporaryFolder folder;
  const std::string fst = folder / "run.fst";
  const std::string library = build_model(rtl::generate_observed(config), {true, true, {}});
  files::Trace trace = test::small_trace(config);
  const auto most = static_cast<std::size_t>(config.max_keys * config.parameters.head_dim);
  trace.keys.resize(std::min(trace.keys.size(), most));
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
    CHECK_MESSAGE(known.count(line) == 1, line);
    ++checked;
  }
  CHECK(checked > 35);
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

TEST_CASE("names of a waveform as GTKWave reads them") {
  struct Case {
    const char *name, *type;
    int bits;
    const char* expected;
  };
  for (const Case& c :
       {Case{"clk_i", "wire", 1, "clk_i"}, Case{"row_q[0:0]", "logic", 1, "row_q[0]"},
        Case{"row_q[2:0]", "logic", 3, "row_q[2:0]"}, Case{"count", "wire", 4, "count[3:0]"},
        Case{"beats[3]", "logic", 8, "beats[3][7:0]"},
        Case{"beats[3][7:0]", "logic", 8, "beats[3][7:0]"},
        Case{"Rows[31:0]", "parameter", 32, "Rows"}}) {
    CASE(c.name, c.type, c.bits);
    CHECK(name_in_gtkwave(c.name, c.type, c.bits) == c.expected);
  }
}

TEST_CASE("the GTKWave view names signals that the waveform has" * test::needs_gtkwave) {
  for (const files::Config& config :
       {test::small_parallel(), test::small_coded(), attends_folded()}) {
    CASE(files::canonical_yaml(config));
    check_view(config);
  }
}

TEST_CASE("the GTKWave view of every kind of macro" * test::needs_gtkwave) {
  // A store of one key has an address of one bit, a vector of one beat a row of one bit.
  const auto one_key = test::small("macro: {head_dim: 32, max_keys: 1}\n");
  for (const files::Config& config : {one_key,
                                      test::small_folded(),
                                      test::small_unbiased(),
                                      test::small_unbiased_folded(),
                                      test::small_trellis(),
                                      test::small_trellis_folded(),
                                      test::small_prod(),
                                      test::small_prod_folded(),
                                      test::small_split(),
                                      test::small_split_folded(),
                                      test::small_split_trellis(),
                                      test::small_exact(),
                                      test::small_exact_folded(),
                                      test::small_half_table(false),
                                      test::small_latches(true),
                                      test::small_gated(false),
                                      test::small_multiplier(true),
                                      test::small_coded_deep(),
                                      attends_parallel(),
                                      attends_largest(),
                                      attends_centered(),
                                      attends_loaded(),
                                      attends_exact(),
                                      attends_exact_coded(),
                                      attends_coded()}) {
    CASE(files::canonical_yaml(config));
    check_view(config);
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

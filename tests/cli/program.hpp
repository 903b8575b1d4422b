#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/run/gaussian_trace.hpp"
#include "check.hpp"
#include "files/support.hpp"

namespace test {

using Json = nlohmann::ordered_json;  ///< keys in the order of the file

inline const std::string kSource = AXELRAM_SOURCE;
/// 2 layers, 2 KV heads of 32; `expected.safetensors` has two rows of 24 ids.
inline const std::string kTinyLlama = kSource + "/tests/model/transformer/reference/llama-f32";
/// Both, as arguments.
inline const std::string kTinyInputs = kTinyLlama + " " + kTinyLlama + "/expected.safetensors ";
inline const std::string kTinyRun = "perplexity " + kTinyInputs;
/// The architecture of a Llama model with two layers, in block types.
inline const std::string kTinyGguf = kSource + "/tests/model/checkpoints/reference/llama.gguf";
inline const std::string kByteLlama = kSource + "/models/byte-llama-d128";

/// A check of it that fails prints the command and what it wrote to stderr.
struct ExitCode {
  int value;
  std::string arguments, err;

  operator int() const { return value; }
  friend std::ostream& operator<<(std::ostream& out, const ExitCode& code) {
    return out << code.value << " of `" << code.arguments << "`, stderr "
               << written_inside(code.err);
  }
};

/// True if it succeeded.
struct ProcessResult {
  ExitCode code;
  std::string out;
  std::string err;

  explicit operator bool() const { return code == 0; }
  friend std::ostream& operator<<(std::ostream& out, const ProcessResult& done) {
    out << done.code;
    if (done.err.empty()) out << ", stdout " << written_inside(done.out);
    return out;
  }
};

/// Bad usage and missing tools are told in one line.
inline void check_complaint(const ProcessResult& done, int code, const std::string& part) {
  CASE(done);
  CHECK(done.code == code);
  CHECK(done.out.empty());
  CHECK(done.err.substr(0, 9) == "axelram: ");
  CHECK(done.err.find('\n') == done.err.size() - 1);
  CHECK(contains(done.err, part));
}

/// A run that fails with an exit code, and says `part`.
inline void failed(const ProcessResult& done, int code, const std::string& part) {
  CASE(done);
  CHECK(done.code == code);
  CHECK(contains(done.err, part));
}

inline std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Names in a folder that the program creates for the time of a run.
inline std::vector<std::string> leftovers(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    for (const char* part : {".part", ".tmp", ".hier"})
      if (contains(name, part)) names.push_back(name);
  }
  return names;
}

inline const std::string kOwnTools = "PATH=\"$PWD/bin:$PATH\"";
/// A python3 for put_tool.
inline const std::string kNoMatplotlib =
    "#!/bin/sh\n[ \"$1\" = --version ] && { echo Python 3.11.2; exit; }\n"
    "echo 'plots need matplotlib; run x' >&2\nexit 3\n";

/// A folder in which the program runs, with a small macro and a trace for it.
class TempDir {
 public:
  TempDir() {
    put("small.yaml", "macro: {head_dim: 32, index_bits: 3, max_keys: 64}\n");
    axelram::files::write_trace(at("trace.safetensors"), trace(), false);
  }

  static axelram::files::Trace trace() {
    axelram::Parameters parameters{.head_dim = 32};
    return axelram::run::gaussian_trace(parameters, 40, 5, 7);
  }

  std::string content(const std::string& name) const { return test::content(at(name)); }
  void put(const std::string& name, const std::string& bytes) const { test::put(at(name), bytes); }
  Json json(const std::string& name) const { return Json::parse(content(name)); }
  /// A program that kOwnTools finds before others of its name.
  void put_tool(const std::string& name, const std::string& script) const {
    std::filesystem::create_directories(at("bin"));
    put("bin/" + name, script);
    std::filesystem::permissions(at("bin/" + name), std::filesystem::perms::owner_all);
  }
  /// Figures of a report, read from its JSON, by name.
  std::map<std::string, Json> figures(const std::string& name) const {
    std::map<std::string, Json> lines;
    for (const Json& line : json(name)) lines[line["name"]] = line;
    return lines;
  }
  /// 684 bytes of text in text.txt.
  void put_text() const {
    std::string text;
    for (int i = 0; i < 12; ++i)
      text += "What is written once is read many times, said the clerk.\n";
    put("text.txt", text);
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  bool has(const std::string& name) const { return std::filesystem::exists(at(name)); }
  /// Files and folders here; two before anything ran.
  std::size_t entries() const { return folder_.entries(); }
  const std::string& path() const { return folder_.path(); }

  /// Runs the program with arguments as a shell reads them, after `before` in the same shell.
  ProcessResult operator()(const std::string& arguments, const std::string& before = "") const {
    return run(AXELRAM_PROGRAM, arguments, before);
  }
  /// The program whose kernels are emulated on the CPU.
  ProcessResult emulated(const std::string& arguments) const {
    return run(AXELRAM_EMULATED, arguments);
  }
  ProcessResult run(const std::string& program, const std::string& arguments,
                    const std::string& before = "") const {
    const std::string command = "cd " + quoted(folder_.path()) + " && " + before + " " +
                                quoted(program) + " " + arguments + " >" +
                                quoted(outputs_ / "out") + " 2>" + quoted(outputs_ / "err");
    const int status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    const std::string err = test::content(outputs_ / "err");
    return {{WEXITSTATUS(status), arguments, err}, test::content(outputs_ / "out"), err};
  }
  /// Output of a run, which must succeed.
  std::string output(const std::string& arguments, const std::string& before = "") const {
    const ProcessResult done = (*this)(arguments, before);
    REQUIRE(done);
    return done.out;
  }
  /// The example in the help of a command, which begins with `begin`, runs as it stands.
  void check_example(const std::string& help, const std::string& begin) const {
    std::filesystem::create_directory_symlink(kSource + "/models", at("models"));
    std::filesystem::create_symlink(kSource + "/README.md", at("README.md"));
    const std::size_t example = help.find("  axelram " + begin);
    REQUIRE(example != std::string::npos);
    std::string arguments = help.substr(example + 10);
    while (arguments.back() == '\n') arguments.pop_back();
    CHECK((*this)(arguments));
  }
  /// The command fails for its arguments: one line, in which `part` stands, and nothing written.
  void rejected(const std::string& arguments, const std::string& part) const {
    CASE(arguments);
    const std::size_t before = entries();
    check_complaint((*this)(arguments), 2, part);
    CHECK(entries() == before);
  }
  /// The command fails as `limit`, of the shell, cuts off its output `file`: nothing of it is kept.
  void cut_off(const std::string& arguments, const char* limit, const std::string& file) const {
    CASE(limit);
    const ProcessResult cut = (*this)(arguments, limit);
    CHECK(cut.code == 3);
    CHECK(contains(cut.err, "axelram: "));
    CHECK_FALSE(has(file));
    CHECK(leftovers(path()).empty());
  }

 private:
  TemporaryFolder folder_, outputs_;
};

}  // namespace test

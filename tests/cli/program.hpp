#pragma once

#include <sys/wait.h>

#include <cstdlib>
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
inline const std::string kTinyRun =
    "perplexity " + kTinyLlama + " " + kTinyLlama + "/expected.safetensors ";
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

struct ProcessResult {
  ExitCode code;
  std::string out;
  std::string err;
};

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

/// A folder in which the program runs, with a small macro and a trace for it.
class TempDir {
 public:
  TempDir() {
    put(at("small.yaml"), "macro: {head_dim: 32, index_bits: 3, max_keys: 64}\n");
    axelram::files::write_trace(at("trace.safetensors"), trace(), false);
  }

  static axelram::files::Trace trace() {
    axelram::Parameters parameters;
    parameters.head_dim = 32;
    return axelram::run::gaussian_trace(parameters, 40, 5, 7);
  }

  Json json(const std::string& name) const { return Json::parse(content(at(name))); }
  /// 684 bytes of text in text.txt.
  void put_text() const {
    std::string text;
    for (int i = 0; i < 12; ++i)
      text += "What is written once is read many times, said the clerk.\n";
    put(at("text.txt"), text);
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
    const std::string err = content(outputs_ / "err");
    return {{WEXITSTATUS(status), arguments, err}, content(outputs_ / "out"), err};
  }
  /// The command fails for its arguments: one line, in which `part` stands, and nothing written.
  void rejected(const std::string& arguments, const std::string& part) const {
    CASE(arguments);
    const std::size_t before = entries();
    const ProcessResult finished = (*this)(arguments);
    CASE(finished.err);
    CHECK(finished.code == 2);
    CHECK(finished.out.empty());
    CHECK(finished.err.find('\n') == finished.err.size() - 1);
    CHECK(contains(finished.err, part));
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

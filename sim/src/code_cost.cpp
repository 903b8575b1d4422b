#include "code_cost.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/rtl/code_unit.hpp"
#include "process.hpp"

namespace axelram::sim {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "axelram-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw files::EnvironmentError(name + ": cannot be created; set TMPDIR to a folder");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Gates and depth of a module, as Yosys prints them.
std::pair<int, int> gates_of(const fs::path& folder, const std::string& module) {
  const std::string command =
      "cd " + quoted(folder.string()) +
      " && yosys -p \"read_verilog -sv $(tr '\\n' ' ' <axelram.f); hierarchy -check -top " +
      module +
      "; proc; flatten; memory_map; opt; techmap; opt;"
      " abc -g AND,NAND,OR,NOR,XOR,XNOR; opt_clean; stat; ltp -noff\"";
  const std::string cells = "Number of cells:", path = "length=";
  int gates = -1, depth = -1;
  std::string last;
  const int status = run_command(command, [&](const std::string& line) {
    if (!line.empty()) last = line;
    if (const auto at = line.find(cells); at != std::string::npos)
      gates = std::atoi(line.c_str() + at + cells.size());
    if (const auto at = line.find(path); at != std::string::npos)
      depth = std::atoi(line.c_str() + at + path.size());
  });
  if (status != 0 || gates < 0 || depth < 0)
    throw files::EnvironmentError("yosys failed on " + module + ": " + last);
  return {gates, depth};
}

}  // namespace

CodeCost measure_code_cost(const std::string& code, const std::string& decoder) {
  require_tool("yosys");
  const Scratch scratch;
  rtl::write_generated(rtl::generate_code_unit({code, decoder, 0}), scratch.path().string(), true);
  const auto [encoder_gates, encoder_depth] = gates_of(scratch.path(), "axelram_word_encoder");
  const auto [decoder_gates, decoder_depth] = gates_of(scratch.path(), "axelram_word_decoder");
  return {encoder_gates, encoder_depth, decoder_gates, decoder_depth};
}

}  // namespace axelram::sim

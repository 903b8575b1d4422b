#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/scratch_folder.hpp"
#include "axelram/sim/tools.hpp"
#include "scripts.hpp"

namespace axelram::commands {
namespace {

/// Exit code of these programs for what the machine lacks, which the last line of standard error
/// tells.
constexpr int kLacking = 3;
/// Modules that several of these programs import.
constexpr const char* kShared[] = {"with_matplotlib.py", "tools.py", "places.py"};

/// Writes the program `name` and what it imports.
void unpack(const std::string& name, const std::string& folder) {
  for (const Script& script : scripts()) {
    const std::string path = script.path;
    const bool shared =
        std::find(std::begin(kShared), std::end(kShared), path) != std::end(kShared);
    if (path != name && path.rfind(name + "/", 0) != 0 && !shared) continue;
    const std::filesystem::path file = std::filesystem::path(folder) / path;
    std::filesystem::create_directories(file.parent_path());
    files::write_file(file.string(), script.text, false);
  }
}

}  // namespace

void run_script(const std::string& name, const std::vector<std::string>& arguments,
                const std::string& otherwise, const std::function<void(const std::string&)>& line) {
  const files::ScratchFolder scratch;
  unpack(name, scratch.path());
  // -B: no bytecode, which nothing would read again.
  sim::ToolCall call = {.arguments = {"-B", scratch.file(name)}};
  call.arguments.insert(call.arguments.end(), arguments.begin(), arguments.end());
  call.line = line;
  sim::ToolEnd end;
  try {
    end = sim::call_tool(sim::kPython, call);
  } catch (const files::EnvironmentError& error) {
    throw files::EnvironmentError(std::string(error.what()) + ", or " + otherwise);
  }
  if (end.status == 0) return;
  const bool told = end.status == kLacking && !end.err.empty();
  throw files::EnvironmentError(
      (told ? sim::last_words(end) : sim::failure("scripts/" + name, end)) + ", or " + otherwise);
}

std::string made_by(const ScriptTask& task, const std::string& text) {
  const files::ScratchFolder scratch;
  const std::string input = scratch.file("input.json"), output = scratch.file(task.file);
  files::write_file(input, text, false);
  run_script(task.name, {input, output}, task.otherwise, task.line);
  std::ifstream file(output, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty()) throw wrong_output(task, "wrote no " + task.file);
  return bytes;
}

files::EnvironmentError wrong_output(const ScriptTask& task, const std::string& what) {
  return files::EnvironmentError("scripts/" + task.name + " " + what +
                                 ", and reported no error; see that " +
                                 files::printable(sim::find_tool(sim::kPython.name)) +
                                 " is Python and that space is left, or " + task.otherwise);
}

}  // namespace axelram::commands

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/scratch_folder.hpp"
#include "axelram/sim/tools.hpp"
#include "scripts.hpp"

namespace axelram::commands {
namespace {

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
  const std::string said = sim::last_words(end);
  throw files::EnvironmentError((said.empty() ? "scripts/" + name + " failed" : said) + ", or " +
                                otherwise);
}

}  // namespace axelram::commands

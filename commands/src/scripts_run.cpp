#include <filesystem>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/scratch_folder.hpp"
#include "axelram/sim/process.hpp"
#include "scripts.hpp"

namespace axelram::commands {
namespace {

constexpr const char* kShared = "with_matplotlib.py";  // what every program imports

/// Writes the program `name` and what it imports.
void unpack(const std::string& name, const std::string& folder) {
  for (const Script& script : scripts()) {
    const std::string path = script.path;
    if (path != name && path.rfind(name + "/", 0) != 0 && path != kShared) continue;
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
  std::string command = "python3 -B " + sim::quoted(scratch.file(name));
  for (const std::string& argument : arguments) command += " " + sim::quoted(argument);
  std::string last;
  const int status = sim::run_command(command, [&](const std::string& text) {
    if (!text.empty()) last = text;
    if (line) line(text);
  });
  if (status == 0) return;
  if (status == 127)
    throw files::EnvironmentError(
        "python3 is not installed; run scripts/setup or apt-get install python3-matplotlib, or " +
        otherwise);
  throw files::EnvironmentError((last.empty() ? "scripts/" + name + " fails" : last) + ", or " +
                                otherwise);
}

}  // namespace axelram::commands

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace axelram::commands {

/// A file of scripts/ as compiled into the program.
struct Script {
  const char* path;  ///< below scripts/
  const char* text;
};
const std::vector<Script>& scripts();

/// Runs scripts/NAME, a Python program or a folder with one, and calls `line` for each line of its
/// output. Throws files::EnvironmentError with the last one, or how to get python3, and behind it
/// `otherwise`: what works without.
void run_script(const std::string& name, const std::vector<std::string>& arguments,
                const std::string& otherwise,
                const std::function<void(const std::string&)>& line = {});

}  // namespace axelram::commands
